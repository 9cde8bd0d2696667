// NodeResourcesFit: filters nodes without enough free resources, and scores by the profile's strategy (least allocated,
// most allocated or a shape). The filter uses requests; scores also use defaults for containers without requests. As
// the plugin of the same name.
import { isExtendedResource } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { DeviceClass, Node, Pod } from '../../../core/types/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import { nodeCapacity } from '../../cluster/node-capacity.js';
import type { NodeCapacity } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { on } from '../../framework/queueing-hints.js';
import type { QueueingHint } from '../../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import type { Rejection } from '../../framework/rejection.js';
import { podFacts } from '../../pod/pod-facts.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { containerRequests } from '../../pod/requests.js';
import type { ResourceAmounts } from '../../pod/resource-amounts.js';
import { actions } from '../../queue/cluster-event.js';
import { deviceClassBehind, impliedResource } from '../device-classes.js';
import { celSelectors } from '../dynamic-resources/selectors/cel-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';
import { memoizeLast } from '../memoize.js';
import { isSamePod, isAssignedOrNominated } from '../pod-predicates.js';
import { deviceShares } from './device-shares.js';
import { amountsOf, resourceShares } from './resource-shares.js';
import { short, shortOf, shortOfPods, shortageRejection } from './resource-shortage.js';
import { resourceScorer } from './scoring-strategies.js';

type FitArguments = Frozen<PluginArguments['NodeResourcesFit']>;

/** Creates the plugin. */
export function nodeResourcesFit(
  { cluster }: Pick<PluginTools, 'cluster'>,
  args: FitArguments,
  selectors: SelectorCompiler = celSelectors(),
): SchedulingPlugin {
  const { scoringStrategy } = args;
  const isIgnored = ignoredResources(args);
  const names = scoringStrategy.resources.map(({ name }) => name);
  const score = resourceScorer(scoringStrategy);
  const shares = resourceShares(names, 'non-zero', deviceShares(cluster, selectors));
  // Pod-level requests of the pod being placed are left out of scores, as in Kubernetes.
  const scoredRequests = memoizeLast(({ object, nonZeroRequests }: PodFacts) =>
    amountsOf(names, containerRequests(object), nonZeroRequests),
  );
  return {
    name: 'NodeResourcesFit',
    events: [
      on('Pod', actions.delete | actions.updatePodScaleDown, afterPodChange),
      on('Node', actions.add | actions.updateNodeAllocatable, (pod, old, node) => {
        if (node === undefined || shortageOf(pod.requests, emptyNode(node), cluster.objects, isIgnored) !== undefined)
          return 'skip';
        return old === undefined || gainsResources(pod.requests, nodeCapacity(old), nodeCapacity(node), cluster.objects)
          ? 'queue'
          : 'skip';
      }),
      on('resource.k8s.io/DeviceClass', actions.add | actions.update, afterDeviceClassChange),
    ],
    filter: ({ pod, cluster: { objects } }, node) => shortageOf(pod.requests, node, objects, isIgnored),
    score: ({ pod, cluster: { objects } }, node) => {
      shares.fill(node, scoredRequests(pod), objects);
      return score(shares.withPod, shares.capacity);
    },
  };
}

/** Returns whether a profile ignores a resource. Only extended resources can be ignored. */
function ignoredResources({
  ignoredResources: names,
  ignoredResourceGroups: groups,
}: Pick<FitArguments, 'ignoredResources' | 'ignoredResourceGroups'>): (name: string) => boolean {
  if (names.length === 0 && groups.length === 0) return () => false;
  return (name) =>
    isExtendedResource(name) && (names.includes(name) || groups.includes(name.slice(0, name.indexOf('/'))));
}

/** Returns whether a resource that the node does not have is backed by devices. */
function isBackedByDevices(name: string, { scalars }: ResourceAmounts, objects: ObjectLister): boolean {
  return (scalars.get(name) ?? 0) <= 0 && deviceClassBehind(objects, name) !== undefined;
}

/** The allocatable and requested amounts of a node. */
interface NodeResources {
  readonly allocatable: NodeCapacity;
  readonly requested: ResourceAmounts;
  readonly podCount: number;
}

function shortageOf(
  requests: ResourceAmounts,
  { allocatable, requested, podCount }: NodeResources,
  objects: ObjectLister,
  isIgnored: (name: string) => boolean,
): Rejection | undefined {
  let bits =
    shortOfPods(allocatable.pods, podCount) |
    shortOf(short.milliCpu, requests.milliCpu, allocatable.milliCpu, requested.milliCpu) |
    shortOf(short.memory, requests.memory, allocatable.memory, requested.memory) |
    shortOf(
      short.ephemeralStorage,
      requests.ephemeralStorage,
      allocatable.ephemeralStorage,
      requested.ephemeralStorage,
    );
  if (requests.scalars.size === 0) return shortageRejection(bits);
  const missing: string[] = [];
  for (const [name, request] of requests.scalars) {
    const found = shortOf(scalarBit, request, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0);
    if (found === 0 || isIgnored(name) || isBackedByDevices(name, allocatable, objects)) continue;
    bits |= found & short.more;
    missing.push(name);
  }
  return shortageRejection(bits, missing);
}

/** Any bit but `more`. */
const scalarBit = short.pods;

function emptyNode(node: Frozen<Node>): NodeResources {
  return { allocatable: nodeCapacity(node), requested: nothing, podCount: 0 };
}

const nothing: ResourceAmounts = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() };

/**
 * A removed pod frees resources. A resized pod does if this pod requests what it released. A change of the pod itself
 * may make it fit.
 */
function afterPodChange(pod: PodFacts, old: Frozen<Pod> | undefined, current: Frozen<Pod> | undefined): QueueingHint {
  if (old === undefined) return 'skip';
  if (current === undefined) return isAssignedOrNominated(old) ? 'queue' : 'skip';
  if (isSamePod(pod, current)) return 'queue';
  const [before, after] = [podFacts(old), podFacts(current)];
  return after.nodeName !== '' && hasMoreRequested(pod.requests, after.requestsOnNode, before.requestsOnNode)
    ? 'queue'
    : 'skip';
}

/** A new class, or one with a new resource name, may back what the pod requests. */
function afterDeviceClassChange(
  { requests }: PodFacts,
  old: Frozen<DeviceClass> | undefined,
  current: Frozen<DeviceClass> | undefined,
): QueueingHint {
  if (current === undefined) return 'skip';
  const { extendedResourceName: resource } = current.spec;
  if (old === undefined && requests.scalars.has(impliedResource(current))) return 'queue';
  return resource !== old?.spec.extendedResourceName && resource !== undefined && requests.scalars.has(resource)
    ? 'queue'
    : 'skip';
}

/** Returns whether a node gained resources that the pod requests, or allows more pods. */
function gainsResources(
  requests: ResourceAmounts,
  old: NodeCapacity,
  current: NodeCapacity,
  objects: ObjectLister,
): boolean {
  if (current.pods > old.pods || hasMoreRequested(requests, old, current)) return true;
  return Array.from(requests.scalars).some(([name, amount]) => amount > 0 && isBackedByDevices(name, current, objects));
}

/** Returns whether `other` has more than `one` of a requested resource. */
function hasMoreRequested(wanted: ResourceAmounts, one: ResourceAmounts, other: ResourceAmounts): boolean {
  if (wanted.milliCpu > 0 && other.milliCpu > one.milliCpu) return true;
  if (wanted.memory > 0 && other.memory > one.memory) return true;
  if (wanted.ephemeralStorage > 0 && other.ephemeralStorage > one.ephemeralStorage) return true;
  for (const [name, amount] of wanted.scalars)
    if (amount > 0 && (other.scalars.get(name) ?? 0) > (one.scalars.get(name) ?? 0)) return true;
  return false;
}
