// What controllers derive from the status of a pod. As pkg/api/v1/pod/util.go and pkg/controller/controller_utils.go.
import { isTerminating } from '../../objects/meta.js';
import type { Frozen } from '../../objects/meta.js';
import { parseTime, printTime } from '../../objects/time.js';
import type { Pod, PodCondition } from '../../types/core-v1.generated.js';

/** Returns the condition of that type, if the pod has it. */
export function podCondition({ status }: Frozen<Pod>, type: string): Frozen<PodCondition> | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Returns whether the condition Ready is True. A terminating pod may still be ready. */
export function isPodReady(pod: Frozen<Pod>): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** Returns whether the pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Frozen<Pod>, minReadySeconds: number, nowMs: number): boolean {
  return isPodReady(pod) && (minReadySeconds === 0 || availableAtMs(pod, minReadySeconds) <= nowMs);
}

/** Returns when a ready pod becomes available if it stays ready; Infinity for a pod that is not ready. */
export function availableAtMs(pod: Frozen<Pod>, minReadySeconds: number): number {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True' || ready.lastTransitionTime === undefined) return Infinity;
  return parseTime(ready.lastTransitionTime) + minReadySeconds * 1000;
}

/** Returns whether all containers have stopped for good: phase Succeeded or Failed. */
export function isPodTerminal({ status }: Frozen<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Returns whether the pod counts as a replica: neither terminal nor being deleted. */
export function isPodActive(pod: Frozen<Pod>): boolean {
  return !isPodTerminal(pod) && !isTerminating(pod);
}

/** Returns whether the pod is being deleted and its containers have not stopped yet. */
export function isPodTerminating(pod: Frozen<Pod>): boolean {
  return !isPodTerminal(pod) && isTerminating(pod);
}

/**
 * Returns the conditions of a pod with one of them set, for its generation. Its time changes only with its status. As
 * UpdatePodCondition.
 */
export function withPodCondition(
  { metadata, status }: Frozen<Pod>,
  condition: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
  nowMs: number,
): readonly Frozen<PodCondition>[] {
  const { conditions = [] } = status ?? {};
  const { generation } = metadata ?? {};
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : printTime(nowMs);
  const next: PodCondition = {
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: lastTransitionTime ?? printTime(nowMs),
    ...condition,
  };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
