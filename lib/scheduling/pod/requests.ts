// What a pod asks for. Containers that run together add up; init containers run one after the other, each beside the
// restartable ones before it, so of them the largest use counts; pod-level requests replace the result for the
// resources they name; overhead is added at the end. A pod on a node holds the largest of what it asks for, what it was
// promised and what it has, while its containers are being resized.
// For scoring, a container that asks for no cpu or memory counts as if it asked for a little: else such pods would
// weigh nothing. As component-helpers/resource/helpers.go and pkg/scheduler/framework/types.go, CalculateResource.
import { isHugePages, setOwn } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Container, ContainerStatus, Pod } from '../../core/types/index.js';
import { amountOf, resourceAmounts, wholeUnits } from './resource-amounts.js';
import type { ResourceAmounts, ResourceTexts, Tally } from './resource-amounts.js';

/** What is assumed of a container that does not say how much cpu it wants, in thousandths. */
export const assumedMilliCpu = 100;

/** What is assumed of a container that does not say how much memory it wants, in bytes. */
export const assumedMemory: number = 200 * 1024 * 1024;

/** Cpu and memory for scoring: never nothing, unless the pod says zero. */
export interface NonZeroRequests {
  readonly milliCpu: number;
  readonly memory: number;
}

/** What a pod that waits for a node asks for. */
export function podRequests(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, plainly));
}

/** The same without pod-level requests. */
export function containerRequests(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, { ...plainly, podLevel: false }));
}

/** What a pod that waits for a node weighs in scores. Pod-level requests are left out here, as Kubernetes does. */
export function nonZeroPodRequests(pod: Frozen<Pod>): NonZeroRequests {
  return nonZero(tallyOf(pod, { ...plainly, podLevel: false, assumeCpu: true, assumeMemory: true }));
}

/** What a pod takes of the node it is on. */
export function heldRequests(pod: Frozen<Pod>): ResourceAmounts {
  return resourceAmounts(tallyOf(pod, held));
}

/** What a pod weighs in the scores of the node it is on. */
export function nonZeroHeldRequests(pod: Frozen<Pod>): NonZeroRequests {
  if (!hasPodLevelRequests(pod)) return nonZero(tallyOf(pod, { ...held, assumeCpu: true, assumeMemory: true }));
  const named = tallyOf(pod, held);
  const [assumeCpu, assumeMemory] = [!named.has('cpu'), !named.has('memory')];
  return nonZero(assumeCpu || assumeMemory ? tallyOf(pod, { ...held, assumeCpu, assumeMemory }) : named);
}

/** Whether what the pod holds may differ from what it asks for: only then need both be computed. */
export function mayBeResized({ status }: Frozen<Pod>): boolean {
  if (status === undefined) return false;
  return (
    status.resources !== undefined ||
    (status.containerStatuses?.some(hasResources) ?? false) ||
    (status.initContainerStatuses?.some(hasResources) ?? false)
  );
}

/** Whether the pod as a whole asks for something. */
export function hasPodLevelRequests({ spec }: Frozen<Pod>): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

/** Whether an init container stays beside those that follow it. */
export function isRestartable({ restartPolicy }: Frozen<Container>): boolean {
  return restartPolicy === 'Always';
}

interface TallyRules {
  /** Statuses count. */
  readonly resized: boolean;
  /** Pod-level requests count. */
  readonly podLevel: boolean;
  readonly assumeCpu: boolean;
  readonly assumeMemory: boolean;
}

const plainly: TallyRules = { resized: false, podLevel: true, assumeCpu: false, assumeMemory: false };
const held: TallyRules = { ...plainly, resized: true };

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

/** While a pod is resized, a pod-level resource of which its status says nothing counts as none. */
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
  return largestOf(pod, container.resources?.requests, [status.resources.requests, status.allocatedResources]);
}

function resizedPod(pod: Frozen<Pod>): ResourceTexts | undefined {
  const { status, spec } = pod;
  if (status?.resources === undefined) return undefined;
  return largestOf(pod, spec?.resources?.requests, [status.resources.requests, status.allocatedResources]);
}

/** A wish that the node has refused for good does not count. */
function largestOf(
  pod: Frozen<Pod>,
  wish: ResourceTexts | undefined,
  granted: readonly (ResourceTexts | undefined)[],
): ResourceTexts {
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const largest: Record<string, string> = {};
  for (const texts of pending?.reason === 'Infeasible' ? granted : [wish, ...granted]) {
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
