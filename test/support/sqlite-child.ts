// A process with a SQLite store, for tests that kill it. Waits for a line on its input, so that it can be started ahead
// of time, then opens the store and holds it, writes to it until it is killed, or makes one commit for each further
// line of input (`step`). Every commit that was answered is printed on the output, one line of JSON each, before the
// next one of that writer begins.
import { writeSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { firstValueFrom } from 'rxjs';
import { random, systemClock, type Random } from '../../lib/core/index.js';
import { sqliteStore, type SqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import type { Transaction } from '../../lib/storage/store.js';
import { isStoreError } from '../../lib/storage/store-error.js';

/** The task of the child. */
export interface ChildOrder {
  readonly path: string;
  /** The program of the worker. */
  readonly worker: string;
  readonly task: 'hold' | 'write' | 'close' | 'step';
  readonly seed?: number;
  /** The revision up to which history may be compacted. */
  readonly compactable?: number;
  /** When to close the store, if it gets there. */
  readonly closeAfterMs?: number | undefined;
}

/** A line of the output: whether the store is open, or a commit. */
export type ChildReport =
  { readonly opened: true } | { readonly refused: string } | { readonly revision: number; readonly id: string };

const writers = 16;
const keys = 200;

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => {
  const order = JSON.parse(line) as ChildOrder;
  if (order.task !== 'step') lines.close();
  void obey(order);
});

async function obey({
  path,
  worker,
  task,
  seed = 0,
  compactable = 0,
  closeAfterMs = Infinity,
}: ChildOrder): Promise<void> {
  const store = await open(path, new URL(worker));
  if (store === undefined) return;
  report({ opened: true });
  if (task === 'step') return commitPerLine(store, seed);
  // An open store does not keep a process alive; an open input does.
  if (task === 'hold') process.stdin.resume();
  else process.stdin.destroy();
  if (task === 'write') {
    const chance = random(seed);
    const writing = Array.from({ length: writers }, (_, writer) =>
      write(store, chance.stream(`writer ${writer}`), `${seed}-${writer}`),
    );
    if (compactable > 0) writing.push(store.compact(compactable));
    const closing = firstValueFrom(systemClock().timer(closeAfterMs), { defaultValue: 0 }).then(() => store.close());
    await Promise.allSettled([...writing, closing]);
  } else if (task === 'close') {
    await store.commit({ put: [{ key: '/child', value: { closed: true } }] });
    await store.close();
  }
}

/** Nothing is written between two lines: when a commit is printed, all of it is on the disk. */
async function commitPerLine(store: SqliteStore, seed: number): Promise<void> {
  const chance = random(seed);
  let count = 0;
  for await (const line of lines) {
    if (line === '') continue;
    const id = `${seed}-${count++}`;
    report({ revision: (await store.commit(transactionOf(chance, id))).revision, id });
  }
}

async function open(path: string, worker: URL): Promise<SqliteStore | undefined> {
  try {
    return await sqliteStore({ path, worker });
  } catch (error) {
    if (!isStoreError(error)) throw error;
    report({ refused: error.code });
    process.exitCode = 1;
    process.stdin.destroy();
    return undefined;
  }
}

async function write(store: SqliteStore, chance: Random, name: string): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `${name}-${count}`;
    const outcome = await store.commit(transactionOf(chance, id));
    report({ revision: outcome.revision, id });
  }
}

/** Always puts one key, so that it takes a revision; and says in each value what belongs together. */
function transactionOf(chance: Random, id: string): Transaction {
  const chosen = [
    ...new Set(Array.from({ length: 1 + chance.integer(4) }, () => `/registry/pods/${chance.integer(keys)}`)),
  ];
  const puts = chosen.filter((_, index) => index % 2 === 0);
  const value = { id, puts, padding: 'x'.repeat(chance.integer(3000)) };
  return { put: puts.map((key) => ({ key, value })), delete: chosen.filter((_, index) => index % 2 === 1) };
}

function report(what: ChildReport): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}
