// Facts about pods that have a node. `hasSameSchedulingFacts` finds updates that do not affect other pods: most updates
// are status reports of the kubelet, and the update that binds a pod only confirms what was assumed. Volumes, affinity
// and namespace of a pod with a node are immutable in the API, so they are not compared.
import { deepEqual } from '../../core/index.js';
import type { Labels } from '../../core/index.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';

/**
 * Whether two versions of a pod are equal in everything that affects other pods. Its own constraints are not compared:
 * it already has a node.
 */
export function hasSameSchedulingFacts(old: PodFacts, current: PodFacts): boolean {
  return (
    old.terminating === current.terminating &&
    old.priority === current.priority &&
    old.object.status?.startTime === current.object.status?.startTime &&
    sameAmounts(old.requestsOnNode, current.requestsOnNode) &&
    old.nonZeroRequestsOnNode.milliCpu === current.nonZeroRequestsOnNode.milliCpu &&
    old.nonZeroRequestsOnNode.memory === current.nonZeroRequestsOnNode.memory &&
    sameLabels(old.labels, current.labels) &&
    sameList(old.deviceClaims, current.deviceClaims)
  );
}

function sameAmounts(old: ResourceAmounts, current: ResourceAmounts): boolean {
  if (old === current) return true;
  if (
    old.milliCpu !== current.milliCpu ||
    old.memory !== current.memory ||
    old.ephemeralStorage !== current.ephemeralStorage
  )
    return false;
  if (old.scalars.size !== current.scalars.size) return false;
  if (old.scalars.size > 0)
    for (const [name, amount] of old.scalars) if (current.scalars.get(name) !== amount) return false;
  return true;
}

function sameLabels(old: Labels, current: Labels): boolean {
  return old === current || deepEqual(old, current);
}

function sameList(old: readonly unknown[], current: readonly unknown[]): boolean {
  return old === current || (old.length === current.length && deepEqual(old, current));
}

/** Number of pod volumes that use a claim, by `namespace/name`. Claims of ephemeral volumes are not counted. */
export class ClaimUses {
  readonly #uses = new Map<string, number>();

  /** Returns the number of uses of a claim. */
  of(claim: string): number {
    return this.#uses.get(claim) ?? 0;
  }

  /** Counts a pod that was added to a node (1) or removed from it (-1). */
  count({ namespace, volumeClaims }: PodFacts, change: 1 | -1): void {
    for (const { claim, ephemeral } of volumeClaims) {
      if (ephemeral) continue;
      const key = `${namespace}/${claim}`;
      const uses = this.of(key) + change;
      if (uses === 0) this.#uses.delete(key);
      else this.#uses.set(key, uses);
    }
  }
}
