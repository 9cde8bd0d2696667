// Resource requests of pods. Containers add up. Init containers run one after another, each beside the restartable ones
// before it, so their largest sum counts. Pod-level requests replace the result for the resources they name; overhead
// is added last. During a resize a pod on a node occupies the maximum of requested, allocated and actual amounts. For
// scoring, a container without a cpu or memory request counts with a small default, so that such pods do not count as
// nothing. As component-helpers/resource/helpers.go and pkg/scheduler/framework/types.go, CalculateResource.
import { isHugePages, setOwn } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Container, ContainerStatus, Pod } from '../../core/types/index.js';
import { amountOf, resourceAmounts, wholeUnits } from './resource-amounts.js';
import type { ResourceAmounts, ResourceTexts, Tally } from './resource-amounts.js';

/** The cpu of a container without request, for scoring, in thousandths. */
export const assumedMilliCpu = 100;

/** The memory of a container without request, for scoring, in bytes. */
export const assumedMemory: number = 200 * 1024 * 1024;

/** Cpu and memory for scoring: not 0 unless the pod requests 0. */
export interface NonZeroRequests {
  readonly milliCpu: number;
  readonly memory: number;
}

/** Returns the requests of a pending pod. */
export function podRequests(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, pendingRules));
}

/** Returns the requests of a pending pod without pod-level requests. */
export function containerRequests(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, { ...pendingRules, podLevel: false }));
}

/** Returns the requests of a pending pod for scoring. Pod-level requests are left out, as in Kubernetes. */
export function nonZeroPodRequests(pod: Frozen<Pod>): NonZeroRequests {
  return nonZero(tallyOf(pod, { ...pendingRules, podLevel: false, assumeCpu: true, assumeMemory: true }));
}

/** Returns what a pod occupies on its node. */
export function requestsOnNode(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, onNodeRules));
}

/** Returns what a pod occupies on its node, for scoring. */
export function nonZeroRequestsOnNode(pod: Frozen<Pod>): NonZeroRequests {
  if (!hasPodLevelRequests(pod)) return nonZero(tallyOf(pod, { ...onNodeRules, assumeCpu: true, assumeMemory: true }));
  const named = tallyOf(pod, onNodeRules);
  const [assumeCpu, assumeMemory] = [!named.has('cpu'), !named.has('memory')];
  return nonZero(assumeCpu || assumeMemory ? tallyOf(pod, { ...onNodeRules, assumeCpu, assumeMemory }) : named);
}

/** Returns whether the amounts on the node may differ from the requests: only then are both computed. */
export function mayBeResized({ status }: Frozen<Pod>): boolean {
  if (status === undefined) return false;
  return (
    status.resources !== undefined ||
    (status.containerStatuses?.some(hasResources) ?? false) ||
    (status.initContainerStatuses?.some(hasResources) ?? false)
  );
}

/** Returns whether the pod has pod-level requests. */
export function hasPodLevelRequests({ spec }: Frozen<Pod>): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

/** Returns whether an init container keeps running beside later ones. */
export function isRestartable({ restartPolicy }: Frozen<Container>): boolean {
  return restartPolicy === 'Always';
}

interface TallyRules {
  /** Includes container statuses. */
  readonly resized: boolean;
  /** Includes pod-level requests. */
  readonly podLevel: boolean;
  readonly assumeCpu: boolean;
  readonly assumeMemory: boolean;
}

const pendingRules: TallyRules = { resized: false, podLevel: true, assumeCpu: false, assumeMemory: false };
const onNodeRules: TallyRules = { ...pendingRules, resized: true };

function tallyOf(pod: Frozen<Pod>, rules: TallyRules): Tally {
  const { containers = [], initContainers = [], resources, overhead } = pod.spec ?? {};
  const statuses = rules.resized && mayBeResized(pod) ? statusesByName(pod) : undefined;
  const total: Tally = new Map();
  for (const container of containers) addContainer(total, requestsOf(container, pod, statuses), rules);

  if (initContainers.length > 0) {
    const restartable: Tally = new Map();
    const largest: Tally = new Map();
    for (const container of initContainers) {
      if (isRestartable(container)) {
        const requests = requestsOf(container, pod, statuses);
        addContainer(total, requests, rules);
        addContainer(restartable, requests, rules);
        raise(largest, restartable);
      } else {
        const beside = new Map(restartable);
        addContainer(beside, container.resources?.requests, rules);
        raise(largest, beside);
      }
    }
    raise(total, largest);
  }

  const requests = resources?.requests;
  if (rules.podLevel && requests !== undefined)
    replace(total, requests, statuses === undefined ? undefined : resizedPod(pod));
  if (overhead !== undefined) for (const name in overhead) increase(total, name, amountOf(name, overhead[name] ?? '0'));
  return total;
}

function addContainer(
  total: Tally,
  requests: ResourceTexts | undefined,
  { assumeCpu, assumeMemory }: TallyRules,
): void {
  for (const name in requests) increase(total, name, amountOf(name, requests[name] ?? '0'));
  if (assumeCpu && requests?.cpu === undefined) increase(total, 'cpu', assumedMilliCpu);
  if (assumeMemory && requests?.memory === undefined) increase(total, 'memory', assumedMemory);
}

function increase(total: Tally, name: string, amount: number): void {
  total.set(name, (total.get(name) ?? 0) + amount);
}

function raise(total: Tally, other: Tally): void {
  for (const [name, amount] of other) if (amount > (total.get(name) ?? -Infinity)) total.set(name, amount);
}

/** During a resize a pod-level resource that the status does not name counts as 0. */
function replace(total: Tally, requests: ResourceTexts, resized: ResourceTexts | undefined): void {
  for (const name in requests) {
    if (isPodLevelResource(name)) total.set(name, amountOf(name, (resized ?? requests)[name] ?? '0'));
  }
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

function requestsOf(
  container: Frozen<Container>,
  pod: Frozen<Pod>,
  statuses: ReadonlyMap<string, Frozen<ContainerStatus>> | undefined,
): ResourceTexts | undefined {
  const status = statuses?.get(container.name);
  if (status?.resources === undefined) return container.resources?.requests;
  return maximumOf(pod, container.resources?.requests, [status.resources.requests, status.allocatedResources]);
}

function resizedPod(pod: Frozen<Pod>): ResourceTexts | undefined {
  const { status, spec } = pod;
  if (status?.resources === undefined) return undefined;
  return maximumOf(pod, spec?.resources?.requests, [status.resources.requests, status.allocatedResources]);
}

/** A request that the node declared infeasible is left out. */
function maximumOf(
  pod: Frozen<Pod>,
  requested: ResourceTexts | undefined,
  granted: readonly (ResourceTexts | undefined)[],
): ResourceTexts {
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const largest: Record<string, string> = {};
  for (const texts of pending?.reason === 'Infeasible' ? granted : [requested, ...granted]) {
    for (const [name, text] of Object.entries(texts ?? {})) {
      const known = Object.hasOwn(largest, name) ? largest[name] : undefined;
      if (known === undefined || amountOf(name, text) > amountOf(name, known)) setOwn(largest, name, text);
    }
  }
  return largest;
}

function statusesByName({ status }: Frozen<Pod>): ReadonlyMap<string, Frozen<ContainerStatus>> {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return new Map(all.map((each) => [each.name, each]));
}

function hasResources({ resources }: Frozen<ContainerStatus>): boolean {
  return resources !== undefined;
}

function nonZero(tally: Tally): NonZeroRequests {
  return { milliCpu: tally.get('cpu') ?? 0, memory: wholeUnits(tally.get('memory') ?? 0) };
}
