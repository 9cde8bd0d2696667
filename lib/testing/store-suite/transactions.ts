/**
 * Checks of commits: compare-and-swap on one and several keys, races, and the claim that all of it is strictly
 * serializable, judged on recorded histories.
 */
import { systemClock, type JsonObject } from '../../core/index.js';
import type { Entry, Outcome, Store, Transaction } from '../../storage/index.js';
import { registersOf } from '../linearizability/register-history.js';
import { checkRegisters } from '../linearizability/registers.js';
import { checkRevisions } from '../linearizability/revisions.js';
import { recordHistory } from '../store-history.js';
import { expectSame, expectThat } from './expect.js';
import type { StoreCheck } from './harness.js';

const counter = '/registry/suite/counter';

/** How commits behave, alone and against each other. */
export const transactionChecks: readonly StoreCheck[] = [
  {
    promise: 'strictly serializable: a commit happens only if every condition holds',
    run: async ({ store }) => {
      const [a, b] = ['/registry/suite/a', '/registry/suite/b'];
      const created = await committed(store, {
        compare: [{ key: a, modRevision: 0 }],
        put: [{ key: a, value: { is: 1 } }],
      });
      const again = await store.commit({ compare: [{ key: a, modRevision: 0 }], put: [{ key: a, value: { is: 2 } }] });
      expectThat(!again.committed, 'a create must fail when the key is there');
      const half = await store.commit({
        compare: [
          { key: a, modRevision: created },
          { key: b, modRevision: created },
        ],
        put: [
          { key: a, value: { is: 3 } },
          { key: b, value: { is: 3 } },
        ],
      });
      expectThat(!half.committed, 'a commit must fail when one of two conditions fails');
      expectSame((await store.get(a)).entry?.value, { is: 1 }, 'a failed commit must not have written');
      expectSame((await store.get(b)).entry, undefined, 'a failed commit must not have written any of its keys');
      const updated = await committed(store, {
        compare: [{ key: a, modRevision: created }],
        put: [{ key: a, value: { is: 4 } }],
      });
      const stale = await store.commit({ compare: [{ key: a, modRevision: created }], delete: [a] });
      expectThat(!stale.committed, 'a delete must fail when the key was written since');
      await committed(store, { compare: [{ key: a, modRevision: updated }], delete: [a] });
      await committed(store, { compare: [{ key: a, modRevision: 0 }], put: [{ key: a, value: { is: 5 } }] });
    },
  },
  {
    promise: 'strictly serializable: a condition on a key that is not written counts as much',
    run: async ({ store }) => {
      const [guard, target] = ['/registry/suite/guard', '/registry/suite/target'];
      const revision = await committed(store, { put: [{ key: guard, value: {} }] });
      await committed(store, {
        compare: [{ key: guard, modRevision: revision }],
        put: [{ key: target, value: { is: 1 } }],
      });
      await committed(store, { delete: [guard] });
      const late = await store.commit({
        compare: [{ key: guard, modRevision: revision }],
        put: [{ key: target, value: { is: 2 } }],
      });
      expectThat(!late.committed, 'a commit must fail when the key it is guarded by was deleted');
      expectSame((await store.get(target)).entry?.value, { is: 1 }, 'the guarded key must be as before');
    },
  },
  {
    promise: 'a failed commit answers with the current entries of the compared keys, in the order of the conditions',
    run: async ({ store }) => {
      const [a, b, c] = ['/registry/suite/a', '/registry/suite/b', '/registry/suite/c'];
      const first = await committed(store, {
        put: [
          { key: a, value: { of: 'a' } },
          { key: c, value: { of: 'c' } },
        ],
      });
      const second = await committed(store, { put: [{ key: a, value: { of: 'a again' } }] });
      const compare = [
        { key: c, modRevision: first },
        { key: b, modRevision: 0 },
        { key: a, modRevision: first },
      ];
      const outcome = await store.commit({ compare, put: [{ key: b, value: {} }] });
      const expected: Outcome = {
        committed: false,
        revision: second,
        found: [
          { key: c, value: { of: 'c' }, createRevision: first, modRevision: first },
          undefined,
          { key: a, value: { of: 'a again' }, createRevision: first, modRevision: second },
        ],
      };
      expectSame(outcome, expected, 'found must be the entries as of the revision of the answer');
      expectThat(
        !outcome.committed && outcome.found.length === 3 && outcome.found[1] === undefined,
        'an absent key must be found as undefined',
      );
    },
  },
  {
    promise: 'strictly serializable: of many who create one key at once, one succeeds and the others find its entry',
    run: async ({ store }) => {
      const race = Array.from({ length: 16 }, (_, writer) =>
        store.commit({ compare: [{ key: counter, modRevision: 0 }], put: [{ key: counter, value: { writer } }] }),
      );
      const outcomes = await Promise.all(race);
      const winners = outcomes.flatMap((outcome, writer) => (outcome.committed ? [writer] : []));
      expectThat(winners.length === 1, `exactly one writer must win, but these did: ${winners.join(', ') || 'none'}`);
      const { entry } = await store.get(counter);
      expectSame(entry?.value, { writer: winners[0] }, 'what is stored must be what the winner wrote');
      for (const outcome of outcomes)
        if (!outcome.committed) expectSame(outcome.found, [entry], 'a loser must find the entry of the winner');
    },
  },
  {
    promise: 'strictly serializable: concurrent increments of one key are all counted',
    run: async ({ store }) => {
      await incrementAtOnce(store, [counter], 16, 5);
      const { entry } = await store.get(counter);
      expectSame(entry?.value, { count: 80 }, '16 writers that each add 1 five times must leave 80');
    },
  },
  {
    promise: 'strictly serializable: concurrent increments of several keys never leave them apart',
    run: async ({ store }) => {
      const start = await store.revision();
      const keys = ['/registry/suite/x', '/registry/suite/y', '/registry/suite/z'];
      await incrementAtOnce(store, keys, 8, 5);
      const newest = await store.revision();
      expectSame(newest, start + 40, '8 writers that each add 1 five times must take 40 revisions');
      for (let revision = start + 1; revision <= newest; revision++) {
        const { entries } = await store.list('/registry/suite/', { revision });
        const expected = keys.map(() => ({ count: revision - start }));
        expectSame(
          entries.map(({ value }) => value),
          expected,
          `at revision ${revision} all three keys must have the same count`,
        );
      }
    },
  },
  ...[1, 2, 3, 4].map((seed): StoreCheck => ({
    promise: `strictly serializable: a recorded concurrent history has one order that explains it (seed ${seed})`,
    run: async ({ store, patienceMs }) => {
      const history = await recordHistory(store, {
        seed,
        clients: 4 * seed,
        operations: 400,
        keys: 2 + 2 * seed,
        clock: systemClock(),
        ...(patienceMs !== undefined && { patienceMs }),
      });
      const violation = checkRevisions(history) ?? checkRegisters(registersOf(history));
      if (violation !== undefined) throw new Error(violation.sentence);
    },
  })),
];

/** Commits what must succeed; answers its revision. */
async function committed(store: Store, transaction: Transaction): Promise<number> {
  const outcome = await store.commit(transaction);
  if (!outcome.committed)
    throw new Error(`a commit whose conditions hold must succeed: ${JSON.stringify(transaction.compare)}`);
  return outcome.revision;
}

/** Has so many writers at once add 1 to all the keys, so many times each, retrying from what a failed commit found. */
async function incrementAtOnce(store: Store, keys: readonly string[], writers: number, times: number): Promise<void> {
  const increment = async (): Promise<void> => {
    let found: readonly (Entry | undefined)[] = keys.map(() => undefined);
    // Each failure means that another succeeded, so there cannot be more of them than successes of the others.
    for (let tries = 0; tries <= writers * times; tries++) {
      const outcome = await store.commit({
        compare: keys.map((key, index) => ({ key, modRevision: found[index]?.modRevision ?? 0 })),
        put: keys.map((key, index) => ({ key, value: { count: count(found[index]?.value) + 1 } })),
      });
      if (outcome.committed) return;
      found = outcome.found;
    }
    throw new Error('a commit that compares with what was just found must fail only when another writer came first');
  };
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let time = 0; time < times; time++) await increment();
    }),
  );
}

function count(value: JsonObject | undefined): number {
  return typeof value?.count === 'number' ? value.count : 0;
}
