import { config, Observable, Subject } from 'rxjs';
import t, { type Test } from 'tap';
import type { CacheEvent, Cacher, CacheWatchOptions } from '../../lib/cacher/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { Random, VirtualClock } from '../../lib/core/index.js';
import { memoryStore, StoreError } from '../../lib/storage/index.js';
import type { Batch, Change, MemoryStore, Revision, Store } from '../../lib/storage/index.js';
import {
  line,
  prefix,
  put,
  readThing,
  record,
  remove,
  thingCacher,
  type Recording,
  type Thing,
} from '../support/cached-things.js';
import { FlakyStore } from '../support/flaky-store.js';

interface World {
  readonly clock: VirtualClock;
  readonly inner: MemoryStore;
  readonly store: FlakyStore;
  readonly cacher: Cacher<Thing>;
}

function world(options: Parameters<typeof thingCacher>[2] = {}): World {
  const clock = virtualClock();
  const inner = memoryStore({ clock });
  const store = new FlakyStore(inner);
  return { clock, inner, store, cacher: thingCacher(store, clock, options) };
}

const lines = ({ events }: Recording<CacheEvent<Thing>>): readonly string[] => events.map(line);

// -- against a reference computed from the history

/** A watch of some scope from some point, and how to tell what belongs to it. */
interface Watched {
  readonly options: CacheWatchOptions<Thing>;
  readonly belongs: (thing: Thing) => boolean;
  /** The newest revision when it was subscribed. */
  readonly subscribedAt: Revision;
  readonly recording: Recording<CacheEvent<Thing>>;
}

const keys = ['a/x', 'a/y', 'a/z', 'b/x', 'b/y', 'c/x'];
const colours = ['red', 'green', 'blue'];
const nodes = ['', 'n1', 'n2'];

async function writeSomething(store: Store, chance: Random): Promise<void> {
  const chosen = chance.shuffle(keys).slice(0, 1 + chance.integer(3));
  const deleted = chosen.filter(() => chance.next() < 0.3);
  await store.commit({
    put: chosen
      .filter((key) => !deleted.includes(key))
      .map((key) => ({ key: prefix + key, value: { colour: chance.pick(colours), node: chance.pick(nodes) } })),
    delete: deleted.map((key) => prefix + key),
  });
  if (chance.next() < 0.3) await store.commit({ put: [{ key: '/registry/others/x', value: {} }] });
}

async function watchSomething({ cacher, inner }: World, chance: Random): Promise<Watched> {
  const namespace = chance.pick([undefined, undefined, 'a', 'b']);
  const name = chance.pick([undefined, undefined, 'x']);
  const node = chance.pick([undefined, undefined, 'n1', '']);
  const colour = chance.pick([undefined, undefined, 'red']);
  const subscribedAt = await inner.revision();
  const begin = chance.pick<CacheWatchOptions<Thing>>([
    {},
    { after: Math.max(1, subscribedAt - chance.integer(30)) },
    { after: Math.max(1, subscribedAt - chance.integer(3)) },
    { after: subscribedAt + chance.integer(5) },
    { initial: true, bookmarks: true },
    { initial: true, bookmarks: true, notOlderThan: 0 },
  ]);
  const options: CacheWatchOptions<Thing> = {
    ...begin,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(node !== undefined && { trigger: { field: 'node', value: node } }),
    ...(colour !== undefined && { matches: (thing) => thing.colour === colour }),
  };
  const belongs = (thing: Thing): boolean => {
    const [its, called] = thing.key.split('/');
    return (
      (namespace ?? its) === its &&
      (name ?? called) === called &&
      (node ?? thing.node) === thing.node &&
      (colour ?? thing.colour) === thing.colour
    );
  };
  return { options, belongs, subscribedAt, recording: record(cacher.watch(options)) };
}

/** The event of a change for a watcher of `belongs`. */
function expectedLine(change: Change, revision: Revision, belongs: (thing: Thing) => boolean): readonly string[] {
  const before = change.previous && readThing(change.previous);
  const after = change.type === 'put' ? readThing(change.entry) : undefined;
  const was = before !== undefined && belongs(before);
  if (after !== undefined && belongs(after))
    return [`${was ? 'MODIFIED' : 'ADDED'} ${after.key} ${after.colour} ${revision}`];
  return was ? [`DELETED ${before.key} ${before.colour} ${revision}`] : [];
}

/** Fails unless the events of a watch match the history; an expired watch may have received a prefix. */
async function checkWatched(t: Test, { inner }: World, history: readonly Batch[], watched: Watched): Promise<void> {
  const { options, belongs, subscribedAt, recording } = watched;
  const events = [...recording.events];
  let after = options.after ?? subscribedAt;
  if (options.initial === true) {
    const end = events.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd === true);
    if (end < 0) {
      t.ok(recording.end !== undefined, 'initial events have an end');
      return;
    }
    after = events[end]?.revision ?? 0;
    t.ok(
      options.notOlderThan !== undefined || after >= subscribedAt,
      `initial events are of revision ${after}, not before ${subscribedAt}`,
    );
    const there = (await inner.list(prefix, { revision: after })).entries.map(readThing).filter(belongs);
    t.strictSame(
      events
        .splice(0, end + 1)
        .slice(0, -1)
        .map(line),
      there.map((thing) => `ADDED ${thing.key} ${thing.colour} ${thing.resourceVersion}`),
      'what there was, in order',
    );
  }
  const expected = history.flatMap(({ revision, changes }) =>
    revision > after ? changes.flatMap((change) => expectedLine(change, revision, belongs)) : [],
  );
  const seen = events.filter(({ type }) => type !== 'BOOKMARK').map(line);
  t.strictSame(
    seen,
    recording.end === undefined ? expected : expected.slice(0, seen.length),
    `a watch with ${JSON.stringify(options)}`,
  );
  let reached = after; // by the last event
  let bookmarked = 0;
  for (const { type, revision } of events) {
    if (revision < reached || (type !== 'BOOKMARK' && revision <= bookmarked))
      t.fail(`${type} ${revision} comes after ${reached} and a bookmark of ${bookmarked}`);
    reached = revision;
    if (type === 'BOOKMARK') bookmarked = revision;
  }
}

for (const [kind, mishaps] of [
  ['without mishaps', 0],
  ['amid cuts and stalls', 0.15],
] as const) {
  for (const windowMax of [6, 1000]) {
    t.test(`random watches match the history, with a window of ${windowMax}, ${kind}`, async (t) => {
      for (const seed of [1, 2, 3]) {
        const chance = random(`watching ${seed}`);
        const it = world({ limits: { windowMax, bookmarkMs: 500 } });
        const { clock, inner, store, cacher } = it;
        const history = record(inner.watch(prefix, { after: 1 }));
        const watches: Watched[] = [];
        for (let step = 0; step < 150; step++) {
          await writeSomething(inner, chance);
          if (chance.next() < 0.4) watches.push(await watchSomething(it, chance));
          if (chance.next() < 0.1)
            chance.pick(watches.length > 0 ? watches : [await watchSomething(it, chance)]).recording.stop();
          if (chance.next() < mishaps)
            store.cut(
              chance.pick([
                new StoreError('overrun', 'too slow'),
                new StoreError('unavailable', 'away'),
                new Error('reset'),
              ]),
            );
          if (chance.next() < mishaps) store.hold();
          if (chance.next() < 0.5) store.release();
          if (chance.next() < 0.3) await clock.advance(chance.integer(400));
        }
        store.release();
        await clock.advance('20s');
        t.strictSame(
          (await cacher.list()).items,
          (await inner.list(prefix)).entries.map(readThing),
          'the state in the end',
        );
        const left = watches.filter(({ recording }) => recording.end === undefined);
        t.ok(left.length > 20);
        for (const watched of left) await checkWatched(t, it, history.events, watched);
        for (const { recording } of watches)
          t.ok(recording.end === undefined || recording.end === 'completed', 'none ended by itself');
        await cacher.close();
        t.equal(clock.pending, 0);
        t.equal(store.openWatches, 0);
      }
    });
  }
}

t.test(
  'random watches end with Expired rather than miss anything when the store forgets what was missed',
  async (t) => {
    let expired = 0;
    for (const seed of [1, 2, 3, 4]) {
      const chance = random(`forgetting ${seed}`);
      const it = world({ limits: { windowMax: 10 } });
      const { clock, inner, store, cacher } = it;
      const history = record(inner.watch(prefix, { after: 1 }));
      // `compact` of the memory store leaves no list of the past; the reference needs one.
      const reference = { ...it, inner: memoryStore({ clock }) };
      const watches: Watched[] = [];
      for (let step = 0; step < 200; step++) {
        const before = await inner.revision();
        await writeSomething(inner, chance);
        await copy(inner, reference.inner, before);
        if (chance.next() < 0.4) watches.push(await watchSomething(it, chance));
        if (chance.next() < 0.1) {
          store.hold();
          store.cut(new StoreError('unavailable', 'away'));
          store.failures.set('watch', new StoreError('unavailable', 'away'));
        }
        if (chance.next() < 0.05) await inner.compact((await inner.revision()) - chance.integer(3));
        if (chance.next() < 0.3) {
          store.release();
          store.failures.clear();
        }
        if (chance.next() < 0.4) await clock.advance(chance.integer(400));
      }
      store.release();
      store.failures.clear();
      await clock.advance('20s');
      t.strictSame(
        (await cacher.list()).items,
        (await inner.list(prefix)).entries.map(readThing),
        'the state in the end',
      );
      for (const watched of watches) {
        const { end } = watched.recording;
        if (end !== undefined) {
          const isLate =
            watched.options.initial === true && watched.recording.events.length === 0 && isApiError(end, 'Timeout');
          if (!isLate)
            t.match(end, { message: /^too old resource version: \d+ \(\d+\)$/, status: { reason: 'Expired' } });
          expired += 1;
        }
        await checkWatched(t, reference, history.events, watched);
      }
      await cacher.close();
    }
    t.ok(expired > 20, 'which did happen');
  },
);

/** Does in a second store what a first one did after a revision, so that their revisions stay the same. */
async function copy(from: MemoryStore, to: MemoryStore, after: Revision): Promise<void> {
  const batches = record(from.watch('', { after }));
  while (batches.events.length < (await from.revision()) - after) await Promise.resolve();
  batches.stop();
  for (const { changes } of batches.events) {
    await to.commit({
      put: changes.flatMap((change) => (change.type === 'put' ? [{ key: change.key, value: change.entry.value }] : [])),
      delete: changes.flatMap((change) => (change.type === 'delete' ? [change.key] : [])),
    });
  }
}

// -- promise by promise

t.test('an object that enters a view is ADDED, in it MODIFIED, and DELETED as it was when it leaves', async (t) => {
  const { clock, inner, cacher } = world();
  const watches = [
    record(cacher.watch({ matches: ({ colour }) => colour === 'red' })),
    record(cacher.watch({ trigger: { field: 'node', value: 'n1' } })),
    record(cacher.watch()),
  ];
  await clock.settled();
  await put(inner, 'a/x', 'green', 'n1');
  await put(inner, 'a/x', 'red', 'n2');
  await put(inner, 'a/x', 'red', 'n1');
  await put(inner, 'a/x', 'blue', '');
  await put(inner, 'a/x', 'red', 'n1');
  await remove(inner, 'a/x');
  await clock.settled();
  t.strictSame(watches.map(lines), [
    ['ADDED a/x red 3', 'MODIFIED a/x red 4', 'DELETED a/x red 5', 'ADDED a/x red 6', 'DELETED a/x red 7'],
    [
      'ADDED a/x green 2',
      'DELETED a/x green 3',
      'ADDED a/x red 4',
      'DELETED a/x red 5',
      'ADDED a/x red 6',
      'DELETED a/x red 7',
    ],
    [
      'ADDED a/x green 2',
      'MODIFIED a/x red 3',
      'MODIFIED a/x red 4',
      'MODIFIED a/x blue 5',
      'MODIFIED a/x red 6',
      'DELETED a/x red 7',
    ],
  ]);
  t.equal(watches[0]?.events[4], watches[1]?.events[5], 'those who see the same share it');
  t.ok(watches.every(({ events }) => events.every((event) => Object.isFrozen(event))));
  await cacher.close();
});

t.test('a watch with initial events begins with all objects, in order, as new as requested', async (t) => {
  const { clock, inner, store, cacher } = world();
  for (const key of ['b/x', 'a-b/x', 'a/y', 'a/x']) await put(inner, key, 'red');
  await cacher.get('a/x');
  const plain = record(cacher.watch({ initial: true }));
  t.strictSame(plain.events, [], 'nothing is emitted while it is subscribed');
  store.hold();
  await put(inner, 'b/x', 'green');
  const consistent = record(cacher.watch({ initial: true, bookmarks: true }));
  const any = record(cacher.watch({ initial: true, bookmarks: true, notOlderThan: 0 }));
  const never = record(cacher.watch({ initial: true, bookmarks: true, notOlderThan: 99 }));
  const none = record(cacher.watch({ initial: true, bookmarks: true, notOlderThan: 0, namespace: 'none' }));
  await clock.settled();
  const there = ['ADDED a-b/x red 3', 'ADDED a/x red 5', 'ADDED a/y red 4', 'ADDED b/x red 2'];
  t.strictSame(lines(plain), there);
  t.strictSame(lines(any), [...there, 'BOOKMARK 5 end']);
  t.strictSame(lines(none), ['BOOKMARK 5 end'], 'also where there is nothing');
  t.strictSame(lines(consistent), []);
  store.release();
  await clock.settled();
  t.strictSame(lines(consistent), [...there.slice(0, 3), 'ADDED b/x green 6', 'BOOKMARK 6 end']);
  t.strictSame(lines(any), [...there, 'BOOKMARK 5 end', 'MODIFIED b/x green 6'], 'nothing is missed in between');
  await clock.advance(3000);
  t.ok(isApiError(never.end, 'Timeout'));
  t.match(never.end, { message: 'Timeout: Too large resource version: 99, current: 6' });
  t.strictSame(never.events, []);
  await cacher.close();
});

t.test('a watch from any cached revision begins at the revision of the cache', async (t) => {
  const { clock, inner, store, cacher } = world();
  await cacher.get('a/x');
  store.hold();
  await put(inner, 'a/x', 'red');
  const watches = [record(cacher.watch({ notOlderThan: 0 })), record(cacher.watch())];
  await clock.settled();
  store.release();
  await put(inner, 'a/x', 'green');
  await clock.settled();
  t.strictSame(watches.map(lines), [['ADDED a/x red 2', 'MODIFIED a/x green 3'], ['MODIFIED a/x green 3']]);
  await cacher.close();
});

t.test('a watch resumes from the window, from the store before it, and errors for compacted revisions', async (t) => {
  const { clock, inner, store, cacher } = world({ limits: { windowMax: 3 } });
  for (let n = 2; n <= 10; n++) await put(inner, 'a/x', `${n}`);
  await cacher.get('a/x');
  for (let n = 11; n <= 16; n++) await put(inner, 'a/x', `${n}`);
  store.calls.watch = 0;
  for (let after = 1; after <= 18; after++) {
    const watch = record(cacher.watch({ after, bookmark$: new Subject() }));
    await clock.settled();
    const expected = Array.from(
      { length: Math.max(0, 16 - after) },
      (_, n) => `${after + 1 + n === 2 ? 'ADDED' : 'MODIFIED'} a/x ${after + 1 + n} ${after + 1 + n}`,
    );
    t.strictSame(lines(watch), expected, `after ${after}`);
    t.equal(store.calls.watch, Math.min(after, 12), 'the store is asked only for what the window lacks');
    watch.stop();
  }
  t.equal(store.openWatches, 1, 'a watch that has caught up no longer reads from the store');
  await inner.compact(8);
  const [gone, left] = [record(cacher.watch({ after: 7 })), record(cacher.watch({ after: 8 }))];
  await clock.settled();
  t.ok(isApiError(gone.end, 'Expired'));
  t.match(gone.end, { message: 'too old resource version: 7 (8)', status: { code: 410 } });
  t.equal(left.events.length, 8);
  await cacher.close();
});

t.test('a watch that reads history survives interruptions, and becomes live when there is nothing left', async (t) => {
  const { clock, inner, store, cacher } = world({ limits: { windowMax: 2 } });
  for (let n = 2; n <= 6; n++) await put(inner, 'a/x', `${n}`);
  for (let n = 7; n <= 9; n++) await put(inner, 'b/x', `${n}`);
  await inner.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  await cacher.get('a/x');
  const cut = record(cacher.watch({ after: 2, namespace: 'a' }), ({ revision }) => {
    if (revision === 4) store.cut(new StoreError('overrun', 'too slow'));
  });
  await clock.advance(1000);
  t.strictSame(
    lines(cut),
    ['MODIFIED a/x 3 3', 'MODIFIED a/x 4 4', 'MODIFIED a/x 5 5', 'MODIFIED a/x 6 6'],
    'it continues after the last event',
  );
  cut.stop();
  const bookmark$ = new Subject<void>();
  const watch = record(cacher.watch({ after: 4, namespace: 'a', bookmark$ }));
  store.hold();
  bookmark$.next();
  await clock.advance(10);
  t.strictSame(lines(watch), []);
  store.cut(new StoreError('unavailable', 'away'));
  store.cut(new StoreError('overrun', 'too slow'));
  store.release();
  await clock.advance(1000);
  t.strictSame(lines(watch), ['MODIFIED a/x 5 5', 'MODIFIED a/x 6 6', 'BOOKMARK 10'], 'and the bookmark that was owed');
  t.equal(store.openWatches, 1);
  await put(inner, 'a/x', '11');
  t.strictSame(lines(watch).slice(3), ['MODIFIED a/x 11 11']);
  await cacher.close();
});

t.test('bookmarks are periodic for watchers that request them, at the newest revision, from one timer', async (t) => {
  const { clock, inner, cacher } = world();
  await put(inner, 'a/x', 'red');
  await cacher.get('a/x');
  t.equal(clock.pending, 0, 'no timer without watchers that want bookmarks');
  const without = record(cacher.watch({ after: 2 }));
  const several = Array.from({ length: 5 }, () => record(cacher.watch({ after: 2, bookmarks: true })));
  const future = record(cacher.watch({ after: 9, bookmarks: true }));
  await clock.settled();
  t.equal(clock.pending, 1);
  await clock.advance('59s');
  await inner.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  t.ok(several.every(({ events }) => events.length === 0));
  await clock.advance('1s');
  for (const watch of several) t.strictSame(lines(watch), ['BOOKMARK 3'], 'though only others were written');
  t.equal(several[0]?.events[0]?.type, 'BOOKMARK');
  await put(inner, 'a/x', 'green');
  await clock.advance('60s');
  for (const watch of several) t.strictSame(lines(watch), ['BOOKMARK 3', 'MODIFIED a/x green 4', 'BOOKMARK 4']);
  t.strictSame(lines(without), ['MODIFIED a/x green 4']);
  t.strictSame(lines(future), [], 'a watch that waits for a later revision receives no earlier bookmark');
  for (const watch of [...several, future]) watch.stop();
  t.equal(clock.pending, 0);
  await cacher.close();
});

t.test('bookmarks do not wait for an unavailable store', async (t) => {
  const { clock, inner, store, cacher } = world();
  const watch = record(cacher.watch({ initial: true, bookmarks: true }));
  await clock.settled();
  store.failures.set('revision', new StoreError('unavailable', 'away'));
  await inner.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  await clock.advance('60s');
  t.strictSame(lines(watch), ['BOOKMARK 1 end', 'BOOKMARK 1']);
  store.failures.clear();
  await clock.advance('60s');
  t.strictSame(lines(watch).slice(2), ['BOOKMARK 2']);
  await cacher.close();
});

t.test('an additional bookmark is emitted on request', async (t) => {
  const { clock, inner, cacher } = world();
  const bookmark$ = new Subject<void>();
  const watch = record(cacher.watch({ after: 1, bookmark$ }));
  await clock.settled();
  await inner.commit({ put: [{ key: '/registry/others/x', value: {} }] });
  bookmark$.next();
  await clock.settled();
  t.strictSame(lines(watch), ['BOOKMARK 2']);
  watch.stop();
  t.notOk(bookmark$.observed);
  const failing = record(cacher.watch({ bookmark$ }));
  bookmark$.error(new Error('broken'));
  t.match(failing.end, { message: 'broken' });
  await cacher.close();
});

t.test(
  'a cache that cannot resume reads everything anew: watchers that missed something expire, those still waiting go on',
  async (t) => {
    const { clock, inner, store, cacher } = world();
    await put(inner, 'a/x', 'red');
    await put(inner, 'a/y', 'red');
    const { object: kept } = await cacher.get('a/y');
    const live = record(cacher.watch({ after: 2 }));
    const future = record(cacher.watch({ after: 7, bookmarks: true }));
    await clock.settled();
    store.hold();
    for (const colour of ['green', 'blue', 'red']) await put(inner, 'a/x', colour);
    await put(inner, 'b/x', 'red');
    await inner.compact(6);
    store.cut(new StoreError('overrun', 'too slow'));
    store.release();
    await clock.settled();
    t.ok(isApiError(live.end, 'Expired'));
    t.match(live.end, { message: 'too old resource version: 3 (7)' });
    t.strictSame(lines(live), ['ADDED a/y red 3']);
    t.equal(future.end, undefined);
    await put(inner, 'b/x', 'green');
    t.strictSame(lines(future), ['MODIFIED b/x green 8']);
    const { items } = await cacher.list();
    t.strictSame(
      items.map(({ key, colour }) => [key, colour]),
      [
        ['a/x', 'red'],
        ['a/y', 'red'],
        ['b/x', 'green'],
      ],
    );
    t.equal(items[1], kept, 'what did not change is the same object');
    await t.rejects(cacher.list({ revision: 5 }), { message: /too old/, status: { reason: 'Expired' } });
    t.equal((await cacher.list({ revision: 7 })).items.length, 3);
    t.equal(store.openWatches, 1);

    store.cut(new StoreError('compacted', 'gone', { revision: 8 }));
    await clock.settled();
    t.equal(future.end, undefined, 'listing again without changes ends no watch');
    await cacher.close();
  },
);

t.test('an unavailable store is retried with increasing delays', async (t) => {
  const { clock, inner, store, cacher } = world();
  store.failures.set('list', new StoreError('unavailable', 'away'));
  const watch = record(cacher.watch({ after: 1 }));
  const attempts: number[] = [];
  for (let ms = 0; ms <= 20_000; ms += 100) {
    await clock.settled();
    if (store.calls.list > attempts.length)
      attempts.push(...Array<number>(store.calls.list - attempts.length).fill(ms));
    await clock.advance(100);
  }
  t.strictSame(attempts, [0, 0, 100, 300, 700, 1500, 3100, 6300, 11_300, 16_300]);
  store.failures.clear();
  await put(inner, 'a/x', 'red');
  await clock.advance('5s');
  t.strictSame(lines(watch), ['ADDED a/x red 2']);
  store.failures.set('watch', new Error('reset'));
  store.cut(new Error('reset'));
  await put(inner, 'a/x', 'green');
  await clock.advance('1s');
  t.equal(watch.events.length, 1);
  store.failures.clear();
  await clock.advance('1s');
  t.strictSame(lines(watch).slice(1), ['MODIFIED a/x green 3']);
  store.failures.set('watch', new Error('reset'));
  store.cut(new Error('reset'));
  await clock.advance('1s');
  await cacher.close();
  t.equal(clock.pending, 0, 'closing ends a wait');
});

t.test('changes that arrive during a dispatch wait, so that all watchers see the same order', async (t) => {
  // A store that notifies its watchers within the commit: the worst case.
  const feed$ = new Subject<Batch>();
  let revision = 1;
  const commit = (name: string): void => {
    revision += 1;
    const key = `${prefix}a/${name}`;
    const entry = { key, value: { colour: name }, createRevision: revision, modRevision: revision };
    feed$.next({ revision, changes: [{ type: 'put', key, entry, previous: undefined }] });
  };
  const clock = virtualClock();
  const base = memoryStore({ clock });
  const store: Store = { ...methodsOf(base), watch: () => feed$, revision: async () => revision };
  const cacher = thingCacher(store, clock);
  await cacher.get('a/x');
  const first = record(cacher.watch({ after: 1 }), ({ revision: seen }) => {
    if (seen < 5) commit(`n${seen}`);
    if (seen === 3) late.push(record(cacher.watch({ after: 1 })), record(cacher.watch({ after: 3 })));
    t.equal(cacher.peek(`a/n${seen - 1}`)?.resourceVersion, `${seen}`, 'an emitted change can be read');
  });
  const late: Recording<CacheEvent<Thing>>[] = [];
  const second = record(cacher.watch({ after: 1 }), ({ revision: seen }) => {
    if (seen === 4) third.stop();
  });
  const third = record(cacher.watch({ after: 1 }));
  await clock.settled();
  commit('n1');
  await clock.settled();
  const all = ['ADDED a/n1 n1 2', 'ADDED a/n2 n2 3', 'ADDED a/n3 n3 4', 'ADDED a/n4 n4 5'];
  t.strictSame([first, second, third, ...late].map(lines), [all, all, all.slice(0, 2), all, all.slice(2)]);
  await cacher.close();
});

function methodsOf(store: Store): Store {
  return {
    get: (...options) => store.get(...options),
    list: (...options) => store.list(...options),
    commit: (transaction) => store.commit(transaction),
    watch: (...options) => store.watch(...options),
    revision: () => store.revision(),
    requestProgress: () => store.requestProgress(),
    compact: (revision) => store.compact(revision),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => store.close(),
  };
}

t.test('a subscriber that throws loses only its own watch', async (t) => {
  const { clock, inner, cacher } = world();
  const selectors = [
    record(cacher.watch({ matches: ({ colour }) => refuse(colour) })),
    record(cacher.watch({ initial: true, matches: ({ colour }) => refuse(colour) })),
  ];
  const reported: unknown[] = [];
  config.onUnhandledError = (error) => reported.push(error);
  t.teardown(() => (config.onUnhandledError = null));
  cacher.watch().subscribe(() => {
    throw new Error('careless');
  });
  const other = record(cacher.watch());
  await clock.settled();
  await put(inner, 'a/x', 'red');
  await put(inner, 'a/x', 'green');
  for (const { end } of selectors) t.match(end, { message: 'refused red' });
  t.strictSame(lines(other), ['ADDED a/x red 2', 'MODIFIED a/x green 3']);
  await timersToFire();
  t.match(reported[0], { message: 'careless' });
  t.match(record(cacher.watch({ trigger: { field: 'none', value: '' } })).end, { message: /none is no trigger field/ });
  await cacher.close();
});

/** RxJS reports uncaught errors from a timer. */
function timersToFire(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function refuse(colour: string): boolean {
  throw new Error(`refused ${colour}`);
}

t.test('a write is dispatched only to watchers that may match, however many there are', async (t) => {
  const { clock, inner, cacher } = world();
  let asked = 0;
  const matches = (): boolean => {
    asked += 1;
    return true;
  };
  const ask = async (write: Promise<unknown>): Promise<number> => {
    asked = 0;
    await write;
    await clock.settled();
    return asked;
  };
  const watches = Array.from({ length: 1000 }, (_, n) => [
    record(cacher.watch({ trigger: { field: 'node', value: `node-${n}` }, matches })),
    record(cacher.watch({ namespace: `namespace-${n}`, matches })),
    record(cacher.watch({ name: `name-${n}`, matches })),
    record(cacher.watch({ namespace: `namespace-${n}`, name: `name-${n}`, matches })),
    record(cacher.watch({ namespace: `namespace-${n}`, trigger: { field: 'node', value: `node-${n}` }, matches })),
  ]);
  await clock.settled();
  t.equal(await ask(put(inner, 'other/other', 'red', 'other')), 0, 'none');
  t.equal(await ask(put(inner, 'other/other', 'red', 'node-7')), 1, 'who watches the node it came to');
  t.equal(await ask(put(inner, 'other/other', 'red', 'node-8')), 2, 'and the one it left');
  t.equal(await ask(put(inner, 'namespace-3/other', 'red')), 1, 'who watches its namespace');
  t.equal(await ask(put(inner, 'other/name-3', 'red')), 1, 'who watches its name');
  t.equal(await ask(put(inner, 'namespace-3/name-3', 'red')), 3, 'who watches any of these, or itself');
  t.equal(await ask(put(inner, 'namespace-4/other', 'red', 'node-4')), 3);
  for (const each of watches.flat()) each.stop();
  t.equal(await ask(put(inner, 'namespace-3/name-3', 'red', 'node-3')), 0);
  t.equal(cacher.figures().watchers, 0);
  await cacher.close();
});

t.test('unsubscribing at any moment stops a watch at once', async (t) => {
  const { clock, inner, store, cacher } = world({ limits: { windowMax: 2 } });
  for (let n = 2; n <= 9; n++) await put(inner, `a/${n}`, 'red');
  await cacher.get('a/x');
  for (let n = 10; n <= 13; n++) await put(inner, `a/${n}`, 'red');
  const starts: CacheWatchOptions<Thing>[] = [
    { initial: true, bookmarks: true },
    { after: 1 },
    { after: 11 },
    { after: 99 },
    {},
    { initial: true, notOlderThan: 99 },
  ];
  for (const options of starts) {
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      const watch = record(cacher.watch(options));
      for (let n = 0; n < microtasks; n++) await Promise.resolve();
      watch.stop();
      const { length } = watch.events;
      await put(inner, 'a/x', 'red');
      await clock.settled();
      t.equal(watch.events.length, length);
    }
    for (const enough of [1, 2]) {
      const watch: Recording<CacheEvent<Thing>> = record(cacher.watch(options), () =>
        watch.events.length === enough ? watch.stop() : undefined,
      );
      await put(inner, 'a/x', 'red');
      await clock.settled();
      t.ok(watch.events.length <= enough);
      watch.stop();
    }
  }
  await clock.advance('4s');
  t.equal(cacher.figures().watchers, 0);
  t.equal(store.openWatches, 1);
  t.equal(clock.pending, 0);
  t.ok(cacher.watch() instanceof Observable);
  await cacher.close();
});
