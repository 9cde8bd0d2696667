// Runs the parts of a cluster: each part is subscribed once, its activity is tagged with its name, and a failed part
// does not stop the others. Clusters subscribe only here.
import { catchError, concatMap, finalize, from, lastValueFrom, map, mergeMap, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, nextTurn } from '../core/index.js';
import type { Part } from '../core/index.js';
import type { ClusterActivity } from './cluster.js';

/**
 * A part that finishes work when it stops, such as releasing a lease: it is created with the cluster's `stopping$` and
 * completes by itself after that has emitted. Other parts are unsubscribed.
 */
export interface DrainingPart extends Part {
  readonly drains: true;
}

/** Running parts. */
export interface RunningParts {
  /** Resolves when all parts have been subscribed. */
  readonly started: Promise<void>;
  /** Emits the activity of the parts. Completes when they have stopped. */
  readonly activity$: Observable<ClusterActivity>;
  /** Resolves when all parts have stopped. */
  stop(): Promise<void>;
}

/**
 * Starts the parts in order, each in its own turn of the event loop, so that requests are served in between. They stop
 * when `stopping` emits.
 */
export function runParts(parts: readonly (Part | DrainingPart)[], stopping: Outlet<void>): RunningParts {
  const activities = new Outlet<ClusterActivity>();
  const started = new Outlet<never>();
  const starting$ = from(parts).pipe(
    concatMap((part) => from(nextTurn()).pipe(map(() => part))),
    takeUntil(stopping.values$),
    finalize(() => started.complete()),
  );
  const running$ = starting$.pipe(
    mergeMap((part) => ('drains' in part ? runPart(part) : runPart(part).pipe(takeUntil(stopping.values$)))),
    tap((activity) => activities.emit(activity)),
    finalize(() => activities.complete()),
  );
  const allStarted = lastValueFrom(started.values$, { defaultValue: undefined });
  const stopped = lastValueFrom(running$, { defaultValue: undefined });
  return {
    started: allStarted,
    activity$: activities.values$,
    stop: async () => {
      stopping.emit();
      await stopped;
    },
  };
}

/** Runs a part: emits its activity, tagged with its name. A failure is its last activity. */
export function runPart(part: Part): Observable<ClusterActivity> {
  const { name } = part;
  return part.run().pipe(
    map((activity): ClusterActivity => ({ part: name, activity })),
    catchError((error: unknown) => of<ClusterActivity>({ part: name, activity: { type: 'part-failed', error } })),
  );
}
