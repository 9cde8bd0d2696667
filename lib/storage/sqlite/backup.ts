// A copy of the store in a file of its own, made while writers go on: all rows up to the revision at which it began, a
// slice a request. The copy is a database like any other; to open it is to restore it. Runs in the worker.
//
// Copied by rows rather than by pages, for VACUUM INTO would hold up commits until it is done, and not every SQLite we
// run on offers the backup by steps. It has another name until it is complete and on the disk, so a file with the name
// that was requested is a whole backup whatever happened meanwhile.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Revision } from '../store.js';
import { StoreError } from '../store-error.js';
import { createTables, numberOf, pageBytes, type Database } from './open-database.js';
import { fromSqlite } from './sqlite-error.js';

/** Rows copied in one slice. */
const sliceRows = 200;

/** A backup under way. */
export interface Backup {
  /** Copies a slice and returns whether there is more. */
  step(): boolean;
  /** Gives up and removes what was copied. */
  abandon(): void;
}

/** Begins a backup of all up to a revision. Nothing may be swept before it ends. */
export function beginBackup(database: Database, path: string, upTo: Revision): Backup {
  if (existsSync(path))
    throw new StoreError('invalid', `${path}: there is a file of this name, and a backup replaces none`);
  const partial = `${path}.partial`;
  let attached = false;

  const abandon = (): void => {
    if (attached) database.exec('DETACH DATABASE copy');
    attached = false;
    rmSync(partial, { force: true });
  };

  /** Whatever fails, nothing is left behind. */
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      abandon();
      throw fromSqlite(error, partial);
    }
  };

  attempt(() => {
    createFile(partial);
    database.prepare('ATTACH DATABASE ? AS copy').run(partial);
    attached = true;
    // A crash spoils the copy, and that is what its other name is for.
    database.exec(`
      PRAGMA copy.page_size = ${pageBytes}; PRAGMA copy.auto_vacuum = INCREMENTAL;
      PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF;
    `);
    createTables(database, 'copy');
    database.exec(`
      DELETE FROM copy.state; INSERT INTO copy.state SELECT * FROM main.state; INSERT INTO copy.lease SELECT * FROM main.lease;
    `);
  });

  const finish = (): void => {
    database.exec('DETACH DATABASE copy');
    attached = false;
    sync(partial);
    renameSync(partial, path);
    sync(dirname(path));
  };

  return {
    step: () =>
      attempt(() => {
        database.exec(`
          INSERT INTO copy.log SELECT * FROM main.log
          WHERE id > (SELECT coalesce(max(id), 0) FROM copy.log) AND id < (${upTo} + 1) << 20 ORDER BY id LIMIT ${sliceRows}
        `);
        const more = numberOf(database.prepare('SELECT changes() AS copied').get() ?? {}, 'copied') === sliceRows;
        if (!more) finish();
        return more;
      }),
    abandon,
  };
}

function createFile(path: string): void {
  try {
    rmSync(path, { force: true }); // of a backup that a crash cut short
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw new StoreError('unavailable', `${path}: the file cannot be created (${String(error)})`, { cause: error });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
