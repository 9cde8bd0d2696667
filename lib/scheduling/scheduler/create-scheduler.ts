// The scheduler: watches a cluster through a client and gives pods without a node one. Every subscription assembles it
// anew from what the API says; what is counted outlives that.
import { catchError, concat, defer, finalize, ignoreElements, merge, mergeMap, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, systemClock, systemRandom } from '../../core/index.js';
import { followCluster } from '../cluster/follow-cluster.js';
import type { ClusterNews } from '../cluster/follow-cluster.js';
import { schedulerConfiguration } from '../configuration/scheduler-configuration.js';
import { definitionOf, registryOf } from '../framework/plugin-definition.js';
import { abortable } from './abortable.js';
import { assemble } from './assemble.js';
import type { Assembly, BackgroundWork, CompletedOptions } from './assemble.js';
import type { Attempt } from './attempt.js';
import { bindingCycle } from './binding-cycle.js';
import type { BindingTask } from './binding-cycle.js';
import { failureHandler } from './failure-handler.js';
import { SchedulerMetrics } from './scheduler-metrics.js';
import type { Scheduler, SchedulerOptions } from './scheduler-options.js';
import { schedulingCycle } from './scheduling-cycle.js';
import { schedulingLoop } from './scheduling-loop.js';

/** Makes a scheduler. Nothing happens before it runs. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock = systemClock(), random = systemRandom(), plugins = [] } = options;
  const configuration = options.configuration ?? schedulerConfiguration({}, { plugins: registryOf(plugins.map(definitionOf)) });
  const completed: CompletedOptions = { ...options, clock, random, configuration };
  const metrics = new SchedulerMetrics();
  const running: { assembly: Assembly | undefined; binding: number } = { assembly: undefined, binding: 0 };
  return {
    run: () =>
      defer(() => {
        if (running.assembly !== undefined) return throwError(() => new Error('the scheduler is running already'));
        const assembly = assemble(completed, metrics);
        running.assembly = assembly;
        return activities(assembly, completed, running).pipe(finalize(() => (running.assembly = undefined)));
      }),
    metrics: () => {
      const parts = running.assembly?.parts;
      return metrics.text(parts && { queue: parts.queue.figures(), cache: parts.cache.figures(), binding: running.binding });
    },
    get parts() {
      return running.assembly?.parts;
    },
  };
}

/** All that goes on at once. Whoever listens to something comes before whoever causes it. */
function activities({ parts, notes, attempts, background }: Assembly, { client, random }: CompletedOptions, running: { binding: number }): Observable<Attempt> {
  const { queue, cache, clock, held, statusWrites, configuration } = parts;
  const bindings = new Outlet<BindingTask>();
  const failures = failureHandler(parts);
  const bound = bindingCycle(parts, failures);
  const binding$ = bindings.values$.pipe(
    mergeMap((task) => {
      running.binding += 1;
      return bound(task).pipe(finalize(() => (running.binding -= 1)));
    }),
  );
  const loop$ = schedulingLoop(queue, clock, schedulingCycle(parts, { failures, bind: (task) => bindings.emit(task) }));
  const news$ = followCluster({
    client,
    clock,
    random: random.stream('watches'),
    cache,
    queue,
    responsible: (schedulerName) => configuration.profiles.has(schedulerName),
    rejectWaiting: (uid) => held.reject(uid, '', 'removed'),
  });
  return merge(
    attempts.values$,
    notes.run(),
    statusWrites.run(),
    background.values$.pipe(mergeMap(runInBackground)),
    binding$,
    queue.run(),
    // Pods are tried when all is known that decides about them, and not before.
    news$.pipe(mergeMap((news) => (news.type === 'synced' ? concat(of<Attempt>({ type: 'started' }), loop$) : of(attemptOf(news))))),
  );
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
