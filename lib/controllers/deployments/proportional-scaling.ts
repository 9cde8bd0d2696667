// Scaling of a Deployment that is paused or in the middle of a rollout: all ReplicaSets with replicas grow or shrink in
// proportion, so that scaling does not hasten the rollout. All functions are pure. As scale in
// pkg/controller/deployment/sync.go, and GetReplicaSetProportion.
import type { Stored } from '../../client/index.js';
import type { Deployment, ReplicaSet } from '../../core/types/index.js';
import { desiredReplicasAnnotation, maxReplicasAnnotation } from './revisions.js';
import { byCreation, isRollingUpdate, maxSurge, totalReplicas } from './rolling-update.js';
import { replicasOf } from '../workloads/replicas.js';
import type { SetSize } from './rolling-update.js';

/** Sizes to write; `always` if the annotations are written even if no size changes. */
export interface Scaling {
  readonly sizes: readonly SetSize[];
  readonly always: boolean;
}

/** Returns the sizes after the Deployment was scaled. */
export function scaling(
  deployment: Stored<Deployment>,
  newSet: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
): Scaling {
  const all = newSet === undefined ? old : [...old, newSet];
  const active = all.filter((set) => replicasOf(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? newSet ?? old.toSorted(byCreation).at(-1));
  if (active.length <= 1) {
    const sizes = only === undefined ? [] : [{ set: only, replicas: replicasOf(deployment) }];
    // A set that another client gave this size has the annotation of an earlier one: without a write the Deployment
    // would count as scaled for ever, and roll nothing out.
    return { sizes, always: isScaled(deployment, active) };
  }
  if (newSet !== undefined && isSaturated(deployment, newSet))
    return lazily(active.filter((set) => set !== newSet).map((set) => ({ set, replicas: 0 })));
  if (!isRollingUpdate(deployment)) return lazily([]);
  return { sizes: proportionalSizes(deployment, active), always: true };
}

/** Returns whether some ReplicaSet was sized for another number of replicas than the Deployment has now. */
export function isScaled(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): boolean {
  return sets.some((set) => {
    const desired = replicasOf(set) > 0 ? countAnnotation(set, desiredReplicasAnnotation) : undefined;
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}

function lazily(sizes: readonly SetSize[]): Scaling {
  return { sizes, always: false };
}

/** Returns whether the new ReplicaSet has all replicas of the Deployment, and they are available. */
function isSaturated(deployment: Stored<Deployment>, set: Stored<ReplicaSet>): boolean {
  const desired = replicasOf(deployment);
  return (
    replicasOf(set) === desired &&
    countAnnotation(set, desiredReplicasAnnotation) === desired &&
    (set.status?.availableReplicas ?? 0) === desired
  );
}

/** The largest first; of equal ones the newer first when growing, the older first when shrinking. */
function proportionalSizes(deployment: Stored<Deployment>, active: readonly Stored<ReplicaSet>[]): readonly SetSize[] {
  const desired = replicasOf(deployment);
  const missing = (desired > 0 ? desired + maxSurge(deployment) : 0) - totalReplicas(active);
  const age = missing > 0 ? -1 : 1;
  const sorted =
    missing === 0
      ? active
      : active.toSorted((one, other) => replicasOf(other) - replicasOf(one) || age * byCreation(one, other));
  let left = missing;
  const sizes = sorted.map((set) => {
    const share = missing === 0 ? 0 : fraction(deployment, set);
    const added = missing > 0 ? Math.min(share, left) : Math.max(share, left);
    left -= added;
    return { set, replicas: replicasOf(set) + added };
  });
  // What rounding left over goes to the largest.
  return sizes.map(({ set, replicas }, index) => ({
    set,
    replicas: index === 0 ? Math.max(0, replicas + left) : replicas,
  }));
}

/** By how much a ReplicaSet grows if it keeps its share. */
function fraction(deployment: Stored<Deployment>, set: Stored<ReplicaSet>): number {
  const desired = replicasOf(deployment);
  const size = replicasOf(set);
  if (desired === 0) return -size;
  const recorded = countAnnotation(set, maxReplicasAnnotation) ?? 0;
  const before = recorded === 0 ? (deployment.status?.replicas ?? 0) : recorded;
  if (before === 0) return 0;
  return Math.floor((size * (desired + maxSurge(deployment))) / before + 0.5) - size;
}

/** An annotation that holds an int32 that is not negative. */
function countAnnotation({ metadata: { annotations } }: Stored<ReplicaSet>, name: string): number | undefined {
  const text = annotations?.[name];
  if (text === undefined || !/^[0-9]{1,10}$/.test(text)) return undefined;
  const count = Number(text);
  return count <= 2 ** 31 - 1 ? count : undefined;
}
