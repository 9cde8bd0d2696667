// A process with an API server on a SQLite file and a port, for tests that kill it. Waits for a line on its input, so
// that it can be started ahead of time; then opens the store, serves until it is killed, and prints its port.
import { writeSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { createServer } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';

/** The task of the child. */
export interface ServerOrder {
  readonly path: string;
  /** The program of the store's worker. */
  readonly worker: string;
  /** The revision up to which history is compacted while it serves; 0 for none. */
  readonly compactable: number;
}

/** The only line of the output. */
export interface ServerReport {
  readonly port: number;
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void serve(JSON.parse(line) as ServerOrder));

async function serve({ path, worker, compactable }: ServerOrder): Promise<void> {
  const store = await sqliteStore({ path, worker: new URL(worker) });
  const { port } = await listen(createServer({ store }), {});
  writeSync(1, `${JSON.stringify({ port } satisfies ServerReport)}\n`);
  if (compactable > 0) await store.compact(compactable);
}
