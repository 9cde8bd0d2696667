// Taints and tolerations. Untolerated NoSchedule and NoExecute taints make a node infeasible; PreferNoSchedule lowers
// its score. As component-helpers/scheduling/corev1/helpers.go and the plugin TaintToleration. The operators Lt and Gt
// belong to a feature gate that is off.
import type { Frozen } from '../objects/meta.js';
import type { Taint, Toleration } from '../types/core-v1.generated.js';

/** The taint equivalent to spec.unschedulable of a node. */
export const unschedulableTaint: Frozen<Taint> = Object.freeze({
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
});

/** Returns whether a toleration tolerates a taint. */
export function toleratesTaint({ key, operator, value, effect }: Frozen<Toleration>, taint: Frozen<Taint>): boolean {
  if (!isEmpty(effect) && effect !== taint.effect) return false;
  if (!isEmpty(key) && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (isEmpty(operator) || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

/** Returns the first untolerated NoSchedule or NoExecute taint. */
export function untoleratedTaint(
  taints: readonly Frozen<Taint>[] | undefined,
  tolerations: readonly Frozen<Toleration>[],
): Frozen<Taint> | undefined {
  if (taints === undefined) return undefined;
  for (const taint of taints) {
    if ((taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !toleratesTaintWithAny(tolerations, taint))
      return taint;
  }
  return undefined;
}

/** Returns the number of untolerated PreferNoSchedule taints. Pass `preferenceTolerations`. */
export function countIntolerablePreferred(
  taints: readonly Frozen<Taint>[] | undefined,
  tolerations: readonly Frozen<Toleration>[],
): number {
  if (taints === undefined) return 0;
  let count = 0;
  for (const taint of taints)
    if (taint.effect === 'PreferNoSchedule' && !toleratesTaintWithAny(tolerations, taint)) count += 1;
  return count;
}

/** Returns the tolerations that apply to PreferNoSchedule taints. */
export function preferenceTolerations(tolerations: readonly Frozen<Toleration>[]): readonly Frozen<Toleration>[] {
  return tolerations.filter(({ effect }) => isEmpty(effect) || effect === 'PreferNoSchedule');
}

/** Returns whether any of the tolerations tolerates a taint. */
export function toleratesTaintWithAny(tolerations: readonly Frozen<Toleration>[], taint: Frozen<Taint>): boolean {
  for (const toleration of tolerations) if (toleratesTaint(toleration, taint)) return true;
  return false;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
