// The durable store of one machine: a log keyed by revision in a SQLite file, as k3s/kine has it, in a worker thread,
// so that neither a commit nor a checkpoint holds up the event loop. See docs/storage.md for how to run it.
//
// This is the door: what can be requested, and opening it. The store itself is in store-in-worker.ts, the database in
// database-worker.ts.
import { backgroundClock, type Clock } from '../../core/index.js';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import type { ValueTransformer } from '../transformer.js';
import { checkPath } from './check-path.js';
import { StoreInWorker } from './store-in-worker.js';
import { WorkerLink } from './worker-link.js';

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The file; made if it is not there, in a folder that must be. `<path>-wal` beside it belongs to it. */
  readonly path: string;
  /** The clock on which leases end. Default: the system's. */
  readonly clock?: Clock;
  /** Encrypts values at rest. Default: they are stored as JSON text. */
  readonly transformer?: ValueTransformer;
  /** The most that the file may take; beyond it commits are refused as `no-space`. Default: what the disk has. */
  readonly bytesMax?: number;
  /**
   * Whether the structure of the file is checked before it is opened, which reads it whole: about a second for 500 MB.
   * Default true; false opens a damaged file all the same, to read what is left of it.
   */
  readonly check?: boolean;
  /**
   * Where the program of the worker lies, for programs made by a bundler that does not follow
   * `new URL('./database-worker.js', import.meta.url)`. Default: beside this file.
   */
  readonly worker?: URL;
}

/** A store in a SQLite file. */
export interface SqliteStore extends Store, AsyncDisposable {
  /**
   * Copies the store, as it is now, to a file, while writers go on. There must be no such file; it gets its name when
   * it is complete and on the disk. To restore it, open it, or put it in the place of the file of a closed store.
   */
  backup(path: string): Promise<void>;
}

/**
 * Opens a store. Refused as `locked` while another store, of this process or any other, has the file open; as `corrupt`
 * when the file is damaged or no SQLite database; as `invalid` when it is of another program or a later version.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const {
    clock = backgroundClock(),
    transformer,
    bytesMax,
    check = true,
    worker = new URL('./database-worker.js', import.meta.url),
  } = options;
  const path = checkPath(options.path);
  if (bytesMax !== undefined && !(bytesMax > 0))
    throw new StoreError('invalid', `bytesMax is a number above 0, not ${bytesMax}`);
  let store: StoreInWorker | undefined;
  const link = new WorkerLink(worker, (error) => store?.fail(error));
  try {
    const opened = await link.call('open', { path, check, ...(bytesMax !== undefined && { bytesMax }) });
    store = new StoreInWorker({ link, opened, clock, transformer });
    return store;
  } catch (error) {
    await link.kill();
    throw error;
  }
}
