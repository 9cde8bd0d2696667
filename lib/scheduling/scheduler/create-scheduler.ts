// The scheduler: watches a cluster through a client and binds pods to nodes. Every subscription assembles it anew from
// the state of the API server; metrics are kept across subscriptions. The scheduling loop places pods one after
// another, many per turn of the event loop, because a pause costs more than placing a pod.
import {
  EMPTY,
  catchError,
  concat,
  defer,
  finalize,
  firstValueFrom,
  ignoreElements,
  merge,
  mergeMap,
  of,
  tap,
  throwError,
  concatMap,
  repeat,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { informers } from '../../client/index.js';
import { Outlet, once, stopwatch, systemClock, systemRandom } from '../../core/index.js';
import type { Frozen, Clock } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { watchCluster } from '../cluster/watch-cluster.js';
import type { ClusterWatchEvent } from '../cluster/watch-cluster.js';
import { schedulerConfiguration } from '../configuration/scheduler-configuration.js';
import { definitionOf, registryOf } from '../framework/plugin-definition.js';
import { explainPod } from '../what-if/explain.js';
import { simulatePods } from '../what-if/simulate.js';
import { abortable, runConcurrently } from './abortable.js';
import { assemble } from './assemble.js';
import type { Assembly, BackgroundWork, CompletedOptions } from './assemble.js';
import type { SchedulerActivity } from './scheduler-activity.js';
import { bindingCycle } from './binding-cycle.js';
import type { BindingTask } from './binding-cycle.js';
import { failureHandler } from './failure-handler.js';
import { FrameworkMetrics } from './framework-metrics.js';
import { SchedulerMetrics } from './scheduler-metrics.js';
import type { CurrentFigures } from './scheduler-metrics.js';
import type { Scheduler, SchedulerOptions } from './scheduler-options.js';
import { schedulingCycle } from './scheduling-cycle.js';
import type { PlacingProfile, SchedulerParts } from './scheduler-parts.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { SchedulePod } from './scheduling-cycle.js';

/** Creates a scheduler. It is inert until `run()` is subscribed to. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock = systemClock(), random = systemRandom(), plugins = [] } = options;
  const registry = registryOf(plugins.map(definitionOf));
  const shared = options.informers ?? informers(options.client, { clock, random: random.stream('watches') });
  // Completing the default configuration takes 2 to 4 ms. The first run does it, so that a new cluster serves its first
  // request sooner.
  const defaults = once(() => schedulerConfiguration({}, { plugins: registry }));
  const completed: CompletedOptions = {
    ...options,
    informers: shared,
    clock,
    random,
    get configuration() {
      return options.configuration ?? defaults();
    },
  };
  const metrics = newMetrics(completed);
  const running: Running = { assembly: undefined, isSynced: false, binding: 0 };
  /** Runs work on the running scheduler's cache, or on a cache that is filled once for this call. */
  const withCache = async <T>(work: (assembly: Assembly) => T): Promise<T> => {
    const assembly = running.assembly !== undefined && running.isSynced ? running.assembly : await listOnce(completed);
    return work(assembly);
  };
  return {
    name: 'scheduler',
    run: () =>
      defer(() => {
        if (running.assembly !== undefined) return throwError(() => new Error('the scheduler is running already'));
        const assembly = assemble(completed, metrics);
        running.assembly = assembly;
        running.isSynced = false;
        return activities(assembly, completed, running).pipe(finalize(() => (running.assembly = undefined)));
      }),
    metrics: () => metrics.text(figuresOf(running)),
    metricFamilies: () => metrics.families(figuresOf(running)),
    explain: (pod) => withCache(({ parts }) => explainPod(pod, parts.cache, profileOf(pod, parts).plugins)),
    simulate: (pods, whatIf = {}) =>
      withCache(({ parts, createFrameworks }) =>
        simulatePods(pods, whatIf, {
          cache: parts.cache,
          clock,
          random: random.stream('simulation'),
          createFrameworks,
        }),
      ),
    get parts() {
      return running.assembly?.parts;
    },
  };
}

interface Running {
  assembly: Assembly | undefined;
  /** Whether all watched kinds have been listed. */
  isSynced: boolean;
  /** The number of binding cycles in progress. */
  binding: number;
}

function newMetrics({ clock, random }: CompletedOptions): SchedulerMetrics {
  return new SchedulerMetrics(new FrameworkMetrics(stopwatch(clock), random.stream('timings')));
}

function figuresOf({ assembly, binding }: Running): CurrentFigures | undefined {
  const parts = assembly?.parts;
  return parts && { queue: parts.queue.figures(), cache: parts.cache.figures(), binding };
}

/** Lists the cluster once and stops watching. Its metrics are discarded. Rejects if a list fails. */
function listOnce(options: CompletedOptions): Promise<Assembly> {
  const assembly = assemble(options, newMetrics(options));
  const known$ = watchInto(assembly, options).pipe(
    mergeMap((news) =>
      news.type === 'synced' ? of(assembly) : news.type === 'failed' ? throwError(() => asError(news.error)) : EMPTY,
    ),
  );
  return firstValueFrom(known$, { defaultValue: assembly });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function profileOf({ spec }: Frozen<Pod>, { profiles }: SchedulerParts): PlacingProfile {
  const name = spec?.schedulerName ?? 'default-scheduler';
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(`no profile of this scheduler is called ${name}`);
  return profile;
}

/** Merges all activity. Order matters: consumers are subscribed before producers. */
function activities(assembly: Assembly, options: CompletedOptions, running: Running): Observable<SchedulerActivity> {
  const { parts, eventRecorder, activities, background } = assembly;
  const { queue, clock, statusWriter } = parts;
  const bindings = new Outlet<BindingTask>();
  const failures = failureHandler(parts);
  const bind = bindingCycle(parts, failures);
  const binding$ = runConcurrently(bindings.values$, async (task, signal) => {
    running.binding += 1;
    await bind(task, signal);
    running.binding -= 1;
  });
  const loop$ = schedulingLoop(queue, clock, schedulingCycle(parts, { failures, bind: (task) => bindings.emit(task) }));
  return merge(
    activities.values$,
    eventRecorder.run(),
    statusWriter.run(),
    background.values$.pipe(mergeMap(runInBackground)),
    binding$,
    queue.run(),
    // Pods are scheduled only after all watched kinds have been listed.
    watchInto(assembly, options).pipe(
      tap(({ type }) => (running.isSynced ||= type === 'synced')),
      mergeMap((news) =>
        news.type === 'synced' ? concat(of<SchedulerActivity>({ type: 'started' }), loop$) : of(attemptOf(news)),
      ),
    ),
  );
}

/** Emits the state of the watches, and applies their events to cache and queue. */
function watchInto(
  { parts: { cache, queue, waitingPods, configuration, metrics } }: Assembly,
  { informers: shared }: CompletedOptions,
): Observable<ClusterWatchEvent> {
  return watchCluster({
    informers: shared,
    cache,
    queue,
    isResponsible: (schedulerName) => configuration.profiles.has(schedulerName),
    rejectWaiting: (uid) => waitingPods.reject(uid, '', 'removed'),
    timings: metrics.timings,
  });
}

function runInBackground({ work, onError }: BackgroundWork): Observable<SchedulerActivity> {
  return abortable(work).pipe(
    ignoreElements(),
    catchError((error: unknown) => {
      onError(error);
      return of<SchedulerActivity>({ type: 'background-failed', error });
    }),
  );
}

function attemptOf(news: Exclude<ClusterWatchEvent, { readonly type: 'synced' }>): SchedulerActivity {
  switch (news.type) {
    case 'not-served':
      return { type: 'not-served', kind: news.kind };
    case 'failed':
      return { type: 'watch-failed', kind: news.kind, error: news.error, retryInMs: news.retryInMs };
    case 'threw':
      return { type: 'background-failed', error: news.error };
  }
}

/** Schedules pods while subscribed. Never emits, completes or errors. */
export function schedulingLoop(queue: SchedulingQueue, clock: Clock, tryPod: SchedulePod): Observable<never> {
  let podsLeft = podsPerTurn;
  const turn = (): Observable<unknown> => {
    const endsAt = clock.now() + turnMsMax;
    while (podsLeft > 0) {
      const queued = queue.pop();
      if (queued === undefined) return EMPTY;
      podsLeft -= 1;
      const later$ = tryPod(queued);
      if (later$ !== undefined) return later$;
      if (clock.now() >= endsAt) break;
    }
    podsLeft = podsPerTurn;
    return clock.timer(0);
  };
  return defer(() => queue.ready()).pipe(
    // Continues in a microtask: not inside the call that added the pod.
    concatMap(() => Promise.resolve()),
    concatMap(turn),
    repeat(),
    ignoreElements(),
  );
}

/** The most pods between two pauses. */
const podsPerTurn = 256;
/** The longest turn: about as long as a request may have to wait for the scheduler. */
const turnMsMax = 8;
