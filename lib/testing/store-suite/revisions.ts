/**
 * Checks of revisions: gapless, one for all changes of a commit, none for what changes nothing, and history that can be
 * read until it is compacted.
 */
import { random } from '../../core/index.js';
import type { Store, Transaction } from '../../storage/index.js';
import { expectRefusal, expectSame, expectThat } from './expect.js';
import type { StoreCheck } from './harness.js';
import { randomTransaction } from './random-transaction.js';
import { StoreModel } from './store-model.js';

const key = '/registry/suite/key';
const other = '/registry/suite/other';

/** How revisions are counted and what stands at each. */
export const revisionChecks: readonly StoreCheck[] = [
  {
    promise: 'an empty store has no entries and is at revision 1',
    run: async ({ store, usedBefore = false }) => {
      const revision = await store.revision();
      if (!usedBefore) expectSame(revision, 1, 'the revision of an empty store');
      expectSame(
        await store.list(''),
        { entries: [], revision, remaining: 0 },
        'a list of everything in an empty store',
      );
      expectSame(await store.get(key), { entry: undefined, revision }, 'a key that never was');
    },
  },
  {
    promise: 'gapless: every commit that changes something takes the next revision, concurrent ones too',
    run: async ({ store }) => {
      const start = await store.revision();
      for (let count = 1; count <= 10; count++) {
        expectSame(
          await store.commit({ put: [{ key, value: { count } }] }),
          { committed: true, revision: start + count },
          'the next revision',
        );
      }
      const burst = await Promise.all(
        Array.from({ length: 50 }, (_, n) => store.commit({ put: [{ key: `${key}-${n % 7}`, value: { n } }] })),
      );
      const revisions = burst.map(({ revision }) => revision).sort((a, b) => a - b);
      expectSame(
        revisions,
        Array.from({ length: 50 }, (_, n) => start + 11 + n),
        '50 commits at once must take 50 revisions in a row',
      );
      expectSame(await store.revision(), start + 60, 'the revision after 60 commits');
    },
  },
  {
    promise: 'gapless: a commit that changes nothing takes no revision',
    run: async ({ store }) => {
      const start = await store.revision();
      const unchanged = async (transaction: Transaction, revision: number, claim: string): Promise<void> => {
        expectSame(await store.commit(transaction), { committed: true, revision }, claim);
        expectSame(await store.revision(), revision, claim);
      };
      await unchanged({}, start, 'an empty transaction takes no revision');
      await unchanged({ put: [], delete: [], compare: [] }, start, 'a transaction of empty lists takes no revision');
      await unchanged({ delete: [key] }, start, 'deleting an absent key takes no revision');
      await unchanged({ compare: [{ key, modRevision: 0 }] }, start, 'comparing only takes no revision');
      await store.commit({ put: [{ key, value: {} }] });
      const guarded = { compare: [{ key, modRevision: start + 1 }], delete: [other] };
      await unchanged(guarded, start + 1, 'deleting an absent key under a condition takes no revision');
      const failed = await store.commit({ compare: [{ key, modRevision: 0 }], delete: [key] });
      expectThat(!failed.committed && failed.revision === start + 1, 'a failed commit takes no revision');
      const next = await store.commit({ put: [{ key: other, value: {} }] });
      expectSame(next, { committed: true, revision: start + 2 }, 'the next change takes the next revision');
    },
  },
  {
    promise: 'one revision stands for all changes of a commit, and an equal value is a change',
    run: async ({ store }) => {
      const start = await store.revision();
      await store.commit({
        put: [
          { key, value: { same: true } },
          { key: other, value: {} },
        ],
      });
      const both = await store.list('/registry/suite/');
      const made = { createRevision: start + 1, modRevision: start + 1 };
      const entries = [
        { key, value: { same: true }, ...made },
        { key: other, value: {}, ...made },
      ];
      expectSame(both.entries, entries, 'keys of one commit have its revision');
      const mixed = await store.commit({ put: [{ key, value: { same: true } }], delete: [other] });
      expectSame(mixed, { committed: true, revision: start + 2 }, 'a put and a delete are one revision');
      const expected = { key, value: { same: true }, createRevision: start + 1, modRevision: start + 2 };
      expectSame(await store.get(key), { entry: expected, revision: start + 2 }, 'a put of an equal value is a write');
      expectSame((await store.get(other)).entry, undefined, 'the deleted key is gone');
    },
  },
  {
    promise: 'a key has the revision that created it and the one that last wrote it, and begins anew after a delete',
    run: async ({ store }) => {
      const start = await store.revision();
      const revisionsOf = async (): Promise<unknown> => {
        const { entry } = await store.get(key);
        return entry && [entry.createRevision, entry.modRevision];
      };
      await store.commit({ put: [{ key, value: {} }] });
      expectSame(await revisionsOf(), [start + 1, start + 1], 'created');
      await store.commit({ put: [{ key: other, value: {} }] });
      expectSame(await revisionsOf(), [start + 1, start + 1], 'not touched by a write of another key');
      await store.commit({ put: [{ key, value: {} }] });
      expectSame(await revisionsOf(), [start + 1, start + 3], 'updated');
      await store.commit({ delete: [key] });
      expectSame(await revisionsOf(), undefined, 'deleted');
      await store.commit({ put: [{ key, value: {} }] });
      expectSame(await revisionsOf(), [start + 5, start + 5], 'created again');
    },
  },
  {
    promise: 'a revision still to come is refused with the newest',
    run: async ({ store }) => {
      await store.commit({ put: [{ key, value: {} }] });
      const newest = await store.revision();
      for (const ahead of [1, 2, 1_000_000]) {
        const got = await expectRefusal(
          store.get(key, { revision: newest + ahead }),
          'future-revision',
          `a get ${ahead} ahead`,
        );
        const listed = await expectRefusal(
          store.list('/', { revision: newest + ahead }),
          'future-revision',
          `a list ${ahead} ahead`,
        );
        expectSame([got.revision, listed.revision], [newest, newest], 'the refusal must name the newest revision');
      }
    },
  },
  ...[11, 12, 13].map((seed): StoreCheck => ({
    promise: `every revision reads as it was, whatever came later (seed ${seed})`,
    run: async ({ store }) => compareWithModel(store, seed),
  })),
];

async function compareWithModel(store: Store, seed: number): Promise<void> {
  const chance = random(seed);
  const model = new StoreModel(await store.list(''));
  const keys = Array.from({ length: 12 }, (_, n) => `/registry/suite/${'abc'.charAt(n % 3)}/${n}`);
  for (let step = 0; step < 120; step++) {
    const transaction = randomTransaction(chance, keys, model);
    expectSame(
      await store.commit(transaction),
      model.commit(transaction),
      `the outcome of commit ${step}, ${JSON.stringify(transaction)}`,
    );
  }
  const prefixes = [
    '',
    '/registry/suite/',
    '/registry/suite/a/',
    '/registry/suite/b',
    '/registry/suite/c/1',
    '/registry/other/',
  ];
  for (let revision = model.start; revision <= model.revision; revision++) {
    const prefix = chance.pick(prefixes);
    const page = { revision, limit: 1 + chance.integer(5), after: chance.pick(keys) };
    expectSame(
      await store.list(prefix, { revision }),
      model.list(prefix, { revision }),
      `a list of ${prefix} at revision ${revision}`,
    );
    expectSame(
      await store.list(prefix, page),
      model.list(prefix, page),
      `a page of ${prefix}, ${JSON.stringify(page)}`,
    );
    const key = chance.pick(keys);
    expectSame(
      await store.get(key, { revision }),
      { entry: model.get(key, revision), revision },
      `a get of ${key} at revision ${revision}`,
    );
  }
}
