// VolumeRestrictions: disks that only one pod of a node may have, and claims that only one pod of the cluster may have.
// A claim that is in use keeps the pod away from all nodes, and yet preemption may help: its user can be made to leave.
// As pkg/scheduler/framework/plugins/volumerestrictions.
import { volumeClaims } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { Pod, Volume } from '../../../core/types/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import { memoryKey } from '../../framework/cycle.js';
import { on } from '../../framework/event-interest.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';

/** Makes the plugin. */
export function volumeRestrictions(): SchedulingPlugin {
  return {
    name: 'VolumeRestrictions',
    events: [
      on('Pod', actions.delete, (pod, old) => (old !== undefined && mayMakeRoom(old, pod) ? 'queue' : 'skip')),
      on('Node', actions.add),
      on('PersistentVolumeClaim', actions.add, (pod, _old, claim) =>
        claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
      ),
    ],

    preFilter: ({ pod, cluster, memory }) => {
      const claims = exclusiveClaims(pod, cluster);
      if ('code' in claims) return claims;
      const disks = restrictedDisks(pod.object);
      const uses = sum(claims, (claim) => cluster.claimUses(`${pod.namespace}/${claim}`));
      if (disks.length === 0 && uses === 0) return 'skip';
      memory.set(restrictions, new Restrictions(pod.namespace, disks, claims, uses));
      return undefined;
    },

    filter: ({ memory }, node) => {
      const { disks, uses } = memory.recall(restrictions);
      if (disks.length > 0) for (const { object } of node.pods) if (anyConflict(disks, object)) return diskTaken;
      return uses > 0 ? claimTaken : undefined;
    },
    addPod: ({ memory }, pod) => memory.recall(restrictions).count(pod, 1),
    removePod: ({ memory }, pod) => memory.recall(restrictions).count(pod, -1),
  };
}

const diskTaken = unschedulable('node(s) had no available disk');
const claimTaken = unschedulable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/** What a pod must have for itself. */
class Restrictions {
  readonly #namespace: string;
  readonly #claims: ReadonlySet<string>;
  readonly disks: readonly Frozen<Volume>[];
  /** How often the claims are in use. */
  uses: number;

  constructor(namespace: string, disks: readonly Frozen<Volume>[], claims: ReadonlySet<string>, uses: number) {
    this.#namespace = namespace;
    this.#claims = claims;
    this.disks = disks;
    this.uses = uses;
  }

  copy(): this {
    return new Restrictions(this.#namespace, this.disks, this.#claims, this.uses) as this; // nothing extends it
  }

  /** Counts a pod that came, or one that left. */
  count({ namespace, volumeClaims: claims }: PodFacts, times: 1 | -1): void {
    if (namespace !== this.#namespace) return;
    for (const { claim } of claims) if (this.#claims.has(claim)) this.uses += times;
  }
}

const restrictions = memoryKey<Restrictions>('VolumeRestrictions');

/** The names of the claims that no other pod may use. Ephemeral ones are the pod's own anyway. */
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

/** The volumes that may be in conflict with others. */
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

/** Whether two volumes are one disk, and not only read from. Disks of AWS cannot even be shared by readers. */
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

/** Whether a pod that left had a disk or a claim that this one wants. */
function mayMakeRoom(gone: Frozen<Pod>, { object, namespace, volumeClaims: own }: PodFacts): boolean {
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
