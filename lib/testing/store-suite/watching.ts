/**
 * Checks of what a watch delivers: all of it, once, in order, revision by revision, from wherever it begins.
 */
import { random } from '../../core/index.js';
import { isStoreError, type Batch, type Outcome, type Put, type Revision } from '../../storage/index.js';
import { expectSame, expectSoon, expectThat } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { randomTransaction } from './random-transaction.js';
import { sortChanges, StoreModel } from './store-model.js';
import { recordWatch, watchReaches, type WatchRecording } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;

/** What watches deliver. */
export const watchingChecks: readonly StoreCheck[] = [
  {
    promise: 'a watch shows creates, updates, deletes and creates anew, each with the entry before it',
    run: async (harness) => {
      const { store } = harness;
      const watch = recordWatch(store, prefix, { after: await store.revision() });
      const r1 = (await store.commit({ put: [{ key, value: { is: 1 } }] })).revision;
      const r2 = (await store.commit({ put: [{ key, value: { is: 2 } }] })).revision;
      const r3 = (await store.commit({ delete: [key] })).revision;
      const r4 = (await store.commit({ put: [{ key, value: { is: 4 } }] })).revision;
      await watchReaches(harness, watch, r4);
      const first = { key, value: { is: 1 }, createRevision: r1, modRevision: r1 };
      const second = { key, value: { is: 2 }, createRevision: r1, modRevision: r2 };
      const fourth = { key, value: { is: 4 }, createRevision: r4, modRevision: r4 };
      const expected: readonly Batch[] = [
        { revision: r1, changes: [{ type: 'put', key, entry: first, previous: undefined }] },
        { revision: r2, changes: [{ type: 'put', key, entry: second, previous: first }] },
        { revision: r3, changes: [{ type: 'delete', key, previous: second }] },
        { revision: r4, changes: [{ type: 'put', key, entry: fourth, previous: undefined }] },
      ];
      expectSame(watch.events, expected, 'the life of a key');
      watch.stop();
    },
  },
  ...[31, 32, 33].map((seed): StoreCheck => ({
    promise: `watches are ordered, unique, reliable and atomic, live and from every earlier revision (seed ${seed})`,
    run: async (harness) => watchRandomCommits(harness, seed),
  })),
  {
    promise: 'watches are atomic: all changes of a revision come in one batch, and only those below the prefix',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const live = recordWatch(store, prefix, { after: start });
      const put = Array.from({ length: 40 }, (_, n) => ({
        key: n % 2 === 0 ? `${prefix}${n}` : `/registry/elsewhere/${n}`,
        value: { n },
      }));
      await store.commit({ put });
      await store.commit({ delete: put.map((each) => each.key) });
      const late = recordWatch(store, prefix, { after: start });
      for (const watch of [live, late]) {
        await watchReaches(harness, watch, start + 2);
        const received = watch.events.map(({ revision, changes }) => [revision, changes.length]);
        expectSame(
          received,
          [
            [start + 1, 20],
            [start + 2, 20],
          ],
          'two commits of 20 keys below the prefix are two batches of 20 changes',
        );
        watch.stop();
      }
    },
  },
  {
    promise: 'a batch has the puts of its transaction and then what it deleted, each in the order they stood there',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const live = recordWatch(store, prefix, { after: start });
      const keys = (...names: string[]): string[] => names.map((name) => `${prefix}${name}`);
      const puts = (...names: string[]): Put[] => keys(...names).map((each) => ({ key: each, value: {} }));
      await store.commit({ put: puts('f', 'b', 'd', 'a', 'c', 'e') });
      await store.commit({ put: puts('z', 'b', 'x', 'a'), delete: keys('f', 'absent', 'c', 'e') });
      const late = recordWatch(store, prefix, { after: start });
      for (const watch of [live, late]) {
        await watchReaches(harness, watch, start + 2);
        const received = watch.events.map(({ changes }) =>
          changes.map((change) => `${change.type} ${change.key.slice(prefix.length)}`),
        );
        const expected = [
          ['put f', 'put b', 'put d', 'put a', 'put c', 'put e'],
          ['put z', 'put b', 'put x', 'put a', 'delete f', 'delete c', 'delete e'],
        ];
        expectSame(
          received,
          expected,
          'the changes in the order of the transaction, without the delete of what was absent',
        );
        watch.stop();
      }
    },
  },
  {
    promise: 'a watch shows exactly the keys that begin with its prefix',
    run: async (harness) => {
      const { store } = harness;
      const after = await store.revision();
      const odd = ['/r/a\ud7ff', '/r/a\uffff', '/r/a😀', '/r/a😀x', '/r/a\u{10ffff}', '/R/a', '/r/a%', '/r/a_'];
      const keys = ['/r/a', '/r/a/', '/r/a/x', '/r/a0', '/r/ab', '/r/b', '/r', ...odd];
      const prefixes = [
        '',
        '/r',
        '/r/a',
        '/r/a/',
        '/r/a0',
        '/r/a\ud7ff',
        '/r/a\uffff',
        '/r/a😀',
        '/r/a\u{10ffff}',
        '/r/%',
        '/r/a_',
        '/none',
      ];
      const live = prefixes.map((each) => recordWatch(store, each, { after }));
      for (const each of keys) await store.commit({ put: [{ key: each, value: {} }] });
      const { revision } = await store.commit({ delete: keys });
      const late = prefixes.map((each) => recordWatch(store, each, { after }));
      for (const [index, watch] of [...live, ...late].entries()) {
        const watched = prefixes[index % prefixes.length] ?? '';
        await watchReaches(harness, watch, revision);
        const expected = keys.filter((each) => each.startsWith(watched));
        const put = watch.events.flatMap(({ changes }) =>
          changes.filter(({ type }) => type === 'put').map((change) => change.key),
        );
        expectSame(put, expected, `the keys that begin with ${JSON.stringify(watched)}`);
        const gone = watch.events.at(-1)?.changes.map((change) => change.key) ?? [];
        expectSame(gone.toSorted(), expected.toSorted(), `the deleted keys that begin with ${JSON.stringify(watched)}`);
        watch.stop();
      }
    },
  },
  {
    promise: 'a watch without a revision begins at the newest one when it is subscribed',
    run: async (harness) => {
      const { store } = harness;
      const cold$ = store.watch(prefix);
      await store.commit({ put: [{ key, value: { before: true } }] });
      const watch = recordWatch(store, prefix, { watch$: cold$ });
      const { revision } = await store.commit({ put: [{ key, value: { after: true } }] });
      await watchReaches(harness, watch, revision);
      expectSame(
        watch.events.map((batch) => batch.revision),
        [revision],
        'only what was committed after it was subscribed, but all of that',
      );
      watch.stop();
    },
  },
  {
    promise: 'a watch without a revision shows every commit begun after it was subscribed, however busy the store is',
    run: async (harness) => {
      const { store } = harness;
      const rounds: { readonly watch: WatchRecording; readonly commit: Promise<Outcome> }[] = [];
      for (let count = 0; count < 30; count++) {
        const watch = recordWatch(store, prefix);
        const commit = store.commit({ put: [{ key: `${key}-${count % 4}`, value: { count } }] });
        commit.catch(() => undefined); // awaited below, unless the check fails before
        rounds.push({ watch, commit });
        if (count % 10 === 9) await commit;
      }
      const revisions = await Promise.all(rounds.map(async ({ commit }) => (await commit).revision));
      const newest = Math.max(...revisions);
      for (const [index, { watch }] of rounds.entries()) {
        await watchReaches(harness, watch, newest);
        const received = watch.events.map((batch) => batch.revision);
        const missed = revisions.slice(index).find((revision) => !received.includes(revision));
        expectThat(
          missed === undefined,
          `watch ${index} must show revision ${missed}, whose commit was begun after it was subscribed`,
        );
        expectSame(
          received,
          received.map((_, n) => newest - received.length + 1 + n),
          'from its first revision on it shows all',
        );
        watch.stop();
      }
    },
  },
  {
    promise: 'a watch after 0 shows history from the very beginning, until that is compacted',
    run: async (harness) => {
      const { store, usedBefore = false } = harness;
      const start = await store.revision();
      for (let count = 1; count <= 3; count++) await store.commit({ put: [{ key, value: { count } }] });
      const watch = recordWatch(store, prefix, { after: 0 });
      const isGone = (recording: WatchRecording): boolean =>
        recording.end?.type === 'failed' && isStoreError(recording.end.error, 'compacted');
      await expectSoon(
        harness,
        () => watch.seen >= start + 3 || watch.end !== undefined,
        () => `a watch after 0 must show revision ${watch.seen + 1}`,
      );
      // Where others were before, they may have compacted as well.
      if (!usedBefore || !isGone(watch)) {
        expectSame(
          watch.events.map((batch) => batch.revision),
          [start + 1, start + 2, start + 3],
          'everything that ever happened',
        );
      }
      watch.stop();
      await store.compact(start + 3);
      const late = recordWatch(store, prefix, { after: 0 });
      await expectSoon(
        harness,
        () => late.end !== undefined || late.batches.length > 0,
        () => 'a watch after 0 must be refused once history is compacted',
      );
      expectThat(isGone(late), 'a watch after 0 must be refused as `compacted` once history is, and never skip it');
    },
  },
  {
    promise: 'a watch from a revision still to come waits for it',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const watch = recordWatch(store, prefix, { after: start + 3 });
      await store.requestProgress();
      for (let count = 1; count <= 3; count++) await store.commit({ put: [{ key, value: { count } }] });
      await store.requestProgress();
      const { revision } = await store.commit({ put: [{ key, value: { count: 4 } }] });
      await watchReaches(harness, watch, revision);
      expectSame(
        watch.events.map((batch) => batch.revision),
        [start + 4],
        'the first change it shows is the one after its revision',
      );
      expectOrdered(watch, start + 3);
      watch.stop();
    },
  },
  {
    promise: 'watches are bookmarkable: after a request for progress each says up to where it has seen everything',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const [busy, idle] = [
        recordWatch(store, prefix, { after: start }),
        recordWatch(store, '/registry/idle/', { after: start }),
      ];
      const { revision } = await store.commit({ put: [{ key, value: {} }] });
      await watchReaches(harness, idle, revision);
      expectSame(idle.events, [], 'nothing happened below the idle prefix');
      expectThat(idle.seen === revision, `the bookmark must be at the newest revision, ${revision}, not ${idle.seen}`);
      await store.requestProgress();
      await watchReaches(harness, busy, revision);
      expectSame(
        busy.events.map((batch) => batch.revision),
        [revision],
        'a bookmark comes after the changes it speaks of',
      );
      const next = await store.commit({ put: [{ key: '/registry/idle/key', value: {} }] });
      await watchReaches(harness, idle, next.revision);
      expectSame(
        idle.events.map((batch) => batch.revision),
        [next.revision],
        'a bookmark does not hide what comes after it',
      );
      for (const watch of [busy, idle]) {
        expectOrdered(watch, start);
        watch.stop();
      }
    },
  },
];

/** Revisions only rise: no batch before the start, no changes at or below what was seen, bookmarks included. */
export function expectOrdered({ batches }: Pick<WatchRecording, 'batches'>, after: Revision): void {
  let seen = after;
  for (const { revision, changes } of batches) {
    if (changes.length > 0)
      expectThat(
        revision > seen,
        `changes of revision ${revision} must not come once everything up to ${seen} was seen`,
      );
    else
      expectThat(
        revision >= seen,
        `a bookmark at revision ${revision} must not come once everything up to ${seen} was seen`,
      );
    seen = revision;
  }
}

async function watchRandomCommits(harness: StoreHarness, seed: number): Promise<void> {
  const { store } = harness;
  const chance = random(seed);
  const model = new StoreModel(await store.list(''));
  const keys = Array.from({ length: 10 }, (_, n) => `${prefix}${'ab'.charAt(n % 2)}/${n}`);
  const prefixes = ['', prefix, `${prefix}a/`, `${prefix}b/1`];
  const watches = prefixes.map((each) => ({
    prefix: each,
    after: model.start,
    watch: recordWatch(store, each, { after: model.start }),
  }));
  for (let step = 0; step < 150; step++) {
    const transaction = randomTransaction(chance, keys, model);
    model.commit(transaction);
    await store.commit(transaction);
    if (chance.next() < 0.05) await store.requestProgress();
  }
  for (let after = model.start; after <= model.revision; after++) {
    const each = chance.pick(prefixes);
    watches.push({ prefix: each, after, watch: recordWatch(store, each, { after }) });
  }
  for (const { prefix: watched, after, watch } of watches) {
    await watchReaches(harness, watch, model.revision);
    expectOrdered(watch, after);
    const expected: Batch[] = [];
    for (let revision = after + 1; revision <= model.revision; revision++) {
      const changes = model.changes(revision, watched);
      if (changes.length > 0) expected.push({ revision, changes });
    }
    const actual = watch.events.map((batch) => ({ revision: batch.revision, changes: sortChanges(batch.changes) }));
    const missing = expected.find(({ revision }) => !actual.some((batch) => batch.revision === revision));
    const which = `a watch of ${JSON.stringify(watched)} after revision ${after}`;
    expectThat(missing === undefined, `${which} must not leave out revision ${missing?.revision}`);
    for (const [index, batch] of expected.entries())
      expectSame(actual[index], batch, `${which}: the batch of revision ${batch.revision}`);
    expectSame(actual.length, expected.length, 'a watch shows nothing that was not committed');
    watch.stop();
  }
}
