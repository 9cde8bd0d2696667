// What keeps a cache up to date: everything below a prefix is listed once and then watched for good. A watch that
// breaks is resumed where it stopped; only when the store has forgotten that revision everything is listed anew. Both
// are cold; they end when the store closes, and unsubscribing leaves nothing behind.
//
// A first failure is answered at once, further ones after 0.1 s, 0.2 s … 5 s; news wipes the slate.
import { catchError, defer, EMPTY, ignoreElements, merge, retry, switchMap, tap, throwError } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import type { BackoffLadder, Clock } from '../core/index.js';
import { delayAfter } from '../core/index.js';
import type { Batch, Entry, Revision, Store } from '../storage/index.js';
import { isStoreError } from '../storage/index.js';

/** What is followed. */
export interface FeedSource {
  readonly store: Store;
  readonly clock: Clock;
  readonly prefix: string;
}

/** Hears whether the store is being watched: only then a store that has told everybody has told this one. */
export type OnWatching = (isWatching: boolean) => void;

/** All there is at a revision, or what came after. */
export type FeedEvent =
  | { readonly type: 'listing'; readonly entries: readonly Entry[]; readonly revision: Revision }
  | { readonly type: 'batch'; readonly batch: Batch };

/**
 * Hands everything to `take`: a listing, then batches without a gap, then perhaps a listing again. When `take` throws,
 * it begins again with a listing.
 */
export function followStore(
  source: FeedSource,
  take: (event: FeedEvent) => void,
  onWatching: OnWatching = () => undefined,
): Observable<never> {
  return defer(() => {
    const retryWith = patience(source.clock);
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
 * The changes after a revision, through all interruptions. Errors only when they are compacted. Asks for a bookmark
 * each time it begins, so that whoever catches up learns when there is nothing more.
 */
export function watchOn(
  { store, clock, prefix }: FeedSource,
  after: Revision,
  onWatching: OnWatching = () => undefined,
): Observable<Batch> {
  return defer(() => {
    const retryWith = patience(clock);
    const bookmark$ = defer(() => store.requestProgress()).pipe(
      ignoreElements(),
      catchError(() => EMPTY), // the next change will do
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

function patience(clock: Clock): { delay(): ObservableInput<unknown>; reset(): void } {
  let failures = 0;
  return {
    // The first time a microtask later: a store that fails while it is subscribed must not be asked from within.
    delay: () => (failures++ === 0 ? Promise.resolve() : clock.timer(delayAfter(ladder, failures - 1))),
    reset: () => {
      failures = 0;
    },
  };
}
