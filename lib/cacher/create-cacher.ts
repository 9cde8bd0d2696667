// Implements the cache. One storage watch (store-feed.ts) updates the newest state (newest-state.ts) and the window of
// recent changes (watch-window.ts), then dispatches each change to the watchers that may match (watcher-index.ts).
// Readers wait until the cache is fresh enough (fresh-reads.ts) and then read in one synchronous step; reads that the
// cache cannot serve go to the store (store-reader.ts).
//
// A revision is applied atomically: objects are decoded first, so that an undecodable one changes nothing; then state,
// window and revision change together; then watchers are notified. Events that arrive meanwhile wait.
import type { Subscription } from 'rxjs';
import { Observable } from 'rxjs';
import { tooLargeResourceVersion } from '../core/index.js';
import type { Batch, Entry, Revision } from '../storage/index.js';
import { Bookmarks } from './bookmarks.js';
import { CacheChange } from './cache-change.js';
import { CacheWatch, catchUp } from './cache-watch.js';
import type { WatchedCache } from './cache-watch.js';
import { cacherLimits } from './cacher.js';
import type {
  CacheEvent,
  CacheListing,
  CacheListOptions,
  CacheReading,
  Cacher,
  CacherFigures,
  CacherLimits,
  CacherOptions,
  CacheWatchOptions,
  Freshness,
} from './cacher.js';
import { FreshReads } from './fresh-reads.js';
import { cachePage } from './list-page.js';
import { NewestState } from './newest-state.js';
import { followStore } from './store-feed.js';
import type { FeedEvent } from './store-feed.js';
import { listFromStore } from './store-reader.js';
import type { StoreReader } from './store-reader.js';
import { viewOf } from './view.js';
import type { CachedObject } from './view.js';
import { WatchWindow } from './watch-window.js';
import { WatcherIndex } from './watcher-index.js';

/** Creates the cache of a resource. Inert until first used. Throws RangeError for invalid limits. */
export function createCacher<T extends object>(options: CacherOptions<T>): Cacher<T> {
  const limits = { ...cacherLimits, ...options.limits };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`cacher: ${name} is a whole number from 1, not ${value}`);
  }
  return new ResourceCache(options, limits);
}

class ResourceCache<T extends object> implements Cacher<T>, WatchedCache<T>, StoreReader<T> {
  readonly source: CacherOptions<T>;
  readonly state: NewestState<T>;
  readonly window: WatchWindow<T>;
  readonly fresh: FreshReads;
  readonly watchers: WatcherIndex<T>;
  readonly bookmarks: Bookmarks;
  readonly withRevision: CacherOptions<T>['withRevision'];
  /** All subscribed watches, including those that still catch up. */
  readonly #watches = new Set<CacheWatch<T>>();
  /** The storage watch, after first use. */
  #feed: Subscription | undefined;
  /** Events that wait until the previous one is applied. */
  readonly #arrived: FeedEvent[] = [];
  #isWatching = false;
  #closed = false;

  constructor(options: CacherOptions<T>, limits: CacherLimits) {
    const { store, clock, triggers, withRevision } = options;
    this.source = options;
    this.withRevision = withRevision;
    this.state = new NewestState(triggers);
    this.window = new WatchWindow(limits);
    this.fresh = new FreshReads({ store, clock, waitMs: limits.waitMs });
    this.watchers = new WatcherIndex(options);
    this.bookmarks = new Bookmarks({ clock, everyMs: limits.bookmarkMs, catchUp: () => catchUp(this.fresh) });
  }

  get(key: string, { notOlderThan }: Freshness = {}): Promise<CacheReading<T>> {
    this.#start();
    // Chained instead of awaited: in-process callers do a million reads per second this way.
    const read = (isFresh: boolean): CacheReading<T> | Promise<CacheReading<T>> =>
      isFresh ? this.#read(key) : this.#readPast(key, notOlderThan);
    const now = notOlderThan === undefined ? this.getNow(key) : undefined;
    if (now !== undefined) return Promise.resolve(now);
    if (notOlderThan === undefined) return this.fresh.newest().then(this.#reached).then(read);
    const reached = this.fresh.reached(notOlderThan);
    return reached === true ? Promise.resolve(this.#read(key)) : reached.then(read);
  }

  getNow(key: string): CacheReading<T> | undefined {
    return this.#catchUp() ? this.#read(key) : undefined;
  }

  peek(key: string): T | undefined {
    return this.state.get(this.source.prefix + key)?.object;
  }

  async list(options: CacheListOptions<T> = {}): Promise<CacheListing<T>> {
    this.#start();
    const { prefix } = this.source;
    const { after } = options;
    const listing = await this.#list({ ...options, ...(after !== undefined && { after: prefix + after }) });
    return listing.next === undefined ? listing : { ...listing, next: listing.next.slice(prefix.length) };
  }

  watch(options: CacheWatchOptions<T> = {}): Observable<CacheEvent<T>> {
    return new Observable((subscriber) => {
      if (this.#closed) {
        subscriber.complete();
        return;
      }
      const watch = new CacheWatch<T>(this, viewOf(options, this.source), options, subscriber);
      this.#watches.add(watch);
      subscriber.add(() => this.#watches.delete(watch));
      this.#start();
      watch.start();
    });
  }

  compact(revision: Revision): void {
    this.window.dropBefore(Math.min(revision, this.fresh.revision));
  }

  figures(): CacherFigures {
    return {
      objects: this.state.size,
      watchers: this.#watches.size,
      windowEvents: this.window.size,
      windowBytes: this.window.bytes,
      revision: Math.max(0, this.fresh.revision),
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#feed?.unsubscribe();
    this.fresh.close();
    for (const watch of this.#watches) watch.complete();
    return Promise.resolve();
  }

  /** Returns the object of an entry, the cached one if it has the same revision. */
  itemOf(entry: Entry): CachedObject<T> {
    const { key } = entry;
    const known = this.state.get(key);
    return known?.revision === entry.modRevision
      ? known
      : { key, object: this.source.read(entry), revision: entry.modRevision };
  }

  #start(): void {
    if (this.#feed !== undefined || this.#closed) return;
    this.#feed = followStore(
      this.source,
      (event) => this.#take(event),
      (isWatching) => (this.#isWatching = isWatching),
    ).subscribe({
      complete: () => void this.close(), // the store was closed
      error: (cause: unknown) => {
        throw new Error('cacher: the storage watch failed for good', { cause }); // RxJS reports it as uncaught
      },
    });
  }

  #take(event: FeedEvent): void {
    this.#arrived.push(event);
    if (this.#arrived.length > 1) return;
    try {
      for (let next = this.#arrived[0]; next !== undefined; next = this.#arrived[0]) {
        if (next.type === 'batch') this.#takeBatch(next.batch);
        else this.#takeListing(next.entries, next.revision);
        this.#arrived.shift();
      }
    } finally {
      this.#arrived.length = 0; // after a failure everything is listed again
    }
  }

  #takeBatch({ revision, changes }: Batch): void {
    if (revision <= this.fresh.revision) return; // a bookmark without changes
    const made = changes.map((change) => {
      const previous = this.state.get(change.key);
      const now =
        change.type === 'put' ? { key: change.key, object: this.source.read(change.entry), revision } : undefined;
      return new CacheChange({ revision, previous, now }, this.withRevision);
    });
    for (const change of made) this.state.apply(change);
    if (made.length > 0) this.window.append(revision, made);
    this.fresh.advance(revision);
    for (const change of made) this.watchers.dispatch(change);
  }

  #takeListing(entries: readonly Entry[], revision: Revision): void {
    const items = entries.map((entry) => this.itemOf(entry));
    const before = this.fresh.revision;
    this.state.replace(items);
    this.window.reset(revision);
    this.fresh.advance(revision);
    for (const watch of this.#watches) watch.skip(before, revision);
  }

  /** Returns whether the cache is known to be current without a request, and records the store's revision. */
  #catchUp(): boolean {
    const settled = this.#isWatching && this.#arrived.length === 0 ? this.source.store.settledRevision?.() : undefined;
    if (settled === undefined || this.#closed) return false;
    if (settled > this.fresh.revision) this.fresh.advance(settled);
    return true;
  }

  readonly #reached = (revision: Revision): true | Promise<boolean> => this.fresh.reached(revision);

  #read(key: string): CacheReading<T> {
    return { object: this.peek(key), revision: this.fresh.revision };
  }

  /** Lists with full keys. */
  async #list(options: CacheListOptions<T>): Promise<CacheListing<T>> {
    const { revision, notOlderThan } = options;
    const view = viewOf(options, this.source);
    const isConsistent = revision === undefined && notOlderThan === undefined;
    if (
      (isConsistent && this.#catchUp()) ||
      (await this.fresh.reached(revision ?? notOlderThan ?? (await this.fresh.newest())))
    ) {
      const snapshot = revision === undefined ? this.state.around(view) : this.window.at(revision, this.state.ordered);
      if (snapshot !== undefined)
        return { ...cachePage(snapshot, view, options), revision: revision ?? this.fresh.revision };
    } else if (revision === undefined) {
      await this.#checkStoreHas(notOlderThan);
    }
    return listFromStore(this, view, options);
  }

  async #readPast(key: string, notOlderThan: Revision | undefined): Promise<CacheReading<T>> {
    await this.#checkStoreHas(notOlderThan);
    const { entry, revision } = await this.source.store.get(this.source.prefix + key);
    return { object: entry && this.itemOf(entry).object, revision };
  }

  async #checkStoreHas(revision: Revision = 0): Promise<void> {
    const newest = await this.source.store.revision();
    if (newest < revision) throw tooLargeResourceVersion(`${revision}`, `${newest}`);
  }
}
