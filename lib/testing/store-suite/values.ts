/**
 * Checks of values: they come back as they went in, whatever their keys are called, and they cannot be changed.
 */
import type { JsonObject, JsonValue } from '../../core/index.js';
import { setOwn } from '../../core/index.js';
import type { Batch, Change } from '../../storage/index.js';
import { expectSame, expectThat } from './expect.js';
import type { StoreCheck } from './harness.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;

/** What becomes of values. */
export const valueChecks: readonly StoreCheck[] = [
  {
    promise: 'a value comes back as it went in, from get, list, watch, found and previous',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const watch = recordWatch(store, prefix, { after: start });
      for (const [index, value] of oddValues().entries()) {
        const at = `${key}-${index}`;
        const { revision } = await store.commit({ put: [{ key: at, value }] });
        await store.commit({ delete: [at] });
        const entry = { key: at, value, createRevision: revision, modRevision: revision };
        expectSame((await store.get(at, { revision })).entry, entry, 'get');
        expectSame((await store.list(prefix, { revision })).entries, [entry], 'list');
        await watchReaches(harness, watch, revision + 1);
        const seen = watch.events.slice(-2).map(({ changes }) => changes[0]);
        expectSame(
          seen,
          [
            { type: 'put', key: at, entry, previous: undefined },
            { type: 'delete', key: at, previous: entry },
          ],
          'watch',
        );
        for (const each of [(await store.get(at, { revision })).entry, ...seen.map(entryOf)])
          expectOwnKeys(each?.value, value);
      }
      watch.stop();
    },
  },
  {
    promise: 'a value with a `__proto__` key keeps it as a key, and changes no prototype',
    run: async ({ store }) => {
      const labels: Record<string, JsonValue> = {};
      setOwn(labels, '__proto__', { polluted: true });
      setOwn(labels, 'constructor', { prototype: { polluted: true } });
      await store.commit({ put: [{ key, value: { labels } }] });
      const { entry } = await store.get(key);
      const read = entry?.value.labels;
      expectThat(
        typeof read === 'object' && read !== null && Object.hasOwn(read, '__proto__'),
        'the key `__proto__` must survive',
      );
      expectSame(Object.entries(read), Object.entries(labels), 'both keys with what they hold');
      const prototype: unknown = Object.getPrototypeOf(read);
      expectThat(
        prototype === Object.prototype || prototype === null,
        'the prototype of a value must be that of any object',
      );
      expectThat(!('polluted' in {}), 'no prototype may be polluted');
    },
  },
  {
    promise: 'a value that was read cannot be changed',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const received: Batch[] = [];
      const spoil = (batch: Batch): void => {
        received.push(batch);
        for (const change of batch.changes) vandalise(entryOf(change)?.value);
      };
      const watches = [
        recordWatch(store, prefix, { after: start, onBatch: spoil }),
        recordWatch(store, prefix, { after: start }),
      ];
      const value = { spec: { list: [{ name: 'a' }, ['b']], text: 'as written' } };
      await store.commit({ put: [{ key, value: JSON.parse(JSON.stringify(value)) as JsonObject }] });
      const failed = await store.commit({ compare: [{ key, modRevision: 0 }] });
      const reads = [
        (await store.get(key)).entry,
        (await store.list(prefix)).entries[0],
        failed.committed ? undefined : failed.found[0],
      ];
      for (const entry of reads) {
        expectSame(entry?.value, value, 'the value as it was put');
        expectFrozen(entry?.value);
        vandalise(entry?.value);
      }
      expectSame((await store.get(key)).entry?.value, value, 'no reader changes what is stored');
      expectSame((await store.get(key, { revision: start + 1 })).entry?.value, value, 'nor what was stored');
      for (const watch of watches) {
        await watchReaches(harness, watch, start + 1);
        const change = watch.events[0]?.changes[0];
        expectSame(change && entryOf(change)?.value, value, 'no watcher changes what others receive');
        expectFrozen(change && entryOf(change)?.value);
        watch.stop();
      }
    },
  },
  {
    promise: 'changing the object that was put changes nothing that is stored, from the moment commit is called',
    run: async ({ store }) => {
      const fresh = (): { spec: { count: number; list: string[] } } => ({ spec: { count: 1, list: ['a'] } });
      const value = fresh();
      const commit = store.commit({ put: [{ key, value }] });
      vandalise(value);
      await commit;
      expectSame((await store.get(key)).entry?.value, fresh(), 'changed while the commit was under way');
      vandalise(value);
      expectSame((await store.get(key)).entry?.value, fresh(), 'changed afterwards');
      const { revision } = await store.commit({ put: [{ key, value: { other: true } }] });
      vandalise(value);
      expectSame(
        (await store.get(key, { revision: revision - 1 })).entry?.value,
        fresh(),
        'changed when it was history',
      );
    },
  },
];

function oddValues(): readonly JsonObject[] {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key-${n}`, n]));
  let deep: JsonObject = { end: true };
  for (let depth = 0; depth < 200; depth++) deep = { deep };
  return [
    {},
    { '': '', ' ': ' ', text: 'é😀\u0000\u001f\u2028"\\/', list: [], nested: [[[]], {}] },
    { zero: 0, negative: -1.5, small: 5e-324, large: 1.7976931348623157e308, whole: 9007199254740991, exact: 0.1 },
    { yes: true, no: false, nothing: null, list: [null, true, 0, ''] },
    { toString: 'a', valueOf: 'b', hasOwnProperty: 'c', toJSON: 'd', constructor: 'e', length: 3, then: 'f' },
    { 10: 'ten', 9: 'nine', b: 1, a: 2 },
    many,
    deep,
  ];
}

function entryOf(change: Change | undefined): { readonly value: JsonObject } | undefined {
  return change?.type === 'put' ? change.entry : change?.previous;
}

/** Only own keys are compared elsewhere; here, that there are no others. */
function expectOwnKeys(actual: JsonObject | undefined, expected: JsonObject): void {
  expectThat(actual !== undefined, 'the value is there');
  expectSame(Object.keys(actual).sort(), Object.keys(expected).sort(), 'the own keys of a value');
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expectThat(
    Object.isFrozen(value),
    `a value must be frozen all the way down, but this is not: ${JSON.stringify(value)}`,
  );
  for (const child of Object.values(value)) expectFrozen(child);
}

/** Tries to write to everything in reach. Reflect answers false where an assignment would throw. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    vandalise(child);
    Reflect.set(value, name, 'vandalised');
  }
  Reflect.set(value, 'vandal', true);
}
