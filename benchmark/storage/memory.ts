// The memory store against the bare ordered map of its keys, and what watchers, forks and objects cost it.
// Work that must start from an empty store is timed in slices: each candidate does the whole several times, in turns,
// and the best time of each slice counts, for on a shared machine no whole run goes undisturbed.
import sortedBTree from 'sorted-btree';
import { deepFreeze, random, virtualClock } from '../../lib/core/index.js';
import type { JsonObject } from '../../lib/core/index.js';
import { memoryStore } from '../../lib/storage/memory-store.js';
import type { MemoryStore } from '../../lib/storage/memory-store.js';
import { compare, heapOf } from '../measure.js';
import type { Row } from '../measure.js';

const BTree = sortedBTree.default;
const objects = 150_000;
const sliceSize = 1_000;

/** Measures everything. Takes about a minute; the heap only with --expose-gc. */
export async function measureMemory(): Promise<Row[]> {
  const keys = random('keys').shuffle(
    Array.from({ length: objects }, (_, n) => `/registry/pods/namespace-${n % 15}/web-${String(n).padStart(6, '0')}`),
  );
  return [
    ...(await measureWrites(keys)),
    ...(await measureReads(keys)),
    ...(await measureWatchers()),
    ...(await measureForks(keys)),
    ...(await measureHeap()),
  ];
}

async function measureWrites(keys: readonly string[]): Promise<Row[]> {
  const [bare, created, updated] = await bestOfSlices(keys, [
    () => {
      const map = new BTree<string, JsonObject>(undefined, (a, b) => (a < b ? -1 : a === b ? 0 : 1));
      return (key) => map.set(key, value);
    },
    () => {
      const store = memoryStore({ clock: virtualClock() });
      return (key) => store.commit({ compare: [{ key, modRevision: 0 }], put: [{ key, value }] });
    },
    async () => {
      const store = await filledStore(keys);
      return (key) => store.commit({ put: [{ key, value }] });
    },
  ]);
  return [
    { name: `insert into sorted-btree, ${objects} random keys`, value: 1e6 / bare!, unit: '/s' },
    { name: 'commit: create if absent, each awaited, no watcher', value: 1e6 / created!, unit: '/s', goal: '≥ 100000' },
    { name: 'commit compared with the bare insert', value: created! / bare!, unit: '×', goal: '≤ 3' },
    { name: `commit: update among ${objects}`, value: 1e6 / updated!, unit: '/s', goal: '≥ 100000' },
  ];
}

async function measureReads(keys: readonly string[]): Promise<Row[]> {
  const store = await filledStore(keys);
  const newest = await store.revision();
  const [got] = await bestOfSlices(keys, [() => (key) => store.get(key)]);
  const list = (options: object) => () => void store.list('/registry/pods/namespace-7/', options);
  const [whole, page] = compare([
    { name: 'whole', run: list({}) },
    { name: 'page', run: list({ limit: 500 }) },
  ]);
  // Eight views are kept ready; going through nine finds none of them.
  let turn = 0;
  const back = (): number => newest - 5_000 - (turn = (turn + 1) % 9);
  const [view, pastGet, pastList] = compare([
    { name: 'view', run: () => store.at(back()) },
    { name: 'get', run: () => store.at(back()).get(keys[0]!) },
    { name: 'list', run: () => store.at(back()).list('/registry/pods/namespace-7/', { limit: 500 }) },
  ]);
  return [
    { name: `get among ${objects}, awaited`, value: 1e6 / got!, unit: '/s' },
    { name: 'list a prefix of 10,000 keys', value: whole!.microseconds, unit: 'µs' },
    { name: 'list a page of 500 of them, counting the rest', value: page!.microseconds, unit: 'µs' },
    { name: 'at(5,000 revisions ago)', value: view!.microseconds, unit: 'µs', goal: '≤ 1000' },
    { name: 'at(5,000 revisions ago) and a first get', value: pastGet!.microseconds, unit: 'µs' },
    { name: 'at(5,000 revisions ago) and a first page of 500', value: pastList!.microseconds, unit: 'µs' },
  ];
}

async function measureWatchers(): Promise<Row[]> {
  const key = '/registry/pods/namespace-1/web';
  const watched = async (watchers: number): Promise<MemoryStore> => {
    const store = memoryStore({ clock: virtualClock(), historyMax: 100 });
    for (let n = 0; n < watchers; n++) store.watch(`/registry/pods/namespace-${n + 2}/`).subscribe();
    await store.commit({ put: [{ key, value }] });
    return store;
  };
  const counts = [0, 1, 1_000, 10_000];
  const stores = await Promise.all(counts.map(watched));
  const times = await bestOfSlices(
    Array.from({ length: 20_000 }, () => key),
    stores.map((store) => () => () => store.commit({ put: [{ key, value }] })),
  );
  const heap = await heapOf(async () => watched(10_000));
  return [
    ...counts.map((count, index) => ({
      name: `commit with ${count} watchers of other prefixes`,
      value: times[index]!,
      unit: 'µs',
    })),
    { name: '1,000 foreign watchers compared with 1', value: times[2]! / times[1]!, unit: '×', goal: '≤ 1.2' },
    ...heap.map((bytes) => ({ name: 'heap of a watcher', value: bytes / 10_000, unit: 'bytes' })),
  ];
}

async function measureForks(keys: readonly string[]): Promise<Row[]> {
  const store = await filledStore(keys);
  const [fork] = compare([{ name: 'fork', run: () => store.fork() }], { rounds: 10 });
  const [first] = await bestOfSlices(keys.slice(0, 20_000), [
    () => (key) => store.fork().commit({ put: [{ key, value }] }),
  ]);
  return [
    { name: `fork of ${objects} objects`, value: fork!.microseconds / 1000, unit: 'ms', goal: '≤ 1' },
    { name: 'fork and the first commit in it', value: first! / 1000, unit: 'ms' },
  ];
}

/** Keys and values are the caller's; what is counted is what the store adds, its full history of updates included. */
async function measureHeap(): Promise<Row[]> {
  const pods = Array.from({ length: objects }, (_, n) => ({
    key: `/registry/pods/default/web-${n}`,
    value: deepFreeze({ n }),
  }));
  // A key made by a template is two strings until it is first compared.
  const flat = new Set(pods.map(({ key }) => key));
  const heap = await heapOf(async () => {
    const store = memoryStore({ clock: virtualClock() });
    for (const pod of pods) await store.commit({ put: [pod] });
    for (let n = 0; n < 20_000; n++) await store.commit({ put: [pods[(n * 7_919) % objects]!] });
    return store;
  });
  return heap.map((bytes) => ({
    name: `heap per object beyond itself, ${flat.size} objects and full history`,
    value: bytes / objects,
    unit: 'bytes',
    goal: '≤ 500',
  }));
}

const value = deepFreeze({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } });

async function filledStore(keys: readonly string[]): Promise<MemoryStore> {
  const store = memoryStore({ clock: virtualClock() });
  for (const key of keys) await store.commit({ put: [{ key, value }] });
  return store;
}

/** Microseconds per item of each candidate. A candidate is begun anew in every round. */
async function bestOfSlices<T>(
  items: readonly T[],
  candidates: readonly (() => ((item: T) => unknown) | Promise<(item: T) => unknown>)[],
  rounds = 5,
): Promise<number[]> {
  const best = candidates.map(() => new Array<number>(Math.ceil(items.length / sliceSize)).fill(Infinity));
  for (let round = 0; round < rounds; round++) {
    for (const [index, begin] of candidates.entries()) {
      const act = await begin();
      for (let slice = 0; slice * sliceSize < items.length; slice++) {
        const start = performance.now();
        for (const item of items.slice(slice * sliceSize, (slice + 1) * sliceSize)) {
          const answer = act(item);
          if (answer instanceof Promise) await answer;
        }
        best[index]![slice] = Math.min(best[index]![slice]!, performance.now() - start);
      }
    }
  }
  return best.map((slices) => (slices.reduce((sum, ms) => sum + ms, 0) * 1000) / items.length);
}
