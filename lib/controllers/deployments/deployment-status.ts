// The status of a Deployment: the sums over its ReplicaSets, and the conditions Available, Progressing and
// ReplicaFailure. All functions are pure. As pkg/controller/deployment/progress.go and sync.go, calculateStatus.
import type { Stored } from '../../client/index.js';
import { parseTime, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../core/types/index.js';
import { maxUnavailable, sumStatus, totalReplicas } from './rolling-update.js';
import { replicasOf } from '../workloads/replicas.js';

type Condition = Frozen<DeploymentCondition>;
type Status = Frozen<DeploymentStatus>;

/** The ReplicaSets of a Deployment; `newSet` is among `sets`. */
export interface SetsOfStatus {
  readonly sets: readonly Stored<ReplicaSet>[];
  readonly newSet: Stored<ReplicaSet> | undefined;
}

/** Returns a condition that has just changed. */
export function newCondition(
  type: string,
  status: 'True' | 'False' | 'Unknown',
  { reason, message, nowMs }: { readonly reason: string; readonly message: string; readonly nowMs: number },
): Condition {
  const time = printTime(nowMs);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** Returns the condition of that type. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Returns the conditions with this one, unless there is one with the same status and reason. The transition time
 * changes only with the status.
 */
export function withDeploymentCondition(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  const old = conditionOf(conditions, condition.type);
  if (old?.status === condition.status && old.reason === condition.reason) return conditions;
  const { lastTransitionTime } = old?.status === condition.status ? old : condition;
  return [
    ...withoutCondition(conditions, condition.type),
    { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
  ];
}

function withoutCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Returns whether the Deployment has a deadline for its progress. */
export function hasDeadline({ spec }: Stored<Deployment>): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** Returns whether all replicas are updated and available, and no other is left. */
export function isComplete(deployment: Stored<Deployment>, status: Status | undefined): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  const desired = replicasOf(deployment);
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

/** Returns the counts and the condition Available. Other conditions stay as they are. */
export function countedStatus(deployment: Stored<Deployment>, { sets, newSet }: SetsOfStatus, nowMs: number): Status {
  const { status: { conditions = [], collisionCount } = {}, metadata } = deployment;
  const available = sumStatus(sets, 'availableReplicas');
  const counts = {
    observedGeneration: metadata.generation ?? 0,
    replicas: sumStatus(sets, 'replicas'),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sumStatus(sets, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalReplicas(sets) - available),
  };
  const terminatingReplicas = terminatingCount(sets);
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    conditions: withDeploymentCondition(
      conditions,
      available >= replicasOf(deployment) - maxUnavailable(deployment)
        ? newCondition('Available', 'True', {
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
            nowMs,
          })
        : newCondition('Available', 'False', {
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
            nowMs,
          }),
    ),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

/** Unknown while a ReplicaSet that was reconciled does not report it. */
function terminatingCount(sets: readonly Stored<ReplicaSet>[]): number | undefined {
  let count = 0;
  for (const { status } of sets) {
    const { terminatingReplicas, observedGeneration = 0 } = status ?? {};
    if (terminatingReplicas === undefined && observedGeneration > 0) return undefined;
    count += terminatingReplicas ?? 0;
  }
  return count;
}

/** Returns the status during a rollout: also the conditions Progressing and ReplicaFailure. */
export function rolloutStatus(deployment: Stored<Deployment>, sets: SetsOfStatus, nowMs: number): Status {
  const status = countedStatus(deployment, sets, nowMs);
  const { conditions = [] } = status;
  const progressing = hasDeadline(deployment)
    ? withProgress(deployment, { ...status, conditions }, sets.newSet, nowMs)
    : withoutCondition(conditions, 'Progressing');
  const failure = replicaFailure(sets);
  return {
    ...status,
    conditions:
      failure === undefined
        ? withoutCondition(progressing, 'ReplicaFailure')
        : withDeploymentCondition(progressing, failure),
  };
}

function withProgress(
  deployment: Stored<Deployment>,
  status: Status & { readonly conditions: readonly Condition[] },
  newSet: Stored<ReplicaSet> | undefined,
  nowMs: number,
): readonly Condition[] {
  const { conditions } = status;
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  // A rollout that is over makes no progress, and has no deadline.
  const isOver =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (isOver) return conditions;
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withDeploymentCondition(
      conditions,
      newCondition('Progressing', 'True', { reason: 'NewReplicaSetAvailable', message, nowMs }),
    );
  }
  if (hasProgressed(deployment.status, status)) {
    const message = `${subject} is progressing.`;
    const condition = newCondition('Progressing', 'True', { reason: 'ReplicaSetUpdated', message, nowMs });
    // The time of the update changes with every progress, also with the same reason.
    return withDeploymentCondition(withoutCondition(conditions, 'Progressing'), {
      ...condition,
      ...(current?.status === 'True' &&
        current.lastTransitionTime !== undefined && { lastTransitionTime: current.lastTransitionTime }),
    });
  }
  if (hasTimedOut(deployment, conditionOf(conditions, 'Progressing'), nowMs)) {
    const message = `${subject} has timed out progressing.`;
    return withDeploymentCondition(
      conditions,
      newCondition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message, nowMs }),
    );
  }
  return conditions;
}

/** More new replicas, fewer old ones, more that are ready or available. */
function hasProgressed(before: Status = {}, after: Status): boolean {
  const old = (status: Status): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(deployment: Stored<Deployment>, progressing: Condition | undefined, nowMs: number): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  return progressing.reason === 'ProgressDeadlineExceeded' || deadlineMs(deployment, progressing) < nowMs;
}

function deadlineMs({ spec }: Stored<Deployment>, { lastUpdateTime }: Condition): number {
  if (lastUpdateTime === undefined) return Infinity;
  return parseTime(lastUpdateTime) + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** Returns after how long the deadline is to be checked; undefined if there is none, or no progress is waited for. */
export function progressCheckMs(deployment: Stored<Deployment>, status: Status, nowMs: number): number | undefined {
  const progressing = conditionOf(status.conditions, 'Progressing');
  if (!hasDeadline(deployment) || progressing === undefined || isComplete(deployment, status)) return undefined;
  if (progressing.reason === 'ProgressDeadlineExceeded' || progressing.reason === 'NewReplicaSetAvailable')
    return undefined;
  const leftMs = deadlineMs(deployment, progressing) - nowMs;
  if (!Number.isFinite(leftMs)) return undefined;
  // As Kubernetes: a second later, so that the deadline is over; at once if it is about to be.
  return leftMs < 1000 ? Math.max(0, leftMs) + 1 : leftMs + 1000;
}

/** That of the new ReplicaSet comes before those of old ones. */
function replicaFailure({ sets, newSet }: SetsOfStatus): Condition | undefined {
  const ordered = newSet === undefined ? sets : [newSet, ...sets];
  const found = ordered.flatMap(({ status }) => status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
  if (found === undefined) return undefined;
  const { lastTransitionTime } = found;
  return { ...found, ...(lastTransitionTime !== undefined && { lastUpdateTime: lastTransitionTime }) };
}
