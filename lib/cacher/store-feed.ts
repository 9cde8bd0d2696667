// Feeds a cache: lists everything below a prefix once and then watches it. A broken watch is resumed; only if the
// revision is compacted everything is listed again. Both functions are cold, end when the store closes, and leave
// nothing behind when unsubscribed.
//
// The first failure is retried at once, further ones after 0.1 s, 0.2 s … 5 s; a received change resets the delay.
import { catchError, defer, EMPTY, ignoreElements, merge, retry, switchMap, tap, throwError } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import type { BackoffLadder, Clock } from '../core/index.js';
import { delayAfter } from '../core/index.js';
import type { Batch, Entry, Revision, Store } from '../storage/index.js';
import { isStoreError } from '../storage/index.js';

/** The store and the prefix to watch. */
export interface FeedSource {
  readonly store: Store;
  readonly clock: Clock;
  readonly prefix: string;
}

/**
 * Called when the storage watch starts and breaks: the store's settled revision applies to this cache only while it
 * watches.
 */
export type OnWatching = (isWatching: boolean) => void;

/** A complete listing at a revision, or a batch of changes. */
export type FeedEvent =
  | { readonly type: 'listing'; readonly entries: readonly Entry[]; readonly revision: Revision }
  | { readonly type: 'batch'; readonly batch: Batch };

/**
 * Passes everything to `take`: a listing, then batches without a gap, and a new listing if necessary. If `take` throws,
 * it lists again.
 */
export function followStore(
  source: FeedSource,
  take: (event: FeedEvent) => void,
  onWatching: OnWatching = () => undefined,
): Observable<never> {
  return defer(() => {
    const retryWith = retryDelays(source.clock);
    return defer(() => listAll(source)).pipe(
      tap((listing) => take({ type: 'listing', ...listing })),
      switchMap(({ revision }) => watchOn(source, revision, onWatching)),
      tap((batch) => {
        take({ type: 'batch', batch });
        retryWith.reset();
      }),
      tap({ error: () => onWatching(false) }),
      retry({ delay: (error: unknown) => (isStoreError(error, 'closed') ? EMPTY : retryWith.delay()) }),
      ignoreElements(),
    );
  });
}

/**
 * Emits the changes after a revision, through all interruptions. Errors only if they are compacted. Requests a bookmark
 * at each start, so that a consumer that catches up learns when it is done.
 */
export function watchOn(
  { store, clock, prefix }: FeedSource,
  after: Revision,
  onWatching: OnWatching = () => undefined,
): Observable<Batch> {
  return defer(() => {
    const retryWith = retryDelays(clock);
    const bookmark$ = defer(() => store.requestProgress()).pipe(
      ignoreElements(),
      catchError(() => EMPTY), // the next change has the same effect
    );
    let seen = after;
    return defer(() => {
      onWatching(true);
      return merge(store.watch(prefix, { after: seen }), bookmark$);
    }).pipe(
      tap({
        next: (batch) => {
          seen = batch.revision;
          retryWith.reset();
        },
        error: () => onWatching(false),
      }),
      retry({
        delay: (error: unknown) => {
          if (isStoreError(error, 'closed')) return EMPTY;
          return isStoreError(error, 'compacted') || isStoreError(error, 'invalid')
            ? throwError(() => error)
            : retryWith.delay();
        },
      }),
    );
  });
}

/** As apiserver/pkg/storage/cacher/cacher.go, storageWatchListPageSize. */
const pageSize = 10_000;

async function listAll({
  store,
  prefix,
}: FeedSource): Promise<{ readonly entries: readonly Entry[]; readonly revision: Revision }> {
  const first = await store.list(prefix, { limit: pageSize });
  const { revision } = first;
  const entries = [...first.entries];
  for (let { remaining } = first; remaining > 0;) {
    const after = entries.at(-1)?.key;
    const page = await store.list(prefix, { limit: pageSize, revision, ...(after !== undefined && { after }) });
    for (const entry of page.entries) entries.push(entry);
    ({ remaining } = page);
  }
  return { entries, revision };
}

const ladder: BackoffLadder = {
  baseMs: 100,
  factor: 2,
  maxMs: 5000,
  jitter: 0,
  resetAfterMs: Infinity,
  attemptsMax: Infinity,
};

function retryDelays(clock: Clock): { delay(): ObservableInput<unknown>; reset(): void } {
  let failures = 0;
  return {
    // The first retry is a microtask later: a store that fails during subscription must not be called recursively.
    delay: () => (failures++ === 0 ? Promise.resolve() : clock.timer(delayAfter(ladder, failures - 1))),
    reset: () => {
      failures = 0;
    },
  };
}
