// Taints repel pods and tolerations let them come all the same. NoSchedule and NoExecute keep a pod away from a node;
// PreferNoSchedule only counts against it. As component-helpers/scheduling/corev1/helpers.go and the plugin
// TaintToleration; the operators Lt and Gt belong to a gate that is off.
import type { Frozen } from '../../core/index.js';
import type { Taint, Toleration } from '../../core/types/index.js';

/** The taint that stands for spec.unschedulable of a node. */
export const unschedulableTaint: Frozen<Taint> = Object.freeze({
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
});

/** Whether a toleration lets a pod come in spite of a taint. */
export function toleratesTaint({ key, operator, value, effect }: Frozen<Toleration>, taint: Frozen<Taint>): boolean {
  if (!isEmpty(effect) && effect !== taint.effect) return false;
  if (!isEmpty(key) && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (isEmpty(operator) || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

/** The first taint that keeps a pod with these tolerations away. */
export function untoleratedTaint(
  taints: readonly Frozen<Taint>[] | undefined,
  tolerations: readonly Frozen<Toleration>[],
): Frozen<Taint> | undefined {
  if (taints === undefined) return undefined;
  for (const taint of taints) {
    if ((taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !toleratesOne(tolerations, taint))
      return taint;
  }
  return undefined;
}

/** How many PreferNoSchedule taints count against a node. Give it `preferenceTolerations`. */
export function countUnpreferred(
  taints: readonly Frozen<Taint>[] | undefined,
  tolerations: readonly Frozen<Toleration>[],
): number {
  if (taints === undefined) return 0;
  let count = 0;
  for (const taint of taints) if (taint.effect === 'PreferNoSchedule' && !toleratesOne(tolerations, taint)) count += 1;
  return count;
}

/** The tolerations that PreferNoSchedule taints are held against. */
export function preferenceTolerations(tolerations: readonly Frozen<Toleration>[]): readonly Frozen<Toleration>[] {
  return tolerations.filter(({ effect }) => isEmpty(effect) || effect === 'PreferNoSchedule');
}

/** Whether any toleration lets a pod come in spite of a taint. */
export function toleratesOne(tolerations: readonly Frozen<Toleration>[], taint: Frozen<Taint>): boolean {
  for (const toleration of tolerations) if (toleratesTaint(toleration, taint)) return true;
  return false;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
