// The cache of one resource: the read and watch half of the store's contract, served from memory, in the words of the
// Kubernetes API. One storage watch feeds it; everything it hands out is shared and frozen.
//
// Its promises, beyond those of the store that it keeps (see store.ts; the same suite checks both):
//
// - *Consistent unless told otherwise.* A read without `notOlderThan` and `revision` shows everything committed before
//   it was asked: the cache waits until it has seen that revision. It never answers with less.
// - *One object per revision.* `read` is called once for each revision of a key that it holds; all who read share the
//   object, so bytes encoded from it can be shared too. Only what is older than the window is made for each who asks.
// - *A watch costs its own events.* Watchers are found by scope, name and trigger value; one that matches nothing is
//   not touched by a write.
// - *Nobody is held up.* Events are pushed, each within the call that hands them on, so that no watcher of a cache can
//   fall behind and nothing is buffered for it. Who takes events at its own pace, as a socket does, bounds
//   what waits for it and ends with Expired when that overflows; its owner may resume from what it saw.
// - *Interruptions are mended.* When the storage watch breaks the cache resumes it, or reads everything anew; watchers
//   see neither a gap nor an event twice, or end with Expired.
// - *Whoever harms itself harms nobody.* A selector or subscriber that throws ends or loses its own watch only.
//
// Inert until first used; `close` ends all watches and the storage watch. What a store refuses otherwise
// (`unavailable`,
// `closed` …) is passed on as the StoreError it is.
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { Entry, Revision, Store } from '../storage/index.js';

/** What a cache is made of. T is a frozen object. */
export interface CacherOptions<T extends object> {
  readonly store: Store;
  readonly clock: Clock;
  /**
   * Where the objects are, `/registry/pods/`; keys below it are `namespace/name`, or `name` where `namespaced` is
   * false.
   */
  readonly prefix: string;
  readonly namespaced: boolean;
  /** Makes the object of an entry, frozen and with its resourceVersion. */
  readonly read: (entry: Entry) => T;
  /** The same object under a later revision: what a watcher gets when the object leaves its view. */
  readonly withRevision: (object: T, revision: Revision) => T;
  /** Fields by whose value watches are found. */
  readonly triggers?: Readonly<Record<string, (object: T) => string>>;
  readonly limits?: Partial<CacherLimits>;
}

/** Every buffer and every wait has an end. */
export interface CacherLimits {
  /** Events kept for watches that resume and for lists of earlier revisions. What is older is read from the store. */
  readonly windowMax: number;
  /** How long a read waits for a revision still to come; a consistent one goes to the store itself after that. */
  readonly waitMs: number;
  /** How often watchers that want bookmarks get one. */
  readonly bookmarkMs: number;
}

/** What holds unless said otherwise. The times are those of apiserver/pkg/storage/cacher. */
export const cacherLimits: CacherLimits = { windowMax: 1000, waitMs: 3000, bookmarkMs: 60_000 };

/** How fresh a read must be. Without either it is consistent. */
export interface Freshness {
  /** At least this revision; 0 is whatever is at hand. */
  readonly notOlderThan?: Revision;
}

/** The answer to `get`. */
export interface CacheReading<T extends object> {
  readonly object: T | undefined;
  /** The revision that was read. */
  readonly revision: Revision;
}

/** Which part of the resource. */
export interface Scope<T extends object> {
  /** Has no meaning where the resource is not namespaced. */
  readonly namespace?: string;
  readonly name?: string;
  /** Only objects whose trigger field, one that the cache was made with, has this value. `matches` is asked too. */
  readonly trigger?: { readonly field: string; readonly value: string };
  /** Only objects that this says yes to. */
  readonly matches?: (object: T) => boolean;
}

/** What to list. */
export interface CacheListOptions<T extends object> extends Freshness, Scope<T> {
  /** Exactly this revision. */
  readonly revision?: Revision;
  /** Only keys after this one (relative to the prefix). */
  readonly after?: string;
  /** At most this many objects that match. */
  readonly limit?: number;
}

/** A page. */
export interface CacheListing<T extends object> {
  readonly items: readonly T[];
  /** The revision all of it is of. */
  readonly revision: Revision;
  /** The key (relative to the prefix) of the last item when more may follow. */
  readonly next?: string;
  /** How many follow, where that is known: only where the scope is a namespace, or everything. */
  readonly remaining?: number;
}

/** What to watch. */
export interface CacheWatchOptions<T extends object> extends Scope<T> {
  /** Only what comes after this revision. Without it the watch begins with the newest state. */
  readonly after?: Revision;
  /**
   * Begin with an ADDED for each object there is, in the order of keys, at least as new as `notOlderThan`, or else
   * consistent. `after` has no meaning then.
   */
  readonly initial?: boolean;
  /** Without `initial` and `after`: begin where the cache is, once it is there, rather than at the newest revision. */
  readonly notOlderThan?: Revision;
  /** Send bookmarks now and then, and one with `initialEventsEnd` after the initial objects. */
  readonly bookmarks?: boolean;
  /** One more bookmark, at the newest revision, whenever this emits: for who ends the watch soon, or wants to know. */
  readonly bookmark$?: Observable<unknown>;
}

/** What a watcher sees. The revision of an initial event is that of its object, otherwise that of the change. */
export type CacheEvent<T extends object> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly revision: Revision }
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd?: true };

/** What is going on inside, for metrics. */
export interface CacherFigures {
  readonly objects: number;
  readonly watchers: number;
  readonly windowEvents: number;
  readonly revision: Revision;
}

/** The cache of one resource. */
export interface Cacher<T extends object> {
  /** One object by its key relative to the prefix. Rejects with Timeout as `list` does. */
  get(key: string, freshness?: Freshness): Promise<CacheReading<T>>;
  /** A consistent read without a promise; undefined where it has to be waited for. */
  getNow(key: string): CacheReading<T> | undefined;
  /** What is at hand right now, without waiting; undefined also before the cache is filled. For optimistic writers. */
  peek(key: string): T | undefined;
  /**
   * Rejects with ApiError: Expired when the revision is gone, Timeout (too large resource version) when it does not
   * come.
   */
  list(options?: CacheListOptions<T>): Promise<CacheListing<T>>;
  /**
   * Cold. Errors with ApiError: Expired when `after` is gone or the cache had to skip, Timeout when `notOlderThan` does
   * not come. Completes on close. A revision older than the window is resumed from the store's history, if it has it.
   */
  watch(options?: CacheWatchOptions<T>): Observable<CacheEvent<T>>;
  /** Forgets what only revisions before this one need, as the store does that was told to compact. */
  compact(revision: Revision): void;
  figures(): CacherFigures;
  close(): Promise<void>;
}
