// Patches of a pod's status: a condition and the nominated node. Only changes are written. As pkg/scheduler/util,
// PatchPodStatus.
import { isConnectionError } from '../../client/index.js';
import type { Client, StrategicPatch } from '../../client/index.js';
import { delayAfter, isApiError, namespacedName, pause, printTime } from '../../core/index.js';
import type { BackoffLadder, Clock, Frozen } from '../../core/index.js';
import type { Pod, PodCondition } from '../../core/types/index.js';

/** The desired condition and nomination of a pod. */
export interface StatusChange {
  readonly condition?: Required<Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>>;
  /** Empty removes it; absent keeps it. */
  readonly nominatedNodeName?: string;
}

/** Writes a change. Resolves at once if the pod already has it; retries transient errors. */
export async function writePodStatus(
  client: Client,
  clock: Clock,
  pod: Frozen<Pod>,
  change: StatusChange,
): Promise<void> {
  const status = statusPatch(pod, change, clock.now());
  if (status === undefined) return;
  const pods = client.kind('v1', 'Pod');
  for (let failures = 1; ; failures++) {
    try {
      await pods.status.patch(namespacedName(pod), { strategic: { status } });
      return;
    } catch (error) {
      if (failures >= ladder.attemptsMax || !isTransient(error)) throw error;
      await pause(clock, delayAfter(ladder, failures));
    }
  }
}

/** Returns the change as a patch of the status; undefined if nothing changes. */
export function statusPatch(
  pod: Frozen<Pod>,
  { condition, nominatedNodeName }: StatusChange,
  nowMs: number,
): StrategicPatch<NonNullable<Pod['status']>> | undefined {
  const changed = condition === undefined ? undefined : changedCondition(pod, condition, nowMs);
  const isNominated = nominatedNodeName !== undefined && nominatedNodeName !== (pod.status?.nominatedNodeName ?? '');
  if (changed === undefined && !isNominated) return undefined;
  return {
    ...(changed && { conditions: [changed], ...conditionOrder(pod, changed.type) }),
    ...(isNominated && { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName }),
  };
}

/** Orders a new condition last: a strategic merge patch would put it before conditions that it does not name. */
function conditionOrder(
  pod: Frozen<Pod>,
  type: string,
): Readonly<Record<`$${string}`, readonly { readonly type: string }[]>> {
  const others = pod.status?.conditions ?? [];
  if (others.every((each) => each.type === type)) return {};
  const isKnown = others.some((each) => each.type === type);
  return {
    '$setElementOrder/conditions': [...others.map((each) => ({ type: each.type })), ...(isKnown ? [] : [{ type }])],
  };
}

/** The transition time changes only with the status. */
function changedCondition(
  pod: Frozen<Pod>,
  condition: NonNullable<StatusChange['condition']>,
  nowMs: number,
): Frozen<PodCondition> | undefined {
  const { type, status, reason, message } = condition;
  const old = pod.status?.conditions?.find((each) => each.type === type);
  if (old?.status === status && old.reason === reason && old.message === message) return undefined;
  const observedGeneration = pod.metadata?.generation;
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : printTime(nowMs);
  // The common case as one literal: adding members one by one is the most expensive part here.
  if (observedGeneration !== undefined && lastTransitionTime !== undefined)
    return { type, status, reason, message, observedGeneration, lastTransitionTime };
  return {
    ...condition,
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  };
}

function isTransient(error: unknown): boolean {
  return (
    isApiError(error, 'InternalError') ||
    isApiError(error, 'ServiceUnavailable') ||
    isApiError(error, 'Conflict') ||
    isConnectionError(error)
  );
}

const ladder: BackoffLadder = {
  baseMs: 10,
  factor: 5,
  maxMs: Infinity,
  jitter: 0,
  resetAfterMs: Infinity,
  attemptsMax: 4,
};
