// Maintains the condition `Available` of APIServices: those without a service are local; the others are available while
// their service has endpoints and lists its resources. Runs only while an APIService needs it, so a cluster without
// aggregated APIs has no watch of Services and no timer for it. As kube-aggregator/pkg/controllers/status.
import { EMPTY, distinctUntilChanged, filter, ignoreElements, map, switchMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { awaitChange, controller, readResourceList, requeueAfter, watching } from '../../client/index.js';
import type { Action, Client, ObjectEvent } from '../../client/index.js';
import {
  deepEqual,
  delayAfter,
  isApiError,
  isJsonObject,
  localApiServiceCondition,
  printTime,
} from '../../core/index.js';
import type { BackoffLadder, Clock, Frozen, Informer, ObjectInformers, WatcherEvent } from '../../core/index.js';
import type { APIService, APIServiceCondition, EndpointSlice, Service } from '../../core/types/index.js';
import { readDocument } from './read-document.js';
import type { RemoteApis } from './remote-apis.js';
import { failedDiscovery, passedState, serviceOfSlice, unreachableState } from './service-reachability.js';
import type { AvailabilityState } from './service-reachability.js';

type Registration = Frozen<APIService>;

/** Dependencies of the controller. */
export interface AvailabilityParts {
  readonly apiServices: Informer<Registration>;
  readonly informers: ObjectInformers;
  readonly remotes: RemoteApis;
  readonly client: Client;
  readonly clock: Clock;
}

/** An APIService to check. */
interface ApiServiceItem {
  readonly name: string;
}

/** How often an available server is checked, as the resync of kube-aggregator. */
const recheckMs = 30_000;
/** The delays after failed checks of one server. */
const recheckBackoff: BackoffLadder = {
  baseMs: 100,
  factor: 2,
  maxMs: recheckMs,
  jitter: 0,
  resetAfterMs: Infinity,
  attemptsMax: Infinity,
};

/** Runs the controller while an APIService needs it. Emits nothing. */
export function maintainAvailability(parts: AvailabilityParts): Observable<never> {
  const waiting = new Set<string>();
  return parts.apiServices.events$.pipe(
    filter((event) => noteEvent(event, waiting)),
    map(() => waiting.size > 0),
    distinctUntilChanged(),
    switchMap((isNeeded) => (isNeeded ? availabilityController(parts) : EMPTY)),
    ignoreElements(),
  );
}

/** Keeps the set of APIServices that the controller is needed for. Returns whether it is complete. */
function noteEvent(event: WatcherEvent<Registration>, waiting: Set<string>): boolean {
  if (event.type === 'synced') return true;
  if (!('object' in event)) return false;
  const name = event.object.metadata?.name ?? '';
  if (event.type !== 'deleted' && (event.object.spec?.service !== undefined || !isMarkedLocal(event.object)))
    waiting.add(name);
  else waiting.delete(name);
  return event.type !== 'listed';
}

function isMarkedLocal({ status }: Registration): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'Available' && reason === 'Local') === true;
}

function availabilityController(parts: AvailabilityParts): Observable<unknown> {
  const { apiServices, informers, clock } = parts;
  const services = informers.of<Service>({ group: '', resource: 'services' });
  const slices = informers
    .of<EndpointSlice>({ group: 'discovery.k8s.io', resource: 'endpointslices' })
    .indexedBy({ service: serviceOfSlice });
  const failures = new Map<string, number>();
  const backedBy = (service: string): readonly ApiServiceItem[] =>
    apiServices
      .list()
      .filter(({ spec }) => `${spec?.service?.namespace ?? ''}/${spec?.service?.name ?? ''}` === service)
      .map(({ metadata }) => ({ name: metadata?.name ?? '' }));
  return controller<ApiServiceItem>({
    name: 'api-service-availability',
    clock,
    watches: [
      watching(apiServices, itemsOf),
      watching(services, ({ object: { metadata = {} } }) =>
        backedBy(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
      ),
      watching(slices, ({ object }) => serviceOfSlice(object).flatMap(backedBy)),
    ],
    keyOf: ({ name }) => name,
    concurrency: 5,
    reconcile: async ({ name }): Promise<Action> => {
      const found = apiServices.get(name);
      const { spec } = found ?? {};
      if (found === undefined || spec === undefined) return awaitChange;
      if (spec.service === undefined) return writeCondition(found, localApiServiceCondition(clock.now()), parts);
      const remote = parts.remotes.current.remotes.get(name);
      if (remote === undefined) return awaitChange;
      const missing = remote.backend.isInProcess ? undefined : unreachableState(spec.service, { services, slices });
      const state = missing ?? (await checkDiscovery(name, parts));
      if (missing !== undefined) parts.remotes.discovered(name, undefined);
      const isPassing = state === passedState;
      const failed = isPassing || missing !== undefined ? 0 : (failures.get(name) ?? 0) + 1;
      if (failed === 0) failures.delete(name);
      else failures.set(name, failed);
      await writeCondition(found, { type: 'Available', lastTransitionTime: printTime(clock.now()), ...state }, parts);
      if (missing !== undefined) return awaitChange;
      return requeueAfter(isPassing ? recheckMs : delayAfter(recheckBackoff, failed));
    },
  }).run();
}

/** The APIService of an event, unless only its status changed. */
function itemsOf(event: ObjectEvent<Registration>): readonly ApiServiceItem[] {
  const { object, type } = event;
  const before = 'old' in event ? (event.old as Registration | undefined) : undefined;
  if (type === 'deleted' || (before !== undefined && deepEqual(before.spec, object.spec))) return [];
  return [{ name: object.metadata?.name ?? '' }];
}

/** Reads the resources of a server, which shows that it responds. */
async function checkDiscovery(name: string, { remotes, clock }: AvailabilityParts): Promise<AvailabilityState> {
  const remote = remotes.current.remotes.get(name);
  if (remote === undefined) return passedState;
  const { group, version, backend } = remote;
  const result = await readDocument(backend, `/apis/${group}/${version}`, clock);
  if ('problem' in result) {
    remotes.discovered(name, undefined);
    return failedDiscovery(result.url, result.problem);
  }
  const { document } = result;
  const isList = isJsonObject(document) && document.kind === 'APIResourceList';
  remotes.discovered(name, isList ? readResourceList(document, { group, version }) : undefined);
  return passedState;
}

/** Writes the condition where it differs. An APIService that was changed meanwhile is checked again by its event. */
async function writeCondition(
  found: Registration,
  condition: APIServiceCondition,
  { client }: AvailabilityParts,
): Promise<Action> {
  const conditions = found.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === 'Available');
  const { status, reason, message } = condition;
  if (known?.status === status && known.reason === reason && known.message === message) return awaitChange;
  const kept = known?.status === status ? { ...condition, lastTransitionTime: known.lastTransitionTime } : condition;
  const others = conditions.filter((each) => each !== known);
  try {
    await client
      .kind('apiregistration.k8s.io/v1', 'APIService')
      .status.update({ ...found, status: { ...found.status, conditions: [...others, kept] } } as APIService);
  } catch (error) {
    if (!isApiError(error, 'Conflict') && !isApiError(error, 'NotFound')) throw error;
  }
  return awaitChange;
}
