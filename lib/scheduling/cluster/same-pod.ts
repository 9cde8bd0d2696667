// Whether a pod on a node still means the same to everybody else: most updates are reports of its kubelet, and the
// update that binds a pod tells only what was assumed. What the API does not let change once a pod has a node, its
// volumes, its affinity and its namespace, cannot differ.
import { deepEqual } from '../../core/index.js';
import type { Labels } from '../../core/index.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';

/**
 * Whether newer facts of a pod say the same of what others look at. What it wants itself does not count: it has a node.
 */
export function sameToOthers(old: PodFacts, current: PodFacts): boolean {
  return (
    old.terminating === current.terminating &&
    old.priority === current.priority &&
    old.object.status?.startTime === current.object.status?.startTime &&
    sameAmounts(old.held, current.held) &&
    old.nonZeroHeld.milliCpu === current.nonZeroHeld.milliCpu &&
    old.nonZeroHeld.memory === current.nonZeroHeld.memory &&
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
