// Keeps the Endpoints of Services with a selector: the older form of EndpointSlices, in one object of at most a
// thousand addresses and one family. Endpoints of a Service that is gone are deleted; at the start also those whose
// Service went while the controller did not run. As pkg/controller/endpoint.
import { from, map, merge, mergeMap } from 'rxjs';
import { awaitChange, controller, informers, requeueAfter, watching } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, Stored } from '../../client/index.js';
import {
  deepEqual,
  errorText,
  isExternalName,
  isOlderVersion,
  namespacedName,
  objectKey,
  objectReference,
  printNamespacedName,
} from '../../core/index.js';
import type { Frozen, NamespacedName, Part } from '../../core/index.js';
import type { EndpointSubset, Endpoints, Pod, Service } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { withEvents } from '../with-events.js';
import { isNamespaceTerminating } from '../workloads/pod-control.js';
import { DelayedItems } from './delayed-items.js';
import { repackSubsets, subsetsOfPods, truncateSubsets } from './endpoint-subsets.js';
import { ServicePods, namespaceOfPod } from './service-pods.js';
import { headlessLabel } from './slice-labels.js';
import { TriggerTimes, withTriggerTime } from './trigger-times.js';

/** Options of the Endpoints controller. */
export interface EndpointsOptions extends ControllerEnvironment {
  /** The delay after a change of pods, `--endpoint-updates-batch-period`. Default 0. */
  readonly batchPeriodMs?: number;
  /** The most Services that are reconciled at once, `--concurrent-endpoint-syncs`. Default 5. */
  readonly concurrency?: number;
}

/** The Endpoints of a Service were written or deleted. */
export interface EndpointsWritten {
  readonly type: 'endpoints-created' | 'endpoints-updated' | 'endpoints-deleted';
  readonly endpoints: NamespacedName;
}

/** The activities of the controller. */
export type EndpointsActivity = ControllerActivity<NamespacedName, EndpointsWritten> | EventFailed;

/** The annotation of an election with Endpoints as the lock. Such Endpoints have no Service. */
export const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Creates the Endpoints controller. */
export function serviceEndpoints(options: EndpointsOptions): Part<EndpointsActivity> {
  return withEvents({ ...options, name: controllerName, component, create: (recorder) => create(options, recorder) });
}

/** Returns the Endpoints that a Service should have; undefined if it has them. */
export function desiredEndpoints(
  service: Stored<Service>,
  pods: Iterable<Frozen<Pod>>,
  { current, triggerTime }: { current: Stored<Endpoints> | undefined; triggerTime: string | undefined },
): Endpoints | undefined {
  const all = subsetsOfPods(service, pods);
  const truncated = truncateSubsets(all);
  const subsets = truncated ?? all;
  const labels = labelsOf(service);
  const { [capacityAnnotation]: capacity, ...annotations } = withTriggerTime(
    current?.metadata.annotations,
    triggerTime,
  );
  const isMarked = capacity === truncatedMark;
  if (
    current !== undefined &&
    (deepEqual(current.subsets ?? [], subsets) || sameSubsets(current.subsets ?? [], subsets)) &&
    deepEqual(withoutHeadless(current.metadata.labels), withoutHeadless(labels)) &&
    (truncated === undefined ? capacity === undefined : isMarked)
  )
    return undefined;
  const { name, namespace = '' } = service.metadata;
  const written = { ...annotations, ...(truncated !== undefined && { [capacityAnnotation]: truncatedMark }) };
  const metadata = { ...(current?.metadata ?? { name, namespace }), labels, annotations: written };
  // Of the current object only metadata is kept, which is frozen and only copied.
  return { metadata, subsets: [...subsets] } as Endpoints;
}

const controllerName = 'endpoints-controller';
const component = 'endpoint-controller';

function create(options: EndpointsOptions, recorder: EventRecorder): Part<EndpointsActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = options;
  const { batchPeriodMs = 0, concurrency = 5 } = options;
  const services = shared.kind('v1', 'Service');
  const pods = shared.kind('v1', 'Pod').indexedBy({ namespace: namespaceOfPod });
  const stored = shared.kind('v1', 'Endpoints');
  const servicePods = new ServicePods(pods);
  const triggerTimes = new TriggerTimes();
  const delayed = new DelayedItems(clock);
  /** The newest responses to writes that the informer may not show yet, and the Services that wait for it. */
  const written = new Map<string, Stored<Endpoints>>();
  const waiting = new Set<string>();
  return controller<NamespacedName, EndpointsWritten>({
    name: controllerName,
    clock,
    steps$: options.steps$,
    concurrency,
    failuresMax: 15,
    watches: [
      watching(services, (event) => {
        servicePods.applyService(event);
        return [namespacedName(event.object)];
      }),
      watching(pods, (event) => {
        const items = servicePods.applyPod(event);
        if (batchPeriodMs === 0) return items;
        for (const item of items) delayed.add(item, batchPeriodMs);
        return [];
      }),
      watching(stored, ({ type, object }) =>
        type === 'deleted' || waiting.has(objectKey(object)) ? [namespacedName(object)] : [],
      ),
    ],
    triggers$: merge(
      delayed.items$,
      from(stored.ready).pipe(
        mergeMap(() => stored.list().filter((each) => !hasLeader(each))),
        map(namespacedName),
      ),
    ),
    reconcile: async (item, { emit, signal, cause }) => {
      const key = printNamespacedName(item);
      const writable = client.kind('v1', 'Endpoints').in(item.namespace);
      const service = services.get(key);
      if (service === undefined) {
        triggerTimes.delete(key);
        written.delete(key);
        const deleted = await ignoreError('NotFound', writable.delete(item.name, { signal, cause }));
        if (deleted !== undefined) emit({ type: 'endpoints-deleted', endpoints: item });
        return awaitChange;
      }
      if (isExternalName(service) || Object.keys(service.spec?.selector ?? {}).length === 0) return awaitChange;
      waiting.delete(key);
      const own = written.get(key);
      if (own !== undefined && isOlderVersion({ metadata: { resourceVersion: stored.resourceVersion ?? '' } }, own)) {
        waiting.add(key);
        return requeueAfter(staleRetryMs);
      }
      written.delete(key);
      const selected = servicePods.of(key);
      const triggerTime = triggerTimes.next(key, service, selected, servicePods.takeChanged(key));
      const current = stored.get(key);
      const desired = desiredEndpoints(service, selected.values(), { current, triggerTime });
      if (desired === undefined) return awaitChange;
      const isNew = current === undefined;
      try {
        const request = isNew
          ? writable.create(desired, { signal, cause })
          : writable.update(desired, { signal, cause });
        written.set(key, await request);
        emit({ type: isNew ? 'endpoints-created' : 'endpoints-updated', endpoints: item });
      } catch (error) {
        // Every create would fail until the namespace is gone.
        if (isNew && isNamespaceTerminating(error)) return awaitChange;
        // Kubernetes' reference to Endpoints that do not exist yet has no namespace.
        const regarding = isNew
          ? { apiVersion: 'v1', kind: 'Endpoints', name: item.name }
          : objectReference({ apiVersion: 'v1', kind: 'Endpoints' }, current);
        const [reason, what] = isNew
          ? ['FailedToCreateEndpoint', 'create endpoint for service']
          : ['FailedToUpdateEndpoint', 'update endpoint'];
        const message = `Failed to ${what} ${key}: ${errorText(error)}`;
        recorder.record({ regarding, type: 'Warning', reason, message });
        throw error;
      }
      return awaitChange;
    },
  });
}

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const capacityAnnotation = 'endpoints.kubernetes.io/over-capacity';
const truncatedMark = 'truncated';
/** The longest wait for an informer that lags behind. */
const staleRetryMs = 1000;

function hasLeader({ metadata }: Stored<Endpoints>): boolean {
  return metadata.annotations?.[leaderAnnotation] !== undefined;
}

function labelsOf({ metadata, spec }: Stored<Service>): Record<string, string> {
  const { clusterIP = '' } = spec ?? {};
  const isHeadless = clusterIP === '' || clusterIP === 'None';
  return {
    ...withoutHeadless(metadata.labels),
    ...(isHeadless && { [headlessLabel]: '' }),
    [managedByLabel]: component,
  };
}

function withoutHeadless({ [headlessLabel]: _, ...labels }: Readonly<Record<string, string>> = {}): Record<
  string,
  string
> {
  return labels;
}

/** The order may differ, and the versions of targets do not count. */
function sameSubsets(current: readonly Frozen<EndpointSubset>[], desired: readonly EndpointSubset[]): boolean {
  const plain = (subsets: readonly Frozen<EndpointSubset>[]): unknown =>
    JSON.parse(JSON.stringify(subsets, (key, value: unknown) => (key === 'resourceVersion' ? undefined : value)));
  return deepEqual(plain(repackSubsets(current)), plain(desired));
}
