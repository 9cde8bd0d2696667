// Group commit: many writes, one transaction of SQLite, one fsync, and no answer before it. The writes are decided one
// after the other, each seeing what those before it changed, so a batch is a history like any other. Runs in the
// worker.
//
// A batch that fails is rolled back as a whole, and all its writes are refused. Only when the COMMIT itself fails for
// another reason than lack of space is the outcome unknown: then what was thrown ends the worker.
import type { Revision } from '../store.js';
import { StoreError } from '../store-error.js';
import type { StoredEntry } from '../value-codec.js';
import type { Database, Statement } from './open-database.js';
import { numberOf, textValue } from './open-database.js';
import type { Replaced, WireTransaction, GroupedWrite, WriteOutcome } from './protocol.js';
import { changesOfRevisionMax, type Head, type LogTable } from './log-table.js';
import { fromSqlite, isFull, toWire } from './sqlite-error.js';

/** Commits batches. */
export class GroupCommit {
  readonly #log: LogTable;
  readonly #path: string;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #lease: Statement;
  readonly #grant: Statement;
  readonly #countGrant: Statement;
  readonly #endLease: Statement;
  readonly #held: Statement;
  /** The newest revision within the batch. */
  #revision: Revision;

  constructor(database: Database, log: LogTable, path: string) {
    this.#log = log;
    this.#path = path;
    this.#revision = log.revision;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#lease = database.prepare('SELECT ttl_ms FROM lease WHERE id = ?');
    this.#countGrant = database.prepare(
      'UPDATE state SET leases_granted = leases_granted + 1 RETURNING leases_granted AS number',
    );
    this.#grant = database.prepare('INSERT INTO lease (id, ttl_ms) VALUES (?, ?)');
    this.#endLease = database.prepare('DELETE FROM lease WHERE id = ? RETURNING id');
    // A key belongs to the lease of its newest row only.
    this.#held = database.prepare(`
      SELECT key FROM log AS held WHERE lease = ?
      AND NOT EXISTS (SELECT 1 FROM log WHERE log.key = held.key AND log.created >= held.created AND log.id > held.id)
      ORDER BY key
    `);
  }

  /** Decides the writes, makes them durable and reports the outcome of each. */
  commit(writes: readonly GroupedWrite[]): WriteOutcome[] {
    try {
      this.#begin.run();
      this.#revision = this.#log.revision;
      const outcomes = writes.map((write) => this.#decide(write));
      this.#finish();
      this.#log.revision = this.#revision;
      return outcomes;
    } catch (error) {
      if (error instanceof UnknownOutcome) throw error;
      this.#undo();
      const wire = toWire(fromSqlite(error, this.#path));
      if (wire === undefined) throw error;
      return writes.map(() => ['refused', wire]);
    }
  }

  #finish(): void {
    try {
      this.#commit.run();
    } catch (error) {
      // Out of space before the last page was written: SQLite takes back what it wrote.
      if (isFull(error)) throw error;
      throw new UnknownOutcome(`${this.#path}: whether a commit is durable could not be found out`, { cause: error });
    }
  }

  #undo(): void {
    try {
      this.#rollback.run();
    } catch {
      // SQLite rolled back by itself, as it does when it runs out of space or the disk fails.
    }
  }

  #decide(write: GroupedWrite): WriteOutcome {
    try {
      switch (write[0]) {
        case 'transaction':
          return this.#transact(write);
        case 'grant':
          return this.#grantLease(write[1]);
        case 'end':
          return this.#end(write[1]);
      }
    } catch (error) {
      // Refusals are thrown before anything is written; whatever else fails, fails the batch.
      if (error instanceof Refusal) return ['refused', error.wire];
      throw error;
    }
  }

  #transact([, compare, put, remove, watched]: WireTransaction): WriteOutcome {
    const heads = compare.map(([key]) => this.#log.head(key));
    if (compare.some(([, modRevision], index) => (heads[index]?.revision ?? 0) !== modRevision)) {
      return ['failed', this.#revision, heads.map((head) => this.#entry(head))];
    }
    for (const [, , lease] of put) if (lease !== null && this.#lease.get(lease) === undefined) throw new Refusal(lease);
    // Most transactions write the one key they compare.
    const headOf = (key: string): Head | undefined =>
      compare.length === 1 && compare[0]?.[0] === key ? heads[0] : this.#log.head(key);
    const revision = this.#revision + 1;
    const replaced: Replaced[] = [];
    let position = 0;
    for (const [key, value, lease, known] of put) {
      const previous = headOf(key);
      this.#log.append({ revision, position: position++, key, previous, lease, value });
      if (watched) replaced.push(previous?.revision === known ? 'known' : this.#entry(previous));
    }
    for (const [key, known] of remove) {
      const previous = headOf(key);
      if (previous !== undefined)
        this.#log.append({ revision, position: position++, key, previous, lease: null, value: null });
      if (watched) replaced.push(previous?.revision === known ? 'known' : this.#entry(previous));
    }
    if (position > 0) this.#revision = revision;
    return ['committed', this.#revision, watched ? replaced : null];
  }

  #grantLease(ttlMs: number): WriteOutcome {
    // Numbered, so that a lease never has the name of one that ended.
    const lease = numberOf(this.#countGrant.get() ?? {}, 'number')
      .toString(16)
      .padStart(16, '0');
    this.#grant.run(lease, ttlMs);
    return ['granted', lease];
  }

  #end(lease: string): WriteOutcome {
    if (this.#endLease.get(lease) === undefined) throw new Refusal(lease);
    const keys = this.#held.all(lease).map((row) => textValue(row, 'key'));
    if (keys.length > changesOfRevisionMax) throw new StoreError('too-large', `lease ${lease} has ${keys.length} keys`);
    const revision = this.#revision + 1;
    const deleted = keys.map((key, position) => {
      const previous = this.#log.head(key);
      if (previous === undefined) throw new StoreError('corrupt', `key ${key} of lease ${lease} is not there`);
      this.#log.append({ revision, position, key, previous, lease: null, value: null });
      return this.#log.entry(previous);
    });
    if (keys.length > 0) this.#revision = revision;
    return ['ended', this.#revision, deleted];
  }

  #entry(head: Head | undefined): StoredEntry | null {
    return head === undefined ? null : this.#log.entry(head);
  }
}

/** Whether a commit happened is not known, so the worker must not go on. */
class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** A lease is not there. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly wire: { readonly code: 'lease-not-found'; readonly message: string };

  constructor(lease: string) {
    super();
    this.wire = { code: 'lease-not-found', message: `there is no lease ${JSON.stringify(lease.slice(0, 64))}` };
  }
}
