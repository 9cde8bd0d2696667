// The scheduler: watches a cluster through a client and gives pods without a node one. Every subscription assembles it
// anew from what the API says; what is counted outlives that.
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
} from 'rxjs';
import type { Observable } from 'rxjs';
import { informers } from '../../client/index.js';
import { Outlet, once, stopwatch, systemClock, systemRandom } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { followCluster } from '../cluster/follow-cluster.js';
import type { ClusterNews } from '../cluster/follow-cluster.js';
import { schedulerConfiguration } from '../configuration/scheduler-configuration.js';
import { definitionOf, registryOf } from '../framework/plugin-definition.js';
import { explainPod } from '../what-if/explain.js';
import { simulatePods } from '../what-if/simulate.js';
import { abortable, workOn } from './abortable.js';
import { assemble } from './assemble.js';
import type { Assembly, BackgroundWork, CompletedOptions } from './assemble.js';
import type { Attempt } from './attempt.js';
import { bindingCycle } from './binding-cycle.js';
import type { BindingTask } from './binding-cycle.js';
import { failureHandler } from './failure-handler.js';
import { FrameworkMetrics } from './framework-metrics.js';
import { SchedulerMetrics } from './scheduler-metrics.js';
import type { CurrentFigures } from './scheduler-metrics.js';
import type { Scheduler, SchedulerOptions } from './scheduler-options.js';
import { schedulingCycle } from './scheduling-cycle.js';
import { schedulingLoop } from './scheduling-loop.js';
import type { PlacingProfile, SchedulerParts } from './scheduler-parts.js';

/** Makes a scheduler. Nothing happens before it runs. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock = systemClock(), random = systemRandom(), plugins = [] } = options;
  const registry = registryOf(plugins.map(definitionOf));
  const shared = options.informers ?? informers(options.client, { clock, random: random.stream('watches') });
  // Completing the default configuration takes 2 to 4 ms, before the first answer of a cluster: the first run does it.
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
  /** What is known while it runs; else what can be found out once. */
  const knowing = async <T>(work: (assembly: Assembly) => T): Promise<T> => {
    const assembly = running.assembly !== undefined && running.isSynced ? running.assembly : await lookOnce(completed);
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
    explain: (pod) => knowing(({ parts }) => explainPod(pod, parts.cache, profileOf(pod, parts).plugins)),
    simulate: (pods, whatIf = {}) =>
      knowing(({ parts, frameworksWith }) =>
        simulatePods(pods, whatIf, { cache: parts.cache, clock, random: random.stream('simulation'), frameworksWith }),
      ),
    get parts() {
      return running.assembly?.parts;
    },
  };
}

interface Running {
  assembly: Assembly | undefined;
  /** Whether all that there is has been listed. */
  isSynced: boolean;
  /** Pods that are being bound. */
  binding: number;
}

function newMetrics({ clock, random }: CompletedOptions): SchedulerMetrics {
  return new SchedulerMetrics(new FrameworkMetrics(stopwatch(clock), random.stream('timings')));
}

function figuresOf({ assembly, binding }: Running): CurrentFigures | undefined {
  const parts = assembly?.parts;
  return parts && { queue: parts.queue.figures(), cache: parts.cache.figures(), binding };
}

/** Finds out what there is, and lets go; nothing of it counts. Rejects with what goes wrong. */
function lookOnce(options: CompletedOptions): Promise<Assembly> {
  const assembly = assemble(options, newMetrics(options));
  const known$ = newsOf(assembly, options).pipe(
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

/** All that goes on at once. Whoever listens to something comes before whoever causes it. */
function activities(assembly: Assembly, options: CompletedOptions, running: Running): Observable<Attempt> {
  const { parts, notes, attempts, background } = assembly;
  const { queue, clock, statusWrites } = parts;
  const bindings = new Outlet<BindingTask>();
  const failures = failureHandler(parts);
  const bind = bindingCycle(parts, failures);
  const binding$ = workOn(bindings.values$, async (task, signal) => {
    running.binding += 1;
    await bind(task, signal);
    running.binding -= 1;
  });
  const loop$ = schedulingLoop(queue, clock, schedulingCycle(parts, { failures, bind: (task) => bindings.emit(task) }));
  return merge(
    attempts.values$,
    notes.run(),
    statusWrites.run(),
    background.values$.pipe(mergeMap(runInBackground)),
    binding$,
    queue.run(),
    // Pods are tried when all is known that decides about them, and not before.
    newsOf(assembly, options).pipe(
      tap(({ type }) => (running.isSynced ||= type === 'synced')),
      mergeMap((news) =>
        news.type === 'synced' ? concat(of<Attempt>({ type: 'started' }), loop$) : of(attemptOf(news)),
      ),
    ),
  );
}

/** What the cluster tells. */
function newsOf(
  { parts: { cache, queue, held, configuration, metrics } }: Assembly,
  { informers: shared }: CompletedOptions,
): Observable<ClusterNews> {
  return followCluster({
    informers: shared,
    cache,
    queue,
    responsible: (schedulerName) => configuration.profiles.has(schedulerName),
    rejectWaiting: (uid) => held.reject(uid, '', 'removed'),
    timings: metrics.timings,
  });
}

function runInBackground({ work, onError }: BackgroundWork): Observable<Attempt> {
  return abortable(work).pipe(
    ignoreElements(),
    catchError((error: unknown) => {
      onError(error);
      return of<Attempt>({ type: 'background-failed', error });
    }),
  );
}

function attemptOf(news: Exclude<ClusterNews, { readonly type: 'synced' }>): Attempt {
  switch (news.type) {
    case 'not-served':
      return { type: 'not-served', kind: news.kind };
    case 'failed':
      return { type: 'watch-failed', kind: news.kind, error: news.error, retryInMs: news.retryInMs };
    case 'threw':
      return { type: 'background-failed', error: news.error };
  }
}
