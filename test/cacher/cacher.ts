import { config, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import t from 'tap';
import { cacherLimits } from '../../lib/cacher/index.js';
import { encodedBytes } from '../../lib/server/http/object-encoder.js';
import type { CacheListing, CacheListOptions, Cacher } from '../../lib/cacher/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { isStoreError, memoryStore, StoreError } from '../../lib/storage/index.js';
import type { MemoryStore, Revision } from '../../lib/storage/index.js';
import { storeLimits } from '../../lib/storage/limits.js';
import { storeSuite } from '../../lib/testing/public.js';
import { cachedStore } from '../support/cached-store.js';
import { prefix, put, readThing, record, remove, thingCacher, type Thing } from '../support/cached-things.js';
import { FlakyStore } from '../support/flaky-store.js';

for (const windowMax of [1000, 2]) {
  t.test(
    `reads and watches through cachers with a window of ${windowMax} satisfy the contract of a store`,
    async (t) => {
      storeSuite(
        (name, run) => t.test(name, run),
        async () => {
          const clock = virtualClock();
          const store = cachedStore({ store: memoryStore({ clock }), clock, limits: { windowMax } });
          return {
            store,
            elapse: (ms) => clock.advance(ms),
            patienceMs: 30_000,
            limits: {
              keyBytesMax: storeLimits.keyBytesMax,
              valueBytesMax: storeLimits.transactionBytesMax,
              operationsMax: storeLimits.changesMax,
            },
            leftBehind: () => (clock.pending === 0 ? [] : ['a timer']),
            dispose: () => store.close(),
          };
        },
      );
    },
  );
}

/** A resource with a store below it that counts, fails and holds back. */
function world(options: Parameters<typeof thingCacher>[2] = {}): {
  clock: VirtualClock;
  inner: MemoryStore;
  store: FlakyStore;
  cacher: Cacher<Thing>;
} {
  const clock = virtualClock();
  const inner = memoryStore({ clock });
  const store = new FlakyStore(inner);
  return { clock, inner, store, cacher: thingCacher(store, clock, options) };
}

const keysOf = (things: readonly Thing[]): readonly string[] => things.map(({ key }) => key);

t.test('a cache does nothing before it is used and leaves nothing behind when it is closed', async (t) => {
  const { clock, store, cacher } = world();
  await put(store, 'a/x', 'red');
  t.equal(cacher.peek('a/x'), undefined, 'what is at hand is nothing');
  t.strictSame(cacher.figures(), { objects: 0, watchers: 0, windowEvents: 0, windowBytes: 0, revision: 0 });
  t.strictSame(
    store.calls,
    { get: 0, list: 0, revision: 0, requestProgress: 0, watch: 0, compact: 0 },
    'the store was not asked anything',
  );
  await cacher.list();
  await put(store, 'a/y', 'red');
  const watches = [
    record(cacher.watch({ bookmarks: true, initial: true })),
    record(cacher.watch({ after: 1 })),
    record(cacher.watch({ after: 99 })),
  ];
  const waits = cacher.get('a/x', { notOlderThan: 99 }).catch((error: unknown) => error);
  await clock.settled();
  t.strictSame(cacher.figures(), { objects: 2, watchers: 3, windowEvents: 1, windowBytes: 0, revision: 3 });
  t.equal(cacher.peek('a/x')?.colour, 'red');
  t.not(clock.pending, 0);
  await cacher.close();
  t.equal(store.openWatches, 0, 'no storage watch');
  t.equal(clock.pending, 0, 'no timer');
  t.ok(isStoreError(await waits, 'closed'), 'who waits is sent away');
  t.strictSame(
    watches.map(({ end }) => end),
    ['completed', 'completed', 'completed'],
  );
  await t.rejects(cacher.get('a/x'), { code: 'closed' });
  await t.rejects(cacher.list({ revision: 3 }), { code: 'closed' });
  t.equal(record(cacher.watch()).end, 'completed', 'a watch of a closed cache ends at once');
  await cacher.close();
});

t.test('a cache ends when its store is closed', async (t) => {
  const { clock, store, cacher } = world();
  const watch = record(cacher.watch({ initial: true, bookmarks: true }));
  await clock.settled();
  await store.close();
  t.equal(watch.end, 'completed');
  t.equal(clock.pending, 0);
  await t.rejects(cacher.get('a/x'), { code: 'closed' });
  const never = world();
  await never.store.close();
  const unborn = record(never.cacher.watch({ initial: true }));
  await t.rejects(never.cacher.list(), { code: 'closed' });
  await never.clock.settled();
  t.equal(unborn.end, 'completed', 'also one that was closed before it was used');
  t.equal(never.clock.pending, 0);
});

t.test('invalid limits are refused', async (t) => {
  for (const limits of [{ windowMax: 0 }, { waitMs: -1 }, { bookmarkMs: Number.NaN }])
    t.throws(() => world({ limits }), RangeError);
  t.strictSame(cacherLimits, { windowMax: 1000, windowBytesMax: 2 ** 25, waitMs: 3000, bookmarkMs: 60_000 });
});

t.test('a consistent read waits until the cache has seen everything committed before it', async (t) => {
  const { clock, inner, store, cacher } = world();
  await cacher.get('a/x');
  store.hold();
  const { revision } = await put(inner, 'a/x', 'red');
  const answers: unknown[] = [];
  void cacher.get('a/x').then((answer) => answers.push(answer.object?.colour, answer.revision));
  void cacher.list().then((answer) => answers.push(keysOf(answer.items), answer.revision));
  const stale = await cacher.get('a/x', { notOlderThan: 0 });
  await clock.advance(2000);
  t.strictSame(answers, [], 'it does not answer with less');
  t.equal(stale.object, undefined, 'one that may be old does not wait');
  store.release();
  await clock.settled();
  t.strictSame(answers, ['red', revision, ['a/x'], revision]);
  t.equal(clock.pending, 0, 'no read waits any more');
  t.ok(store.calls.requestProgress > 10, 'while it waits it asks for progress again and again');
  await cacher.close();
});

t.test('a consistent read goes to the store if the cache does not catch up in time', async (t) => {
  const { clock, inner, store, cacher } = world();
  const { object: before } = await cacher
    .get('a/x')
    .then(() => put(inner, 'a/x', 'red'))
    .then(() => cacher.get('a/x'));
  store.hold();
  const { revision } = await put(inner, 'b/y', 'blue');
  const reads = Promise.all([
    cacher.get('b/y'),
    cacher.list(),
    cacher.list({ limit: 1 }),
    cacher.get('a/x', { notOlderThan: revision }),
  ]);
  const late = Promise.allSettled([
    cacher.get('b/y', { notOlderThan: revision + 1 }),
    cacher.list({ notOlderThan: revision + 1 }),
    cacher.list({ revision: revision + 1 }),
  ]);
  await clock.advance(3000);
  const [got, listed, page, old] = await reads;
  t.strictSame([got.object?.colour, got.revision], ['blue', revision]);
  t.strictSame([keysOf(listed.items), listed.revision], [['a/x', 'b/y'], revision]);
  t.strictSame([keysOf(page.items), page.next, page.remaining], [['a/x'], 'a/x', 1]);
  t.equal(old.object, before, 'an object that the cache has is not made again');
  for (const each of await late) {
    t.match(each, {
      status: 'rejected',
      reason: { message: `Timeout: Too large resource version: ${revision + 1}, current: ${revision}` },
    });
  }
  await cacher.close();
});

t.test('concurrent reads share their requests to the store', async (t) => {
  const { store, cacher } = world();
  await put(store, 'a/x', 'red');
  await cacher.get('a/x');
  store.calls.revision = 0;
  store.calls.requestProgress = 0;
  await Promise.all(Array.from({ length: 1000 }, () => cacher.get('a/x')));
  t.equal(store.calls.revision, 2, 'the first asks at once, all others together after it');
  t.equal(store.calls.requestProgress, 0, 'no read has to wait');
  await store.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  const answers = await Promise.all(Array.from({ length: 1000 }, () => cacher.get('a/x')));
  t.ok(
    answers.every(({ revision }) => revision === 3),
    'the revision is that of the store, whatever was written',
  );
  t.equal(store.calls.revision, 4);
  t.equal(store.calls.requestProgress, 1);
  store.failures.set('revision', new StoreError('unavailable', 'away'));
  const failed = await Promise.allSettled(Array.from({ length: 10 }, () => cacher.get('a/x')));
  t.ok(
    failed.every((each) => each.status === 'rejected' && isStoreError(each.reason, 'unavailable')),
    'a failure reaches all reads',
  );
  store.failures.clear();
  t.equal((await cacher.get('a/x')).object?.colour, 'red', 'and no later one');
  await cacher.close();
});

t.test('a read does not rely on progress that was requested before it', async (t) => {
  const { clock, inner, store, cacher } = world();
  await cacher.get('a/x');
  const answers: (() => void)[] = [];
  store.requestProgress = async () => {
    await inner.requestProgress();
    await new Promise<void>((resolve) => answers.push(resolve)); // the answer is long in coming
  };
  const writeElsewhere = (): Promise<unknown> => inner.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  await writeElsewhere();
  t.equal(
    (await cacher.get('a/x')).revision,
    2,
    'it goes on when the cache is there, whatever is still to be answered',
  );
  await writeElsewhere();
  let revision = 0;
  void cacher.get('a/x').then((reading) => ({ revision } = reading));
  await clock.settled();
  t.equal(revision, 0);
  answers[0]?.();
  await clock.settled();
  t.equal(revision, 3, 'it asks again at once');
  await cacher.close();
});

t.test('a read of a future revision waits for it, within a limit', async (t) => {
  const { clock, store, cacher } = world();
  await put(store, 'a/x', 'red');
  await cacher.get('a/x');
  const soon = Promise.all([
    cacher.get('a/x', { notOlderThan: 4 }),
    cacher.list({ notOlderThan: 4 }),
    cacher.list({ revision: 3 }),
  ]);
  const never = cacher.get('a/x', { notOlderThan: 5 }).catch((error: unknown) => error);
  await clock.advance(2800);
  await put(store, 'a/x', 'green');
  await store.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  await clock.advance(199);
  const [got, listed, exact] = await soon;
  t.strictSame([got.revision, listed.revision], [4, 4], 'a revision of another resource counts as well');
  t.strictSame([exact.items[0]?.resourceVersion, exact.revision], ['3', 3]);
  let settled = false;
  void never.then(() => (settled = true));
  await clock.settled();
  t.notOk(settled, 'after 2999 ms it still waits');
  await clock.advance(1);
  const error = await never;
  t.ok(isApiError(error, 'Timeout'));
  t.match(error, {
    message: 'Timeout: Too large resource version: 5, current: 4',
    status: { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } },
  });
  t.equal(clock.pending, 0);
  await cacher.close();
});

t.test('all readers share one object per revision of a key', async (t) => {
  const made: string[] = [];
  const { clock, store, cacher } = world({
    read: (entry) => {
      made.push(`${entry.key.slice(prefix.length)} ${entry.modRevision}`);
      return readThing(entry);
    },
  });
  await put(store, 'a/x', 'red');
  const watches = [record(cacher.watch({ initial: true })), record(cacher.watch({ initial: true, namespace: 'a' }))];
  await clock.settled();
  await put(store, 'a/x', 'green');
  await remove(store, 'a/x');
  await put(store, 'a/x', 'blue');
  const late = record(cacher.watch({ after: 2 }));
  await clock.settled();
  const { object } = await cacher.get('a/x');
  const objects = watches.map(({ events }) =>
    events.map((event) => (event.type === 'BOOKMARK' ? undefined : event.object)),
  );
  t.equal(objects[0]?.length, 4);
  for (const [index, each] of objects[0]?.entries() ?? [])
    t.equal(objects[1]?.[index], each, 'two watches receive the same object');
  for (const [index, event] of late.events.entries())
    t.equal(event, watches[0]?.events[index + 1], 'a late watch receives the same event');
  t.equal(objects[0]?.[3], object);
  t.equal((await cacher.list()).items[0], object);
  t.equal((await cacher.list({ revision: 5 })).items[0], object);
  t.equal(cacher.peek('a/x'), object);
  t.strictSame(made, ['a/x 2', 'a/x 3', 'a/x 5'], 'each was made once');
  await cacher.close();
});

t.test(
  'an earlier revision in the window is listed from memory, an older one from the store, one that is gone is refused',
  async (t) => {
    const { inner, store, cacher } = world({ limits: { windowMax: 5 } });
    await put(inner, 'a/0', 'red');
    await cacher.list();
    for (let n = 1; n <= 9; n++) await put(inner, `a/${n}`, 'red');
    store.calls.list = 0;
    const newest = 11;
    for (let revision = newest - 5; revision <= newest; revision++) {
      t.equal((await cacher.list({ revision })).items.length, revision - 1, `the list of revision ${revision}`);
      t.equal(
        (await cacher.list({ revision, namespace: 'a', name: '7' })).items.length,
        revision >= 9 ? 1 : 0,
        'and one object of it',
      );
    }
    t.equal(store.calls.list, 0, 'all from memory');
    for (let revision = 2; revision < newest - 5; revision++)
      t.equal((await cacher.list({ revision })).items.length, revision - 1);
    t.equal(store.calls.list, 4, 'all from the store');
    await inner.compact(4);
    await t.rejects(cacher.list({ revision: 3 }), {
      message: 'The resourceVersion for the provided list is too old.',
      status: { code: 410, reason: 'Expired' },
    });
    await t.rejects(cacher.list({ revision: 3, namespace: 'a', name: '1' }), {
      message: /too old/,
      status: { reason: 'Expired' },
    });
    t.equal((await cacher.list({ revision: 4 })).items.length, 3);
    await inner.compact(10);
    t.equal((await cacher.list({ revision: 8 })).items.length, 7, 'the cache has what the store forgot');
    cacher.compact(10);
    await t.rejects(
      cacher.list({ revision: 8 }),
      { message: /too old/, status: { reason: 'Expired' } },
      'until it is compacted, too',
    );
    t.equal((await cacher.list({ revision: 10 })).items.length, 9);
    t.equal(cacher.figures().windowEvents, 1);
    cacher.compact(99);
    t.equal((await cacher.list({ revision: newest })).items.length, 10, 'what it has not come to is not forgotten');
    await cacher.close();
  },
);

t.test(
  'pages of any scope are those of their revision, in the window and before it, whatever is written meanwhile',
  async (t) => {
    for (const seed of [1, 2, 3, 4]) {
      const chance = random(`pages ${seed}`);
      const { inner, cacher } = world({ limits: { windowMax: 20 } });
      const names = ['a/x', 'a/y', 'a/z', 'a-b/x', 'a-b/y', 'a0/x', 'b/x', 'b/é', 'b/\u{1f600}', 'b/\ufffd'];
      const write = async (): Promise<void> => {
        const key = chance.pick(names) + (chance.next() < 0.5 ? '' : `${chance.integer(9)}`);
        await (chance.next() < 0.3
          ? remove(inner, key)
          : put(inner, key, chance.pick(['red', 'green']), chance.pick(['n1', 'n2', ''])));
      };
      for (let step = 0; step < 40; step++) await write();
      const stateAt = async (revision: Revision): Promise<Thing[]> =>
        (await inner.list(prefix, { revision })).entries.map(readThing);
      for (let round = 0; round < 60; round++) {
        const namespace = chance.pick([undefined, undefined, 'a', 'a-b', 'b', 'none']);
        const name = chance.pick([undefined, undefined, 'x', 'é']);
        const value = chance.pick([undefined, undefined, 'n1', 'n3']);
        const colour = chance.pick([undefined, undefined, 'red']);
        const scope: CacheListOptions<Thing> = {
          ...(namespace !== undefined && { namespace }),
          ...(name !== undefined && { name }),
          ...(value !== undefined && { trigger: { field: 'node', value } }),
          ...(colour !== undefined && { matches: (thing) => thing.colour === colour }),
        };
        const belongs = (thing: Thing): boolean =>
          (namespace === undefined || thing.key.startsWith(`${namespace}/`)) &&
          (name === undefined || thing.key.split('/')[1] === name) &&
          (value === undefined || thing.node === value) &&
          (colour === undefined || thing.colour === colour);
        const newest = await inner.revision();
        const revision = chance.next() < 0.4 ? undefined : Math.max(1, newest - chance.integer(40));
        const limit = chance.pick([1, 2, 3, 1000]);
        const whole = await cacher.list({ ...scope, ...(revision !== undefined && { revision }) });
        t.equal(whole.revision, revision ?? newest);
        const expected = (await stateAt(whole.revision)).filter(belongs);
        t.strictSame(whole.items, expected, 'the whole');
        t.strictSame([whole.next, whole.remaining], [undefined, undefined]);
        const paged: Thing[] = [];
        for (let after: string | undefined, more = true; more;) {
          const listing: CacheListing<Thing> = await cacher.list({
            ...scope,
            limit,
            revision: whole.revision,
            ...(after !== undefined && { after }),
          });
          paged.push(...listing.items);
          t.ok(listing.items.length === limit || listing.next === undefined, 'a page that another follows is full');
          if (listing.next !== undefined)
            t.equal(listing.next, listing.items.at(-1)?.key, 'the next begins after the last');
          const isPlain = name === undefined && value === undefined && colour === undefined;
          t.equal(
            listing.remaining,
            isPlain && listing.next !== undefined ? expected.length - paged.length : undefined,
            'what remains, where that is known',
          );
          after = listing.next;
          more = after !== undefined;
          await write();
        }
        t.strictSame(paged, expected, 'the pages together');
      }
      await cacher.close();
    }
  },
);

t.test('lists of many objects are complete, however they are paged', async (t) => {
  const { clock, inner, store, cacher } = world({ limits: { windowMax: 10 } });
  const count = 10_500; // more than the cache reads at once
  for (let n = 0; n < count; n += 100) {
    await inner.commit({
      put: Array.from({ length: 100 }, (_, index) => ({
        key: `${prefix}a/${String(n + index).padStart(5, '0')}`,
        value: { colour: (n + index) % 700 === 0 ? 'red' : 'green' },
      })),
    });
  }
  const filled = await inner.revision();
  const red = Array.from({ length: 15 }, (_, n) => `a/${String(n * 700).padStart(5, '0')}`);
  const matches = ({ colour }: Thing): boolean => colour === 'red';
  t.equal((await cacher.list()).items.length, count);
  t.equal(store.calls.list, 2);
  for (let n = 0; n < 20; n++) await put(inner, 'b/x', 'red');
  for (const revision of [filled, filled + 20]) {
    const where = revision === filled ? 'from the store' : 'from memory';
    t.equal((await cacher.list({ revision })).items.length, revision === filled ? count : count + 1, where);
    t.strictSame(keysOf((await cacher.list({ revision, matches, namespace: 'a' })).items), red, where);
    const page = await cacher.list({ revision, matches, namespace: 'a', limit: 10 });
    t.strictSame([keysOf(page.items), page.next, page.remaining], [red.slice(0, 10), red[9], undefined], where);
    const last = await cacher.list({ revision, matches, namespace: 'a', limit: 10, after: page.next ?? '' });
    t.strictSame([keysOf(last.items), last.next], [red.slice(10), undefined], where);
    store.entriesListed = 0;
    const one = await cacher.list({ revision, namespace: 'a', name: '0000' });
    t.strictSame(
      [one.items, store.entriesListed],
      [[], revision === filled ? 1 : 0],
      'a name that others begin with is looked up alone',
    );
  }
  store.failures.set('list', new StoreError('unavailable', 'away'));
  await t.rejects(
    cacher.list({ revision: filled }),
    { code: 'unavailable' },
    'what the store refuses otherwise is passed on',
  );
  await clock.settled();
  await cacher.close();
});

t.test('a clock that fails is reported', async (t) => {
  const reported: unknown[] = [];
  config.onUnhandledError = (error) => reported.push(error);
  t.teardown(() => (config.onUnhandledError = null));
  const fail = (): Observable<never> => throwError(() => new Error('stopped'));
  const store = new FlakyStore(memoryStore());
  const cacher = thingCacher(store, { now: () => 0, timer: fail, interval: fail });
  void cacher.get('a/x', { notOlderThan: 9 }).catch(() => undefined);
  record(cacher.watch({ after: 1, bookmarks: true }));
  await timersToFire();
  store.failures.set('list', new Error('away'));
  store.cut(new StoreError('compacted', 'gone'));
  await timersToFire();
  await timersToFire();
  const messages = reported.map((error) => (error instanceof Error ? error.message : error));
  t.strictSame(new Set(messages), new Set(['cacher: the clock failed', 'cacher: the storage watch failed for good']));
  await cacher.close();
});

/** RxJS reports uncaught errors from a timer. */
function timersToFire(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

t.test('the keys of a cluster-scoped resource are names', async (t) => {
  const { store, cacher } = world({ namespaced: false });
  for (const name of ['a', 'b', 'c']) await put(store, name, 'red');
  t.equal((await cacher.get('b')).object?.key, 'b');
  t.strictSame(keysOf((await cacher.list({ name: 'b' })).items), ['b']);
  t.strictSame(keysOf((await cacher.list({ name: 'b', after: 'b' })).items), [], 'not after itself');
  t.strictSame(
    keysOf((await cacher.list({ namespace: 'b', limit: 2 })).items),
    ['a', 'b'],
    'a namespace has no meaning',
  );
  await t.rejects(
    cacher.list({ trigger: { field: 'toString', value: 'x' } }),
    RangeError,
    'a trigger field that it was not made with',
  );
  await cacher.close();
});

t.test('an undecodable object fails reads until it is deleted', async (t) => {
  const { clock, store, cacher } = world({
    read: (entry) => {
      if (entry.value.colour === 'broken') throw new Error('cannot be read');
      return readThing(entry);
    },
  });
  await put(store, 'a/x', 'red');
  const watch = record(cacher.watch({ initial: true }));
  await clock.settled();
  await store.commit({
    put: [
      { key: `${prefix}a/x`, value: { colour: 'green' } },
      { key: `${prefix}a/y`, value: { colour: 'broken' } },
    ],
  });
  const failing = Promise.allSettled([cacher.list(), cacher.get('a/y')]);
  await clock.advance('10s');
  for (const each of await failing) t.match(each, { status: 'rejected', reason: { message: 'cannot be read' } });
  t.equal(cacher.peek('a/x')?.colour, 'red', 'a revision is taken in as one, or not at all');
  await remove(store, 'a/y');
  await clock.advance('10s');
  t.equal((await cacher.get('a/x')).object?.colour, 'green');
  t.ok(isApiError(watch.end, 'Expired'), 'a watch that missed it is ended');
  await cacher.close();
});

t.test('an object is encoded once per form, within a limit of bytes', async (t) => {
  const bytes = encodedBytes({ bytesMax: 3000 });
  let made = 0;
  const encode = (size: number) => (): Uint8Array => {
    made += 1;
    return new Uint8Array(size);
  };
  const [one, other] = [{ name: 'same' }, { name: 'same' }];
  const first = bytes.get(one, 'json', encode(100));
  t.equal(bytes.get(one, 'json', encode(100)), first, 'the same bytes for the same object');
  t.not(bytes.get(other, 'json', encode(100)), first, 'not for one that is equal');
  t.not(bytes.get(one, 'protobuf', encode(100)), first, 'nor for another form');
  t.equal(made, 3);
  t.strictSame(bytes.figures(), { entries: 3, bytes: 900 });
  t.equal(bytes.get({}, 'json', encode(5000)).length, 5000, 'what is larger than all is made and not kept');
  t.strictSame(bytes.figures(), { entries: 3, bytes: 900 });
  const many = Array.from({ length: 20 }, (_, n) => ({ n }));
  for (const each of many) {
    bytes.get(each, 'json', encode(100));
    bytes.get(one, 'json', encode(100));
  }
  t.ok(bytes.figures().bytes <= 3000, 'the bound holds');
  t.equal(made, 24, 'what is used stays');
  bytes.get(other, 'json', encode(100));
  t.equal(made, 25, 'what is not goes');
  t.throws(
    () =>
      bytes.get({}, 'json', () => {
        throw new Error('no such form');
      }),
    { message: 'no such form' },
  );
  for (const bytesMax of [0, -1, 1.5, Number.NaN]) t.throws(() => encodedBytes({ bytesMax }), RangeError);
});
