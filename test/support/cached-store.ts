// A store whose reads and watches are served by cachers, one for each prefix that is asked for, and whose writes go to
// the store below. What a cacher does not tell (the entry before a change, the name of a refusal) is asked of a cacher
// or read off the store's own refusal, so that the suite of stores can judge the cacher.
import { Observable, Subject } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { isApiError } from '../../lib/core/index.js';
import type { Clock } from '../../lib/core/index.js';
import { createCacher } from '../../lib/cacher/index.js';
import type { CacheEvent, Cacher, CacherLimits } from '../../lib/cacher/index.js';
import {
  checkAfter,
  checkKey,
  checkStoreListOptions,
  checkPrefix,
  checkRevision,
} from '../../lib/storage/check-input.js';
import { isStoreError, StoreError } from '../../lib/storage/index.js';
import type {
  Batch,
  Change,
  Entry,
  StoreListOptions,
  Listing,
  Reading,
  Revision,
  Store,
  StoreWatchOptions,
} from '../../lib/storage/index.js';
import { orderOf } from '../../lib/storage/key-index.js';

export interface CachedStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits?: Partial<CacherLimits>;
}

/** An entry as an object of a cacher; `revision` is later than the entry's own where it left. */
interface Cached {
  readonly entry: Entry;
  readonly revision: Revision;
}

export function cachedStore(options: CachedStoreOptions): Store {
  return new CachedStore(options);
}

class CachedStore implements Store {
  readonly #options: CachedStoreOptions;
  readonly #cachers = new Map<string, Cacher<Cached>>();
  readonly #progress$ = new Subject<void>();
  #closed: Promise<void> | undefined;

  constructor(options: CachedStoreOptions) {
    this.#options = options;
  }

  async get(key: string, { revision }: { readonly revision?: Revision } = {}): Promise<Reading> {
    this.#checkOpen();
    checkKey(key);
    if (revision === undefined) {
      const { object, revision: read } = await this.#cacher('').get(key);
      return { entry: object?.entry, revision: read };
    }
    const { items } = await this.#listExactly('', { revision, name: key });
    return { entry: items[0]?.entry, revision };
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Listing> {
    this.#checkOpen();
    checkPrefix(prefix);
    checkStoreListOptions(options);
    const { after, limit, revision } = options;
    const isBeyond = after !== undefined && !after.startsWith(prefix) && orderOf(after) > orderOf(prefix);
    const page = {
      ...(limit !== undefined && { limit }),
      ...(after?.startsWith(prefix) === true && { after: after.slice(prefix.length) }),
    };
    const listing = await (revision === undefined
      ? this.#cacher(prefix).list(page)
      : this.#listExactly(prefix, { ...page, revision }));
    if (isBeyond) return { entries: [], revision: listing.revision, remaining: 0 };
    return {
      entries: listing.items.map(({ entry }) => entry),
      revision: listing.revision,
      remaining: listing.remaining ?? 0,
    };
  }

  watch(prefix: string, { after }: StoreWatchOptions = {}): Observable<Batch> {
    return new Observable((subscriber) => {
      checkPrefix(prefix);
      if (after !== undefined) checkAfter(after);
      const batches = new Batches(subscriber, (key, revision) => this.#entryAt(prefix, key, revision));
      return this.#cacher(prefix)
        .watch({ bookmark$: this.#progress$, ...(after !== undefined && { after }) })
        .subscribe({
          next: (event) => batches.push(event),
          error: (error: unknown) =>
            void this.#asStoreError(error, prefix, after).then((refusal) =>
              batches.end(() => subscriber.error(refusal)),
            ),
          complete: () => batches.end(() => subscriber.complete()),
        });
    });
  }

  revision(): Promise<Revision> {
    return this.#options.store.revision();
  }

  async requestProgress(): Promise<void> {
    await this.#options.store.requestProgress();
    this.#progress$.next();
  }

  async compact(revision: Revision): Promise<void> {
    await this.#options.store.compact(revision);
    for (const cacher of this.#cachers.values()) cacher.compact(revision);
  }

  commit: Store['commit'] = (transaction) => this.#options.store.commit(transaction);
  grantLease: Store['grantLease'] = (ttlMs) => this.#options.store.grantLease(ttlMs);
  renewLease: Store['renewLease'] = (lease) => this.#options.store.renewLease(lease);
  revokeLease: Store['revokeLease'] = (lease) => this.#options.store.revokeLease(lease);

  close(): Promise<void> {
    return (this.#closed ??= this.#options.store.close());
  }

  #cacher(prefix: string): Cacher<Cached> {
    let cacher = this.#cachers.get(prefix);
    if (cacher === undefined) {
      cacher = createCacher<Cached>({
        ...this.#options,
        prefix,
        namespaced: false,
        read: (entry) => Object.freeze({ entry, revision: entry.modRevision }),
        withRevision: ({ entry }, revision) => Object.freeze({ entry, revision }),
      });
      this.#cachers.set(prefix, cacher);
    }
    return cacher;
  }

  async #listExactly(
    prefix: string,
    page: { readonly revision: Revision; readonly limit?: number; readonly after?: string; readonly name?: string },
  ): ReturnType<Cacher<Cached>['list']> {
    checkRevision(page.revision);
    const newest = await this.#options.store.revision();
    if (page.revision > newest)
      throw new StoreError('future-revision', `the newest is ${newest}`, { revision: newest });
    try {
      return await this.#cacher(prefix).list(page);
    } catch (error) {
      throw await this.#asStoreError(error, prefix, page.revision);
    }
  }

  async #entryAt(prefix: string, key: string, revision: Revision): Promise<Entry | undefined> {
    const { items } = await this.#cacher(prefix).list({ revision, name: key.slice(prefix.length) });
    return items[0]?.entry;
  }

  /** A cacher says Expired where a store says `compacted` and which revision is left. */
  async #asStoreError(error: unknown, prefix: string, revision: Revision | undefined): Promise<unknown> {
    if (!isApiError(error, 'Expired')) return error;
    try {
      await this.#options.store.list(prefix, {
        limit: 1,
        ...(revision !== undefined && { revision: Math.max(1, revision) }),
      });
    } catch (refusal) {
      return refusal;
    }
    return error;
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new StoreError('closed', 'the store is closed');
  }
}

/** Makes batches of events: all of one revision come in one go, so a microtask later they are complete. */
class Batches {
  readonly #subscriber: Subscriber<Batch>;
  readonly #entryAt: (key: string, revision: Revision) => Promise<Entry | undefined>;
  readonly #waiting: CacheEvent<Cached>[] = [];
  #end: (() => void) | undefined;
  #isTelling = false;

  constructor(subscriber: Subscriber<Batch>, entryAt: (key: string, revision: Revision) => Promise<Entry | undefined>) {
    this.#subscriber = subscriber;
    this.#entryAt = entryAt;
  }

  push(event: CacheEvent<Cached>): void {
    this.#waiting.push(event);
    if (!this.#isTelling) void this.#tell();
  }

  /** After the pending events. */
  end(end: () => void): void {
    this.#end = end;
    if (!this.#isTelling) end();
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    try {
      await Promise.resolve();
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        const { revision, type } = first;
        const count = this.#waiting.findIndex((event) => event.revision !== revision || event.type === 'BOOKMARK');
        const events = this.#waiting.splice(0, type === 'BOOKMARK' ? 1 : count < 0 ? this.#waiting.length : count);
        const changes = await Promise.all(
          events.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [this.#changeOf(event)])),
        );
        this.#subscriber.next({ revision, changes });
      }
    } catch (error) {
      // Asking for an entry was refused: fine once the store is closed, and otherwise a failure of the watch.
      if (!isStoreError(error, 'closed')) this.#subscriber.error(error);
    }
    this.#isTelling = false;
    this.#end?.();
  }

  async #changeOf({ type, object, revision }: Exclude<CacheEvent<Cached>, { type: 'BOOKMARK' }>): Promise<Change> {
    const { entry } = object;
    const { key } = entry;
    if (object.revision !== revision)
      throw new Error(`the event of revision ${revision} has an object of ${object.revision}`);
    if (type === 'DELETED') return { type: 'delete', key, previous: entry };
    const previous = await this.#entryAt(key, revision - 1);
    if ((type === 'ADDED') !== (previous === undefined))
      throw new Error(`${key} is ${type}, but ${previous ? 'was there' : 'was not there'} before`);
    return { type: 'put', key, entry, previous };
  }
}
