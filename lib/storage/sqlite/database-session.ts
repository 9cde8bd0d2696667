// An open database and what can be asked of it: every call of the protocol, by name. Lives in the worker; knows nothing
// of messages.
import { beginBackup, type Backup } from './backup.js';
import { GroupCommit } from './group-commit.js';
import { numberOf, openDatabase, textValue, type Database } from './open-database.js';
import type { Calls, DatabaseOptions, Opened, WorkerRequest, GroupedWrite, WriteOutcome } from './protocol.js';
import { Lister, replayHistory } from './read-parts.js';
import { LogTable } from './log-table.js';
import { fromSqlite } from './sqlite-error.js';
import { Sweep } from './sweep.js';

/** A request other than those that the worker itself attends to. */
export type SessionRequest = Exclude<WorkerRequest, { readonly call: 'open' | 'write' }>;

/** An open database. */
export class DatabaseSession {
  readonly #database: Database;
  readonly #path: string;
  readonly #log: LogTable;
  readonly #commits: GroupCommit;
  readonly #lister: Lister;
  readonly #sweep: Sweep;
  #backup: Backup | undefined;

  /** Opens the file, makes it if it is not there, and locks it. */
  static async open(options: DatabaseOptions): Promise<DatabaseSession> {
    return new DatabaseSession(await openDatabase(options), options.path);
  }

  private constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    try {
      this.#log = new LogTable(database);
      this.#commits = new GroupCommit(database, this.#log, path);
      this.#lister = new Lister(this.#log);
      this.#sweep = new Sweep(database, this.#log);
    } catch (error) {
      database.close();
      throw fromSqlite(error, path);
    }
  }

  /** What was found in the file. */
  opened(): Opened {
    const leases = this.#database.prepare('SELECT id, ttl_ms FROM lease ORDER BY id').all();
    return {
      revision: this.#log.revision,
      leases: leases.map((row) => [textValue(row, 'id'), numberOf(row, 'ttl_ms')]),
      compacted: this.#log.compacted,
      swept: this.#log.swept,
    };
  }

  /** Commits writes together. */
  commit(writes: readonly GroupedWrite[]): readonly WriteOutcome[] {
    return this.#commits.commit(writes);
  }

  /** Returns a request. Throws a StoreError, or what ends the worker. */
  answer(request: SessionRequest): unknown {
    try {
      return this.#answer(request);
    } catch (error) {
      throw fromSqlite(error, this.#path);
    }
  }

  #answer(request: SessionRequest): Calls[SessionRequest['call']]['answer'] {
    switch (request.call) {
      case 'get':
        return this.#get(request.ask);
      case 'list':
        return this.#lister.list(request.ask);
      case 'replay':
        return replayHistory(this.#log, request.ask);
      case 'compact':
        this.#sweep.mark(request.ask.revision);
        return {};
      case 'sweep':
        return { more: this.#sweep.step(request.ask.upTo) };
      case 'backup':
        this.#backup = beginBackup(this.#database, request.ask.path, this.#log.revision);
        return { revision: this.#log.revision };
      case 'copy':
        return { more: this.#backup?.step() ?? false };
      case 'close':
        this.#close();
        return {};
    }
  }

  #close(): void {
    this.#backup?.abandon();
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk is full. What is in the write-ahead log is durable there, and found by the next opening.
    }
    // Not every driver lets go of the file before its statements are collected; that is done when the thread ends.
    this.#database.close();
  }

  #get({ key, ...asked }: Calls['get']['ask']): Calls['get']['answer'] {
    const revision = asked.revision ?? this.#log.revision;
    this.#log.check(revision);
    const head = this.#log.headAt(key, revision);
    return { entry: head === undefined ? null : this.#log.entry(head), revision };
  }
}
