// The store as the main thread sees it. The worker alone decides: what is compared, which revision comes next, what is
// durable. Here is no copy of the state. This side encodes and decodes values, because it has the objects; it knows the
// newest revision, because every commit is answered through it; and it has the clock on which leases end.
import { Observable } from 'rxjs';
import type { Clock } from '../../core/index.js';
import {
  checkAfter,
  checkKey,
  checkStoreListOptions,
  checkPrefix,
  checkRevision,
  checkTransaction,
  checkTtl,
} from '../check-input.js';
import { Leases } from '../leases.js';
import type {
  Batch,
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
} from '../store.js';
import { StoreError } from '../store-error.js';
import type { ValueTransformer } from '../transformer.js';
import { ValueCodec, type StoredEntry } from '../value-codec.js';
import { endedBatch, replayedBatch } from './batches.js';
import { checkPath } from './check-path.js';
import { Holds } from './holds.js';
import { prepareTransaction } from './prepare-transaction.js';
import type { Opened, GroupedWrite, WriteOutcome } from './protocol.js';
import { RecentEntries } from './recent-entries.js';
import { fromWire } from './sqlite-error.js';
import { Watches } from './watches.js';
import type { WorkerLink } from './worker-link.js';
import { WriteQueue } from './write-queue.js';

/** What a store is made of. */
export interface StoreParts {
  readonly link: WorkerLink;
  /** What the worker found when it opened the database. */
  readonly opened: Opened;
  readonly clock: Clock;
  readonly transformer: ValueTransformer | undefined;
}

/** How long after a lease could not be ended, for lack of space, it is tried again. */
const leaseRetryMs = 1000;

/** A store whose database is open in a worker. */
export class StoreInWorker implements Store {
  readonly #link: WorkerLink;
  readonly #writes: WriteQueue;
  readonly #codec: ValueCodec;
  readonly #holds = new Holds();
  readonly #watches: Watches;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #recent = new RecentEntries();
  #revision: Revision;
  #backups: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** Why the worker died. */
  #failure: StoreError | undefined;

  constructor({ link, opened, clock, transformer }: StoreParts) {
    this.#link = link;
    this.#writes = new WriteQueue(link);
    this.#codec = new ValueCodec(transformer);
    this.#watches = new Watches({
      link,
      flush: () => this.#writes.flush(),
      holds: this.#holds,
      decode: (batch) => replayedBatch(this.#codec, batch),
    });
    this.#clock = clock;
    this.#leases = new Leases({ clock, onEnd: (lease) => this.#runOut(lease) });
    this.#revision = opened.revision;
    // As etcd does when it starts: how long each still had is not known, so it has its full length again.
    for (const [id, ttlMs] of opened.leases) this.#leases.restore({ id, ttlMs, endsAtMs: clock.now() + ttlMs });
    // If that fails, the next compaction or opening goes on with it.
    if (opened.swept < opened.compacted) this.#sweep(opened.compacted).catch(() => undefined);
  }

  async get(key: string, { revision }: { readonly revision?: Revision } = {}): Promise<Reading> {
    this.#refuseWhenClosed();
    checkKey(key);
    if (revision !== undefined) checkRevision(revision);
    const reading = await this.#link.call('get', { key, revision });
    return { entry: this.#entry(reading.entry), revision: reading.revision };
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Listing> {
    this.#refuseWhenClosed();
    checkPrefix(prefix);
    checkStoreListOptions(options);
    const { limit = Infinity, after, revision } = options;
    const release = this.#holds.hold(revision ?? this.#revision);
    try {
      const entries: Entry[] = [];
      let part = await this.#link.call('list', { prefix, after, revision, limit, underway: false });
      while (part.remaining === undefined) {
        const rest = {
          prefix,
          after: part.entries.at(-1)?.[0],
          revision: part.revision,
          limit: limit - entries.length - part.entries.length,
        };
        // Read while this one is decoded.
        const next = this.#link.call('list', { ...rest, underway: true });
        next.catch(() => undefined); // in case decoding fails first
        for (const entry of part.entries) entries.push(this.#codec.decode(entry));
        part = await next;
      }
      for (const entry of part.entries) entries.push(this.#codec.decode(entry));
      return { entries, revision: part.revision, remaining: part.remaining };
    } finally {
      release();
    }
  }

  async commit(transaction: Transaction): Promise<Outcome> {
    this.#refuseWhenClosed();
    checkTransaction(transaction);
    for (const { lease } of transaction.put ?? []) if (lease !== undefined) this.#leases.find(lease);
    const { write, bytes, batch } = prepareTransaction(transaction, {
      codec: this.#codec,
      watches: this.#watches,
      recent: this.#recent,
    });
    const outcome = await this.#write(write, bytes, (settled) => {
      if (settled[0] !== 'committed') return;
      const [, revision, replaced] = settled;
      this.#advance(revision, replaced === null ? undefined : () => batch(revision, replaced));
    });
    switch (outcome[0]) {
      case 'committed':
        return { committed: true, revision: outcome[1] };
      case 'failed':
        return { committed: false, revision: outcome[1], found: outcome[2].map((found) => this.#entry(found)) };
      default:
        throw refusal(outcome);
    }
  }

  watch(prefix: string, { after }: StoreWatchOptions = {}): Observable<Batch> {
    return new Observable((subscriber) => {
      try {
        checkPrefix(prefix);
        if (after !== undefined) checkAfter(after);
        if (this.#failure !== undefined) throw this.#failure;
      } catch (error) {
        subscriber.error(error);
        return undefined;
      }
      if (this.#closing === undefined) return this.#watches.add(subscriber, prefix, after);
      subscriber.complete();
      return undefined;
    });
  }

  async revision(): Promise<Revision> {
    this.#refuseWhenClosed();
    return Promise.resolve(this.#revision);
  }

  async requestProgress(): Promise<void> {
    this.#refuseWhenClosed();
    await this.#watches.progress(this.#revision);
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseWhenClosed();
    checkRevision(revision);
    await this.#link.call('compact', { revision });
    await this.#sweep(revision);
  }

  async grantLease(ttlMs: number): Promise<LeaseId> {
    this.#refuseWhenClosed();
    checkTtl(ttlMs);
    const outcome = await this.#write(['grant', ttlMs], 0);
    if (outcome[0] !== 'granted') throw refusal(outcome);
    this.#leases.restore({ id: outcome[1], ttlMs, endsAtMs: this.#clock.now() + ttlMs });
    return outcome[1];
  }

  async renewLease(lease: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    this.#leases.renew(lease);
    return Promise.resolve();
  }

  async revokeLease(id: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    const lease = this.#leases.find(id);
    this.#leases.revoke(id);
    try {
      await this.#endLease(id);
    } catch (error) {
      this.#leases.restore(lease);
      throw error;
    }
  }

  /** Copies the store to a file. One after the other. */
  async backup(path: string): Promise<void> {
    this.#refuseWhenClosed();
    const target = checkPath(path);
    const backup = this.#backups.then(() => this.#backup(target));
    this.#backups = backup.catch(() => undefined);
    await backup;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** The worker died. */
  fail(error: StoreError): void {
    if (this.#closing !== undefined) return;
    this.#failure = error;
    this.#leases.close();
    this.#watches.fail(error);
  }

  async #close(): Promise<void> {
    this.#leases.close();
    // Behind the writes taken so far, which are still answered; whatever is asked later is refused.
    this.#writes.flush();
    const closed = this.#failure === undefined ? this.#link.close() : this.#link.ended;
    await this.#watches.complete();
    await closed;
  }

  #refuseWhenClosed(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed');
  }

  /** Has something written. `settle` is called before any later answer of the worker is looked at. */
  #write(write: GroupedWrite, bytes: number, settle?: (outcome: WriteOutcome) => void): Promise<WriteOutcome> {
    return new Promise((resolve, failed) => {
      const settled = (outcome: WriteOutcome): void => {
        settle?.(outcome);
        resolve(outcome);
      };
      this.#writes.add({ write, bytes, settled, failed });
    });
  }

  /** A revision is durable: now it may be seen. */
  #advance(revision: Revision, batch?: () => Batch): void {
    this.#revision = revision;
    if (batch === undefined || this.#watches.isEmpty) return;
    try {
      const made = batch();
      if (made.changes.length > 0) this.#watches.publish(made);
    } catch (error) {
      // An entry it replaced cannot be read. The commit stands, but it cannot be delivered to the watches.
      this.#watches.fail(error);
    }
  }

  /** An entry that may well be written next. */
  #entry(stored: StoredEntry | null): Entry | undefined {
    const entry = this.#codec.decodeIf(stored);
    if (entry !== undefined && !this.#watches.isEmpty) this.#recent.keep(entry, stored?.[1].length ?? 0);
    return entry;
  }

  #runOut(lease: LeaseId): void {
    this.#endLease(lease).catch(() => {
      if (this.#closing !== undefined || this.#failure !== undefined) return;
      this.#leases.restore({ id: lease, ttlMs: leaseRetryMs, endsAtMs: this.#clock.now() + leaseRetryMs });
    });
  }

  async #endLease(lease: LeaseId): Promise<void> {
    const outcome = await this.#write(['end', lease], 0, (settled) => {
      if (settled[0] !== 'ended') return;
      const [, revision, deleted] = settled;
      this.#advance(revision, () => endedBatch(this.#codec, revision, deleted));
    });
    if (outcome[0] !== 'ended') throw refusal(outcome);
  }

  /** Deletes compacted rows in slices, as soon as no read needs them. */
  async #sweep(upTo: Revision): Promise<void> {
    for (let more = true; more;) {
      await this.#holds.free(upTo);
      ({ more } = await this.#link.call('sweep', { upTo }));
    }
  }

  async #backup(path: string): Promise<void> {
    const release = this.#holds.hold(0);
    try {
      await this.#link.call('backup', { path });
      for (let more = true; more;) ({ more } = await this.#link.call('copy', {}));
    } finally {
      release();
    }
  }
}

function refusal(outcome: WriteOutcome): StoreError {
  if (outcome[0] === 'refused') return fromWire(outcome[1]);
  return new StoreError('unknown-outcome', `the worker answered something else than was asked: ${outcome[0]}`);
}
