// A store as plain as it can be: an array of commits, each with the whole sorted state it left behind. Slow, and right
// by looking at it. It passes storeSuite, which shows that the suite can be passed; wrapped in a defect, it shows that
// the suite can fail. What survives closing is the `Disk`, so it can be reopened as a durable store can.
import assert from 'node:assert/strict';
import { Observable, type Subscriber, type Subscription } from 'rxjs';
import { deepFreeze, isJsonObject, type Clock, type JsonObject } from '../../lib/core/index.js';
import { StoreError, type StoreErrorCode } from '../../lib/storage/store-error.js';
import type {
  Batch,
  Change,
  Entry,
  LeaseId,
  Listing,
  StoreListOptions,
  Outcome,
  Reading,
  Revision,
  Store,
  Transaction,
  StoreWatchOptions,
} from '../../lib/storage/store.js';

/** The limits of the reference store. */
export const referenceLimits = { keyBytesMax: 1024, valueBytesMax: 100_000, operationsMax: 128 };

/** One revision: what it changed, and all that was there after it. */
interface Commit {
  readonly revision: Revision;
  readonly changes: readonly Change[];
  /** In byte order. */
  readonly entries: readonly Entry[];
}

interface Lease {
  readonly id: LeaseId;
  readonly ttlMs: number;
  endsAt: number;
}

/** What a closed store leaves behind, and the next one opens. */
export interface Disk {
  /** Commits from the compacted revision on, one for each revision. */
  commits: Commit[];
  leases: Lease[];
  leasesGranted: number;
}

/** An empty disk: revision 1, no entries. */
export function emptyDisk(): Disk {
  return { commits: [{ revision: 1, changes: [], entries: [] }], leases: [], leasesGranted: 0 };
}

/** Opens a disk. */
export function referenceStore(clock: Clock, disk: Disk = emptyDisk()): Store {
  return new ReferenceStore(clock, disk);
}

/** A subscriber and how far it has got. Every watcher has a cursor of its own, so order needs no further thought. */
interface Watcher {
  readonly prefix: string;
  readonly subscriber: Subscriber<Batch>;
  seen: Revision;
  bookmarkWanted: boolean;
  delivering: boolean;
}

class ReferenceStore implements Store {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #watchers = new Set<Watcher>();
  readonly #timers = new Map<LeaseId, Subscription>();
  #closed = false;

  constructor(clock: Clock, disk: Disk) {
    this.#clock = clock;
    this.#disk = disk;
    for (const lease of disk.leases) this.#startTimer(lease);
  }

  get #newest(): Commit {
    return this.#disk.commits.at(-1)!;
  }

  get #oldest(): Commit {
    return this.#disk.commits[0]!;
  }

  async get(key: string, options: { readonly revision?: Revision } = {}): Promise<Reading> {
    this.#refuseWhenClosed();
    checkKey(key);
    const commit = this.#at(options.revision);
    return { entry: find(commit.entries, key), revision: commit.revision };
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Listing> {
    this.#refuseWhenClosed();
    checkText(prefix);
    const { limit = Infinity, after = '' } = options;
    checkText(after);
    demand(limit === Infinity || (isCount(limit) && limit > 0), 'invalid', 'the limit must be a whole number above 0');
    const commit = this.#at(options.revision);
    const all = commit.entries.filter(({ key }) => key.startsWith(prefix) && compareBytes(key, after) > 0);
    const entries = all.slice(0, limit);
    return { entries, revision: commit.revision, remaining: all.length - entries.length };
  }

  async commit(transaction: Transaction): Promise<Outcome> {
    this.#refuseWhenClosed();
    checkTransaction(transaction);
    const { compare = [], put = [], delete: deletes = [] } = transaction;
    const { entries, revision } = this.#newest;
    if (compare.some(({ key, modRevision }) => (find(entries, key)?.modRevision ?? 0) !== modRevision)) {
      return { committed: false, revision, found: compare.map(({ key }) => find(entries, key)) };
    }
    for (const { lease } of put) if (lease !== undefined) this.#lease(lease);
    const next = revision + 1;
    const changes: Change[] = put.map(({ key, value, lease }) => {
      const previous = find(entries, key);
      const copy = deepFreeze(JSON.parse(JSON.stringify(value)) as JsonObject);
      const createRevision = previous?.createRevision ?? next;
      const entry = Object.freeze({
        key,
        value: copy,
        createRevision,
        modRevision: next,
        ...(lease !== undefined && { lease }),
      });
      return { type: 'put', key, entry, previous };
    });
    for (const key of deletes) {
      const previous = find(entries, key);
      if (previous !== undefined) changes.push({ type: 'delete', key, previous });
    }
    this.#append(changes);
    return { committed: true, revision: this.#newest.revision };
  }

  watch(prefix: string, options: StoreWatchOptions = {}): Observable<Batch> {
    return new Observable((subscriber) => {
      try {
        checkText(prefix);
        const { after } = options;
        demand(after === undefined || isCount(after), 'invalid', 'the revision must be a whole number');
        if (this.#closed) {
          subscriber.complete();
          return;
        }
        const seen = after ?? this.#newest.revision;
        if (seen < this.#oldest.revision && this.#oldest.revision > 1) throw this.#compacted(seen);
        const watcher = { prefix, subscriber, seen, bookmarkWanted: false, delivering: false };
        this.#watchers.add(watcher);
        subscriber.add(() => this.#watchers.delete(watcher));
        this.#deliver(watcher);
      } catch (error) {
        subscriber.error(error);
      }
    });
  }

  async revision(): Promise<Revision> {
    this.#refuseWhenClosed();
    return this.#newest.revision;
  }

  async requestProgress(): Promise<void> {
    this.#refuseWhenClosed();
    for (const watcher of [...this.#watchers]) {
      watcher.bookmarkWanted = true;
      this.#deliver(watcher);
    }
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseWhenClosed();
    demand(isCount(revision), 'invalid', 'the revision must be a whole number');
    if (revision > this.#newest.revision) throw this.#future(revision);
    this.#disk.commits = this.#disk.commits.filter((commit) => commit.revision >= revision);
  }

  async grantLease(ttlMs: number): Promise<LeaseId> {
    this.#refuseWhenClosed();
    demand(ttlMs > 0 && Number.isFinite(ttlMs), 'invalid', 'a lease needs a length above 0');
    this.#disk.leasesGranted += 1;
    const lease = { id: `lease-${this.#disk.leasesGranted}`, ttlMs, endsAt: this.#clock.now() + ttlMs };
    this.#disk.leases.push(lease);
    this.#startTimer(lease);
    return lease.id;
  }

  async renewLease(id: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    const lease = this.#lease(id);
    lease.endsAt = this.#clock.now() + lease.ttlMs;
    this.#startTimer(lease);
  }

  async revokeLease(id: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    this.#endLease(this.#lease(id));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer.unsubscribe();
    for (const { subscriber } of [...this.#watchers]) subscriber.complete();
  }

  #append(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const { entries, revision } = this.#newest;
    const kept = entries.filter(({ key }) => !changes.some((change) => change.key === key));
    const put = changes.flatMap((change) => (change.type === 'put' ? [change.entry] : []));
    const sorted = [...kept, ...put].sort((a, b) => compareBytes(a.key, b.key));
    this.#disk.commits.push({
      revision: revision + 1,
      changes: Object.freeze(changes.map((change) => Object.freeze(change))),
      entries: Object.freeze(sorted),
    });
    for (const watcher of [...this.#watchers]) this.#deliver(watcher);
  }

  /** Called back while it delivers, it leaves the rest to the loop already running. */
  #deliver(watcher: Watcher): void {
    if (watcher.delivering) return;
    watcher.delivering = true;
    while (watcher.seen < this.#newest.revision && !watcher.subscriber.closed) {
      watcher.seen += 1;
      const commit = this.#disk.commits[watcher.seen - this.#oldest.revision];
      const changes = commit?.changes.filter(({ key }) => key.startsWith(watcher.prefix)) ?? [];
      if (changes.length > 0)
        watcher.subscriber.next(Object.freeze({ revision: watcher.seen, changes: Object.freeze(changes) }));
    }
    if (watcher.bookmarkWanted && watcher.seen === this.#newest.revision) {
      watcher.bookmarkWanted = false;
      watcher.subscriber.next({ revision: watcher.seen, changes: [] });
    }
    watcher.delivering = false;
  }

  #at(revision: Revision | undefined): Commit {
    if (revision === undefined) return this.#newest;
    demand(isCount(revision) && revision > 0, 'invalid', 'the revision must be a whole number above 0');
    if (revision > this.#newest.revision) throw this.#future(revision);
    const commit = this.#disk.commits[revision - this.#oldest.revision];
    if (commit === undefined) throw this.#compacted(revision);
    return commit;
  }

  #lease(id: LeaseId): Lease {
    const lease = this.#disk.leases.find((each) => each.id === id);
    if (lease === undefined) throw new StoreError('lease-not-found', `there is no lease ${id}`);
    return lease;
  }

  #startTimer(lease: Lease): void {
    this.#timers.get(lease.id)?.unsubscribe();
    const end = { complete: () => this.#endLease(lease), error: (error: Error) => assert.fail(error) };
    this.#timers.set(lease.id, this.#clock.timer(lease.endsAt - this.#clock.now()).subscribe(end));
  }

  #endLease(lease: Lease): void {
    this.#timers.get(lease.id)?.unsubscribe();
    this.#timers.delete(lease.id);
    this.#disk.leases = this.#disk.leases.filter((each) => each !== lease);
    const held = this.#newest.entries.filter((entry) => entry.lease === lease.id);
    this.#append(held.map((previous) => ({ type: 'delete', key: previous.key, previous })));
  }

  #compacted(revision: Revision): StoreError {
    return new StoreError('compacted', `revision ${revision} is gone`, { revision: this.#oldest.revision });
  }

  #future(revision: Revision): StoreError {
    return new StoreError('future-revision', `revision ${revision} is still to come`, {
      revision: this.#newest.revision,
    });
  }

  #refuseWhenClosed(): void {
    demand(!this.#closed, 'closed', 'the store is closed');
  }
}

function find(entries: readonly Entry[], key: string): Entry | undefined {
  return entries.find((entry) => entry.key === key);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function checkTransaction({ compare = [], put = [], delete: deletes = [] }: Transaction): void {
  const changed = [...put.map(({ key }) => key), ...deletes];
  for (const key of [...changed, ...compare.map(({ key }) => key)]) checkKey(key);
  demand(new Set(changed).size === changed.length, 'invalid', 'a key is changed twice');
  for (const { modRevision } of compare) demand(isCount(modRevision), 'invalid', 'the revision must be a whole number');
  demand(compare.length <= referenceLimits.operationsMax, 'too-large', 'too many conditions');
  demand(changed.length <= referenceLimits.operationsMax, 'too-large', 'too many changes');
  for (const { value } of put) {
    demand(isJsonObject(value) && isJson(value), 'invalid', 'a value must be a JSON object');
    demand(
      Buffer.byteLength(JSON.stringify(value)) <= referenceLimits.valueBytesMax,
      'too-large',
      'the value is too large',
    );
  }
}

function checkKey(key: string): void {
  checkText(key);
  demand(key.length > 0, 'invalid', 'a key must not be empty');
  demand(Buffer.byteLength(key) <= referenceLimits.keyBytesMax, 'invalid', 'the key is too long');
}

// Through UTF-8 and back, a lone surrogate does not survive.
function checkText(text: string): void {
  demand(
    Buffer.from(text).toString() === text && !text.includes('\0'),
    'invalid',
    'text with a lone surrogate or U+0000',
  );
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (Array.isArray(value)) return value.every(isJson);
  return (
    typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson)
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function demand(condition: boolean, code: StoreErrorCode, message: string): void {
  if (!condition) throw new StoreError(code, message);
}
