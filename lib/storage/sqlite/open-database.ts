// Opens the file of a store: chooses the SQLite at hand, keeps everyone else out, and makes sure that the file is ours
// before anything in it is changed. Runs in the worker.
//
// The lock is SQLite's own, in exclusive mode: it is taken before the first read, belongs to the process and goes with
// it, whatever kills it. Exclusive mode also keeps the index of the write-ahead log in memory instead of a shared file.
import { closeSync, existsSync, openSync } from 'node:fs';
import process from 'node:process';
import { StoreError } from '../store-error.js';
import type { DatabaseOptions } from './protocol.js';
import { fromSqlite } from './sqlite-error.js';

/** What goes into a statement. */
export type SqlValue = string | number | null | Uint8Array;

/** What comes out of one. Read it with `textOf` and `numberOf`. */
export type Row = Readonly<Record<string, unknown>>;

/** A prepared statement. */
export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): Iterable<Row>;
}

/** A connection, of `node:sqlite` or of the package that stands in for it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Marks our files (`file` calls it the application id): "vivm". */
const applicationId = 0x7669766d;
/** The layout of the tables. A later version that changes it reads older ones and raises this number. */
const layoutVersion = 1;

/**
 * 8 KiB hold three pods, where 4 KiB would hold one and waste a third: a commit costs a quarter less CPU, and files are
 * a seventh smaller.
 */
export const pageBytes = 8192;

/**
 * How long the write-ahead log gets before it is copied into the file: 32 MiB. That is done in the worker, within a
 * commit that takes some 50 ms then. Half of it would take 35 ms and cost a tenth of all throughput, since a page that
 * is written again and again is copied once.
 */
const checkpointPages = 4096;

/**
 * The tables. A row of `log` is one change; its id is `revision · 2^20 + 2 · position in the revision`, plus 1 for a
 * delete. So the table itself is the history in order, and the newest id of a key gives the whole
 * key but its value. A value is JSON text, or bytes where a transformer made them. `previous` is the row it replaced,
 * unless the key was absent: the value before for watchers, and what compaction takes away.
 *
 * The index has the create revision for commits without watchers: they read the index only, which
 * saves a quarter of their time. Since it never falls from row to row of a key, it does not disturb the order by id.
 */
const tables = `
  CREATE TABLE log (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, previous INTEGER, lease TEXT, value ANY
  ) STRICT;
  CREATE INDEX log_key ON log (key, created);
  CREATE INDEX log_lease ON log (lease) WHERE lease IS NOT NULL;
  CREATE TABLE lease (id TEXT PRIMARY KEY, ttl_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE state (compacted INTEGER NOT NULL, swept INTEGER NOT NULL, leases_granted INTEGER NOT NULL) STRICT;
`;

/** Opens the file, makes it if it is not there, and locks it. Throws StoreError. */
export async function openDatabase({ path, bytesMax, check }: DatabaseOptions): Promise<Database> {
  const DatabaseSync = await databaseClass();
  let database: Database | undefined;
  try {
    createFile(path);
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const fresh = isFresh(database, path);
    // Has to stand before the first write; the pages of a file that has any stay as they are.
    if (fresh) database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${checkpointPages};
      PRAGMA journal_size_limit = ${2 * checkpointPages * pageBytes};
      PRAGMA cache_size = -16384;
    `);
    if (bytesMax !== undefined)
      database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(bytesMax / pageBytes))}`);
    // Also takes the lock of a file that is not fresh, which reading alone does not.
    database.exec('BEGIN IMMEDIATE');
    if (fresh) createTables(database, 'main');
    database.exec('COMMIT');
    if (!fresh && check) checkStructure(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw fromSqlite(error, path);
  }
}

/**
 * Throws `corrupt` with SQLite's first finding where pages, rows or the tables themselves are damaged. Reads the whole
 * file: about a second for 500 MB. Values are not looked into.
 */
function checkStructure(database: Database, path: string): void {
  const found = textValue(database.prepare('PRAGMA quick_check(1)').get() ?? {}, 'quick_check');
  if (found !== 'ok') throw new StoreError('corrupt', `${path}: the file is damaged (${found.replaceAll('\n', ' ')})`);
}

/** Lays out the tables in an empty database of the connection. */
export function createTables(database: Database, name: 'main' | 'copy'): void {
  database.exec(tables.replace(/(TABLE|INDEX) /g, `$1 ${name}.`));
  database.exec(`INSERT INTO ${name}.state VALUES (0, 0, 0)`);
  database.exec(`PRAGMA ${name}.application_id = ${applicationId}; PRAGMA ${name}.user_version = ${layoutVersion}`);
}

/** A column that has to be text. */
export function textValue(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new StoreError('corrupt', `column ${column} is ${typeof value}, not text`);
  return value;
}

/** A column that has to be a number. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new StoreError('corrupt', `column ${column} is ${typeof value}, not a number`);
  return value;
}

type DatabaseClass = new (path: string) => Database;

async function databaseClass(): Promise<DatabaseClass> {
  // Asked for by function, not by import: a bundler would try to resolve it, and Node 20 has none.
  const builtin: unknown = process.getBuiltinModule('node:sqlite');
  if (hasDatabaseClass(builtin)) return builtin.DatabaseSync;
  try {
    const standIn: unknown = await import('@photostructure/sqlite');
    if (hasDatabaseClass(standIn)) return standIn.DatabaseSync;
  } catch (error) {
    const advice = 'install the package @photostructure/sqlite, or use Node 22.13 or later, which has SQLite built in';
    throw new StoreError('unavailable', `there is no SQLite in Node ${process.versions.node}: ${advice}`, {
      cause: error,
    });
  }
  throw new StoreError('unavailable', 'the package @photostructure/sqlite has no DatabaseSync');
}

function hasDatabaseClass(module: unknown): module is { readonly DatabaseSync: DatabaseClass } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  );
}

/**
 * Secrets are in it, so only its owner may read it; SQLite gives the write-ahead log the same mode. Never opens a file
 * that is there: closing it again would release the lock of another store of this process (POSIX locks do that).
 */
function createFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return; // another process was faster
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new StoreError('unavailable', `${path}: the file cannot be created (${reason})`, { cause: error });
  }
}

/** Returns whether the file is empty. Throws for a database of another application. */
function isFresh(database: Database, path: string): boolean {
  const pragma = (name: string): number => numberOf(database.prepare(`PRAGMA ${name}`).get() ?? {}, name);
  const [id, version, pages] = [pragma('application_id'), pragma('user_version'), pragma('page_count')];
  if (pages === 0) return true;
  // A file without tables is ours if its header fields match; otherwise it is an empty database of another application,
  // which looks the same from a file of ours whose first commit never happened, for the marks are part of that commit.
  const tablesThere = numberOf(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {}, 'tables');
  if (id === 0 && version === 0 && tablesThere === 0) return true;
  if (id !== applicationId) throw new StoreError('invalid', `${path}: this is a database of another program`);
  if (version > layoutVersion) {
    throw new StoreError(
      'invalid',
      `${path}: written by a later version of this library (layout ${version}, this one knows ${layoutVersion})`,
    );
  }
  return false;
}
