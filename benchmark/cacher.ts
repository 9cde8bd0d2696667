// The figures of the cacher on a store in memory, in one run: `node scripts/run.mjs benchmark/cacher.ts`. Kept in
// RESULTS.md. Awaited work is timed in slices, candidates in turns, and the best time of each slice counts, for on a
// shared machine no whole run goes undisturbed.
import { createCacher } from '../lib/cacher/index.js';
import { encodedBytes } from '../lib/server/http/object-encoder.js';
import type { Cacher } from '../lib/cacher/index.js';
import { deepFreeze, random, virtualClock } from '../lib/core/index.js';
import { memoryStore } from '../lib/storage/index.js';
import type { MemoryStore } from '../lib/storage/index.js';
import { compare, heapOf, report } from './measure.js';
import type { Row } from './measure.js';
import { samplePod } from './sample-pod.js';

interface Pod {
  readonly node: string;
}

interface Cached {
  readonly store: MemoryStore;
  readonly cacher: Cacher<Pod>;
  readonly keys: readonly string[];
}

const prefix = '/registry/pods/';
const sliceSize = 500;
const many = 150_000;
const pods = Array.from({ length: 5_000 }, (_, n) => deepFreeze({ apiVersion: 'v1', kind: 'Pod', node: `node-${n}` }));

const rows = [
  ...(await measureReads()),
  ...(await measureLists()),
  ...(await measureWrites()),
  ...(await measureWatchers()),
  ...measureBytes(),
  ...(await measureHeap()),
];
console.log(report('Cacher', rows) ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');

async function measureReads(): Promise<Row[]> {
  const [some, all] = [await cached(5_000), await cached(many)];
  const turns = Array.from({ length: 40_000 }, (_, n) => n * 7_919);
  const key = ({ keys }: Cached, turn: number): string => keys[turn % keys.length]!;
  const [consistent, amongAll, atHand, afterForeign, foreign, bare] = await bestOfSlices(turns, [
    (turn) => some.cacher.get(key(some, turn)),
    (turn) => all.cacher.get(key(all, turn)),
    (turn) => some.cacher.get(key(some, turn), { notOlderThan: 0 }),
    async (turn) => {
      await some.store.commit({ put: [{ key: '/registry/nodes/n', value: pods[0]! }] });
      await some.cacher.get(key(some, turn));
    },
    async () => {
      await some.store.commit({ put: [{ key: '/registry/nodes/n', value: pods[0]! }] });
    },
    (turn) => some.store.get(prefix + key(some, turn)),
  ]);
  return [
    { name: 'consistent get among 5,000, awaited one by one', value: 1e6 / consistent!, unit: '/s', goal: '≥ 700000' },
    { name: `consistent get among ${many}`, value: 1e6 / amongAll!, unit: '/s' },
    { name: 'get of what is at hand among 5,000', value: 1e6 / atHand!, unit: '/s' },
    { name: 'get from the store itself among 5,000', value: 1e6 / bare!, unit: '/s' },
    {
      name: 'what a write to another resource adds to the next consistent get',
      value: afterForeign! - foreign! - consistent!,
      unit: 'µs',
    },
  ];
}

async function measureLists(): Promise<Row[]> {
  const { cacher, store, keys } = await cached(many);
  for (let n = 0; n < 1_000; n++) await write({ store, keys }, n * 7_919);
  const { revision } = await cacher.list({ limit: 1 });
  const list = (options: Parameters<typeof cacher.list>[0]) => () => cacher.list(options);
  const turns = Array.from({ length: 2_000 }, (_, n) => n);
  const [page, exact, node] = await bestOfSlices(turns, [
    list({ namespace: 'namespace-7', limit: 500 }),
    (turn) => cacher.list({ namespace: 'namespace-7', limit: 500, revision: revision - (turn % 900) }),
    list({ trigger: { field: 'node', value: 'node-7' } }),
  ]);
  let first = Infinity;
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < 1_000; n++) await write({ store, keys }, (round * 1_000 + n) * 7_919);
    const newest = await store.revision();
    const start = performance.now();
    await cacher.list({ namespace: 'namespace-7', limit: 500, revision: newest - 900 });
    first = Math.min(first, (performance.now() - start) * 1_000);
  }
  const [namespace, byLabel] = await bestOfSlices(
    turns.slice(0, 20),
    [list({ namespace: 'namespace-7' }), list({ matches: ({ node: its }) => its === 'node-7' })],
    20,
  );
  return [
    { name: 'list a page of 500 of 10,000 in a namespace', value: page!, unit: 'µs' },
    { name: 'the same at any of the last 900 revisions', value: exact!, unit: 'µs' },
    { name: 'the same compared with the newest', value: exact! / page!, unit: '×', goal: '≤ 2' },
    { name: 'the first at a revision 900 changes ago', value: first, unit: 'µs' },
    { name: 'list a namespace of 10,000', value: namespace!, unit: 'µs' },
    { name: `list the 30 pods of a node among ${many}, found by trigger`, value: node!, unit: 'µs' },
    { name: 'the same found by asking each', value: byLabel!, unit: 'µs' },
  ];
}

async function measureWrites(): Promise<Row[]> {
  const counts = [5_000, many];
  const pairs = await Promise.all(
    counts.map(async (count) => [await cached(count), await cached(count, { isUsed: false })] as const),
  );
  const times = await bestOfSlices(
    Array.from({ length: 20_000 }, (_, n) => n * 7_919),
    pairs.flatMap((pair) => pair.map((each) => (turn: number) => write(each, turn))),
  );
  return counts.flatMap((count, index) => [
    { name: `commit among ${count} without a cacher`, value: times[index * 2 + 1]!, unit: 'µs' },
    {
      name: 'what a cacher adds: its state, its indexes, its window',
      value: times[index * 2]! - times[index * 2 + 1]!,
      unit: 'µs',
    },
  ]);
}

async function measureWatchers(): Promise<Row[]> {
  const watched = async (watchers: number): Promise<Cached> => {
    const it = await cached(5_000);
    for (let n = 0; n < watchers; n++)
      it.cacher.watch({ trigger: { field: 'node', value: `watched-${n}` } }).subscribe();
    await it.cacher.get('x');
    return it;
  };
  const counts = [0, 10, 10_000];
  const its = await Promise.all(counts.map(watched));
  const followed = await cached(5_000);
  for (let n = 0; n < 1_000; n++) followed.cacher.watch().subscribe();
  await followed.cacher.get('x');
  const to = (node: string) => deepFreeze({ ...pods[0]!, node });
  const times = await bestOfSlices(
    Array.from({ length: 20_000 }, (_, n) => n * 7_919),
    // A write that some watcher sees: to one of the first ten nodes.
    its.map(({ store, keys }) => {
      const values = Array.from({ length: 10 }, (_, n) => to(`watched-${n}`));
      return (turn: number) =>
        store.commit({ put: [{ key: prefix + keys[turn % keys.length]!, value: values[turn % 10]! }] });
    }),
  );
  const [fan] = await bestOfSlices(
    Array.from({ length: 2_000 }, (_, n) => n),
    [(turn) => write(followed, turn)],
  );
  const heap = await heapOf(async () => watched(10_000));
  const base = await heapOf(async () => watched(0));
  return [
    ...counts.map((count, index) => ({
      name: `commit with ${count} watchers, each of a node of its own`,
      value: times[index]!,
      unit: 'µs',
    })),
    { name: '10,000 such watchers compared with 10', value: times[2]! / times[1]!, unit: '×', goal: '≤ 2' },
    { name: 'one event to one of 1,000 watchers of everything', value: fan! / 1_000, unit: 'µs' },
    ...heap.map((bytes, index) => ({
      name: 'heap of a watcher',
      value: (bytes - base[index]!) / 10_000,
      unit: 'bytes',
    })),
  ];
}

function measureBytes(): Row[] {
  const pod = deepFreeze(samplePod);
  const encoder = new TextEncoder();
  const bytes = encodedBytes({ bytesMax: 1_000_000 });
  const encode = (): Uint8Array => encoder.encode(JSON.stringify(pod));
  const [made, kept] = compare([
    { name: 'made', run: encode },
    { name: 'kept', run: () => bytes.get(pod, 'v1 json', encode) },
  ]);
  return [
    { name: 'encode a pod', value: made!.microseconds, unit: 'µs' },
    { name: 'find its bytes', value: kept!.microseconds, unit: 'µs' },
  ];
}

/** Objects and their keys are the caller's; what is counted is what the cacher adds beyond the store. */
async function measureHeap(): Promise<Row[]> {
  const without = await heapOf(() => cached(many, { isUsed: false }));
  const idle = await heapOf(() => cached(many));
  const busy = await heapOf(async () => {
    const it = await cached(many);
    for (let n = 0; n < 10_000; n++) await write(it, n * 7_919);
    return it;
  });
  return [
    ...idle.map((bytes, index) => ({
      name: `heap per object beyond it, ${many} objects`,
      value: (bytes - without[index]!) / many,
      unit: 'bytes',
      goal: '≤ 500',
    })),
    ...busy.map((bytes, index) => ({
      name: 'heap of a full window, objects shared',
      value: (bytes - idle[index]!) / 1e6,
      unit: 'MB',
    })),
  ];
}

async function cached(count: number, { isUsed = true } = {}): Promise<Cached> {
  const clock = virtualClock();
  const store = memoryStore({ clock, historyMax: 1_000 });
  // Flat strings, as they come out of a request: one that a template made is two until it is first compared.
  const keys = random('keys').shuffle(
    Array.from(
      { length: count },
      (_, n) => JSON.parse(`"namespace-${n % 15}/web-${String(n).padStart(6, '0')}"`) as string,
    ),
  );
  for (const [index, key] of keys.entries())
    await store.commit({ put: [{ key: prefix + key, value: pods[index % pods.length]! }] });
  const cacher = createCacher<Pod>({
    store,
    clock,
    prefix,
    namespaced: true,
    read: ({ value }) => value as object as Pod,
    withRevision: (pod) => Object.freeze({ ...pod }),
    triggers: { node: ({ node }) => node },
  });
  if (isUsed) await cacher.get('x');
  return { store, cacher, keys };
}

/** Writes a pod anew, on the node that it is on. */
function write({ store, keys }: Pick<Cached, 'store' | 'keys'>, turn: number): Promise<unknown> {
  const index = turn % keys.length;
  return store.commit({ put: [{ key: prefix + keys[index]!, value: pods[index % pods.length]! }] });
}

/** Microseconds per item of each candidate. */
async function bestOfSlices<T>(
  items: readonly T[],
  candidates: readonly ((item: T) => Promise<unknown>)[],
  rounds = 8,
): Promise<number[]> {
  const best = candidates.map(() => new Array<number>(Math.ceil(items.length / sliceSize)).fill(Infinity));
  for (let round = 0; round < rounds; round++) {
    for (const [index, act] of candidates.entries()) {
      for (let slice = 0; slice * sliceSize < items.length; slice++) {
        const part = items.slice(slice * sliceSize, (slice + 1) * sliceSize);
        const start = performance.now();
        for (const item of part) await act(item);
        best[index]![slice] = Math.min(best[index]![slice]!, performance.now() - start);
      }
    }
  }
  return best.map((slices) => (slices.reduce((sum, ms) => sum + ms, 0) * 1000) / items.length);
}
