// One watch, from its start to live delivery:
//
//   waiting ── the cache is filled and fresh enough ──► emits the current objects, if `initial` ──► catching up
//   catching up ── from the store's history, while its revision is older than the window ──► from the window ──► live
//
// Nothing is emitted during subscription. No buffer is needed: changes that arrive while it catches up are in the
// window; if the window advances faster than the history is read, reading the history continues.
import type { Subscriber } from 'rxjs';
import { map, switchMap, takeWhile } from 'rxjs';
import { tooLargeResourceVersion, tooOldResourceVersion } from '../core/index.js';
import type { Batch, Entry, Revision } from '../storage/index.js';
import { isStoreError } from '../storage/index.js';
import type { BookmarkReader, Bookmarks } from './bookmarks.js';
import { CacheChange } from './cache-change.js';
import type { CacheEvent, CacherOptions, CacheWatchOptions } from './cacher.js';
import type { FreshReads } from './fresh-reads.js';
import { listItems } from './list-page.js';
import type { NewestState } from './newest-state.js';
import type { FeedSource } from './store-feed.js';
import { watchOn } from './store-feed.js';
import type { CachedObject, View } from './view.js';
import type { WatchWindow } from './watch-window.js';
import type { Watcher, WatcherIndex } from './watcher-index.js';

/** The cache as seen by a watch. */
export interface WatchedCache<T extends object> {
  readonly source: FeedSource & Pick<CacherOptions<T>, 'forgetsHistory'>;
  readonly state: NewestState<T>;
  readonly window: WatchWindow<T>;
  readonly fresh: FreshReads;
  readonly watchers: WatcherIndex<T>;
  readonly bookmarks: Bookmarks;
  readonly withRevision: CacherOptions<T>['withRevision'];
  itemOf(entry: Entry): CachedObject<T>;
}

/** A subscribed watch. */
export class CacheWatch<T extends object> implements Watcher<T>, BookmarkReader {
  readonly view: View<T>;
  readonly #cache: WatchedCache<T>;
  readonly #options: CacheWatchOptions<T>;
  readonly #subscriber: Subscriber<CacheEvent<T>>;
  #after: Revision = 0;
  #isLive = false;
  /** A bookmark was requested before the watch was live. */
  #bookmarkRequested = false;

  constructor(
    cache: WatchedCache<T>,
    view: View<T>,
    options: CacheWatchOptions<T>,
    subscriber: Subscriber<CacheEvent<T>>,
  ) {
    this.#cache = cache;
    this.view = view;
    this.#options = options;
    this.#subscriber = subscriber;
  }

  get after(): Revision {
    return this.#after;
  }

  /** Starts the watch. Everything it starts ends with the subscription. */
  start(): void {
    this.#subscriber.add(() => this.#stop());
    this.#begin().catch((error: unknown) =>
      isStoreError(error, 'closed') ? this.complete() : this.#subscriber.error(error),
    );
    const { bookmark$ } = this.#options;
    if (bookmark$ === undefined) return;
    const caughtUp$ = bookmark$.pipe(switchMap(() => catchUp(this.#cache.fresh)));
    this.#subscriber.add(
      caughtUp$.subscribe({ next: () => this.bookmark(), error: (error: unknown) => this.#subscriber.error(error) }),
    );
  }

  take(change: CacheChange<T>): void {
    try {
      const event = change.eventFor(this.view);
      if (event !== undefined) this.#subscriber.next(event);
    } catch (error) {
      this.#subscriber.error(error); // its selector or its Subscriber threw
    }
  }

  bookmark(): void {
    const { revision } = this.#cache.fresh;
    this.#bookmarkRequested = !this.#isLive;
    if (this.#isLive && revision >= this.#after) this.#subscriber.next(Object.freeze({ type: 'BOOKMARK', revision }));
  }

  /** The cache lost the changes between two revisions: ends the watch with Expired, unless it waits for a later one. */
  skip(from: Revision, to: Revision): void {
    const seen = Math.max(this.#after, from);
    if (this.#isLive && seen < to) this.#subscriber.error(tooOldResourceVersion(`${seen}`, `${to}`));
  }

  /** Completes the watch. */
  complete(): void {
    this.#subscriber.complete();
  }

  async #begin(): Promise<void> {
    const { fresh } = this.#cache;
    const { after, initial = false, notOlderThan } = this.#options;
    if (!initial && after !== undefined) {
      await this.#reach(0);
      this.#catchUp(after);
      return;
    }
    // Without initial events a consistent watch starts at a revision that the cache may not have reached, and misses no
    // change committed after it was requested.
    const beginsThere = !initial && notOlderThan === undefined;
    const least = notOlderThan ?? (await (beginsThere ? fresh.currentRevision() : fresh.newest()));
    await this.#reach(beginsThere ? 0 : least);
    if (initial) this.#catchUp(this.#emitInitial());
    else this.#catchUp(beginsThere ? least : fresh.revision);
  }

  /** Waits until the cache is filled, without limit, and has reached a revision, within the limit. */
  async #reach(revision: Revision): Promise<void> {
    const { fresh } = this.#cache;
    while (!(await fresh.reached(revision))) {
      if (this.#subscriber.closed) return;
      if (fresh.revision >= 0) throw tooLargeResourceVersion(`${revision}`, `${fresh.revision}`);
    }
  }

  /** Emits the current objects. Returns their revision. */
  #emitInitial(): Revision {
    const { state, fresh } = this.#cache;
    const { revision } = fresh;
    for (const item of listItems(state.around(this.view), this.view)) {
      if (this.#subscriber.closed) return revision;
      this.#subscriber.next(Object.freeze({ type: 'ADDED', object: item.object, revision: item.revision }));
    }
    if (this.#options.bookmarks === true)
      this.#subscriber.next(Object.freeze({ type: 'BOOKMARK', revision, initialEventsEnd: true }));
    return revision;
  }

  /** Emits the changes after a revision until there are none left, then registers for live delivery. */
  #catchUp(after: Revision): void {
    const { window, watchers, bookmarks } = this.#cache;
    let seen = after;
    // In rounds: a subscriber may cause further changes while it receives one.
    for (let changes: readonly CacheChange<T>[] = []; !this.#subscriber.closed;) {
      if (seen < window.start) {
        if (this.#cache.source.forgetsHistory !== true) this.#readHistory(seen);
        else this.#subscriber.error(tooOldResourceVersion(`${seen}`, `${window.start}`));
        return;
      }
      changes = window.after(seen);
      if (changes.length === 0) break;
      for (const change of changes) this.take(change);
      seen = changes.at(-1)?.revision ?? seen;
    }
    if (this.#subscriber.closed) return;
    this.#after = seen;
    this.#isLive = true;
    watchers.add(this);
    if (this.#options.bookmarks === true) bookmarks.add(this);
    if (this.#bookmarkRequested) this.bookmark();
  }

  /** Emits changes older than the window, from the store's history. */
  #readHistory(after: Revision): void {
    const { source, window } = this.#cache;
    let seen = after;
    const history$ = watchOn(source, after).pipe(
      map((batch) => ({ revision: batch.revision, changes: this.#changesOf(batch) })),
      takeWhile(({ revision }) => revision < window.start, true),
    );
    const reading = history$.subscribe({
      next: ({ revision, changes }) => {
        for (const change of changes) this.take(change);
        seen = revision;
      },
      error: (error: unknown) => {
        const isGone = isStoreError(error, 'compacted');
        this.#subscriber.error(isGone ? tooOldResourceVersion(`${after}`, `${error.revision ?? window.start}`) : error);
      },
      // The history has reached the window, or the store was closed.
      complete: () => (seen < window.start ? this.#subscriber.complete() : this.#catchUp(seen)),
    });
    this.#subscriber.add(reading);
  }

  #changesOf({ revision, changes }: Batch): readonly CacheChange<T>[] {
    const { withRevision } = this.#cache;
    return changes
      .filter(({ key }) => this.view.covers(key))
      .map((change) => {
        const previous = change.previous && this.#cache.itemOf(change.previous);
        const now = change.type === 'put' ? this.#cache.itemOf(change.entry) : undefined;
        return new CacheChange({ revision, previous, now }, withRevision);
      });
  }

  #stop(): void {
    this.#cache.watchers.remove(this);
    this.#cache.bookmarks.remove(this);
  }
}

/** Brings a cache up to the store, as far as possible. Never rejects. */
export async function catchUp(fresh: FreshReads): Promise<void> {
  try {
    await fresh.reached(await fresh.newest());
  } catch {
    // The store is unavailable or closed: the cache stays at its revision.
  }
}
