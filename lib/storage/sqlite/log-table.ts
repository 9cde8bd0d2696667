// The log of an open database: what can be read from it, and how a change is appended. Lives in the worker. Every read
// is of a revision, so a read that takes several requests sees one state however many commits come between them.
//
// Ids are made and taken apart in SQL, for they outgrow the whole numbers of JavaScript; here a row is named by its
// revision and its slot, the low 20 bits. Parameters have no numbers, because Node 22.13 takes `?1` for a name.
import { Buffer } from 'node:buffer';
import { checkReadable } from '../check-input.js';
import type { Revision } from '../store.js';
import { StoreError } from '../store-error.js';
import type { StoredEntry, StoredValue } from '../value-codec.js';
import { numberOf, textValue, type Database, type Row, type Statement } from './open-database.js';
import type { WireChange } from './protocol.js';

/** Names a row. */
export interface RowId {
  readonly revision: Revision;
  readonly slot: number;
}

/** The newest row of a key that is there. */
export interface Head extends RowId {
  readonly createRevision: Revision;
}

/** A change to append. */
export interface Appended {
  readonly revision: Revision;
  /** Its place among the changes of the revision. */
  readonly position: number;
  readonly key: string;
  /** What it replaces. */
  readonly previous: Head | undefined;
  readonly lease: string | null;
  /** Null for a delete. */
  readonly value: StoredValue | null;
}

/** The keys from one text up to another, both as UTF-8: that is how SQLite compares them. */
export interface Utf8Range {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** The most changes a revision can have, which only the end of a huge lease comes near to. */
export const changesOfRevisionMax = 524_288;

/** The log and its state in memory, which the owner keeps equal to what is durable. */
export class LogTable {
  /** The newest durable revision. */
  revision: Revision;
  /** The oldest that may be read, 0 while nothing is gone. */
  compacted: Revision;
  /** Up to where what was compacted is gone. */
  swept: Revision;

  readonly #head: Statement;
  readonly #headAt: Statement;
  readonly #row: Statement;
  readonly #append: Statement;
  readonly #page: Statement;
  readonly #count: Statement;
  readonly #growth: Statement;
  readonly #replay: Statement;

  constructor(database: Database) {
    const newest = database.prepare('SELECT max(id) >> 20 AS revision FROM log').get()?.revision;
    const state = database.prepare('SELECT compacted, swept FROM state').get() ?? {};
    this.compacted = numberOf(state, 'compacted');
    this.swept = numberOf(state, 'swept');
    // The rows of the newest revision may be gone, if it was compacted and had nothing but deletes.
    this.revision = Math.max(typeof newest === 'number' ? newest : 1, this.compacted);

    const head = 'SELECT id >> 20 AS revision, id & 0xfffff AS slot, created FROM log WHERE key = ?';
    const newestFirst = 'ORDER BY created DESC, id DESC LIMIT 1';
    this.#head = database.prepare(`${head} ${newestFirst}`);
    this.#headAt = database.prepare(`${head} AND created <= ? AND id < (? + 1) << 20 ${newestFirst}`);
    this.#row = database.prepare(
      'SELECT key, value, created, id >> 20 AS revision, lease FROM log WHERE id = (? << 20) + ?',
    );
    this.#append = database.prepare(`
      INSERT INTO log (id, key, created, previous, lease, value) VALUES ((? << 20) + ?, ?, ?, (? << 20) + ?, ?, ?)
    `);
    const present = `
      FROM log WHERE key >= CAST(? AS TEXT) AND key < CAST(? AS TEXT) AND id < (? + 1) << 20
      GROUP BY key HAVING max(id) & 1 = 0
    `;
    this.#page = database.prepare(
      `SELECT max(id) >> 20 AS revision, max(id) & 0xfffff AS slot ${present} ORDER BY key LIMIT ?`,
    );
    this.#count = database.prepare(`SELECT count(*) AS count FROM (SELECT 1 ${present})`);
    this.#growth = database.prepare(`
      SELECT count(*) FILTER (WHERE id & 1 = 0 AND created = id >> 20) - count(*) FILTER (WHERE id & 1 = 1) AS growth
      FROM log WHERE id >= (? + 1) << 20 AND id < (? + 1) << 20 AND +key >= CAST(? AS TEXT) AND +key < CAST(? AS TEXT)
    `);
    // The plus keeps the planner from the index by key: rows are wanted in the order of the table.
    this.#replay = database.prepare(`
      SELECT log.key, log.value, log.created, log.id >> 20 AS revision, log.lease, log.id & 1 AS deleted,
        before.value AS before_value, before.created AS before_created, before.id >> 20 AS before_revision, before.lease AS before_lease
      FROM log LEFT JOIN log AS before ON before.id = log.previous
      WHERE log.id >= (? + 1) << 20 AND log.id < (? + 1) << 20 AND +log.key >= CAST(? AS TEXT) AND +log.key < CAST(? AS TEXT)
      ORDER BY log.id
    `);
  }

  /** Refuses a revision that cannot be read: one still to come, or gone; for a read under way, one that is swept. */
  check(revision: Revision, underway = false): void {
    checkReadable(revision, { oldest: underway ? this.swept : this.compacted, newest: this.revision });
  }

  /** Where a key stands, in a transaction of SQLite with its uncommitted changes; undefined when it is absent. */
  head(key: string): Head | undefined {
    return present(this.#head.get(key));
  }

  /** The same at a revision. */
  headAt(key: string, revision: Revision): Head | undefined {
    return present(this.#headAt.get(key, revision, revision));
  }

  /** What a key held. */
  entry({ revision, slot }: RowId): StoredEntry {
    const row = this.#row.get(revision, slot);
    if (row === undefined) throw new StoreError('corrupt', `the log lacks row ${slot} of revision ${revision}`);
    return entryOf(row);
  }

  /** Adds a change. Part of a transaction of SQLite that the caller began. */
  append({ revision, position, key, previous, lease, value }: Appended): void {
    const slot = 2 * position + (value === null ? 1 : 0);
    const created = previous?.createRevision ?? revision;
    this.#append.run(revision, slot, key, created, previous?.revision ?? null, previous?.slot ?? null, lease, value);
  }

  /** Where the first keys of a range stand at a revision, in their order. */
  page({ from, to }: Utf8Range, revision: Revision, limit: number): RowId[] {
    return this.#page
      .all(from, to, revision, limit)
      .map((row) => ({ revision: numberOf(row, 'revision'), slot: numberOf(row, 'slot') }));
  }

  /** How many keys a range has at a revision. */
  count({ from, to }: Utf8Range, revision: Revision): number {
    return numberOf(this.#count.get(from, to, revision) ?? {}, 'count');
  }

  /**
   * How many keys more a range has at a later revision than at an earlier one, which is not older than the compacted.
   */
  growth({ from, to }: Utf8Range, earlier: Revision, later: Revision): number {
    return numberOf(this.#growth.get(earlier, later, from, to) ?? {}, 'growth');
  }

  /** What happened after one revision and up to another. Of each revision all or nothing, so stopping early is safe. */
  *replay({ from, to }: Utf8Range, after: Revision, upTo: Revision): Generator<[Revision, WireChange[]]> {
    let batch: [Revision, WireChange[]] | undefined;
    for (const row of this.#replay.iterate(after, upTo, from, to)) {
      const revision = numberOf(row, 'revision');
      if (batch?.[0] !== revision) {
        if (batch !== undefined) yield batch;
        batch = [revision, []];
      }
      batch[1].push(changeOf(row));
    }
    if (batch !== undefined) yield batch;
  }
}

/** The keys that begin with a prefix, or of these those after a key. */
export function keyRange(prefix: string, after?: string): Utf8Range {
  const encoder = new TextEncoder();
  // All keys are above a zero byte and below FF; an empty array would be taken for NULL.
  const start = prefix === '' ? Uint8Array.of(0) : encoder.encode(prefix);
  // No byte of UTF-8 is above F4, so raising the last one gives what comes after all that begin with the prefix.
  const to = prefix === '' ? Uint8Array.of(0xff) : start.with(-1, (start.at(-1) ?? 0) + 1);
  // Nothing lies between a key and the same with a zero behind it.
  const next = after === undefined ? start : encoder.encode(`${after}\0`);
  return { from: Buffer.compare(next, start) > 0 ? next : start, to };
}

function present(row: Row | undefined): Head | undefined {
  if (row === undefined) return undefined;
  const slot = numberOf(row, 'slot');
  // The lowest bit marks a delete.
  return slot % 2 === 1
    ? undefined
    : { revision: numberOf(row, 'revision'), slot, createRevision: numberOf(row, 'created') };
}

function entryOf(row: Row): StoredEntry {
  return [
    textValue(row, 'key'),
    valueOf(row, 'value'),
    numberOf(row, 'created'),
    numberOf(row, 'revision'),
    leaseOf(row, 'lease'),
  ];
}

function changeOf(row: Row): WireChange {
  const previous: StoredEntry | null =
    row.before_revision === null
      ? null
      : [
          textValue(row, 'key'),
          valueOf(row, 'before_value'),
          numberOf(row, 'before_created'),
          numberOf(row, 'before_revision'),
          leaseOf(row, 'before_lease'),
        ];
  return [numberOf(row, 'deleted') === 1 ? null : entryOf(row), previous];
}

function leaseOf(row: Row, column: string): string | null {
  return row[column] === null ? null : textValue(row, column);
}

function valueOf(row: Row, column: string): StoredValue {
  const value = row[column];
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new StoreError('corrupt', `column ${column} holds no value`);
}
