// Compaction, in three steps that each survive a crash: the mark, durable before it counts, from which on older
// revisions are refused; the sweep, which takes away the rows that nothing left needs; and giving the space back. The
// last two go in slices of some milliseconds, one a request, so that commits get their turn in between.
//
// Worked example, compacting at 5 (`↑` is what a row replaced):
//
//     revision   2        3          4         5          6
//     row        put a    put b      put a ↑2  delete b ↑3   put b
//     swept               (5 ↑3)               (5 itself)            and 2, which 4 replaced
//     left                           put a                put b
import { checkNotFuture } from '../check-input.js';
import type { Revision } from '../store.js';
import { numberOf, type Database, type Statement } from './open-database.js';
import type { LogTable } from './log-table.js';

/** Revisions swept in one slice. */
const sliceRevisions = 128;

/** Pages given back in one slice. */
const slicePages = 256;

/** The free pages that are kept for what comes next: a fifth of the file, and 2 MiB in any case. */
const keptShare = 0.2;
const keptPages = 256;

/** Compacts a log. */
export class Sweep {
  readonly #log: LogTable;
  readonly #database: Database;
  readonly #mark: Statement;
  readonly #deleteReplaced: Statement;
  readonly #deleteDeletes: Statement;
  readonly #markSwept: Statement;
  /** Whether pages were given back that the file still has, until the next checkpoint. */
  #shrunk = false;
  /** Whether rows were deleted since the last checkpoint. */
  #hasSwept = false;

  constructor(database: Database, log: LogTable) {
    this.#log = log;
    this.#database = database;
    const slice = 'id >= (? + 1) << 20 AND id < (? + 1) << 20';
    this.#mark = database.prepare('UPDATE state SET compacted = ?');
    this.#deleteReplaced = database.prepare(
      `DELETE FROM log WHERE id IN (SELECT previous FROM log WHERE ${slice} AND previous IS NOT NULL)`,
    );
    this.#deleteDeletes = database.prepare(`DELETE FROM log WHERE ${slice} AND id & 1 = 1`);
    this.#markSwept = database.prepare('UPDATE state SET swept = ?');
  }

  /** Refuses from now on what is older than the revision. */
  mark(revision: Revision): void {
    checkNotFuture(revision, { oldest: this.#log.compacted, newest: this.#log.revision });
    if (revision <= this.#log.compacted) return;
    this.#mark.run(revision);
    this.#log.compacted = revision;
  }

  /** Does a slice of the work and returns whether there is more. */
  step(upTo: Revision): boolean {
    const { swept, compacted } = this.#log;
    if (swept < Math.min(upTo, compacted)) {
      this.#sweep(swept, Math.min(upTo, compacted, swept + sliceRevisions));
      return true;
    }
    const excess = this.#excessPages();
    if (excess > 0) {
      this.#database.exec(`PRAGMA incremental_vacuum(${Math.min(excess, slicePages)})`);
      this.#shrunk = true;
      return true;
    }
    // The file gets shorter when the write-ahead log is copied into it; then the log needs no space either.
    if (this.#shrunk || this.#hasSwept) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#shrunk = false;
    this.#hasSwept = false;
    return false;
  }

  #sweep(after: Revision, upTo: Revision): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#deleteReplaced.run(after, upTo);
      this.#deleteDeletes.run(after, upTo);
      this.#markSwept.run(upTo);
      this.#database.exec('COMMIT');
    } catch (error) {
      try {
        this.#database.exec('ROLLBACK');
      } catch {
        // SQLite rolled back by itself.
      }
      throw error;
    }
    this.#log.swept = upTo;
    this.#hasSwept = true;
  }

  #excessPages(): number {
    const free = numberOf(this.#database.prepare('PRAGMA freelist_count').get() ?? {}, 'freelist_count');
    const pages = numberOf(this.#database.prepare('PRAGMA page_count').get() ?? {}, 'page_count');
    return free - Math.ceil(Math.max(keptPages, pages * keptShare));
  }
}
