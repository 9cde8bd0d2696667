// The volumes that a pod's claims would get on a node, or why the node is infeasible. What does not depend on the node
// is computed once per pod. As pkg/scheduler/framework/plugins/volumebinding, FindPodVolumes.
import { bySizeOfClaim, classOfClaim, classOfVolume, selectedNodeOf, volumeNameOf } from '../../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../../core/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import type { NodeView } from '../../../cluster/node-view.js';
import { unresolvable } from '../../../framework/rejection.js';
import type { Rejection } from '../../../framework/rejection.js';
import { memoizeByKinds } from '../../memoize.js';
import { isReachable, isReachableEverywhere } from '../volume-node-affinity.js';
import type { AssumedVolumes } from './assumed-volumes.js';
import { matchableClaim, matchingVolume } from './matching.js';
import type { MatchableClaim } from './matching.js';
import type { PodClaims } from './pod-claims.js';
import { isProvisionableEverywhere, provisionableClaim, provisioningProblem } from './provisioning.js';
import type { ProvisionableClaim, ProvisioningProblem } from './provisioning.js';

/** The claims of a pod, prepared for filtering nodes. */
export interface VolumeClaimDemands {
  /** The volumes of bound claims; undefined for a missing one. */
  readonly bound: readonly (FrozenVolume | undefined)[];
  /** Claims with a node selected earlier, for which provisioning may be in progress. */
  readonly withSelectedNode: readonly ProvisionableClaim[];
  /** Claims without a selected node, smallest first. */
  readonly unbound: readonly UnboundClaim[];
}

/** A claim to be matched to an existing volume, or provisioned. */
export interface UnboundClaim extends ProvisionableClaim {
  readonly matchable: MatchableClaim;
}

/** A claim and its matched volume. */
export interface Match {
  readonly claim: FrozenClaim;
  readonly volume: FrozenVolume;
}

/** The matches and provisions on a node. */
export interface NodeVolumes {
  readonly matches: readonly Match[];
  readonly provisions: readonly FrozenClaim[];
}

/** Computes what does not depend on the node. */
export function volumeClaimDemands(
  { bound, waiting }: PodClaims,
  objects: ObjectLister,
  assumed: AssumedVolumes,
): VolumeClaimDemands {
  const volumesFor = (claim: FrozenClaim): readonly FrozenVolume[] =>
    (volumesByClass(objects).get(classOfClaim(claim)) ?? []).map((volume) => assumed.volumes.of(volume));
  const withSelectedNode = waiting.filter((claim) => selectedNodeOf(claim) !== undefined);
  const unbound = waiting.filter((claim) => selectedNodeOf(claim) === undefined).toSorted(bySizeOfClaim);
  return {
    bound: bound.map(({ spec }) => assumed.volumes.get(volumeNameOf(spec))),
    withSelectedNode: withSelectedNode.map((claim) => provisionableClaim(claim, objects)),
    unbound: unbound.map((claim) => ({
      ...provisionableClaim(claim, objects),
      matchable: matchableClaim(claim, volumesFor(claim)),
    })),
  };
}

/** Returns the matches and provisions on a node, or why it is infeasible. */
export function volumesOn(node: NodeView, demands: VolumeClaimDemands, objects: ObjectLister): NodeVolumes | Rejection {
  const boundProblem = problemOfBound(node, demands.bound, objects);
  const found = volumesOfWaiting(node, demands, objects);
  if (boundProblem === undefined && typeof found !== 'string') return found;
  return rejections[boundProblem ?? 'none'][typeof found === 'string' ? found : 'none'];
}

/** Returns whether the pod's volumes are available on every node. */
export function fitsEverywhere(
  { bound, withSelectedNode, unbound }: VolumeClaimDemands,
  objects: ObjectLister,
): boolean {
  return (
    withSelectedNode.length === 0 &&
    unbound.every(isProvisionableEverywhere) &&
    bound.every((volume) => volume !== undefined && isReachableEverywhere(volume, objects))
  );
}

type BoundProblem = 'gone' | 'elsewhere';

const affinityConflict = "node(s) didn't match PersistentVolume's node affinity";
const unavailable = "node(s) didn't find available persistent volumes to bind";
const noSpace = 'node(s) did not have enough free storage';
const gone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** Rejections by the problem of bound and of unbound claims. */
const rejections: Readonly<Record<BoundProblem | 'none', Readonly<Record<ProvisioningProblem | 'none', Rejection>>>> = {
  none: { none: unresolvable(), unavailable: unresolvable(unavailable), 'no-space': unresolvable(noSpace) },
  elsewhere: {
    none: unresolvable(affinityConflict),
    unavailable: unresolvable(affinityConflict, unavailable),
    'no-space': unresolvable(affinityConflict, noSpace),
  },
  gone: {
    none: unresolvable(gone),
    unavailable: unresolvable(unavailable, gone),
    'no-space': unresolvable(noSpace, gone),
  },
};

function problemOfBound(
  node: NodeView,
  volumes: VolumeClaimDemands['bound'],
  objects: ObjectLister,
): BoundProblem | undefined {
  for (const volume of volumes) {
    if (volume === undefined) return 'gone';
    if (!isReachable(volume, node, objects)) return 'elsewhere';
  }
  return undefined;
}

const nothingToDo: NodeVolumes = { matches: [], provisions: [] };

function volumesOfWaiting(
  node: NodeView,
  { withSelectedNode, unbound }: VolumeClaimDemands,
  objects: ObjectLister,
): NodeVolumes | ProvisioningProblem {
  if (withSelectedNode.length + unbound.length === 0) return nothingToDo;
  if (withSelectedNode.some(({ claim }) => selectedNodeOf(claim) !== node.name)) return 'unavailable';
  const matches: Match[] = [];
  const toProvision: ProvisionableClaim[] = [...withSelectedNode];
  const taken = new Set<string>();
  for (const each of unbound) {
    const volume = matchingVolume(each.matchable, node.labels, taken);
    if (volume === undefined) toProvision.push(each);
    else {
      taken.add(volume.metadata?.name ?? '');
      matches.push({ claim: each.claim, volume });
    }
  }
  for (const each of toProvision) {
    const problem = provisioningProblem(each, node.labels, objects);
    if (problem !== undefined) return problem;
  }
  return { matches, provisions: toProvision.map(({ claim }) => claim) };
}

const volumesByClass = memoizeByKinds(['PersistentVolume'], (objects) => {
  const byClass = new Map<string, FrozenVolume[]>();
  for (const volume of objects.list('PersistentVolume')) {
    const className = classOfVolume(volume);
    const list = byClass.get(className);
    if (list === undefined) byClass.set(className, [volume]);
    else list.push(volume);
  }
  return byClass;
});
