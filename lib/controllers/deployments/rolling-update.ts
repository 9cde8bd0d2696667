// How far a rollout may go: what maxSurge and maxUnavailable allow, by how much the new ReplicaSet may grow, and what
// the old ones give up. All functions are pure. As pkg/controller/deployment/rolling.go and util/deployment_util.go.
import type { Stored } from '../../client/index.js';
import { scaledValue } from '../../core/index.js';
import type { Deployment, ReplicaSet } from '../../core/types/index.js';
import { replicasOf } from '../workloads/replicas.js';

/** A ReplicaSet and the number of replicas that it should have. */
export interface SetSize {
  readonly set: Stored<ReplicaSet>;
  readonly replicas: number;
}

/** Returns the sum of `spec.replicas`. */
export function totalReplicas(sets: readonly Stored<ReplicaSet>[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

/** Returns the sum of one of the counts in `status`. */
export function sumStatus(
  sets: readonly Stored<ReplicaSet>[],
  count: 'replicas' | 'readyReplicas' | 'availableReplicas',
): number {
  return sets.reduce((sum, { status }) => sum + (status?.[count] ?? 0), 0);
}

/** Returns whether the strategy is RollingUpdate. */
export function isRollingUpdate({ spec }: Stored<Deployment>): boolean {
  return spec?.strategy?.type === 'RollingUpdate';
}

/** Returns how many pods a Deployment may have beyond `spec.replicas`. Percentages are rounded up. */
export function maxSurge(deployment: Stored<Deployment>): number {
  return isRollingUpdate(deployment) ? limitsOf(deployment).surge : 0;
}

/** Returns how many pods may be unavailable. Percentages are rounded down. */
export function maxUnavailable(deployment: Stored<Deployment>): number {
  if (!isRollingUpdate(deployment)) return 0;
  return Math.min(limitsOf(deployment).unavailable, replicasOf(deployment));
}

/** If both are zero no rollout could begin: one pod may then be unavailable. */
function limitsOf(deployment: Stored<Deployment>): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge: surges = 0, maxUnavailable: unavailables = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(surges, replicasOf(deployment), true);
  const unavailable = scaledValue(unavailables, replicasOf(deployment), false);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * Returns the size of the new ReplicaSet, which now has `current` replicas of `total` in all ReplicaSets. Recreate
 * starts it at full size.
 */
export function newSetSize(deployment: Stored<Deployment>, current: number, total: number): number {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || current > desired) return desired;
  const free = desired + maxSurge(deployment) - total;
  return free <= 0 ? current : Math.min(current + free, desired);
}

/**
 * Returns the sizes of old ReplicaSets that can be reduced. `old` are the ones with replicas. First those lose
 * replicas that are not available anyway, then, oldest first, those that the available ones replace.
 */
export function reducedSets(
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
  newSet: Stored<ReplicaSet>,
): readonly SetSize[] {
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  // Pods that the new set is yet to delete, after a rollback to a set that was just reduced, replace none of the old.
  const newAvailable = Math.min(availableOf(newSet), replicasOf(newSet));
  const newUnavailable = replicasOf(newSet) - newAvailable;
  const budget = totalReplicas(old) + replicasOf(newSet) - minAvailable - newUnavailable;
  if (old.length === 0 || budget <= 0) return [];
  const oldest = old.toSorted(byCreation);
  const sizes = new Map(oldest.map((set) => [set, replicasOf(set)]));

  let unhealthyBudget = budget;
  for (const set of oldest) {
    const unhealthy = replicasOf(set) - availableOf(set);
    // The status is older than the size: wait until it has caught up.
    if (unhealthy < 0) return [];
    const removed = Math.min(unhealthyBudget, unhealthy);
    sizes.set(set, replicasOf(set) - removed);
    unhealthyBudget -= removed;
  }

  // A set that was reduced and enlarged again before its controller noticed may still lose pods that its status counts
  // as available: available pods are given up only when every status is of the present size.
  const isObserved = [...old, newSet].every(
    ({ metadata, status }) => (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
  );
  let healthyBudget = isObserved ? sumStatus(old, 'availableReplicas') + newAvailable - minAvailable : 0;
  for (const set of oldest) {
    const size = sizes.get(set) ?? 0;
    const removed = Math.max(0, Math.min(size, healthyBudget));
    sizes.set(set, size - removed);
    healthyBudget -= removed;
  }
  return Array.from(sizes, ([set, replicas]) => ({ set, replicas })).filter(
    ({ set, replicas }) => replicas !== replicasOf(set),
  );
}

/** Orders by creation, then by name. */
export function byCreation({ metadata: one }: Stored<ReplicaSet>, { metadata: other }: Stored<ReplicaSet>): number {
  if (one.creationTimestamp !== other.creationTimestamp)
    return one.creationTimestamp < other.creationTimestamp ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

function availableOf({ status }: Stored<ReplicaSet>): number {
  return status?.availableReplicas ?? 0;
}
