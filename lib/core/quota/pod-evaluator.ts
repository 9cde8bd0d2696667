// What pods use of quotas: requests and limits of cpu, memory, ephemeral storage, huge pages and extended resources,
// and their number. Pods that have ended, or whose grace period is over, use nothing but their place among all stored
// objects (`count/pods`). As pkg/quota/v1/evaluator/core/pods.go.
import { aggregateContainers } from '../kinds/pods/container-resources.js';
import type { Amounts } from '../kinds/pods/container-resources.js';
import { podQosClass } from '../kinds/pods/pod-qos.js';
import { isExtendedResource, isHugePages, isNativeResource } from '../kinds/resource-names.js';
import { deepEqual } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { Quantity } from '../objects/quantity-arithmetic.js';
import { addQuantities, compareQuantities, isZeroQuantity } from '../objects/quantity-arithmetic.js';
import { parseQuantity, printQuantity } from '../objects/quantity.js';
import { parseTime } from '../objects/time.js';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodAffinityTerm,
  PodSpec,
  ScopedResourceSelectorRequirement,
} from '../types/core-v1.generated.js';
import { meetsRequirement } from './quota-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { oneObject } from './quota-amounts.js';
import type { QuotaAmounts } from './quota-amounts.js';

/** Measures pods. */
export const podQuotaEvaluator: QuotaEvaluator = {
  resource: { group: '', resource: 'pods' },
  measures: (name) =>
    podNames.has(name) ||
    isHugePages(name) ||
    name.startsWith('requests.hugepages-') ||
    (name.startsWith('requests.') && (!isNativeResource(name) || name.startsWith(`requests.${deviceClassPrefix}`))),
  usageOf: (object, nowMs) => podUsage(object as Frozen<Pod>, nowMs),
  isInScope: (object, requirement) => isPodInScope(object as Frozen<Pod>, requirement),
  handles: ({ operation, subresource, object, oldObject }) => {
    if (subresource !== '') return subresource === 'resize' && operation === 'UPDATE';
    return operation === 'CREATE' || hasDeadline(object) !== hasDeadline(oldObject ?? object);
  },
  missing: (object, names) => missingResources(object as Frozen<Pod>, names),
  releases: (old, object, nowMs) =>
    hasResized(old as Frozen<Pod>, object as Frozen<Pod>) ||
    hasDeadline(old) !== hasDeadline(object) ||
    (isRunning(old as Frozen<Pod>, nowMs) && !isRunning(object as Frozen<Pod>, nowMs)),
};

/** The names that are measured; those of huge pages and of extended resources are known by their form. */
const podNames: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

/** What every container must state where a quota limits it. */
const requiredNames: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

function podUsage(pod: Frozen<Pod>, nowMs: number): QuotaAmounts {
  const usage: Amounts = new Map([['count/pods', oneObject]]);
  if (!isRunning(pod, nowMs)) return usage;
  usage.set('pods', oneObject);
  const { requests, limits } = podResources(pod);
  addResources(usage, requests, limits);
  return usage;
}

/** Adds requests and limits under the names of quotas. */
function addResources(usage: Amounts, requests: QuotaAmounts, limits: QuotaAmounts): void {
  for (const [name, amount] of requests) {
    if (isCompute(name) || isHugePages(name)) {
      usage.set(name, amount);
      usage.set(`requests.${name}`, amount);
    } else if (isExtendedResource(name) || name.startsWith(deviceClassPrefix)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (isCompute(name)) usage.set(`limits.${name}`, amount);
}

function isCompute(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
}

/** What a pod requests and is limited to: its containers, or the pod as a whole, and its overhead. */
function podResources(pod: Frozen<Pod>): { readonly requests: Amounts; readonly limits: Amounts } {
  const spec = withActualResources(pod);
  const requests = aggregateContainers(spec, 'requests');
  const limits = aggregateContainers(spec, 'limits');
  for (const [total, stated] of [
    [requests, spec.resources?.requests],
    [limits, spec.resources?.limits],
  ] as const)
    for (const [name, text] of Object.entries(stated ?? {}))
      if (isPodLevelResource(name)) total.set(name, parseQuantity(text));
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    const overhead = parseQuantity(text);
    const [request, limit] = [requests.get(name), limits.get(name)];
    requests.set(name, request === undefined ? overhead : addQuantities(request, overhead));
    if (limit !== undefined && !isZeroQuantity(limit)) limits.set(name, addQuantities(limit, overhead));
  }
  return { requests, limits };
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/**
 * The specification with the resources that count while containers are being resized: the largest of what is desired,
 * allocated and actual. A resize that the node refused for good does not count. As component-helpers/resource,
 * determineEffectiveRequests and determineEffectiveLimits.
 */
function withActualResources({ spec = { containers: [] }, status }: Frozen<Pod>): Frozen<PodSpec> {
  const statuses = new Map<string, Frozen<ContainerStatus>>();
  for (const each of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])])
    if (each.resources !== undefined) statuses.set(each.name, each);
  if (statuses.size === 0) return spec;
  const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const isInfeasible = pending?.reason === 'Infeasible';
  const actual = (container: Frozen<Container>): Frozen<Container> => {
    const of = statuses.get(container.name);
    if (of === undefined) return container;
    const desired = isInfeasible ? {} : container.resources;
    return {
      ...container,
      resources: {
        requests: largest(desired?.requests, of.resources?.requests, of.allocatedResources),
        limits: largest(desired?.limits, of.resources?.limits),
      },
    };
  };
  return {
    ...spec,
    containers: spec.containers.map(actual),
    ...(spec.initContainers && {
      initContainers: spec.initContainers.map((each) => (each.restartPolicy === 'Always' ? actual(each) : each)),
    }),
  };
}

function largest(...lists: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const amounts = new Map<string, Quantity>();
  for (const list of lists) {
    for (const [name, text] of Object.entries(list ?? {})) {
      const amount = parseQuantity(text);
      const known = amounts.get(name);
      if (known === undefined || compareQuantities(amount, known) > 0) amounts.set(name, amount);
    }
  }
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, printQuantity(amount)]));
}

/** Whether a pod has neither ended nor outlived its grace period. */
function isRunning({ metadata, status }: Frozen<Pod>, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function hasResized({ status: old }: Frozen<Pod>, { status }: Frozen<Pod>): boolean {
  const differ = (
    before: readonly Frozen<ContainerStatus>[] = [],
    after: readonly Frozen<ContainerStatus>[] = [],
  ): boolean =>
    before !== after &&
    before.some(({ name, resources }) => {
      const found = after.find((each) => each.name === name);
      return found !== undefined && !deepEqual(resources, found.resources);
    });
  return (
    differ(old?.containerStatuses, status?.containerStatuses) ||
    differ(old?.initContainerStatuses, status?.initContainerStatuses)
  );
}

/** The scope Terminating: pods that end by themselves. */
function hasDeadline(object: Frozen<ApiObject>): boolean {
  return ((object as Frozen<Pod>).spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function isPodInScope(pod: Frozen<Pod>, requirement: Frozen<ScopedResourceSelectorRequirement>): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const { priorityClassName = '' } = pod.spec ?? {};
      return meetsRequirement(requirement, priorityClassName === '' ? [] : [priorityClassName]);
    }
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

function isBestEffort({ spec = { containers: [] }, status }: Frozen<Pod>): boolean {
  return (status?.qosClass ?? podQosClass(spec)) === 'BestEffort';
}

function hasCrossNamespaceAffinity({ spec }: Frozen<Pod>): boolean {
  const crosses = ({ namespaces = [], namespaceSelector }: Frozen<PodAffinityTerm>): boolean =>
    namespaces.length > 0 || namespaceSelector !== undefined;
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].some(
    (affinity) =>
      (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(crosses) ||
      (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).some(({ podAffinityTerm }) =>
        crosses(podAffinityTerm),
      ),
  );
}

/** `must specify limits.cpu for: a,b; …`. A pod that states its resources as a whole need not state them again. */
function missingResources({ spec }: Frozen<Pod>, names: readonly string[]): string | undefined {
  const stated = [...Object.keys(spec?.resources?.requests ?? {}), ...Object.keys(spec?.resources?.limits ?? {})];
  if (stated.some(isPodLevelResource)) return undefined;
  const lacking = new Map<string, Set<string>>();
  for (const { name, resources } of [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]) {
    for (const required of names) {
      if (!requiredNames.has(required) || states(resources, required)) continue;
      const containers = lacking.get(required);
      if (containers === undefined) lacking.set(required, new Set([name]));
      else containers.add(name);
    }
  }
  if (lacking.size === 0) return undefined;
  const each = [...lacking.keys()]
    .sort()
    .map((name) => `${name} for: ${[...(lacking.get(name) ?? [])].sort().join(',')}`);
  return `must specify ${each.join('; ')}`;
}

function states(resources: Frozen<Container>['resources'], name: string): boolean {
  const [part, bare] = name.startsWith('limits.')
    ? [resources?.limits, name.slice('limits.'.length)]
    : [resources?.requests, name.startsWith('requests.') ? name.slice('requests.'.length) : name];
  return part !== undefined && Object.hasOwn(part, bare);
}
