// Bounds on history: by bytes in the memory store and in the windows of the cacher, and by time through the compactor.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom, take, toArray } from 'rxjs';
import t from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { isApiError, memoryBytes, virtualClock } from '../../lib/core/index.js';
import type { JsonObject } from '../../lib/core/index.js';
import { WatchWindow } from '../../lib/cacher/watch-window.js';
import { CacheChange } from '../../lib/cacher/cache-change.js';
import { compactor, isStoreError, memoryStore } from '../../lib/storage/index.js';
import type { MemoryStore, Store } from '../../lib/storage/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { FlakyStore } from '../support/flaky-store.js';
import { fc, runs } from '../support/properties.js';

const minute = 60_000;
const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');

/** Replaces one key `count` times with values of about `bytes`. */
async function replace(store: Store, count: number, bytes: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await store.commit({ put: [{ key: '/registry/configmaps/default/a', value: valueOf(at, bytes) }] });
  }
}

function valueOf(at: number, bytes: number): JsonObject {
  return { data: { text: `${at} ${'x'.repeat(bytes)}` } };
}

/** The oldest revision that can still be read. */
async function oldestReadable(store: Store): Promise<number> {
  for (let revision = await store.revision(); revision > 1; revision -= 1) {
    try {
      await store.get('/a', { revision: revision - 1 });
    } catch (error) {
      if (isStoreError(error, 'compacted')) return revision;
      throw error;
    }
  }
  return 1;
}

t.test('the history of a memory store is bounded by bytes', async (t) => {
  const store = memoryStore({ clock: virtualClock(), historyBytesMax: 100_000 });
  await replace(store, 300, 10_000);
  const oldest = await oldestReadable(store);
  t.equal(oldest, 292, 'nine replaced values of 10 KB fit, ten do not');
  t.match((await store.get('/registry/configmaps/default/a', { revision: oldest })).entry, {
    value: valueOf(290, 10_000),
  });
  await replace(store, 300, 10);
  t.ok((await oldestReadable(store)) < 450, 'small values leave room for more revisions');
});

t.test('values that share their parts with the next revision take little of the bound', async (t) => {
  const store = memoryStore({ clock: virtualClock(), historyBytesMax: 100_000 });
  const spec: JsonObject = { text: 'x'.repeat(50_000) };
  for (let at = 0; at < 300; at += 1) {
    await store.commit({ put: [{ key: '/a', value: { spec, status: { at } } }] });
  }
  t.equal(await oldestReadable(store), 1);
});

t.test('a fork has the same bound and the same history', async (t) => {
  const store: MemoryStore = memoryStore({ clock: virtualClock(), historyBytesMax: 100_000 });
  await replace(store, 100, 10_000);
  const fork = store.fork();
  t.equal(await oldestReadable(fork), await oldestReadable(store));
  await replace(fork, 50, 10_000);
  t.equal(await oldestReadable(fork), 142);
  t.equal(await oldestReadable(store), 92, 'the original is not changed by its fork');
  const earlier = store.fork({ revision: 95 });
  t.equal(await oldestReadable(earlier), 92);
  await replace(earlier, 20, 10_000);
  t.equal(await oldestReadable(earlier), 106);
});

t.test('the estimate of memory is additive, and zero for what is shared', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      const shared = { value };
      const bytes = memoryBytes({ value: shared, other });
      return (
        memoryBytes(shared, shared) === 0 &&
        bytes > memoryBytes(other) &&
        memoryBytes({ value: shared, other }, { value: shared }) === bytes - memoryBytes(shared)
      );
    }),
    { numRuns: runs(1000) },
  );
});

t.test('a window of the cacher is bounded by bytes', async (t) => {
  interface Item {
    readonly text: string;
  }
  const window = new WatchWindow<Item>({ windowMax: 1000, windowBytesMax: 100_000 });
  const itemOf = (revision: number): { key: string; object: Item; revision: number } => ({
    key: '/a',
    object: { text: 'x'.repeat(10_000) },
    revision,
  });
  for (let revision = 2; revision < 100; revision += 1) {
    const previous = revision === 2 ? undefined : itemOf(revision - 1);
    window.append(revision, [new CacheChange({ revision, previous, now: itemOf(revision) }, (object) => object)]);
  }
  t.equal(window.size, 9);
  t.ok(window.bytes < 100_000);
  t.equal(window.start, 90);
});

t.test('the compactor', async (t) => {
  t.test('leaves between one and two intervals of history', async (t) => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    const part = compactor({ store, clock });
    const activity = firstValueFrom(part.run().pipe(take(2), toArray()), { defaultValue: [] });
    await replace(store, 10, 10); // revisions 2 to 11
    await clock.advance(5 * minute);
    t.equal(await oldestReadable(store), 1, 'the first round only remembers the newest revision');
    await replace(store, 10, 10); // revisions 12 to 21
    await clock.advance(5 * minute);
    t.equal(await oldestReadable(store), 11);
    await clock.advance(5 * minute);
    t.strictSame(await activity, [
      { type: 'compacted', revision: 11 },
      { type: 'compacted', revision: 21 },
    ]);
    t.equal(clock.pending, 0, 'no timer is left');
  });

  t.test('reports a failed round and tries again', async (t) => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    await replace(store, 5, 10);
    const flaky = new FlakyStore(store);
    flaky.failures.set('compact', new Error('the disk is full'));
    const activity = firstValueFrom(compactor({ store: flaky, clock }).run().pipe(take(2), toArray()), {
      defaultValue: [],
    });
    await clock.advance(10 * minute);
    flaky.failures.clear();
    await clock.advance(5 * minute);
    t.strictSame(await activity, [
      { type: 'compaction-failed', reason: 'the disk is full' },
      { type: 'compacted', revision: 6 },
    ]);
  });

  t.test('of one of several servers on a store compacts, and all of them learn the revision', async (t) => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    const counted = new FlakyStore(store);
    const run = (): Promise<unknown[]> =>
      firstValueFrom(compactor({ store: counted, clock, isShared: true }).run().pipe(take(2), toArray()), {
        defaultValue: [],
      });
    const first = run();
    const second = run();
    await replace(store, 10, 10);
    await clock.advance(60 * minute);
    const [one, other] = await Promise.all([first, second]);
    t.strictSame(one, other);
    t.ok(counted.calls.compact <= 3, `${counted.calls.compact} compactions for the two revisions`);
  });

  t.test('refuses an interval that is not positive', async (t) => {
    const clock = virtualClock();
    t.throws(() => compactor({ store: memoryStore({ clock }), clock, intervalMs: 0 }), RangeError);
  });
});

t.test('a cluster compacts a store that it is given, and lists of compacted revisions expire', async (t) => {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const cluster = await createCluster({ clock, store, controllers: [], scheduler: false });
  const configMaps = cluster.client.kind('v1', 'ConfigMap').in('default');
  for (const name of ['a', 'b', 'c']) await configMaps.create({ metadata: { name } });
  const page = await configMaps.list({ limit: 1 });
  t.equal((await configMaps.list({ limit: 1, continue: page.continue ?? '' })).items.length, 1);
  await configMaps.create({ metadata: { name: 'd' } });
  await cluster.advance('11m');
  const expired = await configMaps.list({ limit: 1, continue: page.continue ?? '' }).catch((e: unknown) => e);
  t.ok(isApiError(expired, 'Expired'), 'a continue token of a compacted revision is refused');
  await cluster.close();
  await store.close();
});

t.test('a SQLite file does not grow with updates that are compacted', async (t) => {
  const path = join(t.testdir({}), 'store.db');
  const store = await sqliteStore({ path, worker });
  for (let round = 0; round < 4; round += 1) {
    await replace(store, 400, 50_000);
    await store.compact(await store.revision());
  }
  t.ok(statSync(path).size < 8 * 2 ** 20, `${statSync(path).size} bytes for one object of 50 KB`);
  t.equal(statSync(`${path}-wal`).size, 0, 'the write-ahead log is truncated');
  await store.close();
});
