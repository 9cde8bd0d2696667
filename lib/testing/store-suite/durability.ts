/**
 * Checks of what is still there after closing and opening again. They pass as they are for stores that keep nothing;
 * what a kill at any moment leaves is for the crash tests of each backend.
 */
import { random } from '../../core/index.js';
import { isStoreError, type Outcome, type Store } from '../../storage/index.js';
import { describeError, expectRefusal, expectSame, expectSoon, expectThat, errorOf } from './expect.js';
import type { StoreCheck } from './harness.js';
import { randomTransaction } from './random-transaction.js';
import { sortChanges, StoreModel } from './store-model.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;

/** What survives. */
export const durabilityChecks: readonly StoreCheck[] = [
  ...[51, 52].map((seed): StoreCheck => ({
    promise: `durable: a store that was reopened has all its entries, revisions and history, and its watches resume (seed ${seed})`,
    run: async (harness) => {
      if (harness.reopen === undefined) return;
      const chance = random(seed);
      const model = new StoreModel(await harness.store.list(''));
      const keys = Array.from({ length: 8 }, (_, n) => `${prefix}${n}`);
      let store = harness.store;
      for (let opening = 0; opening < 3; opening++) {
        for (let step = 0; step < 40; step++) {
          const transaction = randomTransaction(chance, keys, model);
          expectSame(await store.commit(transaction), model.commit(transaction), 'the outcome of a commit');
        }
        store = await harness.reopen();
        expectSame(await store.revision(), model.revision, 'the newest revision after reopening');
        for (let revision = model.start; revision <= model.revision; revision += 1 + chance.integer(9)) {
          expectSame(
            await store.list('', { revision }),
            model.list('', { revision }),
            `a list at revision ${revision} after reopening`,
          );
          const watch = recordWatch(store, prefix, { after: revision });
          await watchReaches(harness, watch, model.revision);
          const received = watch.events.map((batch) => sortChanges(batch.changes));
          const expected = Array.from({ length: model.revision - revision }, (_, n) => model.changes(revision + 1 + n));
          expectSame(received, expected, `a watch resumed after revision ${revision} after reopening`);
          watch.stop();
        }
      }
    },
  })),
  {
    promise:
      'durable before visible: what was answered, read or watched before closing is there after it, and what was refused is not',
    run: async (harness) => {
      if (harness.reopen === undefined) return;
      const start = await harness.store.revision();
      const before = recordWatch(harness.store, prefix, { after: start });
      const calls = Array.from({ length: 60 }, (_, n) =>
        harness.store.commit({ put: [{ key: `${key}-${n}`, value: { n } }] }),
      );
      const settled = Promise.allSettled(calls);
      await calls[0];
      const store = await harness.reopen();
      await expectKept(store, await settled);
      const { entries, revision } = await store.list(prefix);
      expectSame(revision, start + entries.length, 'every commit that is there took one revision');
      const after = recordWatch(store, prefix, { after: start });
      await watchReaches(harness, after, revision);
      expectSame(
        after.events.slice(0, before.events.length),
        before.events,
        'what a watch showed before closing is what one shows after it',
      );
      expectSame(after.events.length, entries.length, 'a watch shows every commit that is there');
      after.stop();
    },
  },
  {
    promise: 'durable: compaction holds after reopening',
    run: async (harness) => {
      if (harness.reopen === undefined) return;
      for (let count = 0; count < 6; count++) await harness.store.commit({ put: [{ key, value: { count } }] });
      const newest = await harness.store.revision();
      await harness.store.compact(newest - 2);
      const store = await harness.reopen();
      const refusal = await expectRefusal(
        store.get(key, { revision: newest - 3 }),
        'compacted',
        'a get of a compacted revision',
      );
      expectSame(refusal.revision, newest - 2, 'the refusal must name the oldest revision left');
      expectSame(
        (await store.get(key, { revision: newest - 2 })).entry?.value,
        { count: 3 },
        'the compacted revision reads',
      );
      expectSame((await store.get(key)).entry?.value, { count: 5 }, 'the newest revision reads');
    },
  },
  {
    promise: 'durable: leases end after reopening too',
    run: async (harness) => {
      if (harness.reopen === undefined) return;
      const lease = await harness.store.grantLease(3000);
      await harness.store.commit({ put: [{ key, value: {}, lease }] });
      const store = await harness.reopen();
      expectSame((await store.get(key)).entry?.lease, lease, 'the entry still names its lease');
      await store.renewLease(lease);
      await harness.elapse(2000);
      expectThat((await store.get(key)).entry !== undefined, 'a renewed lease must last its full length');
      await harness.elapse(1000);
      const gone = async (): Promise<boolean> => (await store.get(key)).entry === undefined;
      await expectSoon(harness, gone, () => `${key} must be deleted once its lease has run out`);
      expectThat(isStoreError(await errorOf(store.renewLease(lease)), 'lease-not-found'), 'the lease is gone with it');
    },
  },
];

async function expectKept(store: Store, results: readonly PromiseSettledResult<Outcome>[]): Promise<void> {
  for (const [n, result] of results.entries()) {
    const { entry } = await store.get(`${key}-${n}`);
    if (result.status === 'fulfilled') {
      expectThat(result.value.committed, 'a commit without conditions succeeds');
      expectSame(
        entry?.modRevision,
        result.value.revision,
        `commit ${n} was answered, so it must be there after reopening`,
      );
    } else if (!isStoreError(result.reason, 'unknown-outcome')) {
      expectThat(
        isStoreError(result.reason),
        `a call cut short by closing must fail with a StoreError, not ${describeError(result.reason)}`,
      );
      expectSame(
        entry,
        undefined,
        `commit ${n} was refused as ${result.reason.code}, not as unknown-outcome, so it must not be there`,
      );
    }
  }
}
