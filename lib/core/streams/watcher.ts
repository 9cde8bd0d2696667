// A watch that does not end: lists, watches, resumes, lists again when its revision has expired, and waits longer and
// longer while calls fail. The informers' engine, shaped as kube-runtime/src/watcher.rs: a state, and one step.
//
//   empty    ── init ──────────────────────────► listing
//   listing  ── page, more follow ─────────────► listing
//            ── last page, synced ─────────────► listed
//            ── token expired, failed ─────────► empty, in one page this time (as client-go/tools/pager/pager.go)
//            ── failed ────────────► waiting ──► empty
//   listed   ── watch ended normally ─────► listed, at the last revision heard
//            ── expired or refused ─► waiting ─► empty
//            ── failed otherwise ───► waiting ─► listed, at the last revision heard
//
// Cold, endless, without errors; unsubscribing ends the call under way and its timers. Objects are kept by `reflect`.

import { catchError, concat, defer, filter, finalize, from, map, mergeMap, of, repeat, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { isApiError } from '../errors/api-error.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { backoffLadders, backoffStep, type BackoffLadder, type BackoffState } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { ListWatch, Page, RawEvent, Selection } from './list-watch.js';
import type { WatcherEvent } from './watch-event.js';

/** How to follow a collection. */
export interface WatcherOptions extends Selection {
  readonly clock: Clock;
  /** Spreads retries and the length of watches. A stream of the watcher's own. */
  readonly random: Random;
  /** Default: that of client-go's reflector, 0.8 s doubling to 30 s, each up to doubled by chance. */
  readonly backoff?: BackoffLadder;
  /** The most objects to request in one list call. Default 500, as client-go's pager. */
  readonly pageSize?: number;
}

/** Emits the events of a collection, for as long as it is subscribed. */
export function watcher<T extends Frozen<ApiObject>>(
  source: ListWatch<T>,
  options: WatcherOptions,
): Observable<WatcherEvent<T>> {
  return defer(() => {
    let state: State = { phase: anew, backoff: undefined };
    return defer(() => step(source, options, state)).pipe(
      tap((outcome) => {
        state = outcome.state;
      }),
      repeat(),
      map((outcome) => outcome.event),
      filter((event) => event !== undefined),
    );
  });
}

/** The requested duration of a watch: random, so that watches do not all end together. As client-go. */
const watchSecondsMin = 300;
const watchSecondsMax = 600;
/** The time after which a watch that the server did not end is cancelled: its connection is dead. As kube-rs. */
const watchGraceSeconds = 5;
/** A watch shorter than this without a new event counts as failed, or an endless loop would follow. As client-go. */
const watchMsMin = 1000;

type Phase =
  | { readonly name: 'empty'; readonly paged: boolean }
  | { readonly name: 'listing'; readonly paged: boolean; readonly continue?: string }
  | { readonly name: 'listed'; readonly resourceVersion: string }
  | { readonly name: 'waiting'; readonly delayMs: number; readonly next: Phase };

interface State {
  readonly phase: Phase;
  readonly backoff: BackoffState | undefined;
}

/** What a step came to: the state it leaves behind, and an event if there is something to tell. */
interface Outcome<T> {
  readonly state: State;
  readonly event?: WatcherEvent<T>;
}

const anew: Phase = { name: 'empty', paged: true };

// When it completes, the next step begins in the state that its last outcome left.
function step<T extends Frozen<ApiObject>>(
  source: ListWatch<T>,
  options: WatcherOptions,
  state: State,
): Observable<Outcome<T>> {
  const { phase } = state;
  const go = (next: Phase, event?: WatcherEvent<T>): Outcome<T> => {
    const left = { phase: next, backoff: state.backoff };
    return event === undefined ? { state: left } : { state: left, event };
  };
  const retry = (next: Phase, error: unknown): Outcome<T> => {
    const { delayMs, backoff } = backOff(options, state.backoff);
    return {
      state: { phase: { name: 'waiting', delayMs, next }, backoff },
      event: { type: 'failed', error, retryInMs: delayMs },
    };
  };
  switch (phase.name) {
    case 'empty':
      return of(go({ name: 'listing', paged: phase.paged }, { type: 'init' }));
    case 'listing':
      return listPage(source, options, phase).pipe(
        mergeMap((page) => listed(page, phase).map(([next, event]) => go(next, event))),
        catchError((error: unknown) =>
          isExpired(error) && phase.paged && phase.continue !== undefined
            ? of(go({ name: 'empty', paged: false }, { type: 'failed', error, retryInMs: 0 }))
            : of(retry(anew, error)),
        ),
      );
    case 'listed': {
      let { resourceVersion } = phase;
      return watch(source, options, resourceVersion).pipe(
        map((raw) => {
          resourceVersion = revisionOf(raw) ?? resourceVersion;
          return go({ name: 'listed', resourceVersion }, eventOf(raw));
        }),
        catchError((error: unknown) =>
          of(retry(mustListAgain(error) ? anew : { name: 'listed', resourceVersion }, error)),
        ),
      );
    }
    case 'waiting':
      return options.clock.timer(phase.delayMs).pipe(map(() => go(phase.next)));
  }
}

function listPage<T extends Frozen<ApiObject>>(
  source: ListWatch<T>,
  options: WatcherOptions,
  phase: Phase & { readonly name: 'listing' },
): Observable<Page<T>> {
  return defer(() => {
    const aborter = new AbortController();
    const page = source.list({
      ...selectionOf(options),
      ...(phase.paged && { limit: options.pageSize ?? 500 }),
      ...(phase.continue !== undefined && { continue: phase.continue }),
      signal: aborter.signal,
    });
    return from(page).pipe(finalize(() => aborter.abort()));
  });
}

function listed<T>(page: Page<T>, phase: Phase & { readonly name: 'listing' }): [Phase, WatcherEvent<T>?][] {
  const outcomes: [Phase, WatcherEvent<T>?][] = page.items.map((object) => [phase, { type: 'listed', object }]);
  const { continue: token, resourceVersion } = page;
  if (token !== undefined && token !== '') outcomes.push([{ name: 'listing', paged: phase.paged, continue: token }]);
  else if (resourceVersion === '') throw new Error('the list has no resourceVersion to watch from');
  else
    outcomes.push([
      { name: 'listed', resourceVersion },
      { type: 'synced', resourceVersion },
    ]);
  return outcomes;
}

function watch<T extends Frozen<ApiObject>>(
  source: ListWatch<T>,
  options: WatcherOptions,
  resourceVersion: string,
): Observable<RawEvent<T>> {
  const { clock, random } = options;
  // Time limits and bookmarks are for connections. In process they would only be work: an idle cluster with 20
  // informers would handle 15,000 timers per virtual day.
  const { isInProcess = false } = source;
  return defer(() => {
    const startedMs = clock.now();
    const timeoutSeconds = isInProcess
      ? Infinity
      : watchSecondsMin + random.integer(watchSecondsMax - watchSecondsMin + 1);
    let stuck = true;
    const raw$ = source.watch({
      ...selectionOf(options),
      resourceVersion,
      ...(!isInProcess && { allowWatchBookmarks: true }),
      timeoutSeconds,
    });
    const heard$ = raw$.pipe(
      tap((raw) => {
        stuck &&= (revisionOf(raw) ?? resourceVersion) === resourceVersion;
      }),
      takeUntil(clock.timer((timeoutSeconds + watchGraceSeconds) * 1000)),
    );
    const end$ = defer(() => {
      if (stuck && clock.now() - startedMs < watchMsMin) throw new Error('the watch ended without an event');
      return [];
    });
    return concat(heard$, end$);
  });
}

function backOff(
  options: WatcherOptions,
  before: BackoffState | undefined,
): { readonly delayMs: number; readonly backoff: BackoffState } {
  const { clock, random, backoff: ladder = backoffLadders.reflector } = options;
  const { delayMs, state } = backoffStep(ladder, before, { nowMs: clock.now(), random });
  return { delayMs: Math.ceil(delayMs), backoff: state };
}

function selectionOf({ labelSelector, fieldSelector }: Selection): Selection {
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

// An object without a revision, which no server sends, leaves the place to resume from where it was: to hear a change
// twice does no harm, to miss one does.
function revisionOf(raw: RawEvent<Frozen<ApiObject>>): string | undefined {
  const revision = raw.type === 'BOOKMARK' ? raw.resourceVersion : raw.object.metadata?.resourceVersion;
  return revision === '' ? undefined : revision;
}

function eventOf<T>(raw: RawEvent<T>): WatcherEvent<T> {
  switch (raw.type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'applied', object: raw.object };
    case 'DELETED':
      return { type: 'deleted', object: raw.object, finalStateUnknown: false };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: raw.resourceVersion };
  }
}

// The server understood and refused: starting over is the only new thing to try. When it was overloaded, broken or out
// of reach, the revision is still good, and thousands of lists at once are the last thing it needs.
function mustListAgain(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const { code = 500 } = error.status;
  return code >= 400 && code < 500 && code !== 429;
}

// As client-go/tools/cache/reflector.go, isExpiredError.
function isExpired(error: unknown): boolean {
  return isApiError(error, 'Expired') || isApiError(error, 'Gone');
}
