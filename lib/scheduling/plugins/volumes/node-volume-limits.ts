// NodeVolumeLimits: limits the volumes per driver and node, by the count in the node's CSINode. Without a CSINode or a
// count there is no limit. The highest volume count of any node is tracked incrementally, so that most pods with
// volumes skip the per-node filter. As pkg/scheduler/framework/plugins/nodevolumelimits.
import type { Frozen } from '../../../core/index.js';
import type { CSINode } from '../../../core/types/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateData } from '../../framework/cycle-state.js';
import { on } from '../../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';
import { memoizeByKinds } from '../memoize.js';
import { addAttachedTo, addVolumesOf, attachedTo, hasCountableVolumes, mostAttached } from './driver-volumes.js';
import type { DriverVolumes } from './driver-volumes.js';
import { inTreePluginOf } from './in-tree-plugins.js';
import { LogReader } from '../../bounded-log.js';
import type { ClusterChange } from '../../cluster/change-log.js';
import type { ClusterView } from '../../cluster/cluster-view.js';

/** Creates the plugin. */
export function nodeVolumeLimits(): SchedulingPlugin {
  return {
    name: 'NodeVolumeLimits',
    events: [
      on('storage.k8s.io/CSINode', actions.add),
      on('storage.k8s.io/CSINode', actions.update, (_pod, old, csiNode) =>
        isLimitRaised(old, csiNode) ? 'queue' : 'skip',
      ),
      on('Pod', actions.delete, (_pod, gone) => {
        const wasOnNode = (gone?.spec?.nodeName ?? '') !== '' || (gone?.status?.nominatedNodeName ?? '') !== '';
        return gone !== undefined && wasOnNode && hasCountableVolumes(gone) ? 'queue' : 'skip';
      }),
      on('PersistentVolumeClaim', actions.add, (pod, _old, claim) =>
        claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
      ),
      on('storage.k8s.io/VolumeAttachment', actions.delete, (pod, gone) =>
        gone !== undefined && mayUse(pod, gone.spec.attacher) ? 'queue' : 'skip',
      ),
    ],

    preFilter: ({ pod: { object }, state }) => {
      if (!hasCountableVolumes(object)) return 'skip';
      state.set(volumeState, {});
      return undefined;
    },

    fitsEverywhere: (cycle) => {
      const { cluster } = cycle;
      const wanted = podVolumesOf(cycle);
      if ('code' in wanted) return false;
      const room = wanted.safeCount - mostAttached(cluster.objects);
      return room >= 0 && volumeCountsOf(cluster).isAtMost(room);
    },
    filter: (cycle, node) => {
      const { objects } = cycle.cluster;
      const wanted = podVolumesOf(cycle);
      if ('code' in wanted) return wanted;
      const { volumes, safeCount, problem } = wanted;
      if (node.attachable + attachedTo(node.name, objects) <= safeCount) return undefined;
      const csiNode = objects.get('CSINode', node.name);
      if (csiNode === undefined) return undefined;
      if (problem !== undefined) throw new Error(problem);
      return isBeyondLimits(volumes, node, csiNode, objects) ? tooMany : undefined;
    },
  };
}

const tooMany = unschedulable('node(s) exceed max volume count');

/** The pod's volumes, computed when the first node is filtered. */
interface VolumeState extends StateData {
  missing?: { readonly rejection: Rejection | undefined };
  brought?: PodVolumes;
}

/** The volumes that a pod adds to a node. */
interface PodVolumes {
  readonly volumes: DriverVolumes;
  /**
   * A node with at most this many volumes, of any driver, has room for them. Most nodes have far fewer than their
   * limit.
   */
  readonly safeCount: number;
  /** The error of a volume; then every node must be checked. */
  readonly problem: string | undefined;
}

const volumeState = stateKey<VolumeState>('NodeVolumeLimits');

function podVolumesOf({ pod, cluster: { objects }, state }: Cycle): PodVolumes | Rejection {
  const wanted = state.read(volumeState);
  const missing = (wanted.missing ??= { rejection: missingClaim(pod, objects) });
  return missing.rejection ?? (wanted.brought ??= computePodVolumes(pod, objects));
}

/** A pod with a missing claim is infeasible on all nodes. */
function missingClaim(pod: PodFacts, objects: ObjectLister): Rejection | undefined {
  for (const { claim: name } of pod.volumeClaims) {
    if (name === '') throw new Error('PersistentVolumeClaim had no name');
    if (claimOf(objects, pod, name) === undefined)
      return unresolvable(`looking up PVC ${pod.namespace}/${name}: ${notFoundText('persistentvolumeclaim', name)}`);
  }
  return undefined;
}

function computePodVolumes(pod: PodFacts, objects: ObjectLister): PodVolumes {
  const volumes: DriverVolumes = new Map();
  const problem = addVolumesOf(pod, objects, volumes);
  const limits = leastLimits(objects);
  let least = Infinity;
  for (const driver of volumes.values()) least = Math.min(least, limits.get(driver) ?? Infinity);
  return { volumes, safeCount: problem === undefined ? least - volumes.size : -1, problem };
}

/** The lowest limit of any node, by driver. */
const leastLimits = memoizeByKinds(['CSINode'], (objects): ReadonlyMap<string, number> => {
  const least = new Map<string, number>();
  for (const { spec } of objects.list('CSINode')) {
    for (const { name, allocatable } of spec.drivers) {
      if (allocatable?.count !== undefined) least.set(name, Math.min(allocatable.count, least.get(name) ?? Infinity));
    }
  }
  return least;
});

/**
 * Returns whether a limit would be exceeded. Volumes already used by pods of the node are not added. Volumes that are
 * only attached count beside the pod's own even if they are the same, as in Kubernetes.
 */
function isBeyondLimits(
  wanted: DriverVolumes,
  node: NodeView,
  { spec }: Frozen<CSINode>,
  objects: ObjectLister,
): boolean {
  const drivers = new Set(wanted.values());
  const limited = spec.drivers.filter(({ name, allocatable }) => allocatable?.count !== undefined && drivers.has(name));
  if (limited.length === 0) return false;
  const there: DriverVolumes = new Map();
  // errors of other pods' volumes are ignored
  for (const pod of node.pods) addVolumesOf(pod, objects, there);
  const brought = countByDriver(wanted, (volume) => !there.has(volume));
  addAttachedTo(node.name, objects, there);
  const attached = countByDriver(there, () => true);
  return limited.some(({ name, allocatable }) => {
    const more = brought.get(name) ?? 0;
    return more > 0 && (attached.get(name) ?? 0) + more > (allocatable?.count ?? Infinity);
  });
}

function countByDriver(volumes: DriverVolumes, counts: (volume: string) => boolean): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [volume, driver] of volumes) if (counts(volume)) numbers.set(driver, (numbers.get(driver) ?? 0) + 1);
  return numbers;
}

/** Returns whether the limit of a driver was raised or removed. */
function isLimitRaised(old: Frozen<CSINode> | undefined, csiNode: Frozen<CSINode> | undefined): boolean {
  const limits = new Map(csiNode?.spec.drivers.map(({ name, allocatable }) => [name, allocatable?.count ?? Infinity]));
  return (
    old?.spec.drivers.some(
      ({ name, allocatable }) => (limits.get(name) ?? Infinity) > (allocatable?.count ?? Infinity),
    ) ?? false
  );
}

/** Returns whether a pod may use volumes of a driver. Claims are not looked up: hints must be cheap. */
function mayUse({ object, volumeClaims }: PodFacts, driver: string): boolean {
  return (
    volumeClaims.length > 0 ||
    (object.spec?.volumes?.some((volume) => inTreePluginOf(volume)?.driver === driver) ?? false)
  );
}

/** Returns the volume counts of a cluster. */
export function volumeCountsOf(cluster: ClusterView): VolumeCounts {
  const known = byCluster.get(cluster);
  if (known !== undefined) return known;
  const counts = new VolumeCounts(cluster);
  byCluster.set(cluster, counts);
  return counts;
}

const byCluster = new WeakMap<ClusterView, VolumeCounts>();

/** An upper bound of the volumes on any node, updated from the change log; recomputed when it may be too high. */
class VolumeCounts {
  readonly #cluster: ClusterView;
  readonly #changes: LogReader<ClusterChange>;
  /** No node has more volumes than this. */
  #most = 0;

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
    this.#changes = new LogReader(cluster.changes);
  }

  /** Returns whether no node has more than `count` volumes. */
  isAtMost(count: number): boolean {
    const changes = this.#changes.read();
    if (changes === undefined) this.#recount();
    // Removed pods are not subtracted: another node may have as many.
    else for (const { node } of changes) this.#most = Math.max(this.#most, node.attachable);
    if (this.#most > count) this.#recount();
    return this.#most <= count;
  }

  #recount(): void {
    this.#most = 0;
    for (const { attachable } of this.#cluster.nodes) this.#most = Math.max(this.#most, attachable);
  }
}
