// NodeVolumeLimits: a driver can attach only so many volumes to a node, and says how many in the node's CSINode.
// Without a CSINode, or a number in it, there is no limit. As pkg/scheduler/framework/plugins/nodevolumelimits.
import type { Frozen } from '../../../core/index.js';
import type { CSINode } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, Remembered } from '../../framework/cycle.js';
import { on } from '../../framework/event-interest.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';
import { computedFrom } from '../computed-from.js';
import { attachableOf } from './attachable-counts.js';
import { addAttachedTo, addVolumesOf, attachedTo, mayCount, mostAttached } from './driver-volumes.js';
import type { DriverVolumes } from './driver-volumes.js';
import { inTreePluginOf } from './in-tree-plugins.js';

/** Makes the plugin. */
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
        return gone !== undefined && wasOnNode && mayCount(gone) ? 'queue' : 'skip';
      }),
      on('PersistentVolumeClaim', actions.add, (pod, _old, claim) =>
        claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
      ),
      on('storage.k8s.io/VolumeAttachment', actions.delete, (pod, gone) =>
        gone !== undefined && mayUse(pod, gone.spec.attacher) ? 'queue' : 'skip',
      ),
    ],

    preFilter: ({ pod: { object }, memory }) => {
      if (!mayCount(object)) return 'skip';
      memory.set(wantedVolumes, {});
      return undefined;
    },

    fitsEverywhere: (cycle) => {
      const { cluster } = cycle;
      const wanted = wantedBy(cycle);
      if ('code' in wanted) return false;
      const room = wanted.alwaysRoom - mostAttached(cluster.objects);
      return room >= 0 && attachableOf(cluster).isAtMost(room);
    },
    filter: (cycle, node) => {
      const { objects } = cycle.cluster;
      const wanted = wantedBy(cycle);
      if ('code' in wanted) return wanted;
      const { volumes, alwaysRoom, problem } = wanted;
      if (node.attachable + attachedTo(node.name, objects) <= alwaysRoom) return undefined;
      const csiNode = objects.get('CSINode', node.name);
      if (csiNode === undefined) return undefined;
      if (problem !== undefined) throw new Error(problem);
      return isBeyondLimits(volumes, node, csiNode, objects) ? tooMany : undefined;
    },
  };
}

const tooMany = unschedulable('node(s) exceed max volume count');

/** What the pod would bring, found out when the first node is looked at. */
interface WantedVolumes extends Remembered {
  missing?: { readonly rejection: Rejection | undefined };
  brought?: BroughtVolumes;
}

/** What a pod brings. */
interface BroughtVolumes {
  readonly volumes: DriverVolumes;
  /**
   * A node that has no more volumes than this, of whatever driver, takes them for sure: most nodes are far from full.
   */
  readonly alwaysRoom: number;
  /** What is wrong with one of them; then every node has to be looked at. */
  readonly problem: string | undefined;
}

const wantedVolumes = memoryKey<WantedVolumes>('NodeVolumeLimits');

function wantedBy({ pod, cluster: { objects }, memory }: Cycle): BroughtVolumes | Rejection {
  const wanted = memory.recall(wantedVolumes);
  const missing = (wanted.missing ??= { rejection: missingClaim(pod, objects) });
  return missing.rejection ?? (wanted.brought ??= broughtBy(pod, objects));
}

/** Without a claim that it names the pod cannot run, wherever it goes. */
function missingClaim(pod: PodFacts, objects: KnownObjects): Rejection | undefined {
  for (const { claim: name } of pod.volumeClaims) {
    if (name === '') throw new Error('PersistentVolumeClaim had no name');
    if (claimOf(objects, pod, name) === undefined)
      return unresolvable(`looking up PVC ${pod.namespace}/${name}: ${notFoundText('persistentvolumeclaim', name)}`);
  }
  return undefined;
}

function broughtBy(pod: PodFacts, objects: KnownObjects): BroughtVolumes {
  const volumes: DriverVolumes = new Map();
  const problem = addVolumesOf(pod, objects, volumes);
  const limits = leastLimits(objects);
  let least = Infinity;
  for (const driver of volumes.values()) least = Math.min(least, limits.get(driver) ?? Infinity);
  return { volumes, alwaysRoom: problem === undefined ? least - volumes.size : -1, problem };
}

/** How many volumes of each driver that has a limit the node takes that takes the fewest. */
const leastLimits = computedFrom(['CSINode'], (objects): ReadonlyMap<string, number> => {
  const least = new Map<string, number>();
  for (const { spec } of objects.list('CSINode')) {
    for (const { name, allocatable } of spec.drivers) {
      if (allocatable?.count !== undefined) least.set(name, Math.min(allocatable.count, least.get(name) ?? Infinity));
    }
  }
  return least;
});

/**
 * Whether a driver would have more volumes on the node than it can. Volumes that pods of the node have already are not
 * brought. Those that are only attached still count beside the pod's own, even where they are the same, as in
 * Kubernetes.
 */
function isBeyondLimits(
  wanted: DriverVolumes,
  node: NodeView,
  { spec }: Frozen<CSINode>,
  objects: KnownObjects,
): boolean {
  const drivers = new Set(wanted.values());
  const limited = spec.drivers.filter(({ name, allocatable }) => allocatable?.count !== undefined && drivers.has(name));
  if (limited.length === 0) return false;
  const there: DriverVolumes = new Map();
  // what is wrong with others' volumes is not this pod's matter
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

/** Whether a driver can have more volumes than before. One without a number can have any. */
function isLimitRaised(old: Frozen<CSINode> | undefined, csiNode: Frozen<CSINode> | undefined): boolean {
  const limits = new Map(csiNode?.spec.drivers.map(({ name, allocatable }) => [name, allocatable?.count ?? Infinity]));
  return (
    old?.spec.drivers.some(
      ({ name, allocatable }) => (limits.get(name) ?? Infinity) > (allocatable?.count ?? Infinity),
    ) ?? false
  );
}

/** Whether a pod may have volumes of a driver. Claims are not looked up: to hint must cost little. */
function mayUse({ object, volumeClaims }: PodFacts, driver: string): boolean {
  return (
    volumeClaims.length > 0 ||
    (object.spec?.volumes?.some((volume) => inTreePluginOf(volume)?.driver === driver) ?? false)
  );
}
