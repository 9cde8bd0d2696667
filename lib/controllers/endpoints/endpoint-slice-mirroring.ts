// Mirrors Endpoints that users write into EndpointSlices, which kube-proxy and DNS read: those of Services without a
// selector, unless they are marked with skip-mirror or are the lock of an election. Mirrored slices of other Endpoints
// are deleted. As pkg/controller/endpointslicemirroring.
import { awaitChange, controller, informers, requeueAfter, watching } from '../../client/index.js';
import type {
  ControllerActivity,
  EventFailed,
  EventRecorder,
  ObjectEvent,
  Stored,
  WriteOptions,
} from '../../client/index.js';
import { errorText, isTerminating, namespacedName, objectReference, printNamespacedName } from '../../core/index.js';
import type { Frozen, NamespacedName, Part } from '../../core/index.js';
import type { EndpointSlice, Endpoints, Service } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { withEvents } from '../with-events.js';
import { isNamespaceTerminating } from '../workloads/pod-control.js';
import { DelayedItems } from './delayed-items.js';
import { leaderAnnotation } from './endpoints.js';
import { mirroringController, planMirror } from './mirrored-slices.js';
import type { SlicesWritten } from './slice-sync.js';
import { SliceTracker } from './slice-tracker.js';

/** Options of the mirroring controller. */
export interface EndpointSliceMirroringOptions extends ControllerEnvironment {
  /** The most addresses of a subset, `--mirroring-max-endpoints-per-subset`. Default 1000. */
  readonly addressesPerSubsetMax?: number;
  /** The delay after a change of slices, `--mirroring-endpointslice-updates-batch-period`. Default 0. */
  readonly batchPeriodMs?: number;
  /** The most Endpoints that are mirrored at once, `--mirroring-concurrent-service-endpoint-syncs`. Default 5. */
  readonly concurrency?: number;
}

/** The slices of an Endpoints object were written. */
export interface EndpointsMirrored extends SlicesWritten {
  readonly type: 'mirrored';
  readonly endpoints: NamespacedName;
}

/** The activities of the controller. */
export type EndpointSliceMirroringActivity = ControllerActivity<NamespacedName, EndpointsMirrored> | EventFailed;

/** Creates the mirroring controller. */
export function endpointSliceMirroring(options: EndpointSliceMirroringOptions): Part<EndpointSliceMirroringActivity> {
  return withEvents({
    ...options,
    name: controllerName,
    component: 'endpoint-slice-mirroring-controller',
    create: (recorder) => create(options, recorder),
  });
}

const controllerName = 'endpointslice-mirroring-controller';

function create(options: EndpointSliceMirroringOptions, recorder: EventRecorder): Part<EndpointSliceMirroringActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = options;
  const { addressesPerSubsetMax = 1000, batchPeriodMs = 0, concurrency = 5 } = options;
  const services = shared.kind('v1', 'Service');
  const endpoints = shared.kind('v1', 'Endpoints');
  const tracker = new SliceTracker(mirroringController);
  const slices = shared
    .kind('discovery.k8s.io/v1', 'EndpointSlice')
    .indexedBy({ mirrored: (slice) => tracker.managedService(slice) });
  const delayed = new DelayedItems(clock);
  const writable = client.kind('discovery.k8s.io/v1', 'EndpointSlice');
  const write = async (source: Stored<Endpoints>, known: readonly Stored<EndpointSlice>[], write: Options) => {
    const { name, namespace = '' } = source.metadata;
    const plan = planMirror(source, known, addressesPerSubsetMax);
    recordSkipped(plan, source);
    for (const draft of isTerminating(source) ? [] : plan.creates) {
      try {
        tracker.wrote(await writable.in(namespace).create(draft, write));
      } catch (error) {
        if (isNamespaceTerminating(error)) return noneWritten;
        throw failure(`failed to create EndpointSlice for Endpoints ${namespace}/${name}`, error);
      }
    }
    for (const draft of plan.updates) {
      try {
        tracker.wrote(await writable.in(namespace).update(draft, write));
      } catch (error) {
        const what = `failed to update ${draft.metadata.name} EndpointSlice for Endpoints ${namespace}/${name}`;
        throw failure(what, error);
      }
    }
    await remove(plan.deletes, write);
    return { created: plan.creates.length, updated: plan.updates.length, deleted: plan.deletes.length };
  };
  const remove = async (unwanted: readonly Stored<EndpointSlice>[], write: Options): Promise<void> => {
    for (const slice of unwanted) {
      // The garbage collector deletes them too.
      await ignoreError('NotFound', writable.delete(namespacedName(slice), write));
      tracker.deleted(slice);
    }
  };
  const recordSkipped = (
    { invalidAddresses, skippedAddresses }: { invalidAddresses: number; skippedAddresses: number },
    source: Stored<Endpoints>,
  ): void => {
    const record = (reason: string, message: string): void =>
      recorder.record({
        regarding: objectReference({ apiVersion: 'v1', kind: 'Endpoints' }, source),
        type: 'Warning',
        reason,
        message,
      });
    if (invalidAddresses > 0)
      record('InvalidIPAddress', `Skipped ${invalidAddresses} invalid IP addresses when mirroring to EndpointSlices`);
    if (skippedAddresses > invalidAddresses)
      record(
        'TooManyAddressesToMirror',
        `A max of ${addressesPerSubsetMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skippedAddresses} addresses were skipped`,
      );
  };
  return controller<NamespacedName, EndpointsMirrored>({
    name: controllerName,
    clock,
    steps$: options.steps$,
    concurrency,
    backoff: { baseMs: 1000, factor: 2, maxMs: 100_000, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity },
    failuresMax: 15,
    watches: [
      watching(endpoints, (event) =>
        isMirrored(event.object) || ('old' in event && isMirrored(event.old)) ? [namespacedName(event.object)] : [],
      ),
      watching(services, serviceItems),
      watching(slices, (event) => {
        const { awaited, changed } = tracker.apply(event);
        if (batchPeriodMs === 0) return [...awaited, ...changed];
        for (const item of changed) delayed.add(item, batchPeriodMs);
        return awaited;
      }),
    ],
    triggers$: delayed.items$,
    reconcile: async (item, { emit, signal, cause }) => {
      const key = printNamespacedName(item);
      const known = slices.by('mirrored', key);
      const source = endpoints.get(key);
      const service = services.get(key);
      if (source === undefined || !isMirrored(source) || service === undefined || hasSelector(service)) {
        tracker.forget(key);
        await remove(known, { signal, cause });
        if (known.length > 0) emit({ type: 'mirrored', endpoints: item, ...noneWritten, deleted: known.length });
        tracker.forget(key);
        return awaitChange;
      }
      if (tracker.isStale(key, known, slices.resourceVersion)) return requeueAfter(staleRetryMs);
      const written = await write(source, known, { signal, cause });
      if (written.created + written.updated + written.deleted > 0)
        emit({ type: 'mirrored', endpoints: item, ...written });
      return awaitChange;
    },
  });
}

type Options = Pick<WriteOptions, 'signal' | 'cause'>;

const noneWritten: SlicesWritten = { created: 0, updated: 0, deleted: 0 };
const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror';
/** The longest wait for an informer that lags behind. */
const staleRetryMs = 1000;

function isMirrored(source: Stored<Endpoints> | undefined): boolean {
  const { labels = {}, annotations = {} } = source?.metadata ?? {};
  return source !== undefined && labels[skipMirrorLabel] !== 'true' && annotations[leaderAnnotation] === undefined;
}

function hasSelector({ spec }: Frozen<Service>): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

/** Services without a selector, and those that gain or lose one. */
function serviceItems(event: ObjectEvent<Stored<Service>>): readonly NamespacedName[] {
  const { object } = event;
  const old = 'old' in event ? event.old : undefined;
  const isConcerned = old === undefined ? !hasSelector(object) : hasSelector(object) !== hasSelector(old);
  return isConcerned ? [namespacedName(object)] : [];
}

function failure(what: string, error: unknown): Error {
  return new Error(`${what}: ${errorText(error)}`, { cause: error });
}
