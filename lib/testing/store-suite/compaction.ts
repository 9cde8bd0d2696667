/**
 * Checks of compaction: what is gone is refused by name, what is left is untouched.
 */
import { random } from '../../core/index.js';
import { isStoreError, type Revision, type Store } from '../../storage/index.js';
import { describeError, expectRefusal, expectSame, expectSoon, expectThat, errorOf } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { randomTransaction } from './random-transaction.js';
import { sortChanges, StoreModel } from './store-model.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`];

/** What compaction takes and what it leaves. */
export const compactionChecks: readonly StoreCheck[] = [
  {
    promise:
      'compaction is refused by name: older reads, lists and watches answer `compacted` and the oldest revision left',
    run: async (harness) => {
      const { store } = harness;
      const model = await writeSomeHistory(store);
      const compacted = model.revision - 4;
      await store.compact(compacted);
      for (let revision = model.start; revision < compacted; revision++) {
        const refusals = [
          await expectRefusal(
            store.get(a, { revision }),
            'compacted',
            `a get at revision ${revision}, compacted at ${compacted}`,
          ),
          await expectRefusal(
            store.list(prefix, { revision }),
            'compacted',
            `a list at revision ${revision}, compacted at ${compacted}`,
          ),
        ];
        for (const refusal of refusals)
          expectSame(refusal.revision, compacted, 'the refusal must name the oldest revision left');
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
          await expectListed(store, model, revision, `a list at revision ${revision}, compacted at ${compacted}`);
          const watch = recordWatch(store, prefix, { after: revision });
          await watchReaches(harness, watch, model.revision);
          const received = watch.events.map((batch) => sortChanges(batch.changes));
          const changes = Array.from({ length: model.revision - revision }, (_, n) => model.changes(revision + 1 + n));
          expectSame(
            received,
            changes,
            `a watch after revision ${revision}, compacted at ${compacted}, previous values included`,
          );
          watch.stop();
        }
      }
      const compare = [{ key: b, modRevision: model.get(b)?.modRevision ?? 0 }];
      const transaction = { compare, put: [{ key: b, value: { after: 'compaction' } }] };
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
      const refusal = await expectRefusal(
        store.get(a, { revision: compacted - 1 }),
        'compacted',
        'what was compacted stays so',
      );
      expectSame(refusal.revision, compacted, 'an earlier compaction moves nothing back');
      await expectListed(store, model, compacted, 'the compacted revision still reads');
      const future = await expectRefusal(
        store.compact(model.revision + 1),
        'future-revision',
        'compacting at a revision still to come',
      );
      expectSame(future.revision, model.revision, 'the refusal must name the newest revision');
      await expectListed(store, model, compacted, 'a refused compaction compacts nothing');
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
      const changes = watch.events.flatMap((batch) => batch.changes);
      const received = changes.map(
        (change) => change.type === 'put' && [change.entry.value.count, change.previous?.value.count ?? 0],
      );
      expectSame(
        received,
        Array.from({ length: 20 }, (_, n) => [n + 1, n]),
        'every count, each with the one before',
      );
      watch.stop();
    },
  },
  ...[61, 62].map((seed): StoreCheck => ({
    promise: `compaction amid readers: every answer is whole or refused by name (seed ${seed})`,
    run: async ({ store }) => compactAmidReaders(store, seed),
  })),
];

/** One writer, so that the model knows every revision; one compactor; readers of the recent past, who may come late. */
async function compactAmidReaders(store: Store, seed: number): Promise<void> {
  const chance = random(seed);
  const model = new StoreModel(await store.list(''));
  const keys = Array.from({ length: 6 }, (_, n) => `${prefix}${n}`);
  let writing = true;
  const write = async (): Promise<void> => {
    try {
      for (let step = 0; step < 150; step++) {
        const transaction = randomTransaction(chance, keys, model);
        expectSame(await store.commit(transaction), model.commit(transaction), 'the outcome of a commit');
      }
    } finally {
      writing = false;
    }
  };
  const compact = async (): Promise<void> => {
    for (let round = 0; writing && round < 1000; round++)
      await store.compact(Math.max(model.start, model.revision - chance.integer(5)));
  };
  const read = async (): Promise<void> => {
    for (let round = 0; writing && round < 1000; round++) {
      const revision = Math.max(model.start, model.revision - chance.integer(10));
      const listing = store.list(prefix, { revision });
      const refusal = await errorOf(listing);
      const claim = `a list at revision ${revision} must be whole or refused as compacted at a later one`;
      if (refusal === undefined) expectSame(await listing, model.list(prefix, { revision }), claim);
      else
        expectThat(
          isStoreError(refusal, 'compacted') && (refusal.revision ?? 0) > revision,
          `${claim}, not ${describeError(refusal)}`,
        );
    }
  };
  await Promise.all([write(), compact(), read(), read()]);
}

async function expectListed(store: Store, model: StoreModel, revision: Revision, claim: string): Promise<void> {
  expectSame(await store.list(prefix, { revision }), model.list(prefix, { revision }), claim);
}

/** Creates, updates, deletes and creates anew, so that every kind of version stands on both sides of a compaction. */
async function writeSomeHistory(store: Store): Promise<StoreModel> {
  const model = new StoreModel(await store.list(''));
  const transactions = [
    {
      put: [
        { key: a, value: { is: 1 } },
        { key: b, value: { is: 1 } },
      ],
    },
    { put: [{ key: a, value: { is: 2 } }] },
    { delete: [a] },
    { put: [{ key: c, value: { is: 4 } }] },
    { put: [{ key: a, value: { is: 5 } }], delete: [c] },
    { put: [{ key: b, value: { is: 6 } }] },
    { delete: [a] },
    {
      put: [
        { key: c, value: { is: 8 } },
        { key: b, value: { is: 8 } },
      ],
    },
    { put: [{ key: a, value: { is: 9 } }], delete: [b] },
    { put: [{ key: b, value: { is: 10 } }] },
  ];
  for (const transaction of transactions)
    expectSame(await store.commit(transaction), model.commit(transaction), 'the outcome of a commit');
  return model;
}

/** What a watch after a compacted revision needs is gone. Only the one right before it may still be whole. */
async function expectWatchRefused(
  harness: StoreHarness,
  after: Revision,
  compacted: Revision,
  model: StoreModel,
): Promise<void> {
  const watch = recordWatch(harness.store, prefix, { after });
  const claim = `a watch after revision ${after}, compacted at ${compacted}, must be refused as compacted and never skip what is gone`;
  await expectSoon(
    harness,
    () => watch.end !== undefined || watch.seen > after,
    () => claim,
  );
  if (watch.end?.type === 'failed') {
    const { error } = watch.end;
    expectThat(isStoreError(error, 'compacted'), `${claim}, but it failed with ${describeError(error)}`);
    expectSame(error.revision, compacted, 'the refusal must name the oldest revision left');
    expectSame(watch.batches, [], `${claim} before it shows anything`);
  } else {
    expectThat(after === compacted - 1, claim);
    expectSame(watch.events[0] && sortChanges(watch.events[0].changes), model.changes(compacted), claim);
    watch.stop();
  }
}
