/**
 * The store in memory, the embedded default: an ordered copy-on-write index of the newest state (key-index.ts), a log
 * of what each revision changed (revision-log.ts) and a dispatch to watchers by prefix (watch-hub.ts). A commit is one
 * synchronous step, so it cannot be torn and needs no lock. Values are shared by reference, never encoded.
 *
 * Besides the promises of a store: `at` and `fork` cost the same whatever the store holds, history is bounded, and
 * nothing depends on anything but the calls and the clock. Runs wherever JavaScript does.
 */
import { Observable } from 'rxjs';
import { deepFreeze, backgroundClock } from '../core/index.js';
import type { Clock } from '../core/index.js';
import type { HistoryBounds } from './check-input.js';
import {
  checkAfter,
  checkKey,
  checkLease,
  checkNotCompacted,
  checkNotFuture,
  checkPrefix,
  checkReadable,
  checkRevision,
  checkStoreListOptions,
  checkTransaction,
  checkTtl,
  historyBounds,
} from './check-input.js';
import { KeyIndex } from './key-index.js';
import { Leases } from './leases.js';
import { PastStates, RevisionLog } from './revision-log.js';
import type { ReadView, StateAt } from './read-view.js';
import { listPage, readView } from './read-view.js';
import type {
  Batch,
  Change,
  Entry,
  LeaseId,
  Listing,
  StoreListOptions,
  Outcome,
  Put,
  Reading,
  Revision,
  Store,
  Transaction,
  StoreWatchOptions,
} from './store.js';
import { StoreError } from './store-error.js';
import { checkSnapshot } from './store-snapshot.js';
import type { StoreSnapshot } from './store-snapshot.js';
import { batchBelow, freezeBatch, WatchHub } from './watch-hub.js';

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** What leases end on. Default: the clock of the machine. */
  readonly clock?: Clock;
  /** How many revisions before the newest can be read and resumed from. Default 10,000. */
  readonly historyMax?: number;
  /**
   * About how many bytes of replaced and deleted values are kept for history. Where they are more, the oldest revisions
   * can no longer be read. Default 64 MiB.
   */
  readonly historyBytesMax?: number;
  /**
   * How many commits may be made in one go, without a pause for watchers to hear of them; further ones are refused as
   * `unavailable`. Only counts while there are watchers. Default 1,000,000.
   */
  readonly waitingMax?: number;
  /** The state to begin with, of `takeSnapshot`. What precedes its revision counts as compacted. Default: none. */
  readonly snapshot?: StoreSnapshot;
}

/** Options with all defaults filled in. */
type CompletedOptions = Required<Omit<MemoryStoreOptions, 'snapshot'>>;

/** A store in memory. */
export interface MemoryStore extends Store, AsyncDisposable {
  /**
   * The store at a revision, by default the newest, in O(1). Throws what `get` would reject with. Reading a revision
   * of the past costs in proportion to what changed since, once.
   */
  at(revision?: Revision): ReadView;

  /**
   * A second store with the same state, history and leases, in O(1); from here on neither sees what the other does.
   * Watches stay with this one. Leases end in both, each on its own clock: one passed in should show the same time.
   * With `revision`, the second store is as this one was then, at a cost in proportion to what changed since; leases
   * are not kept. Throws what `at` throws.
   */
  fork(options?: ForkOptions): MemoryStore;
}

/** Options of `fork`. */
export interface ForkOptions {
  /** Default: the clock of the original. */
  readonly clock?: Clock;
  /** Default: the newest. */
  readonly revision?: Revision;
}

/** Creates a store in memory: empty, or with the state of a snapshot. Throws StoreError `invalid` for a bad option. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { clock = backgroundClock(), historyMax = 10_000, waitingMax = 1_000_000 } = options;
  const { historyBytesMax = 64 * 2 ** 20 } = options;
  for (const [name, value] of Object.entries({ historyMax, historyBytesMax, waitingMax })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new StoreError('invalid', `${name} is a whole number from 0, not ${value}`);
  }
  const store = new ObjectStore({ clock, historyMax, historyBytesMax, waitingMax });
  if (options.snapshot !== undefined) store.load(options.snapshot);
  return store;
}

class ObjectStore implements MemoryStore {
  readonly #options: CompletedOptions;
  readonly #hub: WatchHub;
  readonly #state: KeyIndex<Entry>;
  #log: RevisionLog;
  readonly #leases: Leases;
  #revision: Revision = 1;
  #compacted: Revision = 0;
  readonly #past = new PastStates();
  #closed: Promise<void> | undefined;

  constructor(options: CompletedOptions, origin?: ObjectStore, revision: Revision = 1) {
    this.#options = options;
    this.#hub = new WatchHub(options.waitingMax);
    const leasesOptions = {
      clock: options.clock,
      onEnd: (_: LeaseId, keys: readonly string[]) => void this.#write([], keys),
    };
    if (origin === undefined) {
      this.#state = new KeyIndex();
      this.#log = new RevisionLog(this.#revision);
      this.#leases = new Leases(leasesOptions);
    } else {
      this.#state = origin.#state.clone();
      this.#log = origin.#log.fork(revision);
      this.#revision = revision;
      this.#compacted = origin.#compacted;
      const isNewest = revision === origin.#revision;
      this.#leases = isNewest ? origin.#leases.fork(leasesOptions) : new Leases(leasesOptions);
      if (!isNewest) for (const batch of origin.#log.backTo(revision)) this.#undo(batch);
    }
  }

  /** Fills the store, while it is empty and has no watches, with the state of a snapshot. */
  load(snapshot: StoreSnapshot): void {
    checkSnapshot(snapshot);
    for (const { key, value, createRevision, modRevision } of snapshot.entries) {
      const entry = Object.freeze({ key, value: deepFreeze(value), createRevision, modRevision });
      this.#state.set(key, () => entry);
    }
    this.#log = new RevisionLog(snapshot.revision);
    this.#revision = snapshot.revision;
    this.#compacted = snapshot.revision;
  }

  get(key: string, { revision }: { readonly revision?: Revision } = {}): Promise<Reading> {
    return this.#answer(() => {
      checkKey(key);
      const read = this.#stateAt(revision);
      return { entry: read.state.get(key), revision: read.revision };
    });
  }

  list(prefix: string, options: StoreListOptions = {}): Promise<Listing> {
    return this.#answer(() => {
      checkPrefix(prefix);
      checkStoreListOptions(options);
      return listPage(prefix, options, this.#stateAt(options.revision));
    });
  }

  commit(transaction: Transaction): Promise<Outcome> {
    return this.#answer(() => {
      checkTransaction(transaction);
      const { compare = [], put = [], delete: deletes = [] } = transaction;
      const [condition, ...furtherConditions] = compare;
      const [only, ...furtherPuts] = put;
      if (
        condition !== undefined &&
        only?.key === condition.key &&
        furtherConditions.length + furtherPuts.length + deletes.length === 0
      )
        return this.#replace(only, condition.modRevision);
      if (!compare.every(({ key, modRevision }) => (this.#state.get(key)?.modRevision ?? 0) === modRevision)) {
        return { committed: false, revision: this.#revision, found: compare.map(({ key }) => this.#state.get(key)) };
      }
      this.#checkWritable(put);
      return { committed: true, revision: this.#write(put, deletes) };
    });
  }

  watch(prefix: string, { after }: StoreWatchOptions = {}): Observable<Batch> {
    return new Observable((subscriber) => {
      if (this.#closed !== undefined) {
        subscriber.complete();
        return undefined;
      }
      checkPrefix(prefix);
      if (after === undefined) return this.#hub.add(subscriber, { prefix, backlog: [], seen: this.#revision });
      checkAfter(after);
      checkNotCompacted(after, this.#bounds());
      // Collected now, delivered later: from here on neither compaction nor commits can come in between.
      const backlog: Batch[] = [];
      // The empty store was at revision 1: nothing happened there.
      for (const each of this.#log.after(Math.max(1, after))) {
        const batch = batchBelow(prefix, each);
        if (batch !== undefined) backlog.push(batch);
      }
      return this.#hub.add(subscriber, { prefix, backlog, seen: Math.max(after, this.#revision) });
    });
  }

  revision(): Promise<Revision> {
    return this.#answer(() => this.#revision);
  }

  settledRevision(): Revision | undefined {
    return this.#closed === undefined && this.#hub.isQuiet ? this.#revision : undefined;
  }

  requestProgress(): Promise<void> {
    return this.#answer(() => this.#hub.progress(this.#revision));
  }

  compact(revision: Revision): Promise<void> {
    return this.#answer(() => {
      checkRevision(revision);
      checkNotFuture(revision, this.#bounds());
      this.#compacted = Math.max(this.#compacted, revision);
      this.#dropHistory();
    });
  }

  grantLease(ttlMs: number): Promise<LeaseId> {
    return this.#answer(() => {
      checkTtl(ttlMs);
      return this.#leases.grant(ttlMs).id;
    });
  }

  renewLease(lease: LeaseId): Promise<void> {
    return this.#answer(() => {
      checkLease(lease);
      this.#leases.renew(lease);
    });
  }

  revokeLease(lease: LeaseId): Promise<void> {
    return this.#answer(() => {
      checkLease(lease);
      this.#write([], this.#leases.revoke(lease));
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    this.#leases.close();
    return (this.#closed ??= this.#hub.close());
  }

  at(revision?: Revision): ReadView {
    this.#checkOpen();
    const read = this.#stateAt(revision);
    return readView(read.state === this.#state ? { ...read, state: this.#state.clone() } : read);
  }

  fork({ clock = this.#options.clock, revision = this.#revision }: ForkOptions = {}): MemoryStore {
    this.#checkOpen();
    checkRevision(revision);
    checkReadable(revision, this.#bounds());
    return new ObjectStore({ ...this.#options, clock }, this, revision);
  }

  /** Takes a batch out of the state. */
  #undo({ changes }: Batch): void {
    for (const { key, previous } of changes) {
      if (previous === undefined) this.#state.delete(key);
      else this.#state.set(key, () => previous);
    }
  }

  /** Does at once what is promised, so that calls take effect in the order they are made. */
  #answer<T>(call: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      this.#checkOpen();
      resolve(call());
    });
  }

  #stateAt(revision = this.#revision): StateAt {
    if (revision === this.#revision) return { revision, state: this.#state };
    checkRevision(revision);
    checkReadable(revision, this.#bounds());
    return { revision, state: this.#past.at(revision, this.#state, this.#log) };
  }

  /** Puts one entry in the place of another, if that is still there: what most commits do, in one descent. */
  #replace(put: Put, modRevision: Revision): Outcome {
    const revision = this.#revision + 1;
    let found: Entry | undefined;
    let change: Change | undefined;
    this.#state.set(put.key, (previous) => {
      found = previous;
      if ((previous?.modRevision ?? 0) !== modRevision) return undefined;
      this.#checkWritable([put]);
      const entry = makeEntry(put, previous?.createRevision ?? revision, revision);
      change = Object.freeze({ type: 'put', key: put.key, entry, previous });
      return entry;
    });
    if (change === undefined) return { committed: false, revision: this.#revision, found: [found] };
    return { committed: true, revision: this.#tell([change]) };
  }

  #checkWritable(put: readonly Put[]): void {
    if (this.#hub.isFull)
      throw new StoreError('unavailable', 'too many commits without a pause for watchers to hear of them');
    for (const { lease } of put) if (lease !== undefined) this.#leases.find(lease);
    for (const { value } of put) deepFreeze(value);
  }

  /** Writes a checked transaction, notifies watchers and returns its revision. */
  #write(put: readonly Put[], deletes: readonly string[]): Revision {
    const revision = this.#revision + 1;
    const changes: Change[] = [];
    for (const each of put) {
      this.#state.set(each.key, (previous) => {
        const entry = makeEntry(each, previous?.createRevision ?? revision, revision);
        changes.push(Object.freeze({ type: 'put', key: each.key, entry, previous }));
        return entry;
      });
    }
    for (const key of deletes) {
      const previous = this.#state.delete(key);
      if (previous !== undefined) changes.push(Object.freeze({ type: 'delete', key, previous }));
    }
    return changes.length === 0 ? this.#revision : this.#tell(changes);
  }

  /** Gives what was written its revision. */
  #tell(changes: readonly Change[]): Revision {
    const revision = this.#revision + 1;
    this.#revision = revision;
    for (const change of changes) this.#moveToLease(change);
    const batch = freezeBatch({ revision, changes });
    this.#log.append(batch);
    this.#dropHistory();
    this.#hub.publish(batch);
    return revision;
  }

  #moveToLease(change: Change): void {
    const from = change.previous?.lease;
    const to = change.type === 'put' ? change.entry.lease : undefined;
    if (from === to) return;
    if (from !== undefined) this.#leases.detach(from, change.key);
    if (to !== undefined) this.#leases.attach(to, change.key);
  }

  #dropHistory(): void {
    const { historyBytesMax } = this.#options;
    if (this.#log.bytes > historyBytesMax) this.#compacted = Math.max(this.#compacted, this.#log.trim(historyBytesMax));
    const { oldest } = this.#bounds();
    this.#log.dropBefore(oldest);
    this.#past.dropBefore(oldest);
  }

  #bounds(): HistoryBounds {
    return historyBounds(this.#revision, this.#compacted, this.#options.historyMax);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new StoreError('closed', 'the store is closed');
  }
}

function makeEntry({ key, value, lease }: Put, createRevision: Revision, modRevision: Revision): Entry {
  return Object.freeze(
    lease === undefined
      ? { key, value, createRevision, modRevision }
      : { key, value, createRevision, modRevision, lease },
  );
}
