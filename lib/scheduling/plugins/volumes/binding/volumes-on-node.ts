// Which volumes the claims of a pod would get on a node, or why the pod cannot go there. What does not depend on the
// node is settled before, once for the pod. As pkg/scheduler/framework/plugins/volumebinding, FindPodVolumes.
import { bySizeOfClaim, classOfClaim, classOfVolume, selectedNodeOf, volumeNameOf } from '../../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../../core/index.js';
import type { KnownObjects } from '../../../cluster/known-objects.js';
import type { NodeView } from '../../../cluster/node-view.js';
import { unresolvable } from '../../../framework/rejection.js';
import type { Rejection } from '../../../framework/rejection.js';
import { computedFrom } from '../../computed-from.js';
import { isReachable, isReachableEverywhere } from '../volume-reach.js';
import type { AssumedVolumes } from './assumed-volumes.js';
import { matchableClaim, matchingVolume } from './matching.js';
import type { MatchableClaim } from './matching.js';
import type { PodClaims } from './pod-claims.js';
import { isProvisionableEverywhere, provisionableClaim, provisioningProblem } from './provisioning.js';
import type { ProvisionableClaim, ProvisioningProblem } from './provisioning.js';

/** What the claims of a pod ask of nodes. */
export interface VolumeClaimDemands {
  /** The volumes that they have; undefined for one that is gone. */
  readonly bound: readonly (FrozenVolume | undefined)[];
  /** Claims for which a node was chosen before, and a volume may be under way. */
  readonly chosen: readonly ProvisionableClaim[];
  /** Claims for which any node would do, the smallest first. */
  readonly open: readonly UnboundClaim[];
}

/** A claim that gets a volume that is there, or else one that is made. */
export interface UnboundClaim extends ProvisionableClaim {
  readonly among: MatchableClaim;
}

/** A claim and the volume that it gets. */
export interface Match {
  readonly claim: FrozenClaim;
  readonly volume: FrozenVolume;
}

/** What would be done on a node. */
export interface NodeVolumes {
  readonly matches: readonly Match[];
  readonly provisions: readonly FrozenClaim[];
}

/** Settles what does not depend on the node. */
export function volumeClaimDemands(
  { bound, waiting }: PodClaims,
  objects: KnownObjects,
  assumed: AssumedVolumes,
): VolumeClaimDemands {
  const volumesFor = (claim: FrozenClaim): readonly FrozenVolume[] =>
    (volumesByClass(objects).get(classOfClaim(claim)) ?? []).map((volume) => assumed.volumes.of(volume));
  const chosen = waiting.filter((claim) => selectedNodeOf(claim) !== undefined);
  const open = waiting.filter((claim) => selectedNodeOf(claim) === undefined).toSorted(bySizeOfClaim);
  return {
    bound: bound.map(({ spec }) => assumed.volumes.get(volumeNameOf(spec))),
    chosen: chosen.map((claim) => provisionableClaim(claim, objects)),
    open: open.map((claim) => ({
      ...provisionableClaim(claim, objects),
      among: matchableClaim(claim, volumesFor(claim)),
    })),
  };
}

/** What would be done on a node, or why the pod cannot go there. */
export function volumesOn(node: NodeView, demands: VolumeClaimDemands, objects: KnownObjects): NodeVolumes | Rejection {
  const boundProblem = problemOfBound(node, demands.bound, objects);
  const found = volumesOfWaiting(node, demands, objects);
  if (boundProblem === undefined && typeof found !== 'string') return found;
  return rejections[boundProblem ?? 'none'][typeof found === 'string' ? found : 'none'];
}

/** Whether the pod could go to any node, whatever the volumes that its claims would get there. */
export function fitsEverywhere({ bound, chosen, open }: VolumeClaimDemands, objects: KnownObjects): boolean {
  return (
    chosen.length === 0 &&
    open.every(isProvisionableEverywhere) &&
    bound.every((volume) => volume !== undefined && isReachableEverywhere(volume, objects))
  );
}

type BoundProblem = 'gone' | 'elsewhere';

const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
const unavailable = "node(s) didn't find available persistent volumes to bind";
const noSpace = 'node(s) did not have enough free storage';
const gone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** By what is wrong with volumes that claims have, and with those that they should get. */
const rejections: Readonly<Record<BoundProblem | 'none', Readonly<Record<ProvisioningProblem | 'none', Rejection>>>> = {
  none: { none: unresolvable(), unavailable: unresolvable(unavailable), 'no-space': unresolvable(noSpace) },
  elsewhere: {
    none: unresolvable(elsewhere),
    unavailable: unresolvable(elsewhere, unavailable),
    'no-space': unresolvable(elsewhere, noSpace),
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
  objects: KnownObjects,
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
  { chosen, open }: VolumeClaimDemands,
  objects: KnownObjects,
): NodeVolumes | ProvisioningProblem {
  if (chosen.length + open.length === 0) return nothingToDo;
  if (chosen.some(({ claim }) => selectedNodeOf(claim) !== node.name)) return 'unavailable';
  const matches: Match[] = [];
  const toProvision: ProvisionableClaim[] = [...chosen];
  const taken = new Set<string>();
  for (const each of open) {
    const volume = matchingVolume(each.among, node.labels, taken);
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

const volumesByClass = computedFrom(['PersistentVolume'], (objects) => {
  const byClass = new Map<string, FrozenVolume[]>();
  for (const volume of objects.list('PersistentVolume')) {
    const className = classOfVolume(volume);
    const list = byClass.get(className);
    if (list === undefined) byClass.set(className, [volume]);
    else list.push(volume);
  }
  return byClass;
});
