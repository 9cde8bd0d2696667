// The store: what etcd gives Kubernetes, and no more. Ordered keys, one revision for all of them, transactions that
// compare before they write, watches that miss nothing, and history until it is compacted.
//
// Its promises, each a named check of `storeSuite` in lib/testing, which every backend passes:
//
// - *Strictly serializable.* There is one order of all commits, it is the order of their revisions, and it agrees with
//   real time: what returns before another call begins comes before it. Reads without a revision are part of that
//   order.
// - *Durable before visible.* No read and no watch ever shows what could still be lost, and a commit that was answered
//   never is.
// - *Gapless.* A commit that changes anything takes the next revision, the same for all its changes; one that changes
//   nothing takes none.
// - *Watches are ordered* (revisions only rise), *unique* (no event twice), *reliable* (no event left out), *atomic*
//   (all changes of a revision in one batch), *resumable* (a watch after revision r sees r + 1 next, however often it
//   was interrupted) and *bookmarkable* (an empty batch says: up to here you have seen everything; none is below where
//   the watch began).
// - *Batches are in the order of their transaction*: its puts, then what it deleted, each as they stood there.
// - *Compaction is refused by name.* What is older than the compacted revision answers `compacted`; it is never
//   skipped in silence. Reading at the compacted revision itself still works. A watch that has the compacted revision
//   next may be refused or shown it whole, since a backend may still have what was deleted there.
// - *Pages are of one revision.* Listing on at the revision of the first page is not disturbed by writers.
// - *Leases end on the clock.* Keys put under a lease are deleted in one commit when it runs out.
// - *Closing ends everything.* Watches complete, calls under way settle, later ones are refused with `closed`, and no
//   timer, thread, file or socket is left.
//
// Values are JSON objects, frozen all the way down; a value that is not is frozen by the store. A read returns an
// object that cannot be changed.
import type { Observable } from 'rxjs';
import type { JsonObject } from '../core/index.js';

/** A point in the store's history. The empty store is at revision 1, as etcd's is; 0 stands for "absent". */
export type Revision = number;

/** A key with its value and the revisions that made it. */
export interface Entry {
  readonly key: string;
  readonly value: JsonObject;
  /** The revision that created the key, since it was last absent. */
  readonly createRevision: Revision;
  /** The revision that last wrote it. */
  readonly modRevision: Revision;
  /** The lease it was last put under. */
  readonly lease?: LeaseId;
  /** Writing the same value again would store it another way, for instance under a newer encryption key. */
  readonly stale?: true;
}

/** Names a lease. */
export type LeaseId = string;

/** The answer to `get`. */
export interface Reading {
  readonly entry: Entry | undefined;
  /** The revision that was read. */
  readonly revision: Revision;
}

/** Options of `list`: the page and the revision. */
export interface StoreListOptions {
  /** At most this many entries; all without it. */
  readonly limit?: number;
  /** Only keys that come after this one in byte order. */
  readonly after?: string;
  /** The revision to read at; the newest without it. */
  readonly revision?: Revision;
}

/** A page. */
export interface Listing {
  /** In byte order of their UTF-8 keys. */
  readonly entries: readonly Entry[];
  /** The revision that was read; hand it in for the next page. */
  readonly revision: Revision;
  /** How many entries of the prefix come after this page. */
  readonly remaining: number;
}

/** A condition: the key was last written at that revision, or is absent where the revision is 0. */
export interface Comparison {
  readonly key: string;
  readonly modRevision: Revision;
}

/** A write. */
export interface Put {
  readonly key: string;
  readonly value: JsonObject;
  readonly lease?: LeaseId;
}

/** Changes that happen together, if all conditions hold. No key may be changed twice. */
export interface Transaction {
  readonly compare?: readonly Comparison[];
  readonly put?: readonly Put[];
  /** Deleting an absent key changes nothing. */
  readonly delete?: readonly string[];
}

/** The result of a transaction. */
export type Outcome =
  | { readonly committed: true; readonly revision: Revision }
  | {
      readonly committed: false;
      /** The revision at which the conditions were looked at. */
      readonly revision: Revision;
      /** The entries of the compared keys, in the order of the conditions, so that a retry need not read again. */
      readonly found: readonly (Entry | undefined)[];
    };

/** A change as a watcher sees it. */
export type Change =
  | { readonly type: 'put'; readonly key: string; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly previous: Entry };

/** Everything one revision changed below the watched prefix; without changes it is a bookmark. */
export interface Batch {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

/** Options of `watch`: its start. */
export interface StoreWatchOptions {
  /**
   * The last revision already seen; 0 is before all history, so that the watch shows it from the very beginning.
   * Without it the watch begins at the newest revision when it is subscribed: it shows every commit begun after that,
   * and of those under way what comes later.
   */
  readonly after?: Revision;
}

/** A store. */
export interface Store {
  /** Reads one key, now or at an earlier revision. */
  get(key: string, options?: { readonly revision?: Revision }): Promise<Reading>;

  /** Reads the keys that begin with `prefix`. */
  list(prefix: string, options?: StoreListOptions): Promise<Listing>;

  /**
   * Compares, and if all conditions hold, writes. The transaction and its values count as they are when this is called,
   * whatever becomes of the objects later. The answer comes when the changes are durable.
   */
  commit(transaction: Transaction): Promise<Outcome>;

  /**
   * The changes below a prefix, cold and endless. A revision still to come is waited for. Errors with `compacted` when
   * `after` is older than what is left of history, with `overrun` when the subscriber fell too far behind; it may then
   * begin again from the last revision it saw. Completes when the store closes.
   */
  watch(prefix: string, options?: StoreWatchOptions): Observable<Batch>;

  /** The newest revision, as of now. */
  revision(): Promise<Revision>;

  /**
   * The newest revision without a promise, if every open watch has received everything up to it; undefined while one
   * has not. Only a store of this process can know: a cache above it then reads at once, without requesting progress.
   */
  settledRevision?(): Revision | undefined;

  /** Has every open watch of this store emit a bookmark at the newest revision, once it has seen all up to there. */
  requestProgress(): Promise<void>;

  /** Forgets what only revisions before this one need. Refused for a revision still to come; a no-op for one gone. */
  compact(revision: Revision): Promise<void>;

  /** Begins a lease of that length. */
  grantLease(ttlMs: number): Promise<LeaseId>;

  /** Begins a lease anew, at its full length. */
  renewLease(lease: LeaseId): Promise<void>;

  /** Ends a lease now and deletes its keys. */
  revokeLease(lease: LeaseId): Promise<void>;

  /** Ends everything. Idempotent. */
  close(): Promise<void>;
}
