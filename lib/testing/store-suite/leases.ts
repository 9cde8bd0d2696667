/**
 * Checks of leases. Times are chosen so that a real etcd passes too: whole seconds, a second of tolerance before the
 * end, and after the end as much patience as the harness has.
 */
import type { Store } from '../../storage/index.js';
import { describeError, expectRefusal, expectSame, expectSoon, expectThat, isStoreRefusal, errorOf } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;
const ttlMs = 3000;
/** Longer than any run: on a shared backend, a lease that ended later would commit in the midst of another check. */
const dayMs = 86_400_000;

/** How leases end and what they take along. */
export const leaseChecks: readonly StoreCheck[] = [
  {
    promise: 'leases end on the clock: all keys put under one are deleted in one commit when it runs out, not before',
    run: async (harness) => {
      const { store } = harness;
      const lease = await store.grantLease(ttlMs);
      const longer = await store.grantLease(dayMs);
      const put = Array.from({ length: 5 }, (_, n) => ({ key: `${key}-${n}`, value: { n }, lease }));
      const other = { key: `${key}-other`, value: {}, lease: longer };
      const { revision } = await store.commit({ put: [...put, other, { key, value: { plain: true } }] });
      const { entry } = await store.get(`${key}-0`);
      expectSame(entry, { ...put[0], createRevision: revision, modRevision: revision }, 'an entry names its lease');
      const watch = recordWatch(store, prefix, { after: revision });
      await harness.elapse(ttlMs - 1000);
      expectSame((await store.list(prefix)).entries.length, 7, 'nothing may go a second before the lease ends');
      await harness.elapse(1000);
      await expectGone(harness, `${key}-0`);
      expectSame(await store.revision(), revision + 1, 'the end of a lease is one commit');
      await watchReaches(harness, watch, revision + 1);
      const received = watch.events.map((batch) => [
        batch.revision,
        ...batch.changes.map((change) => `${change.type} ${change.key}`).sort(),
      ]);
      expectSame(
        received,
        [[revision + 1, ...put.map((each) => `delete ${each.key}`)]],
        'a watch sees all keys of the lease deleted in one batch',
      );
      const previous = watch.events[0]?.changes.map((change) => change.previous?.lease);
      expectSame(
        previous,
        put.map(() => lease),
        'the deleted entries are those of the lease',
      );
      expectSame(
        (await store.list(prefix)).entries.map((each) => each.key),
        [key, `${key}-other`],
        'keys of no lease or of another stay',
      );
      await expectRefusal(store.renewLease(lease), 'lease-not-found', 'renewing a lease that ended');
      watch.stop();
    },
  },
  {
    promise: 'renewing a lease begins it anew at its full length',
    run: async (harness) => {
      const { store } = harness;
      const lease = await store.grantLease(ttlMs);
      await store.commit({ put: [{ key, value: {}, lease }] });
      for (let renewal = 0; renewal < 2; renewal++) {
        await harness.elapse(ttlMs - 1000);
        await store.renewLease(lease);
      }
      await harness.elapse(ttlMs - 1000);
      expectThat(
        (await store.get(key)).entry !== undefined,
        'a renewed lease must last its full length from the renewal on',
      );
      await harness.elapse(1000);
      await expectGone(harness, key);
    },
  },
  {
    promise: 'revoking a lease deletes its keys at once, in one commit',
    run: async ({ store }) => {
      const lease = await store.grantLease(dayMs);
      const { revision } = await store.commit({
        put: [
          { key: `${key}-a`, value: {}, lease },
          { key: `${key}-b`, value: {}, lease },
        ],
      });
      await store.revokeLease(lease);
      expectSame(
        await store.list(prefix),
        { entries: [], revision: revision + 1, remaining: 0 },
        'both keys are gone, in one revision',
      );
      await expectRefusal(store.revokeLease(lease), 'lease-not-found', 'revoking a lease twice');
      await expectRefusal(store.renewLease(lease), 'lease-not-found', 'renewing a revoked lease');
      const empty = await store.grantLease(dayMs);
      await store.revokeLease(empty);
      expectSame(await store.revision(), revision + 1, 'granting and ending a lease without keys takes no revision');
    },
  },
  {
    promise: 'a key belongs to the lease it was last put under, or to none',
    run: async ({ store }) => {
      const [one, two] = [await store.grantLease(dayMs), await store.grantLease(dayMs)];
      const keys = ['detached', 'moved', 'kept', 'recreated'].map((name) => prefix + name);
      const [detached = '', moved = '', kept = '', recreated = ''] = keys;
      await store.commit({ put: keys.map((each) => ({ key: each, value: {}, lease: one })) });
      await store.commit({
        put: [
          { key: detached, value: {} },
          { key: moved, value: {}, lease: two },
        ],
        delete: [recreated],
      });
      await store.commit({
        put: [
          { key: recreated, value: {} },
          { key: kept, value: { again: true }, lease: one },
        ],
      });
      expectSame(
        await leasesOf(store),
        { detached: 'none', kept: one, moved: two, recreated: 'none' },
        'the leases of the keys',
      );
      await store.revokeLease(one);
      expectSame(
        await leasesOf(store),
        { detached: 'none', moved: two, recreated: 'none' },
        'ending a lease takes only keys that still belong to it',
      );
      await store.revokeLease(two);
      expectSame(
        await leasesOf(store),
        { detached: 'none', recreated: 'none' },
        'ending the other takes the moved key',
      );
    },
  },
  {
    promise: 'a put that races with the end of its lease is deleted with it or refused, never left behind',
    run: async ({ store }) => {
      for (let round = 0; round < 10; round++) {
        const lease = await store.grantLease(dayMs);
        const put = (n: number): Promise<unknown> =>
          errorOf(store.commit({ put: [{ key: `${key}-${round}-${n}`, value: {}, lease }] }));
        const before = Array.from({ length: round }, (_, n) => put(n));
        const revoked = store.revokeLease(lease);
        const after = Array.from({ length: 5 }, (_, n) => put(round + n));
        const refusals = await Promise.all([...before, ...after]);
        await revoked;
        for (const refusal of refusals) {
          const lawful = refusal === undefined || isStoreRefusal(refusal, 'lease-not-found');
          expectThat(
            lawful,
            `a put under a lease that ends must be taken or refused as lease-not-found, not ${describeError(refusal)}`,
          );
        }
        expectSame((await store.list(prefix)).entries, [], 'no key may outlive its lease');
      }
    },
  },
  {
    promise: 'a lease that is not there is refused, and so is all that was to be put under it',
    run: async ({ store }) => {
      const ended = await store.grantLease(dayMs);
      await store.revokeLease(ended);
      const revision = await store.revision();
      for (const lease of [ended, '123456789', 'never granted', '']) {
        const put = [
          { key: `${key}-a`, value: {} },
          { key: `${key}-b`, value: {}, lease },
        ];
        await expectRefusal(store.commit({ put }), 'lease-not-found', `a put under lease ${JSON.stringify(lease)}`);
        await expectRefusal(store.renewLease(lease), 'lease-not-found', `renewing lease ${JSON.stringify(lease)}`);
        await expectRefusal(store.revokeLease(lease), 'lease-not-found', `revoking lease ${JSON.stringify(lease)}`);
      }
      expectSame(
        await store.list(prefix),
        { entries: [], revision, remaining: 0 },
        'a refused transaction writes nothing',
      );
      const granted = await store.grantLease(dayMs);
      const outcome = await store.commit({
        compare: [{ key, modRevision: 7 }],
        put: [{ key, value: {}, lease: granted }],
      });
      expectThat(!outcome.committed, 'conditions count for puts under a lease too');
    },
  },
];

async function expectGone(harness: StoreHarness, gone: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await harness.store.get(gone)).entry === undefined;
  await expectSoon(harness, isGone, () => `${gone} must be deleted once its lease has run out`);
}

async function leasesOf(store: Store): Promise<Record<string, string>> {
  const { entries } = await store.list(prefix);
  return Object.fromEntries(entries.map((entry) => [entry.key.slice(prefix.length), entry.lease ?? 'none']));
}
