// VolumeRestrictions: disks that only one pod per node may use, and ReadWriteOncePod claims that only one pod of the
// cluster may use. A used claim makes all nodes infeasible, but preemption may help: its user can be a victim. As
// pkg/scheduler/framework/plugins/volumerestrictions.
import { volumeClaims } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { Pod, Volume } from '../../../core/types/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import { stateKey } from '../../framework/cycle-state.js';
import { on } from '../../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';

/** Creates the plugin. */
export function volumeRestrictions(): SchedulingPlugin {
  return {
    name: 'VolumeRestrictions',
    events: [
      on('Pod', actions.delete, (pod, old) => (old !== undefined && resolvesConflict(old, pod) ? 'queue' : 'skip')),
      on('Node', actions.add),
      on('PersistentVolumeClaim', actions.add, (pod, _old, claim) =>
        claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
      ),
    ],

    preFilter: ({ pod, cluster, state }) => {
      const claims = exclusiveClaims(pod, cluster);
      if ('code' in claims) return claims;
      const disks = restrictedDisks(pod.object);
      const uses = sum(claims, (claim) => cluster.claimUses(`${pod.namespace}/${claim}`));
      if (disks.length === 0 && uses === 0) return 'skip';
      state.set(restrictions, new Restrictions(pod.namespace, disks, claims, uses));
      return undefined;
    },

    filter: ({ state }, node) => {
      const { disks, uses } = state.read(restrictions);
      if (disks.length > 0) for (const { object } of node.pods) if (anyConflict(disks, object)) return diskConflict;
      return uses > 0 ? claimInUse : undefined;
    },
    addPod: ({ state }, pod) => state.read(restrictions).count(pod, 1),
    removePod: ({ state }, pod) => state.read(restrictions).count(pod, -1),
  };
}

const diskConflict = unschedulable('node(s) had no available disk');
const claimInUse = unschedulable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/** The disks and claims that the pod needs exclusively. */
class Restrictions {
  readonly #namespace: string;
  readonly #claims: ReadonlySet<string>;
  readonly disks: readonly Frozen<Volume>[];
  /** The number of uses of the claims by other pods. */
  uses: number;

  constructor(namespace: string, disks: readonly Frozen<Volume>[], claims: ReadonlySet<string>, uses: number) {
    this.#namespace = namespace;
    this.#claims = claims;
    this.disks = disks;
    this.uses = uses;
  }

  copy(): this {
    // the class has no subclasses
    return new Restrictions(this.#namespace, this.disks, this.#claims, this.uses) as this;
  }

  /** Counts a pod that was added (1) or removed (-1). */
  count({ namespace, volumeClaims: claims }: PodFacts, times: 1 | -1): void {
    if (namespace !== this.#namespace) return;
    for (const { claim } of claims) if (this.#claims.has(claim)) this.uses += times;
  }
}

const restrictions = stateKey<Restrictions>('VolumeRestrictions');

/** Returns the names of the pod's ReadWriteOncePod claims, without ephemeral ones, which belong to the pod. */
function exclusiveClaims(pod: PodFacts, { objects }: ClusterView): ReadonlySet<string> | Rejection {
  let found: Set<string> | undefined;
  for (const { claim: name, ephemeral } of pod.volumeClaims) {
    if (ephemeral) continue;
    const claim = claimOf(objects, pod, name);
    if (claim === undefined) return unresolvable(notFoundText('persistentvolumeclaim', name));
    if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) (found ??= new Set()).add(name);
  }
  return found ?? noClaims;
}

const noClaims: ReadonlySet<string> = new Set();

/** Returns the volumes that may conflict with others. */
function restrictedDisks({ spec }: Frozen<Pod>): readonly Frozen<Volume>[] {
  const { volumes } = spec ?? {};
  return volumes?.some(isRestricted) ? volumes.filter(isRestricted) : noDisks;
}

const noDisks: readonly Frozen<Volume>[] = [];

function isRestricted({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Frozen<Volume>): boolean {
  return (
    gcePersistentDisk !== undefined || awsElasticBlockStore !== undefined || rbd !== undefined || iscsi !== undefined
  );
}

function anyConflict(disks: readonly Frozen<Volume>[], { spec }: Frozen<Pod>): boolean {
  return spec?.volumes?.some((other) => disks.some((disk) => areInConflict(disk, other))) ?? false;
}

/** Returns whether two volumes are the same disk and one is writable. AWS disks conflict even if both are read-only. */
function areInConflict(a: Frozen<Volume>, b: Frozen<Volume>): boolean {
  if (a.awsElasticBlockStore !== undefined && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID)
    return true;
  if (
    a.gcePersistentDisk !== undefined &&
    a.gcePersistentDisk.pdName === b.gcePersistentDisk?.pdName &&
    isWritten(a.gcePersistentDisk, b.gcePersistentDisk)
  )
    return true;
  if (a.iscsi !== undefined && a.iscsi.iqn === b.iscsi?.iqn && isWritten(a.iscsi, b.iscsi)) return true;
  return a.rbd !== undefined && b.rbd !== undefined && isSameImage(a.rbd, b.rbd) && isWritten(a.rbd, b.rbd);
}

type Image = NonNullable<Frozen<Volume>['rbd']>;

function isSameImage(a: Image, b: Image): boolean {
  return a.pool === b.pool && a.image === b.image && a.monitors.some((monitor) => b.monitors.includes(monitor));
}

function isWritten(a: { readonly readOnly?: boolean }, b: { readonly readOnly?: boolean }): boolean {
  return a.readOnly !== true || b.readOnly !== true;
}

/** Returns whether a removed pod used a disk or claim of this pod. */
function resolvesConflict(gone: Frozen<Pod>, { object, namespace, volumeClaims: own }: PodFacts): boolean {
  if (anyConflict(restrictedDisks(object), gone)) return true;
  return (
    gone.metadata?.namespace === namespace &&
    volumeClaims(gone).some(({ claim }) => own.some((each) => each.claim === claim))
  );
}

function sum<T>(things: Iterable<T>, amount: (thing: T) => number): number {
  let total = 0;
  for (const thing of things) total += amount(thing);
  return total;
}
