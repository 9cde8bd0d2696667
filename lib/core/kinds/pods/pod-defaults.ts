// Defaults of pods that depend on other fields; those that do not are in the schema. In place, on a freshly decoded
// object, about two microseconds for a pod of two containers.
// As pkg/apis/core/v1/defaults.go and zz_generated.defaults.go, SetObjectDefaults_Pod. Workloads run podSpecDefaults on
// their templates: what only a pod itself gets (requests from limits, service links, host ports) is not for templates.
// Also what Kubernetes does when it converts to its internal version, where fields that mean the same are one: the two
// names of the service account, the two forms of addresses (pkg/apis/core/v1/conversion.go). And fields that cannot be
// used yet are dropped here, for all kinds with a pod template.
import { setOwn } from '../../objects/json.js';
import { canonicalMilliQuantity, printQuantity } from '../../objects/quantity.js';
import type {
  Container,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  PodSpec,
  PodStatus,
  ResourceRequirements,
  Volume,
} from '../../types/core-v1.generated.js';
import { aggregateContainers } from './container-resources.js';
import { defaultPullPolicy } from './image-pull-policy.js';

type ResourceList = Record<string, string>;

/** Defaults of a pod. */
export function podDefaults({ metadata, spec, status }: Pod): void {
  if (spec !== undefined) {
    podOnlyDefaults(spec);
    podSpecDefaults(spec);
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  }
  if (status !== undefined) {
    dropDisabledStatusFields(status);
    roundStatus(status);
    alignIps(status);
  }
  if (metadata !== undefined) dropInitContainerAnnotations(metadata);
}

/** Defaults of a pod's specification, in a pod or a template. */
export function podSpecDefaults(spec: PodSpec): void {
  dropDisabledSpecFields(spec);
  for (const volume of each(spec.volumes)) volumeDefaults(volume);
  for (const container of each(spec.initContainers)) containerDefaults(container);
  for (const container of each(spec.containers)) containerDefaults(container);
  for (const container of each(spec.ephemeralContainers)) containerDefaults(container);
  roundUp(spec.overhead);
  roundRequirements(spec.resources);
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) spec.serviceAccountName = spec.serviceAccount = account;
}

/** Annotations that were init containers before those were fields. In place. As dropInitContainerAnnotations. */
export function dropInitContainerAnnotations(metadata: { annotations?: Record<string, string> }): void {
  if (metadata.annotations === undefined) return;
  for (const stage of ['beta', 'alpha']) {
    delete metadata.annotations[`pod.${stage}.kubernetes.io/init-containers`];
    delete metadata.annotations[`pod.${stage}.kubernetes.io/init-container-statuses`];
  }
  if (isEmpty(metadata.annotations)) delete metadata.annotations;
}

function podOnlyDefaults(spec: PodSpec): void {
  for (const container of each(spec.containers)) requestWhatIsLimited(container.resources);
  for (const container of each(spec.initContainers)) requestWhatIsLimited(container.resources);
  if (spec.resources !== undefined) podLevelDefaults(spec, spec.resources);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    for (const container of each(spec.containers)) exposeOnHost(container);
    for (const container of each(spec.initContainers)) exposeOnHost(container);
  }
}

function requestWhatIsLimited(resources: ResourceRequirements | undefined): void {
  if (resources?.limits === undefined) return;
  const requests = resources.requests ?? {};
  fillIn(requests, Object.entries(resources.limits));
  resources.requests = requests;
}

/**
 * Resources of the pod as a whole, once some are given: limits of huge pages are those of the containers together;
 * requests are those of the containers together, or else the limit. As defaultHugePagePodLimits and defaultPodRequests.
 */
function podLevelDefaults(spec: PodSpec, resources: ResourceRequirements): void {
  const { limits = {}, requests = {} } = resources;
  if (isEmpty(limits) && isEmpty(requests)) return;
  const hugePages = printed(spec, 'limits').filter(([name]) => isHugePages(name) && !Object.hasOwn(requests, name));
  fillIn(limits, hugePages);
  if (isEmpty(limits)) return;
  resources.limits = limits;

  fillIn(
    requests,
    printed(spec, 'requests').filter(([name]) => name === 'cpu' || name === 'memory'),
  );
  fillIn(
    requests,
    Object.entries(limits).filter(([name]) => name === 'cpu' || name === 'memory' || isHugePages(name)),
  );
  if (!isEmpty(requests)) resources.requests = requests;
}

function printed(spec: PodSpec, part: 'requests' | 'limits'): [string, string][] {
  return Array.from(aggregateContainers(spec, part), ([name, amount]) => [name, printQuantity(amount)]);
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function exposeOnHost(container: Container): void {
  for (const port of each(container.ports)) {
    if (port.hostPort === undefined && port.containerPort !== 0) port.hostPort = port.containerPort;
  }
}

function volumeDefaults(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  if (volume.image !== undefined) volume.image.pullPolicy ??= defaultPullPolicy(volume.image.reference ?? '');
  roundRequirements(volume.ephemeral?.volumeClaimTemplate?.spec.resources);
}

/** Everything beside the name of a volume is a source. */
function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== 'name') return true;
  return false;
}

function containerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? '');
  roundRequirements(container.resources);
}

/** The single address is the first of the list, and wins where they differ: old node agents know only that one. */
function alignIps(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP === undefined) {
    if (first !== undefined) status.podIP = first;
  } else if (status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
}

function roundStatus(status: PodStatus): void {
  for (const one of each(status.initContainerStatuses)) roundContainerStatus(one);
  for (const one of each(status.containerStatuses)) roundContainerStatus(one);
  for (const one of each(status.ephemeralContainerStatuses)) roundContainerStatus(one);
  roundUp(status.allocatedResources);
  roundRequirements(status.resources);
}

function roundContainerStatus(status: ContainerStatus): void {
  roundUp(status.allocatedResources);
  roundRequirements(status.resources);
}

function roundRequirements(resources: { limits?: ResourceList; requests?: ResourceList } | undefined): void {
  if (resources === undefined) return;
  roundUp(resources.limits);
  roundUp(resources.requests);
}

/** Amounts are kept in whole thousandths. As SetDefaults_ResourceList. */
function roundUp(list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const name in list) {
    const text = list[name];
    if (text === undefined) continue;
    const rounded = canonicalMilliQuantity(text);
    if (rounded !== text) setOwn(list, name, rounded);
  }
}

/** A document without a list decodes to an object without it, even where the types promise one. */
function each<T>(list: readonly T[] | undefined): readonly T[] {
  return list ?? [];
}

function fillIn(list: ResourceList, entries: readonly [string, string][]): void {
  for (const [name, text] of entries) if (!Object.hasOwn(list, name)) setOwn(list, name, text);
}

function isEmpty(list: ResourceList): boolean {
  for (const _name in list) return false;
  return true;
}

/**
 * Removes, in place, the fields of a pod or template spec whose feature gates are off in v1.36. Stored objects never
 * have them, so the old object does not matter. As pkg/api/pod/util.go, DropDisabledPodFields and
 * DropDisabledTemplateFields.
 */
function dropDisabledSpecFields(spec: PodSpec): void {
  if (spec.schedulingGroup !== undefined) delete spec.schedulingGroup;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      if (source.clusterTrustBundle !== undefined) delete source.clusterTrustBundle;
      if (source.podCertificate !== undefined) delete source.podCertificate;
    }
  }
  const loose: Partial<PodSpec> = spec;
  for (const containers of [spec.initContainers, loose.containers, spec.ephemeralContainers]) {
    for (const container of containers ?? []) {
      if (container.lifecycle?.stopSignal === undefined) continue;
      delete container.lifecycle.stopSignal;
      if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
    }
  }
}

/** Removes, in place, the fields of a pod's status whose feature gates are off. */
function dropDisabledStatusFields(status: PodStatus): void {
  if (status.nodeAllocatableResourceClaimStatuses !== undefined) delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses]) {
    for (const { volumeMounts } of list ?? []) {
      for (const mount of volumeMounts ?? []) {
        if (mount.volumeStatus !== undefined) delete mount.volumeStatus;
      }
    }
  }
}
