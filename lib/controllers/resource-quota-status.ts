// The resource-quota controller: keeps `status` of ResourceQuotas true. Admission charges what is created; what is
// deleted or ends is given back here, by counting all objects of the namespace again. Quotas are recalculated when they
// are new or change, when something that they measure may have been given back, some seconds after each write, because
// an object that admission has charged may not have been stored at that time, and every five minutes.
//
// Only resources that a quota measures are watched, from the first such quota until the controller stops. A resource
// that the server does not have is looked for every thirty seconds. As pkg/controller/resourcequota.
import { catchError, concat, defer, distinct, first, from, map, mergeMap, of, startWith, switchMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { awaitChange, controller, informers, requeueAfter, watching } from '../client/index.js';
import type { Client, ControllerActivity, ObjectEvent, Stored, Watch } from '../client/index.js';
import {
  deepEqual,
  evaluatorsMeasuring,
  namespacedName,
  parseAmounts,
  pickAmounts,
  printAmounts,
  printGroupResource,
  printNamespacedName,
  quotaUsage,
  sameAmounts,
} from '../core/index.js';
import type {
  ApiObject,
  Clock,
  Frozen,
  GroupResource,
  Informer,
  NamespacedName,
  Part,
  QuotaEvaluator,
  ResourceEntry,
} from '../core/index.js';
import type { ResourceQuota, ResourceQuotaStatus } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';

/** The usage of a quota was written. */
export interface QuotaRecalculated {
  readonly type: 'recalculated';
  readonly quota: NamespacedName;
}

/** Creates the controller. */
export function resourceQuotaStatus({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  concurrency = 5,
  syncPeriodMs = 5 * 60_000,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, QuotaRecalculated>> {
  const quotas = shared.kind('v1', 'ResourceQuota').indexedBy({ namespace: namespaceOf, measured: measuredResources });
  const run = (followed: Map<string, Followed>): Part<ControllerActivity<NamespacedName, QuotaRecalculated>> =>
    controller<NamespacedName, QuotaRecalculated>({
      name,
      clock,
      steps$,
      concurrency,
      watches: [
        watching(quotas, quotasToRecalculate),
        followMeasured({ quotas, followed, client, clock, open: (entry) => shared.resource(entry) }),
      ],
      // From the first quota on: a cluster without quotas has no timer.
      triggers$: quotas.events$.pipe(
        first((event) => 'object' in event, undefined),
        switchMap(() => clock.interval(syncPeriodMs)),
        mergeMap(() => quotas.list().map(namespacedName)),
      ),
      reconcile: async (item, { emit, signal, cause }) => {
        const quota = quotas.get(printNamespacedName(item));
        if (quota === undefined) return awaitChange;
        // Each resource that becomes known, or is found missing, recalculates its quotas.
        if (measuredResources(quota).some((key) => !followed.has(key))) return awaitChange;
        const status = recalculatedStatus(
          quota,
          (resource) => objectsOf(followed, resource, item.namespace),
          clock.now(),
        );
        if (status === undefined) return awaitChange;
        await client
          .kind('v1', 'ResourceQuota')
          .in(item.namespace)
          .status.update({ ...quota, status }, { fieldManager: name, signal, cause });
        emit({ type: 'recalculated', quota: item });
        return requeueAfter(recheckMs);
      },
    });
  return { name, run: () => defer(() => run(new Map()).run()) };
}

/**
 * Returns the status that a quota should have, or undefined if it has it. `objectsIn` lists the objects of a resource
 * in the quota's namespace; undefined if the server has no such resource, whose usage then stays as it is.
 */
export function recalculatedStatus(
  quota: Frozen<ResourceQuota>,
  objectsIn: (resource: GroupResource) => readonly Frozen<ApiObject>[] | undefined,
  nowMs: number,
): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(quota.spec?.hard);
  const before = parseAmounts(quota.status?.used);
  const used = pickAmounts(new Map([...before, ...quotaUsage(quota, objectsIn, nowMs)]), hard.keys());
  if (sameAmounts(hard, parseAmounts(quota.status?.hard)) && sameAmounts(used, before)) return undefined;
  return { hard: printAmounts(hard), used: printAmounts(used) };
}

const name = 'resourcequota-controller';
const recheckMs = 5_000;
const discoveryMs = 30_000;

/** A watched resource; without an informer while the server does not have it. */
interface Followed {
  readonly objects: Informer<Stored, 'namespace'> | undefined;
}

interface FollowOptions {
  readonly quotas: Informer<Stored<ResourceQuota>, 'namespace' | 'measured'>;
  /** The resources that are known, by name. Filled here. */
  readonly followed: Map<string, Followed>;
  readonly client: Client;
  readonly clock: Clock;
  readonly open: (entry: ResourceEntry) => Informer<Stored>;
}

/** What a change of quotas means: their usage is not the concern, it changes with every object. */
function quotasToRecalculate(event: ObjectEvent<Stored<ResourceQuota>>): readonly NamespacedName[] {
  if (event.type === 'deleted') return [];
  const isUnchanged = event.type === 'applied' && deepEqual(event.old?.spec?.hard, event.object.spec?.hard);
  return isUnchanged ? [] : [namespacedName(event.object)];
}

/** Watches each resource that a quota measures. */
function followMeasured(options: FollowOptions): Watch<NamespacedName> {
  const { quotas } = options;
  const signals$ = quotas.events$.pipe(
    mergeMap((event) => ('object' in event && event.type !== 'deleted' ? evaluatorsOf(event.object) : [])),
    distinct(({ resource }) => printGroupResource(resource)),
    mergeMap((evaluator) => follow(evaluator, options)),
    // The controller does not wait for resources: reconciling does.
    startWith<Signal>({ type: 'synced' }),
  );
  return { signals$ };
}

type Signal = Watch<NamespacedName>['signals$'] extends Observable<infer S> ? S : never;

function follow(
  evaluator: QuotaEvaluator,
  { quotas, followed, client, clock, open }: FollowOptions,
): Observable<Signal> {
  const key = printGroupResource(evaluator.resource);
  const all = (): Signal => ({ type: 'items', items: quotas.by('measured', key).map(namespacedName) });
  const watched = (informer: Informer<Stored>): Observable<Signal> => {
    const objects = informer.indexedBy({ namespace: namespaceOf });
    return objects.events$.pipe(
      mergeMap((event): readonly Signal[] => {
        if (event.type === 'failed') return [event];
        if (event.type === 'synced') {
          followed.set(key, { objects });
          return [all()];
        }
        const gives =
          event.type === 'deleted' ||
          (event.type === 'applied' &&
            event.old !== undefined &&
            evaluator.releases?.(event.old, event.object, clock.now()));
        if (gives !== true) return [];
        const { namespace = '' } = event.object.metadata;
        const concerned = quotas.by('namespace', namespace).filter((quota) => measuredResources(quota).includes(key));
        return [{ type: 'items', items: concerned.map(namespacedName) }];
      }),
    );
  };
  const search = (isFresh: boolean): Observable<Signal> =>
    defer(() => from(client.discover({ fresh: isFresh }))).pipe(
      map(({ resources }) => resources.find((entry) => isCountable(entry) && printGroupResource(entry) === key)),
      switchMap((entry) => {
        if (entry !== undefined) return watched(open(entry));
        if (!isFresh) return search(true);
        followed.set(key, { objects: undefined });
        return concat(of(all()), searchLater());
      }),
      catchError((error: unknown) =>
        concat(of<Signal>({ type: 'failed', error, retryInMs: discoveryMs }), searchLater()),
      ),
    );
  const searchLater = (): Observable<Signal> => clock.timer(discoveryMs).pipe(switchMap(() => search(true)));
  return search(false);
}

/** As GetQuotableResources. */
function isCountable({
  namespaced,
  verbs,
}: {
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}): boolean {
  return namespaced && ['create', 'list', 'watch', 'delete'].every((verb) => verbs.includes(verb));
}

function objectsOf(
  followed: ReadonlyMap<string, Followed>,
  resource: GroupResource,
  namespace: string,
): readonly Stored[] | undefined {
  return followed.get(printGroupResource(resource))?.objects?.by('namespace', namespace);
}

function evaluatorsOf({ spec }: Stored<ResourceQuota>): readonly QuotaEvaluator[] {
  return evaluatorsMeasuring(Object.keys(spec?.hard ?? {}));
}

/** The names of the resources that a quota measures. */
function measuredResources(quota: Stored<ResourceQuota>): readonly string[] {
  return evaluatorsOf(quota).map(({ resource }) => printGroupResource(resource));
}

function namespaceOf({ metadata }: Stored): readonly string[] {
  return [metadata.namespace ?? ''];
}
