// NodeResourcesFit: a node must have room for what the pod requests, and the profile's strategy says whether rather an
// empty or a full one. What is requested decides whether it fits; scores also reckon with what is assumed of containers
// that request nothing. As the plugin of the same name.
import { isExtendedResource } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { DeviceClass, Node, Pod } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import { nodeCapacity } from '../../cluster/node-capacity.js';
import type { NodeCapacity } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { on } from '../../framework/event-interest.js';
import type { HintAnswer } from '../../framework/event-interest.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import type { Rejection } from '../../framework/rejection.js';
import { podFacts } from '../../pod/pod-facts.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { containerRequests } from '../../pod/requests.js';
import type { ResourceAmounts } from '../../pod/resource-amounts.js';
import { actions } from '../../queue/cluster-event.js';
import { deviceClassBehind, impliedResource } from '../device-classes.js';
import { basicSelectors } from '../dynamic-resources/selectors/basic-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';
import { keepLast } from '../keep-last.js';
import { isItself, tookRoom } from '../pod-events.js';
import { deviceShares } from './device-shares.js';
import { amountsOf, resourceShares } from './resource-shares.js';
import { short, shortOf, shortOfPods, shortageRejection } from './resource-shortage.js';
import { resourceScorer } from './scoring-strategies.js';

type FitArguments = Frozen<PluginArguments['NodeResourcesFit']>;

/** Makes the plugin. */
export function nodeResourcesFit(
  { cluster }: Pick<PluginTools, 'cluster'>,
  args: FitArguments,
  selectors: SelectorCompiler = basicSelectors(),
): SchedulingPlugin {
  const { scoringStrategy } = args;
  const isIgnored = ignoredResources(args);
  const names = scoringStrategy.resources.map(({ name }) => name);
  const score = resourceScorer(scoringStrategy);
  const shares = resourceShares(names, 'non-zero', deviceShares(cluster, selectors));
  // Of the pod to be placed, pod-level requests do not count in scores, as Kubernetes has it.
  const scoredRequests = keepLast(({ object, nonZeroRequests }: PodFacts) =>
    amountsOf(names, containerRequests(object), nonZeroRequests),
  );
  return {
    name: 'NodeResourcesFit',
    events: [
      on('Pod', actions.delete | actions.updatePodScaleDown, afterPodChange),
      on('Node', actions.add | actions.updateNodeAllocatable, (pod, old, node) => {
        if (node === undefined || shortageOf(pod.requests, emptyRoom(node), cluster.objects, isIgnored) !== undefined)
          return 'skip';
        return old === undefined || gainsRoom(pod.requests, nodeCapacity(old), nodeCapacity(node), cluster.objects)
          ? 'queue'
          : 'skip';
      }),
      on('resource.k8s.io/DeviceClass', actions.add | actions.update, afterDeviceClassChange),
    ],
    filter: ({ pod, cluster: { objects } }, node) => shortageOf(pod.requests, node, objects, isIgnored),
    score: ({ pod, cluster: { objects } }, node) => {
      shares.look(node, scoredRequests(pod), objects);
      return score(shares.withPod, shares.capacity);
    },
  };
}

/** Whether a profile does not care about a resource. Only extended ones can be left out. */
function ignoredResources({
  ignoredResources: names,
  ignoredResourceGroups: groups,
}: Pick<FitArguments, 'ignoredResources' | 'ignoredResourceGroups'>): (name: string) => boolean {
  if (names.length === 0 && groups.length === 0) return () => false;
  return (name) =>
    isExtendedResource(name) && (names.includes(name) || groups.includes(name.slice(0, name.indexOf('/'))));
}

/** Whether a node leaves a resource that it does not have to be found among devices. */
function isLeftToDevices(name: string, { scalars }: ResourceAmounts, objects: KnownObjects): boolean {
  return (scalars.get(name) ?? 0) <= 0 && deviceClassBehind(objects, name) !== undefined;
}

/** What a node has and what is in use. */
interface Room {
  readonly allocatable: NodeCapacity;
  readonly requested: ResourceAmounts;
  readonly podCount: number;
}

function shortageOf(
  requests: ResourceAmounts,
  { allocatable, requested, podCount }: Room,
  objects: KnownObjects,
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
    if (found === 0 || isIgnored(name) || isLeftToDevices(name, allocatable, objects)) continue;
    bits |= found & short.more;
    missing.push(name);
  }
  return shortageRejection(bits, missing);
}

/** Any that is not `more`. */
const scalarBit = short.pods;

function emptyRoom(node: Frozen<Node>): Room {
  return { allocatable: nodeCapacity(node), requested: nothing, podCount: 0 };
}

const nothing: ResourceAmounts = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() };

/** Who left makes room. Who became smaller does where this pod wants what was given back; its own wish may fit now. */
function afterPodChange(pod: PodFacts, old: Frozen<Pod> | undefined, current: Frozen<Pod> | undefined): HintAnswer {
  if (old === undefined) return 'skip';
  if (current === undefined) return tookRoom(old) ? 'queue' : 'skip';
  if (isItself(pod, current)) return 'queue';
  const [before, after] = [podFacts(old), podFacts(current)];
  return after.nodeName !== '' && isWantedMore(pod.requests, after.held, before.held) ? 'queue' : 'skip';
}

/** A class with another name for its devices, or a new class, may be what the pod asks for. */
function afterDeviceClassChange(
  { requests }: PodFacts,
  old: Frozen<DeviceClass> | undefined,
  current: Frozen<DeviceClass> | undefined,
): HintAnswer {
  if (current === undefined) return 'skip';
  const { extendedResourceName: resource } = current.spec;
  if (old === undefined && requests.scalars.has(impliedResource(current))) return 'queue';
  return resource !== old?.spec.extendedResourceName && resource !== undefined && requests.scalars.has(resource)
    ? 'queue'
    : 'skip';
}

/** Whether a node got more of what the pod wants, or takes more pods. */
function gainsRoom(
  requests: ResourceAmounts,
  old: NodeCapacity,
  current: NodeCapacity,
  objects: KnownObjects,
): boolean {
  if (current.pods > old.pods || isWantedMore(requests, old, current)) return true;
  return Array.from(requests.scalars).some(([name, amount]) => amount > 0 && isLeftToDevices(name, current, objects));
}

/** Whether there is more, in the second, of something that is wanted. */
function isWantedMore(wanted: ResourceAmounts, one: ResourceAmounts, other: ResourceAmounts): boolean {
  if (wanted.milliCpu > 0 && other.milliCpu > one.milliCpu) return true;
  if (wanted.memory > 0 && other.memory > one.memory) return true;
  if (wanted.ephemeralStorage > 0 && other.ephemeralStorage > one.ephemeralStorage) return true;
  for (const [name, amount] of wanted.scalars)
    if (amount > 0 && (other.scalars.get(name) ?? 0) > (one.scalars.get(name) ?? 0)) return true;
  return false;
}
