// The SQLite store with 100,000 pods in it and random keys, against the same SQLite doing nothing but the same inserts:
// same table, same index, same transactions of 64, on the main thread of the same process, values ready as text. Both
// take turns on files of their own, and the best round of each counts; of delays the middle one.
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { deepFreeze, random, type JsonObject } from '../../lib/core/index.js';
import { openDatabase, type Database, type Statement } from '../../lib/storage/sqlite/open-database.js';
import { sqliteStore, type SqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import type { Row } from '../measure.js';
import { samplePod } from '../sample-pod.js';

const objects = 100_000;
const writers = 64;
const rounds = 3;
const roundMs = 2000;
const chance = random('benchmark/storage/sqlite');
// Frozen, as everything that is read from a store and then updated. Copies of an object literal that is not get a
// hidden class each (V8 11.3), and then what was measured is how these are collected: 3 ms for every scavenge instead
// of one.
const pod = deepFreeze(structuredClone(samplePod));
// The benchmark runs as one bundle in .build; the worker is that of the built package.
const worker = new URL('../dist/storage/sqlite/database-worker.js', import.meta.url);

/** Measures the SQLite store. */
export async function measureSqlite(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-sqlite-'));
  try {
    return await measureIn(join(folder, 'store.db'), join(folder, 'bare.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureIn(path: string, barePath: string): Promise<Row[]> {
  const revisions = await fill(path);
  const fileBytes = statSync(path).size;
  copyFileSync(path, barePath);
  let opened = performance.now();
  const store = await sqliteStore({ path, worker });
  opened = performance.now() - opened;
  const bare = await BareLog.open(barePath);

  const best = { one: 0, many: 0, watched: 0, bareOne: 0, bareMany: 0 };
  const delays = { many: [] as number[], watched: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    best.bareMany = Math.max(best.bareMany, bare.insertFor(roundMs, writers));
    best.many = Math.max(best.many, await delaying(delays.many, () => commitFor(store, roundMs, writers, revisions)));
    best.bareOne = Math.max(best.bareOne, bare.insertFor(roundMs / 2, 1));
    best.one = Math.max(best.one, await commitFor(store, roundMs / 2, 1, revisions));
    const watch = store.watch('/registry/pods/').subscribe();
    best.watched = Math.max(
      best.watched,
      await delaying(delays.watched, () => commitFor(store, roundMs, writers, revisions)),
    );
    watch.unsubscribe();
  }
  const reads = await measureReads(store);
  bare.close();
  await store.close();
  return [
    { name: 'SQLite: commits, 1 writer', value: best.one, unit: '/s' },
    { name: 'SQLite: commits, 64 writers', value: best.many, unit: '/s' },
    { name: 'SQLite: commits, 64 writers, all watched', value: best.watched, unit: '/s' },
    { name: 'SQLite: 64 writers over 1', value: best.many / best.one, unit: '×', goal: '≥ 5' },
    { name: 'SQLite: bare inserts, transactions of 1', value: best.bareOne, unit: '/s' },
    { name: 'SQLite: bare inserts, transactions of 64', value: best.bareMany, unit: '/s' },
    { name: 'SQLite: 64 writers over bare inserts', value: (100 * best.many) / best.bareMany, unit: '%', goal: '≥ 60' },
    { name: 'SQLite: event loop delay meanwhile, p99', value: median(delays.many), unit: 'ms', goal: '≤ 5' },
    { name: 'SQLite: event loop delay meanwhile, all watched, p99', value: median(delays.watched), unit: 'ms' },
    { name: 'SQLite: open a store of 100,000 objects', value: opened, unit: 'ms' },
    { name: 'SQLite: file of 100,000 objects', value: fileBytes / 2 ** 20, unit: 'MiB' },
    ...reads,
  ];
}

/** Does something and notes the 99th percentile of the event loop's delay meanwhile, in milliseconds. */
async function delaying<T>(delays: number[], work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await work();
  delay.disable();
  delays.push(delay.percentile(99) / 1e6);
  return result;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? NaN;
}

/** Makes a store of pods. Answers the revision of each. */
async function fill(path: string): Promise<number[]> {
  const store = await sqliteStore({ path, worker });
  const revisions: number[] = [];
  for (let start = 0; start < objects; start += 100) {
    const put = Array.from({ length: 100 }, (_, n) => ({ key: keyOf(start + n), value: podOf(start + n, 0) }));
    const { revision } = await store.commit({ put });
    for (const _ of put) revisions.push(revision);
  }
  await store.close();
  return revisions;
}

/** Has writers update pods at random for a while, each comparing first. Answers commits a second. */
async function commitFor(store: SqliteStore, ms: number, count: number, revisions: number[]): Promise<number> {
  const start = performance.now();
  let commits = 0;
  const write = async (writer: number): Promise<void> => {
    while (performance.now() - start < ms) {
      // Each has pods of its own, so that no comparison fails.
      const n = chance.integer(Math.floor(objects / count)) * count + writer;
      const outcome = await store.commit({
        compare: [{ key: keyOf(n), modRevision: revisions[n] ?? 0 }],
        put: [{ key: keyOf(n), value: podOf(n, ++commits) }],
      });
      if (!outcome.committed) throw new Error(`pod ${n} is not as it was left`);
      revisions[n] = outcome.revision;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return (commits * 1000) / (performance.now() - start);
}

async function measureReads(store: SqliteStore): Promise<Row[]> {
  const time = async (times: number, read: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    for (let count = 0; count < times; count++) await read();
    return (performance.now() - start) / times;
  };
  const one = await time(2000, () => store.get(keyOf(chance.integer(objects))));
  const parallel = await time(100, () =>
    Promise.all(Array.from({ length: 64 }, () => store.get(keyOf(chance.integer(objects))))),
  );
  const counted = await time(20, () =>
    store.list('/registry/pods/', { limit: 500, after: keyOf(chance.integer(objects)) }),
  );
  let page = await store.list('/registry/pods/', { limit: 500 });
  const next = await time(20, async () => {
    page = await store.list('/registry/pods/', {
      limit: 500,
      after: page.entries.at(-1)?.key ?? '',
      revision: page.revision,
    });
  });
  const delays: number[] = [];
  const large = await delaying(delays, () => time(2, () => store.list('/registry/pods/ns-1')));
  return [
    { name: 'SQLite: get, one at a time', value: 1000 / one, unit: '/s' },
    { name: 'SQLite: get, 64 at a time', value: 64_000 / parallel, unit: '/s' },
    { name: 'SQLite: list of a page of 500 of 100,000, from anywhere', value: counted, unit: 'ms' },
    { name: 'SQLite: list of the page of 500 that follows', value: next, unit: 'ms' },
    { name: 'SQLite: list of 11,000 pods', value: large, unit: 'ms' },
    { name: 'SQLite: event loop delay meanwhile, p99', value: median(delays), unit: 'ms' },
  ];
}

/** The table of the store, written to by nothing but inserts. */
class BareLog {
  readonly #database: Database;
  readonly #insert: Statement;
  #revision = 10_000_000;
  readonly #text = JSON.stringify(podOf(0, 0));

  static async open(path: string): Promise<BareLog> {
    return new BareLog(await openDatabase({ path, check: false }));
  }

  private constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(`
      INSERT INTO log (id, key, created, previous, lease, value) VALUES ((? << 20) + ?, ?, ?, (? << 20) + ?, ?, ?)
    `);
  }

  /** Answers rows a second. */
  insertFor(ms: number, batch: number): number {
    const start = performance.now();
    let rows = 0;
    while (performance.now() - start < ms) {
      this.#database.exec('BEGIN IMMEDIATE');
      for (let count = 0; count < batch; count++) {
        const revision = ++this.#revision;
        this.#insert.run(revision, 0, keyOf(chance.integer(objects)), revision, revision - 1, 0, null, this.#text);
      }
      this.#database.exec('COMMIT');
      rows += batch;
    }
    return (rows * 1000) / (performance.now() - start);
  }

  close(): void {
    this.#database.close();
  }
}

/** A name from all over the key space, as generated names are. */
function keyOf(n: number): string {
  return `/registry/pods/ns-${n % 100}/web-${Math.imul(n, 0x9e3779b1) >>> 0}`;
}

function podOf(n: number, generation: number): JsonObject {
  return { ...pod, metadata: { ...pod.metadata, name: `web-${n}`, generation } };
}
