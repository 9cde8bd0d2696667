import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { config, Observable, throwError } from 'rxjs';
import t, { type Test } from 'tap';
import { deepFreeze, random, systemClock, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/time/virtual-clock.js';
import { checkStoreListOptions, checkTransaction } from '../../lib/storage/check-input.js';
import { isStoreError } from '../../lib/storage/index.js';
import type { Batch, Entry, Revision, Store, StoreErrorCode, Transaction } from '../../lib/storage/index.js';
import { KeyIndex } from '../../lib/storage/key-index.js';
import { Leases } from '../../lib/storage/leases.js';
import { storeLimits } from '../../lib/storage/limits.js';
import { memoryStore } from '../../lib/storage/memory-store.js';
import type { MemoryStore } from '../../lib/storage/memory-store.js';
import { PrefixTrie } from '../../lib/storage/prefix-trie.js';
import { checkRegisters, checkRevisions, recordHistory, registersOf, storeSuite } from '../../lib/testing/public.js';
import { fc, runs, seed } from '../support/properties.js';

t.test('the memory store keeps the promises of a store', async (t) => {
  storeSuite(
    (name, run) => t.test(name, run),
    async () => {
      const clock = virtualClock();
      const store = memoryStore({ clock });
      return {
        store,
        elapse: (ms) => clock.advance(ms),
        limits: {
          keyBytesMax: storeLimits.keyBytesMax,
          valueBytesMax: storeLimits.transactionBytesMax,
          operationsMax: storeLimits.changesMax,
        },
        dispose: async () => {
          await store.close();
          t.equal(clock.pending, 0, 'no timer is left');
        },
      };
    },
  );
});

t.test('a fork of a fork keeps the promises of a store, too', async (t) => {
  storeSuite(
    (name, run) => t.test(name, run),
    async () => {
      const clock = virtualClock();
      const store = memoryStore({ clock }).fork().fork();
      return {
        store,
        elapse: (ms) => clock.advance(ms),
        limits: { keyBytesMax: storeLimits.keyBytesMax, operationsMax: storeLimits.changesMax },
        dispose: () => store.close(),
      };
    },
  );
});

t.test('the index of keys', async (t) => {
  // Few letters, so that keys share prefixes; the last three differ in the order of UTF-16 and UTF-8.
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '0', 'é', '\uffff', '\ue000', '😀'), maxLength: 4 });
  const bytes = (text: string): Buffer => Buffer.from(text);
  const listModel = (model: ReadonlyMap<string, string>, prefix: string, after?: string): string[] =>
    [...model]
      .filter(([each]) => each.startsWith(prefix) && (after === undefined || bytes(each).compare(bytes(after)) > 0))
      .sort(([a], [b]) => bytes(a).compare(bytes(b)))
      .map(([, value]) => value);

  t.test('is an ordered map, and so is each of its clones', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), key }),
      fc.record({ do: fc.constant('delete' as const), key }),
      fc.record({ do: fc.constant('clone' as const), key }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.array(
          fc.record({ prefix: key, after: fc.option(key, { nil: undefined }), limit: fc.integer({ min: 1, max: 9 }) }),
        ),
        (steps, pages) => {
          const index = new KeyIndex<string>();
          const model = new Map<string, string>();
          const pairs = [{ index, model: model as ReadonlyMap<string, string> }];
          for (const [n, step] of steps.entries()) {
            if (step.do === 'clone') pairs.push({ index: index.clone(), model: new Map(model) });
            if (step.do === 'set') {
              let previous: string | undefined;
              index.set(step.key, (found) => {
                previous = found;
                return `${step.key} ${n}`;
              });
              if (previous !== model.get(step.key)) return false;
              model.set(step.key, `${step.key} ${n}`);
            }
            if (step.do === 'delete') {
              if (index.delete(step.key) !== model.get(step.key)) return false;
              model.delete(step.key);
            }
          }
          for (const pair of pairs) {
            if (pair.index.size !== pair.model.size) return false;
            for (const { key } of steps) if (pair.index.get(key) !== pair.model.get(key)) return false;
            for (const { prefix, after, limit } of pages) {
              const expected = listModel(pair.model, prefix, after);
              if (pair.index.count({ prefix, after }) !== expected.length) return false;
              if (pair.index.list({ prefix, after }).join() !== expected.join()) return false;
              if (pair.index.list({ prefix, after }, limit).join() !== expected.slice(0, limit).join()) return false;
            }
          }
          return true;
        },
      ),
      { numRuns: runs(200) },
    );
  });

  t.test('stays right through splits and joins of several levels, whatever its clones do', async (t) => {
    const chance = random('splits and joins');
    const keys = chance.shuffle(Array.from({ length: 6_000 }, (_, n) => `/registry/${n % 7}/${n}`));
    const index = new KeyIndex<string>();
    for (const key of keys) index.set(key, () => key);
    const full = index.clone();
    const sorted = keys.toSorted();
    t.strictSame(full.list({ prefix: '' }), sorted);
    for (const [n, key] of chance.shuffle(keys).entries()) {
      index.delete(key);
      if (n % 1_000 !== 999) continue;
      const left = new Set(index.list({ prefix: '' }));
      t.equal(left.size, keys.length - n - 1);
      t.strictSame(
        [...left],
        sorted.filter((each) => left.has(each)),
      );
      t.equal(
        index.count({ prefix: '/registry/3/' }),
        [...left].filter((each) => each.startsWith('/registry/3/')).length,
      );
      const regrown = index.clone();
      for (const each of keys) regrown.set(each, () => each);
      t.strictSame(regrown.list({ prefix: '' }), sorted, 'grows again where it was thinned out');
    }
    t.equal(index.size, 0);
    t.strictSame(index.list({ prefix: '' }), []);
    t.strictSame(full.list({ prefix: '' }), sorted, 'the clone made before has lost nothing');
  });
});

t.test('prefixes are found along a key, as if each had been tried', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 5 });
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat(50)), fc.array(text), (prefixes, removed, keys) => {
      const trie = new PrefixTrie<number>();
      for (const [item, prefix] of prefixes.entries()) trie.add(prefix, item);
      for (const item of removed) trie.remove(prefixes[item] ?? 'aab', item);
      for (const key of [...keys, ...prefixes]) {
        const expected = prefixes.flatMap((prefix, item) =>
          key.startsWith(prefix) && !removed.includes(item) ? [{ item, prefix }] : [],
        );
        const inOrder = expected
          .sort((a, b) => a.prefix.length - b.prefix.length || a.item - b.item)
          .map(({ item }) => item);
        if (trie.along(key).join() !== inOrder.join()) return false;
      }
      return true;
    }),
    { numRuns: runs(500) },
  );
});

t.test('input that only looks like JSON is refused, whatever it costs to look at', async (t) => {
  const refused = (transaction: unknown, code: StoreErrorCode, message: RegExp): void => {
    const error = thrownBy(() => checkTransaction(transaction as Transaction));
    t.ok(isStoreError(error, code), String(error));
    t.match(error, { message });
  };
  const put = (value: unknown): unknown => ({ put: [{ key: 'a', value }] });
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const endless: unknown[] = [];
  endless.length = 4_000_000_000;
  refused(put(cycle), 'too-large', /beyond 1572864 bytes/);
  refused(put({ endless }), 'too-large', /beyond 1572864 bytes/);
  refused(
    { put: ['a', 'b'].map((key) => ({ key, value: { text: 'x'.repeat(800_000) } })) },
    'too-large',
    /beyond 1572864 bytes/,
  );
  refused(put({ at: new Date(0) }), 'invalid', /holds a Date/);
  refused(null, 'invalid', /not null/);
  refused(7, 'invalid', /not a number/);
  refused({ put: 7 }, 'invalid', /put is a list/);
  refused({ put: [undefined] }, 'invalid', /put has an item missing/);
  refused({ put: new Array(1) }, 'invalid', /put has an item missing/);
  refused({ delete: [null] }, 'invalid', /delete has an item missing/);
  refused({ put: [7] }, 'invalid', /a key is a string, not undefined/);
  refused({ put: [{ key: 'a', value: {}, lease: 7 }] }, 'invalid', /named by a string, not a number/);
  t.ok(
    isStoreError(
      thrownBy(() => checkStoreListOptions({ after: 7 as unknown as string })),
      'invalid',
    ),
  );
  checkTransaction({ put: [{ key: 'a', value: Object.create(null) as Record<string, never> }] });
  checkTransaction({ put: [{ key: 'a', value: { list: [[], [{}], [null, true, 1, 's']] } }] });

  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { deep };
  checkTransaction(put(deep) as Transaction);
  t.pass('nesting costs no call stack');

  for (const option of ['historyMax', 'waitingMax']) {
    for (const bad of [-1, 1.5, Number.NaN])
      t.ok(
        isStoreError(
          thrownBy(() => memoryStore({ [option]: bad })),
          'invalid',
        ),
        `${option} ${bad}`,
      );
  }
});

t.test('values are shared by reference, frozen, and never copied', async (t) => {
  const store = memoryStore();
  const frozen = deepFreeze({ spec: { replicas: 1 } });
  const fresh = { spec: { replicas: 2 } };
  await store.commit({
    put: [
      { key: '/a', value: frozen },
      { key: '/b', value: fresh },
    ],
  });
  const { entries } = await store.list('/');
  t.equal(entries[0]?.value, frozen);
  t.equal(entries[1]?.value, fresh);
  t.throws(() => (fresh.spec.replicas = 3), TypeError);
  const { entry } = await store.get('/a');
  t.equal(entry, entries[0], 'an entry is one object for all who read it');
  t.ok(Object.isFrozen(entry));
});

t.test('history is bounded by historyMax, to the revision', async (t) => {
  for (const historyMax of [0, 1, 5, 130]) {
    const store = memoryStore({ historyMax });
    for (let count = 0; count < 300; count++) {
      const { revision } = await store.commit({ put: [{ key: `/k${count % 3}`, value: { count } }] });
      const oldest = Math.max(1, revision - historyMax);
      t.equal((await store.list('/', { revision: oldest })).revision, oldest);
      if (oldest === 1) continue;
      await refusedWith(t, store.list('/', { revision: oldest - 1 }), 'compacted', oldest);
      const watch = record(store, '/', oldest - 1);
      t.ok(isStoreError(watch.error, 'compacted') && watch.error.revision === oldest);
    }
    const resumed = record(store, '/', 301 - historyMax);
    await Promise.resolve();
    t.strictSame(
      resumed.revisions(),
      Array.from({ length: historyMax }, (_, n) => 302 - historyMax + n),
    );
  }
});

t.test('a view is a revision for good', async (t) => {
  const store = memoryStore({ historyMax: 1_000 });
  const chance = random('views');
  const expected = new Map<Revision, readonly Entry[]>();
  for (let step = 0; step < 300; step++) {
    const key = `/registry/${'ab'.charAt(step % 2)}/${chance.integer(40)}`;
    await store.commit(chance.next() < 0.3 ? { delete: [key] } : { put: [{ key, value: { step } }] });
    const { entries, revision } = await store.list('');
    expected.set(revision, entries);
  }
  const early = store.at(100);
  const now = store.at();
  const views = [...expected.keys()].map((revision) => store.at(revision));
  await store.commit({
    put: [{ key: '/registry/a/late', value: {} }],
    delete: (await store.list('/registry/a/')).entries.map(({ key }) => key),
  });
  await store.compact(await store.revision());
  await store.close();
  for (const view of [early, now, ...views]) {
    const entries = expected.get(view.revision) ?? [];
    const [a, b] = ['/registry/a/', '/registry/b/'].map((prefix) =>
      entries.filter(({ key }) => key.startsWith(prefix)),
    );
    t.strictSame(
      entries.map(({ key }) => view.get(key)),
      entries,
      'keys that were there',
    );
    t.equal(view.get('/registry/a/late'), undefined);
    t.strictSame(view.list('/registry/a/'), { entries: a, revision: view.revision, remaining: 0 });
    t.strictSame(
      entries.map(({ key }) => view.get(key)),
      entries,
      'reading is the same after a list',
    );
    t.strictSame(view.list('/registry/b/', { limit: 2 }), {
      entries: b?.slice(0, 2),
      revision: view.revision,
      remaining: Math.max(0, (b?.length ?? 0) - 2),
    });
    t.strictSame(view.list('').entries, entries);
  }
  t.throws(() => early.get(''), { code: 'invalid' });
  t.throws(() => early.list('', { limit: 0 }), { code: 'invalid' });
  t.throws(() => store.at(), { code: 'closed' });
});

t.test('a view of a revision that is gone, or still to come, is refused', async (t) => {
  const store = memoryStore();
  for (let count = 0; count < 5; count++) await store.commit({ put: [{ key: '/a', value: { count } }] });
  await store.compact(4);
  t.throws(() => store.at(3), { code: 'compacted', revision: 4 });
  t.throws(() => store.at(7), { code: 'future-revision', revision: 6 });
  t.throws(() => store.at(0), { code: 'invalid' });
  t.strictSame(store.at(4).get('/a')?.value, { count: 2 });
});

t.test('what is compacted or replaced is let go', async (t) => {
  const historyMax = 200;
  const attempt = async (): Promise<readonly [afterBound: number, afterCompaction: number]> => {
    const store = memoryStore({ historyMax });
    const put = async (count: number): Promise<WeakRef<object>> => {
      const value = { count };
      const { revision } = await store.commit({ put: [{ key: `/k${count % 50}`, value }] });
      if (count < 900) store.at(revision - 1).list('/'); // kept ready for the next page
      return new WeakRef(value);
    };
    const values: WeakRef<object>[] = [];
    for (let count = 0; count < 1_000; count++) values.push(await put(count));
    const left = async (allowed: number): Promise<number> => {
      await timersToFire(); // a WeakRef that was made or read holds its target until the turn ends
      collectGarbage();
      return values.slice(0, -allowed).filter((value) => value.deref() !== undefined).length;
    };
    // Allowed are the 50 of the newest state, or before the oldest change, and what is left of a chunk of 64.
    const afterBound = await left(50 + historyMax + 64);
    await store.compact(await store.revision());
    const afterCompaction = await left(50 + 64);
    await store.close(); // until here it must not be collected itself
    return [afterBound, afterCompaction];
  };
  // The engine's own caches hold on to a tree of 50 now and then; a leak of ours would do so every time.
  const attempts = [await attempt(), await attempt(), await attempt(), await attempt()];
  t.ok(Math.min(...attempts.map(([afterBound]) => afterBound)) < 20, 'beyond historyMax');
  t.ok(Math.min(...attempts.map(([, afterCompaction]) => afterCompaction)) < 20, 'compacted');
});

t.test('a watch that was let go leaves nothing behind', async (t) => {
  const store = memoryStore();
  store.watch('/registry/').subscribe();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 100_000; n++) store.watch(`/registry/pods/${n}/`).subscribe().unsubscribe();
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  t.ok(grown < 4_000_000, `less than 40 bytes each: ${grown} in all`);
  await store.close(); // until here it must not be collected itself
});

t.test('more lists than are kept ready can be paged through at the same time', async (t) => {
  const store = memoryStore();
  const keys = Array.from({ length: 20 }, (_, n) => `/k${String(n).padStart(2, '0')}`);
  await store.commit({ put: keys.map((key) => ({ key, value: {} })) });
  const revisions: Revision[] = [];
  for (const key of keys) revisions.push((await store.commit({ delete: [key] })).revision);
  for (const after of [undefined, '/k05', '/k10']) {
    for (const [index, revision] of revisions.entries()) {
      const { entries } = await store.list('/', { revision, limit: 3, ...(after !== undefined && { after }) });
      t.strictSame(
        entries.map(({ key }) => key),
        keys
          .slice(index + 1)
          .filter((key) => after === undefined || key > after)
          .slice(0, 3),
      );
    }
  }
});

t.test('a fork', async (t) => {
  const fill = async (store: Store, from: number, to: number): Promise<void> => {
    for (let count = from; count < to; count++)
      await store.commit({ put: [{ key: `/k${count % 10}`, value: { count } }] });
  };

  t.test('goes its own way, with the same history', async (t) => {
    const store = memoryStore();
    await fill(store, 0, 100);
    const fork = store.fork();
    const origin = memoryStore();
    await fill(origin, 0, 100);
    await fill(store, 100, 250);
    await fork.commit({ delete: ['/k3'] });
    await fork.compact(60);
    await fill(fork, 500, 530);
    await fill(origin, 100, 250);
    await same(t, store, origin, 'the store is as if it had not been forked');
    const second = memoryStore();
    await fill(second, 0, 100);
    await second.commit({ delete: ['/k3'] });
    await second.compact(60);
    await fill(second, 500, 530);
    await same(t, fork, second, 'the fork is as if it had always been alone');
    await refusedWith(t, fork.get('/k1', { revision: 59 }), 'compacted', 60);
    await refusedWith(t, fork.fork().get('/k1', { revision: 59 }), 'compacted', 60);
    t.equal((await store.get('/k1', { revision: 59 })).revision, 59);
  });

  t.test('of an earlier revision is the store as it was then', async (t) => {
    const store = memoryStore();
    await fill(store, 0, 130);
    const lease = await store.grantLease(1_000);
    await store.commit({ put: [{ key: '/k1', value: {}, lease }], delete: ['/k2'] });
    await store.commit({ put: [{ key: '/new', value: {} }] });
    for (const length of [0, 1, 63, 64, 65, 129, 130]) {
      const fork = store.fork({ revision: length + 1 });
      const expected = memoryStore();
      await fill(expected, 0, length);
      await same(t, fork, expected, `after ${length} commits`);
      await fill(fork, 300, 400);
      await fill(expected, 300, 400);
      await same(t, fork, expected, `and it goes on from there`);
    }
    const leased = store.fork({ revision: 132 });
    await leased.commit({ put: [{ key: '/k1', value: { again: true } }] });
    t.match((await leased.get('/k1')).entry?.value, { again: true }, 'keys of leases can be written');
    await store.compact(60);
    t.throws(() => store.fork({ revision: 59 }), { code: 'compacted' });
    t.throws(() => store.fork({ revision: 500 }), { code: 'future' });
    t.throws(() => store.fork({ revision: -1 }), { code: 'invalid' });
  });

  t.test('has watches of its own', async (t) => {
    const store = memoryStore();
    const before = record(store, '/');
    const pending = store.commit({ put: [{ key: '/a', value: {} }] });
    const fork = store.fork();
    const after = record(fork, '/');
    await fork.commit({ put: [{ key: '/b', value: {} }] });
    await pending;
    await store.commit({ put: [{ key: '/c', value: {} }] });
    t.strictSame(before.keys(), ['/a', '/c']);
    t.strictSame(after.keys(), ['/b']);
    await store.close();
    t.equal(before.completed, true);
    t.equal(after.completed, false, 'closing one closes one');
    await fork.commit({ put: [{ key: '/d', value: {} }] });
    t.strictSame(after.keys(), ['/b', '/d']);
    t.throws(() => store.fork(), { code: 'closed' });
  });

  t.test('has the leases under way, on its own clock', async (t) => {
    const clocks = [virtualClock(), virtualClock()] as const;
    const store = memoryStore({ clock: clocks[0] });
    const lease = await store.grantLease(1_000);
    await store.commit({
      put: [
        { key: '/a', value: {}, lease },
        { key: '/b', value: {}, lease },
      ],
    });
    await clocks[0].advance(400);
    await clocks[1].advance(400);
    const fork = store.fork({ clock: clocks[1] });
    t.strictSame(
      clocks.map(({ pending }) => pending),
      [1, 1],
    );
    await fork.commit({ put: [{ key: '/a', value: { kept: true } }] });
    await store.renewLease(lease);
    t.not(await fork.grantLease(5_000), lease, 'names go on counting');
    await clocks[1].advance(600);
    t.strictSame(
      (await fork.list('/')).entries.map(({ key }) => key),
      ['/a'],
      'ended in the fork, without the key that left it there',
    );
    t.equal((await store.list('/')).entries.length, 2, 'renewed in the store');
    await clocks[0].advance(1_000);
    t.equal((await store.list('/')).entries.length, 0);
    await Promise.all([store.close(), fork.close()]);
    t.strictSame(
      clocks.map(({ pending }) => pending),
      [0, 0],
    );
  });
});

t.test('watchers receive', async (t) => {
  const put = (key: string): Transaction => ({ put: [{ key, value: {} }] });

  t.test('not inside the call that commits or subscribes, but before its answer', async (t) => {
    const store = memoryStore();
    const live = record(store, '/');
    const answer = store.commit(put('/a'));
    t.strictSame(live.keys(), [], 'not inside the commit');
    const resumed = record(store, '/', 1);
    t.strictSame(resumed.keys(), [], 'not inside the subscription');
    await answer;
    t.strictSame(live.keys(), ['/a']);
    t.strictSame(resumed.keys(), ['/a'], 'from history only: it was committed before');
    await store.commit(put('/b'));
    t.strictSame(resumed.keys(), ['/a', '/b']);
  });

  t.test('of a commit made by one of them after the current one, everyone in the same order', async (t) => {
    const store = memoryStore();
    const first: string[] = [];
    store.watch('/').subscribe(({ changes }) => {
      for (const { key } of changes) {
        first.push(key);
        if (key.length > 5) continue;
        void store.commit(put(`${key}x`));
        void store.commit(put(`${key}y`));
      }
    });
    const second = record(store, '/');
    await store.commit(put('/a'));
    t.strictSame(first.slice(0, 7), ['/a', '/ax', '/ay', '/axx', '/axy', '/ayx', '/ayy']);
    t.strictSame(second.keys(), first, 'before the await of the first commit continues');
    t.strictSame(
      second.revisions(),
      Array.from({ length: first.length }, (_, n) => n + 2),
    );
  });

  t.test('even when one before them throws', async (t) => {
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    t.teardown(() => (config.onUnhandledError = null));
    const store = memoryStore();
    store.watch('/').subscribe(() => {
      throw new Error('in a callback');
    });
    let failure: unknown;
    const handMade = new Observable<Batch>((subscriber) => {
      subscriber.next = () => {
        throw new Error('in a subscriber');
      };
      return store.watch('/').subscribe(subscriber);
    });
    handMade.subscribe({ error: (error: unknown) => (failure = error) });
    const other = record(store, '/');
    await store.commit(put('/a'));
    await store.commit(put('/b'));
    t.strictSame(other.keys(), ['/a', '/b']);
    t.match(failure, { message: 'in a subscriber' }, 'which ends with what it threw');
    await timersToFire();
    t.match(reported, [{ message: 'in a callback' }], 'and RxJS reports it');
  });

  t.test('a bookmark after all that they were still to hear, and not if they joined later', async (t) => {
    const store = memoryStore();
    await store.commit(put('/a'));
    await store.commit(put('/b'));
    const early = record(store, '/', 1);
    const foreign = record(store, '/other/');
    const waiting = record(store, '/', 9);
    const progress = store.requestProgress();
    const late = record(store, '/', 1);
    await progress;
    t.strictSame(
      early.batches.map(({ revision, changes }) => [revision, changes.length]),
      [
        [2, 1],
        [3, 1],
        [3, 0],
      ],
    );
    t.strictSame(
      foreign.batches.map(({ revision, changes }) => [revision, changes.length]),
      [[3, 0]],
    );
    t.strictSame(waiting.batches, []);
    await Promise.resolve();
    t.strictSame(
      late.batches.map(({ revision, changes }) => [revision, changes.length]),
      [
        [2, 1],
        [3, 1],
      ],
    );
  });

  t.test('only of their prefix, and all of one revision at once', async (t) => {
    const store = memoryStore();
    const all = record(store, '');
    const pods = record(store, '/pods/');
    const one = record(store, '/pods/a');
    await store.commit({ put: ['/pods/a', '/nodes/a', '/pods/b'].map((key) => ({ key, value: {} })) });
    await store.commit({ put: [{ key: '/pods/ab', value: {} }], delete: ['/pods/a', '/nodes/a'] });
    t.strictSame(
      all.batches.map(({ changes }) => changes.map(({ key }) => key)),
      [
        ['/pods/a', '/nodes/a', '/pods/b'],
        ['/pods/ab', '/pods/a', '/nodes/a'],
      ],
    );
    t.strictSame(
      pods.batches.map(({ changes }) => changes.map(({ key }) => key)),
      [
        ['/pods/a', '/pods/b'],
        ['/pods/ab', '/pods/a'],
      ],
    );
    t.strictSame(
      one.batches.map(({ changes }) => changes.map(({ key }) => key)),
      [['/pods/a'], ['/pods/ab', '/pods/a']],
    );
    for (const prefix of ['', '/pods/', '/pods/a']) {
      const resumed = record(store, prefix, 1);
      await Promise.resolve();
      t.strictSame(
        resumed.batches,
        { '': all, '/pods/': pods, '/pods/a': one }[prefix]?.batches,
        `history of ${prefix} is what was live`,
      );
    }
    for (const batch of [...all.batches, ...pods.batches])
      t.ok(Object.isFrozen(batch) && Object.isFrozen(batch.changes) && batch.changes.every(Object.isFrozen));
  });

  t.test('in bounded numbers: who commits without a pause is refused, and may go on after one', async (t) => {
    const store = memoryStore({ waitingMax: 3 });
    const watch = record(store, '/');
    const burst = await Promise.allSettled(['/a', '/b', '/c', '/d', '/e'].map((key) => store.commit(put(key))));
    t.strictSame(
      burst.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    t.ok(burst.every((each) => each.status === 'fulfilled' || isStoreError(each.reason, 'unavailable')));
    await store.commit(put('/f'));
    t.strictSame(watch.keys(), ['/a', '/b', '/c', '/f']);
    t.strictSame(watch.revisions(), [2, 3, 4, 5]);
    watch.stop();
    await Promise.all(['/a', '/b', '/c', '/d', '/e'].map((key) => store.commit(put(key))));
    t.equal(await store.revision(), 10, 'without a subscriber nothing waits');
  });
});

t.test('leases', async (t) => {
  const setUp = (): {
    readonly clock: VirtualClock;
    readonly leases: Leases;
    readonly ended: (readonly [string, readonly string[]])[];
  } => {
    const clock = virtualClock({ start: 0 });
    const ended: (readonly [string, readonly string[]])[] = [];
    return { clock, ended, leases: new Leases({ clock, onEnd: (id, keys) => ended.push([id, keys]) }) };
  };

  t.test('share one timer, for the first to end', async (t) => {
    const { clock, leases, ended } = setUp();
    const ids = [300, 100, 200, 100].map((ttlMs) => leases.grant(ttlMs).id);
    t.strictSame(ids, ['0000000000000001', '0000000000000002', '0000000000000003', '0000000000000004']);
    t.equal(clock.pending, 1);
    for (const [index, key] of ['/c', '/a', '/b', '/d'].entries()) leases.attach(ids[index] ?? '', key);
    leases.attach(ids[1] ?? '', '/aa');
    await clock.advance(99);
    t.strictSame(ended, []);
    await clock.advance(1);
    t.strictSame(
      ended,
      [
        [ids[1], ['/a', '/aa']],
        [ids[3], ['/d']],
      ],
      'those of one instant in the order of their names',
    );
    t.strictSame(leases.revoke(ids[2] ?? ''), ['/b']);
    t.equal(leases.renew(ids[0] ?? '').endsAtMs, 400);
    t.equal(clock.pending, 1);
    await clock.advance(300);
    t.strictSame(ended.at(-1), [ids[0], ['/c']]);
    t.equal(clock.pending, 0, 'no lease, no timer');
  });

  t.test('are over at their instant, also for who comes before the timer', async (t) => {
    const { clock, leases } = setUp();
    const early: unknown[] = [];
    clock.timer(100).subscribe(() => {
      for (const call of [
        () => leases.find('0000000000000001'),
        () => leases.renew('0000000000000001'),
        () => leases.revoke('0000000000000001'),
      ])
        early.push(thrownBy(call));
    });
    leases.grant(100);
    await clock.advance(100);
    t.equal(early.length, 3);
    t.ok(early.every((error) => isStoreError(error, 'lease-not-found')));
  });

  t.test('are taken up again with their names and ends', async (t) => {
    const { clock, leases, ended } = setUp();
    await clock.advance(500);
    leases.restore({ id: '000000000000001f', ttlMs: 200, endsAtMs: 600 });
    leases.restore({ id: '0000000000000002', ttlMs: 200, endsAtMs: 450 });
    leases.attach('000000000000001f', '/a');
    leases.attach('0000000000000002', '/b');
    t.equal(leases.grant(1_000).id, '0000000000000020');
    await clock.settled();
    t.strictSame(ended, [['0000000000000002', ['/b']]], 'what is over ends at once');
    t.equal(leases.renew('000000000000001f').endsAtMs, 700);
    await clock.advance(200);
    t.strictSame(ended.at(-1), ['000000000000001f', ['/a']]);
    leases.close();
    t.equal(clock.pending, 0);
    leases.grant(1);
    t.equal(clock.pending, 0, 'closed is closed');
  });

  t.test('report a clock that fails', async (t) => {
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    t.teardown(() => (config.onUnhandledError = null));
    const clock = { ...virtualClock(), now: () => 0, timer: () => throwError(() => new Error('stopped')) };
    new Leases({ clock, onEnd: () => undefined }).grant(1);
    await timersToFire();
    t.match(reported, [{ message: 'leases: the clock failed', cause: { message: 'stopped' } }]);
  });

  t.test('of many keys end in one commit, beyond what a transaction may hold', async (t) => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    const lease = await store.grantLease(10);
    for (let n = 0; n < 1_000; n++) await store.commit({ put: [{ key: `/events/${n}`, value: {}, lease }] });
    const watch = record(store, '/');
    await clock.advance(10);
    t.strictSame(
      watch.batches.map(({ revision, changes }) => [revision, changes.length]),
      [[1_002, 1_000]],
    );
    t.equal((await store.list('/', { revision: 1_001, limit: 1 })).remaining, 999);
    await store.close();
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
}

/** RxJS reports unhandled errors from a timer of 0 ms. */
async function timersToFire(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

interface Recording {
  readonly batches: readonly Batch[];
  readonly completed: boolean;
  readonly error: unknown;
  keys(): readonly string[];
  revisions(): readonly Revision[];
  stop(): void;
}

function record(store: Store, prefix: string, after?: Revision): Recording {
  const batches: Batch[] = [];
  const end = { completed: false, error: undefined as unknown };
  const subscription = store.watch(prefix, after === undefined ? {} : { after }).subscribe({
    next: (batch) => batches.push(batch),
    error: (error: unknown) => (end.error = error),
    complete: () => (end.completed = true),
  });
  return {
    batches,
    get completed() {
      return end.completed;
    },
    get error() {
      return end.error;
    },
    keys: () => batches.flatMap(({ changes }) => changes.map(({ key }) => key)),
    revisions: () => batches.map(({ revision }) => revision),
    stop: () => subscription.unsubscribe(),
  };
}

/** Asserts that two stores are equal at every revision they have. */
async function same(t: Test, found: MemoryStore, wanted: MemoryStore, message: string): Promise<void> {
  const newest = await wanted.revision();
  t.equal(await found.revision(), newest, message);
  let oldest = newest;
  for (; oldest > 1; oldest--) {
    const [one, other] = await Promise.allSettled([found, wanted].map((store) => store.list('', { revision: oldest })));
    t.equal(one?.status, other?.status, message);
    if (other?.status !== 'fulfilled') break;
    t.strictSame(one?.status === 'fulfilled' && one.value, other.value, message);
  }
  const [one, other] = [found, wanted].map((store) => record(store, '', oldest + 1));
  await Promise.resolve();
  t.strictSame(one?.batches, other?.batches, message);
}

async function refusedWith(t: Test, call: Promise<unknown>, code: StoreErrorCode, revision: Revision): Promise<void> {
  await t.rejects(call, { code, revision });
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

t.test('concurrent operations have one order that explains them', async (t) => {
  const store = memoryStore();
  const history = await recordHistory(store, {
    seed: String(seed),
    clients: 16,
    operations: runs(20_000),
    keys: 8,
    clock: systemClock(),
  });
  await store.close();
  t.ok(history.operations.length >= runs(20_000), `${history.operations.length} operations`);
  t.equal(checkRevisions(history)?.sentence, undefined, 'revisions and watches');
  t.equal(checkRegisters(registersOf(history))?.sentence, undefined, 'every key by itself');
});
