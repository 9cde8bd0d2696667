// The cache of one resource: the read and watch half of the store's contract, served from memory with the semantics of
// the Kubernetes API. One storage watch feeds it; all objects that it returns are shared and frozen.
//
// Guarantees, in addition to those of the store (store.ts; one test suite checks both):
//
// - *Consistent by default.* A read without `notOlderThan` and `revision` includes everything committed before the
// call: the cache waits until it has seen that revision.
// - *One object per revision.* `read` is called once for each revision of a key in the cache. All readers share the
// object, so encoded bytes can be shared too. Only objects older than the window are created per reader.
// - *The cost of a watch is its own events.* Watchers are indexed by scope, name and trigger value; a write does not
// touch watchers that cannot match.
// - *No buffers.* Events are delivered synchronously, so no watcher of a cache falls behind. A consumer that reads at
// its own pace, such as a socket, bounds its own queue and ends with Expired when that overflows; the client may
// resume.
// - *Interruptions are repaired.* When the storage watch breaks, the cache resumes it or lists again; watchers see
// neither a gap nor a duplicate, or end with Expired.
// - *Isolation.* A selector or subscriber that throws ends only its own watch.
//
// Inert until first used; `close` ends all watches and the storage watch. Other errors of the store (`unavailable`,
// `closed` …) are passed on as StoreError.
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { Entry, Revision, Store } from '../storage/index.js';

/** Options of a cache. T is a frozen object. */
export interface CacherOptions<T extends object> {
  readonly store: Store;
  readonly clock: Clock;
  /**
   * The prefix of the keys, `/registry/pods/`. Keys below it are `namespace/name`, or `name` if `namespaced` is false.
   */
  readonly prefix: string;
  readonly namespaced: boolean;
  /** Returns the object of an entry, frozen and with its resourceVersion. */
  readonly read: (entry: Entry) => T;
  /** Returns the object with a later revision: the object of the DELETED event when it leaves a watcher's selection. */
  readonly withRevision: (object: T, revision: Revision) => T;
  /** Fields whose values index watchers and objects. */
  readonly triggers?: Readonly<Record<string, (object: T) => string>>;
  readonly limits?: Partial<CacherLimits>;
  /**
   * Ends a watch with Expired if it begins before the window, as the watch cache of Kubernetes does: for objects that
   * cannot be read as they were, because their schema has changed since. Default: it is read from the store's history.
   */
  readonly forgetsHistory?: boolean;
}

/** Limits of buffers and waits. */
export interface CacherLimits {
  /**
   * The number of events kept for resumed watches and for lists of earlier revisions. Older ones are read from the
   * store.
   */
  readonly windowMax: number;
  /** The approximate number of bytes of replaced and deleted objects that these events may keep. */
  readonly windowBytesMax: number;
  /** The time that a read waits for a future revision; a consistent read goes to the store after that. */
  readonly waitMs: number;
  /** The period of bookmarks. */
  readonly bookmarkMs: number;
}

/** Default limits. The times are those of apiserver/pkg/storage/cacher. */
export const cacherLimits: CacherLimits = {
  windowMax: 1000,
  windowBytesMax: 32 * 2 ** 20,
  waitMs: 3000,
  bookmarkMs: 60_000,
};

/** The required freshness of a read. Default: consistent. */
export interface Freshness {
  /** The minimum revision; 0 accepts any cached state. */
  readonly notOlderThan?: Revision;
}

/** The result of `get`. */
export interface CacheReading<T extends object> {
  readonly object: T | undefined;
  /** The revision of the read. */
  readonly revision: Revision;
}

/** Selects objects of the resource. */
export interface Scope<T extends object> {
  /** Ignored if the resource is cluster-scoped. */
  readonly namespace?: string;
  readonly name?: string;
  /** Only objects whose trigger field has this value. `matches` applies in addition. */
  readonly trigger?: { readonly field: string; readonly value: string };
  /** Only objects for which this returns true. */
  readonly matches?: (object: T) => boolean;
}

/** Options of a list. */
export interface CacheListOptions<T extends object> extends Freshness, Scope<T> {
  /** The exact revision to list. */
  readonly revision?: Revision;
  /** Only keys after this one, relative to the prefix. */
  readonly after?: string;
  /** The maximum number of matching objects. */
  readonly limit?: number;
}

/** A page of a list. */
export interface CacheListing<T extends object> {
  readonly items: readonly T[];
  /** The revision of all items. */
  readonly revision: Revision;
  /** The key of the last item, relative to the prefix, if more may follow. */
  readonly next?: string;
  /** The number of items that follow; only known for a whole namespace or the whole resource. */
  readonly remaining?: number;
}

/** Options of a watch. */
export interface CacheWatchOptions<T extends object> extends Scope<T> {
  /** The revision after which changes are emitted. Default: the newest state. */
  readonly after?: Revision;
  /**
   * Emits an ADDED event for each existing object first, in key order, at least as new as `notOlderThan`, by default
   * consistent. `after` is ignored then.
   */
  readonly initial?: boolean;
  /**
   * Without `initial` and `after`: starts at the cached revision, once it is at least this, instead of at the newest.
   */
  readonly notOlderThan?: Revision;
  /** Emits periodic bookmarks, and one with `initialEventsEnd` after the initial objects. */
  readonly bookmarks?: boolean;
  /** Emits a bookmark at the newest revision whenever this emits, for instance before the consumer ends the watch. */
  readonly bookmark$?: Observable<unknown>;
}

/** A watch event. The revision of an initial event is that of its object, otherwise that of the change. */
export type CacheEvent<T extends object> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly revision: Revision }
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd?: true };

/** Figures for metrics. */
export interface CacherFigures {
  readonly objects: number;
  readonly watchers: number;
  readonly windowEvents: number;
  /** About how many bytes of replaced objects the events of the window keep. */
  readonly windowBytes: number;
  readonly revision: Revision;
}

/** The cache of one resource. */
export interface Cacher<T extends object> {
  /** Reads an object by its key relative to the prefix. Rejects with Timeout as `list` does. */
  get(key: string, freshness?: Freshness): Promise<CacheReading<T>>;
  /** A synchronous consistent read; undefined if it would have to wait. */
  getNow(key: string): CacheReading<T> | undefined;
  /** Returns the cached object without waiting; undefined also before the cache is filled. For optimistic writers. */
  peek(key: string): T | undefined;
  /**
   * Lists objects. Rejects with ApiError: Expired if the revision is compacted, Timeout (too large resource version) if
   * it is not reached in time.
   */
  list(options?: CacheListOptions<T>): Promise<CacheListing<T>>;
  /**
   * Emits changes. Cold. Errors with ApiError: Expired if `after` is compacted or the cache lost events, Timeout if
   * `notOlderThan` is not reached in time. Completes on close. A revision older than the window is resumed from the
   * store's history, if available.
   */
  watch(options?: CacheWatchOptions<T>): Observable<CacheEvent<T>>;
  /** Drops history that only revisions before this one need, after a compaction of the store. */
  compact(revision: Revision): void;
  /** Returns the sizes of the cache, for metrics. */
  figures(): CacherFigures;
  /** Ends all watches and the storage watch. Idempotent. */
  close(): Promise<void>;
}
