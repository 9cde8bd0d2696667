/**
 * Checks of compaction: what is gone is refused by name, what is left is untouched.
 */
import type { Revision, Store } from '../../storage/index.js';
import { isStoreError } from '../../storage/index.js';
import { errorText, expectRefusal, expectSame, expectSoon, expectThat } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { sortChanges, StoreModel } from './store-model.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`];

/** What compaction takes and what it leaves. */
export const compactionChecks: readonly StoreCheck[] = [
  {
    promise: 'compaction is refused by name: older reads, lists and watches answer `compacted` and the oldest revision left',
    run: async (harness) => {
      const { store } = harness;
      const model = await writeSomeHistory(store);
      const compacted = model.revision - 4;
      await store.compact(compacted);
      for (let revision = model.start; revision < compacted; revision++) {
        const refusals = [
          await expectRefusal(store.get(a, { revision }), 'compacted', `a get at revision ${revision}, compacted at ${compacted}`),
          await expectRefusal(store.list(prefix, { revision }), 'compacted', `a list at revision ${revision}, compacted at ${compacted}`),
        ];
        for (const refusal of refusals) expectSame(refusal.revision, compacted, 'the refusal must name the oldest revision left');
        await expectWatchRefused(harness, revision, compacted, model);
      }
    },
  },
  {
    promise: 'compaction leaves the compacted revision, all after it and the newest state as they were',
    run: async (harness) => {
      const { store } = harness;
      const model = await writeSomeHistory(store);
      for (const compacted of [model.revision - 6, model.revision - 3, model.revision]) {
        await store.compact(compacted);
        expectSame(await store.revision(), model.revision, 'compaction takes no revision');
        expectSame(await store.list(prefix), model.list(prefix), 'the newest state');
        for (let revision = compacted; revision <= model.revision; revision++) {
          expectSame(await store.list(prefix, { revision }), model.list(prefix, { revision }), `a list at revision ${revision}, compacted at ${compacted}`);
          const watch = recordWatch(store, prefix, { after: revision });
          await watchReaches(harness, watch, model.revision);
          const changes = Array.from({ length: model.revision - revision }, (_, n) => model.changes(revision + 1 + n)).filter((each) => each.length > 0);
          expectSame(watch.events.map((batch) => sortChanges(batch.changes)), changes, `a watch after revision ${revision}, compacted at ${compacted}, previous values included`);
          watch.stop();
        }
      }
      const transaction = { compare: [{ key: b, modRevision: model.get(b)?.modRevision ?? 0 }], put: [{ key: b, value: { after: 'compaction' } }] };
      expectSame(await store.commit(transaction), model.commit(transaction), 'a commit after compaction');
    },
  },
  {
    promise: 'compacting what is gone is a no-op, and what is still to come is refused with the newest revision',
    run: async ({ store }) => {
      const model = await writeSomeHistory(store);
      const compacted = model.revision - 3;
      await store.compact(compacted);
      await store.compact(compacted);
      await store.compact(compacted - 2);
      const refusal = await expectRefusal(store.get(a, { revision: compacted - 1 }), 'compacted', 'what was compacted stays so');
      expectSame(refusal.revision, compacted, 'an earlier compaction moves nothing back');
      expectSame(await store.list(prefix, { revision: compacted }), model.list(prefix, { revision: compacted }), 'the compacted revision still reads');
      const future = await expectRefusal(store.compact(model.revision + 1), 'future-revision', 'compacting at a revision still to come');
      expectSame(future.revision, model.revision, 'the refusal must name the newest revision');
      expectSame(await store.list(prefix, { revision: compacted }), model.list(prefix, { revision: compacted }), 'a refused compaction compacts nothing');
    },
  },
  {
    promise: 'compaction does not disturb a watch that is under way',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const watch = recordWatch(store, prefix, { after: start });
      for (let count = 1; count <= 20; count++) {
        const { revision } = await store.commit({ put: [{ key: a, value: { count } }] });
        if (count % 5 === 0) {
          await watchReaches(harness, watch, revision);
          await store.compact(revision);
        }
      }
      await watchReaches(harness, watch, start + 20);
      const told = watch.events.flatMap(({ changes }) => changes.map((change) => (change.type === 'put' ? [change.entry.value.count, change.previous?.value.count ?? 0] : [])));
      expectSame(told, Array.from({ length: 20 }, (_, n) => [n + 1, n]), 'every count, each with the one before');
      watch.stop();
    },
  },
];

/** Creates, updates, deletes and creates anew, so that every kind of version stands on both sides of a compaction. */
async function writeSomeHistory(store: Store): Promise<StoreModel> {
  const model = new StoreModel(await store.list(''));
  const transactions = [
    { put: [{ key: a, value: { is: 1 } }, { key: b, value: { is: 1 } }] },
    { put: [{ key: a, value: { is: 2 } }] },
    { delete: [a] },
    { put: [{ key: c, value: { is: 4 } }] },
    { put: [{ key: a, value: { is: 5 } }], delete: [c] },
    { put: [{ key: b, value: { is: 6 } }] },
    { delete: [a] },
    { put: [{ key: c, value: { is: 8 } }, { key: b, value: { is: 8 } }] },
    { put: [{ key: a, value: { is: 9 } }], delete: [b] },
    { put: [{ key: b, value: { is: 10 } }] },
  ];
  for (const transaction of transactions) expectSame(await store.commit(transaction), model.commit(transaction), 'the outcome of a commit');
  return model;
}

/** What a watch after a compacted revision needs is gone. Only the one right before it may still be whole. */
async function expectWatchRefused(harness: StoreHarness, after: Revision, compacted: Revision, model: StoreModel): Promise<void> {
  const watch = recordWatch(harness.store, prefix, { after });
  const claim = `a watch after revision ${after}, compacted at ${compacted}, must be refused as compacted and never skip what is gone`;
  await expectSoon(harness, () => watch.end !== undefined || watch.seen > after, () => claim);
  if (watch.end?.type === 'failed') {
    const { error } = watch.end;
    expectThat(isStoreError(error, 'compacted'), `${claim}, but it failed with ${errorText(error)}`);
    expectSame(error.revision, compacted, 'the refusal must name the oldest revision left');
    expectSame(watch.batches, [], `${claim} before it shows anything`);
  } else {
    expectThat(after === compacted - 1, claim);
    expectSame(watch.events[0] && sortChanges(watch.events[0].changes), model.changes(compacted), claim);
    watch.stop();
  }
}
