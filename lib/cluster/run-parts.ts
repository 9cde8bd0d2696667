// Runs the parts of a cluster as one: each part is subscribed once, its activity is tagged with its name, and a part
// that fails does not stop the others. This is where a cluster subscribes; the parts themselves only compose.
import { catchError, concatMap, finalize, from, lastValueFrom, map, mergeMap, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, nextTurn } from '../core/index.js';
import type { Part } from '../core/index.js';
import type { ClusterActivity } from './cluster.js';

/**
 * A part that has something to finish, such as giving back a lease: it is created with the cluster's `stopping$` and
 * completes by itself after that has emitted. Other parts are unsubscribed then.
 */
export interface DrainingPart extends Part {
  readonly drains: true;
}

/** Parts that run. */
export interface RunningParts {
  /** Resolves when all parts have been subscribed. */
  readonly started: Promise<void>;
  /** What the parts do. Completes when they have stopped. */
  readonly activity$: Observable<ClusterActivity>;
  /** Resolves when all parts have stopped. */
  stop(): Promise<void>;
}

/**
 * Starts the parts in their order, each in a turn of the event loop of its own, so that requests are answered in
 * between. They stop when `stopping` emits.
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

/** The activity of one part, tagged with its name. Subscribing runs the part; its failure is the last activity. */
export function runPart(part: Part): Observable<ClusterActivity> {
  const { name } = part;
  return part.run().pipe(
    map((activity): ClusterActivity => ({ part: name, activity })),
    catchError((error: unknown) => of<ClusterActivity>({ part: name, activity: { type: 'part-failed', error } })),
  );
}
