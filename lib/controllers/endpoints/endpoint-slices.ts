// Keeps the EndpointSlices of Services with a selector. A Service is reconciled when it changes, when one of its pods
// changes in what endpoints show, a second after another client changed one of its slices, and when nodes change so
// that its zones become overloaded. As pkg/controller/endpointslice.
import { awaitChange, controller, informers, requeueAfter, watching } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../../client/index.js';
import {
  errorText,
  isExternalName,
  isTerminating,
  namespacedName,
  objectReference,
  printNamespacedName,
} from '../../core/index.js';
import type { NamespacedName, Part } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { DelayedItems } from './delayed-items.js';
import { nodeZoneLabel } from './pod-endpoint.js';
import { ServicePods, namespaceOfPod } from './service-pods.js';
import { sliceController } from './slice-labels.js';
import { SliceSync } from './slice-sync.js';
import type { SlicesWritten } from './slice-sync.js';
import { SliceTracker } from './slice-tracker.js';
import { TriggerTimes } from './trigger-times.js';
import { isNodeReady } from './zone-allocation.js';
import { ZoneHints } from './zone-hints.js';

/** Options of the EndpointSlice controller. */
export interface EndpointSlicesOptions extends ControllerEnvironment {
  /** The most endpoints of a slice, `--max-endpoints-per-slice`. Default 100. */
  readonly endpointsPerSliceMax?: number;
  /** The delay after a change of pods, so that several are written at once. Default 0. */
  readonly batchPeriodMs?: number;
  /** The most Services that are reconciled at once, `--concurrent-service-endpoint-syncs`. Default 5. */
  readonly concurrency?: number;
}

/** The slices of a Service were written. */
export interface EndpointSlicesWritten extends SlicesWritten {
  readonly type: 'slices-written';
  readonly service: NamespacedName;
}

/** The activities of the controller. */
export type EndpointSlicesActivity = ControllerActivity<NamespacedName, EndpointSlicesWritten> | EventFailed;

/** Creates the EndpointSlice controller. */
export function endpointSlices(options: EndpointSlicesOptions): Part<EndpointSlicesActivity> {
  return withEvents({
    ...options,
    name,
    component: 'endpoint-slice-controller',
    create: (recorder) => create(options, recorder),
  });
}

const name = 'endpointslice-controller';

function create(options: EndpointSlicesOptions, recorder: EventRecorder): Part<EndpointSlicesActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = options;
  const { batchPeriodMs = 0, endpointsPerSliceMax = 100, concurrency = 5 } = options;
  const services = shared.kind('v1', 'Service');
  const pods = shared.kind('v1', 'Pod').indexedBy({ namespace: namespaceOfPod });
  const nodes = shared.kind('v1', 'Node');
  const tracker = new SliceTracker(sliceController);
  const slices = shared
    .kind('discovery.k8s.io/v1', 'EndpointSlice')
    .indexedBy({ service: (slice) => tracker.managedService(slice) });
  const servicePods = new ServicePods(pods);
  const triggerTimes = new TriggerTimes();
  const zones = new ZoneHints({ nodes: () => nodes.list(), record: (details) => recorder.record(details) });
  const sync = new SliceSync({ client, tracker, zones, endpointsMax: endpointsPerSliceMax });
  const delayed = new DelayedItems(clock);
  let nodesVersion = 0;
  const later = (items: readonly NamespacedName[], delayMs: number): readonly NamespacedName[] => {
    if (delayMs === 0) return items;
    for (const item of items) delayed.add(item, delayMs);
    return [];
  };
  return controller<NamespacedName, EndpointSlicesWritten>({
    name,
    clock,
    steps$: options.steps$,
    concurrency,
    backoff: { baseMs: 1000, factor: 2, maxMs: 1_000_000, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity },
    failuresMax: 15,
    watches: [
      watching(services, (event) => {
        servicePods.applyService(event);
        return [namespacedName(event.object)];
      }),
      watching(pods, (event) => later(servicePods.applyPod(event), batchPeriodMs)),
      watching(nodes, (event) => {
        if (zoneChanges(event)) nodesVersion += 1;
        return zoneChanges(event) || readinessChanges(event) ? zones.nodesChanged() : [];
      }),
      watching(slices, (event) => {
        const { awaited, changed } = tracker.apply(event);
        return [...awaited, ...later(changed, Math.max(changeDelayMs, batchPeriodMs))];
      }),
    ],
    triggers$: delayed.items$,
    reconcile: async (item, { emit, signal, cause }) => {
      const key = printNamespacedName(item);
      const service = services.get(key);
      if (service === undefined) {
        triggerTimes.delete(key);
        tracker.forget(key);
        sync.forget(key);
        return awaitChange;
      }
      const isSelecting = Object.keys(service.spec?.selector ?? {}).length > 0;
      if (isExternalName(service) || !isSelecting) return awaitChange;
      const known = slices.by('service', key);
      if (tracker.isStale(key, known, slices.resourceVersion)) return requeueAfter(staleRetryMs);
      const changed = servicePods.takeChanged(key);
      const selected = servicePods.of(key);
      const triggerTime = triggerTimes.next(key, service, selected, changed);
      try {
        const written = await sync.run(
          {
            key,
            service,
            pods: selected,
            changed,
            slices: known.filter((slice) => !isTerminating(slice)),
            triggerTime,
            nodesVersion,
            nodeOf: (name) => nodes.get(name),
          },
          { signal, cause },
        );
        if (written.created + written.updated + written.deleted > 0)
          emit({ type: 'slices-written', service: item, ...written });
      } catch (error) {
        servicePods.markAllChanged(key);
        recorder.record({
          regarding: objectReference({ apiVersion: 'v1', kind: 'Service' }, service),
          type: 'Warning',
          reason: 'FailedToUpdateEndpointSlices',
          message: `Error updating Endpoint Slices for Service ${key}: ${errorText(error)}`,
        });
        throw error;
      }
      return awaitChange;
    },
  });
}

/** The delay after another client changed a slice, so that changes of several are answered at once. */
const changeDelayMs = 1000;
/** The longest wait for an informer that lags behind. */
const staleRetryMs = 1000;

function zoneChanges(event: ObjectEvent<Stored<Node>>): boolean {
  const old = 'old' in event ? event.old : undefined;
  if (old === undefined) return true;
  return old.metadata.labels?.[nodeZoneLabel] !== event.object.metadata.labels?.[nodeZoneLabel];
}

function readinessChanges(event: ObjectEvent<Stored<Node>>): boolean {
  const old = 'old' in event ? event.old : undefined;
  return old !== undefined && isNodeReady(old) !== isNodeReady(event.object);
}
