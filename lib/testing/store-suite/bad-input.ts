/**
 * Checks of refusals: each kind of bad input has its code, and a refused transaction has written nothing.
 */
import type { JsonObject } from '../../core/index.js';
import { isStoreError, type Comparison, type Put, type StoreErrorCode, type Transaction } from '../../storage/index.js';
import { expectRefusal, expectSame, expectSoon, expectThat } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { recordWatch } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;
const bystander: Put = { key: `${prefix}bystander`, value: {} };

/** What stores refuse, and as what. */
export const badInputChecks: readonly StoreCheck[] = [
  {
    promise:
      'a key that is empty, too long, or has U+0000 or a lone surrogate is refused as `invalid`, wherever it stands',
    run: async (harness) => {
      const { store, limits } = harness;
      const longest = prefix + 'x'.repeat(limits.keyBytesMax - prefix.length);
      const broken = [
        `${prefix}\ud800`,
        `${prefix}\udc00x`,
        `${prefix}\udc00\ud800`,
        `${prefix}\ud800\ud800`,
        `${prefix}nul\u0000`,
      ];
      for (const bad of ['', `${longest}x`, `${longest.slice(0, -1)}é`, ...broken]) {
        const named = JSON.stringify(bad.slice(0, 30));
        await expectRefusal(store.get(bad), 'invalid', `a get of ${named}`);
        await expectTransactionRefused(
          harness,
          { put: [bystander, { key: bad, value: {} }] },
          'invalid',
          `a put of ${named}`,
        );
        await expectTransactionRefused(harness, { put: [bystander], delete: [bad] }, 'invalid', `a delete of ${named}`);
        const compared = { compare: [{ key: bad, modRevision: 0 }], put: [bystander] };
        await expectTransactionRefused(harness, compared, 'invalid', `a comparison of ${named}`);
      }
      for (const bad of broken) {
        await expectRefusal(store.list(bad), 'invalid', `a list of ${JSON.stringify(bad)}`);
        await expectRefusal(store.list(prefix, { after: bad }), 'invalid', `a list after ${JSON.stringify(bad)}`);
        await expectWatchRefused(harness, bad, {});
      }
      const { revision } = await store.commit({ put: [{ key: longest, value: { longest: true } }] });
      expectSame((await store.get(longest)).entry?.modRevision, revision, 'the longest key is a key like any other');
      expectSame((await store.list(longest)).entries.length, 1, 'the longest key is listed');
    },
  },
  {
    promise: 'a value that is no JSON object is refused as `invalid`',
    run: async (harness) => {
      const values: readonly unknown[] = [undefined, null, 'text', 7, true, [], [{}], () => ({}), Symbol('value'), 7n];
      const inner: readonly unknown[] = [undefined, Number.NaN, Infinity, 7n, () => 1, Symbol('value'), new Map()];
      for (const value of [
        ...values,
        ...inner.map((child) => ({ spec: { child } })),
        ...inner.map((child) => ({ list: [child] })),
      ]) {
        // Reflect, since the types forbid what is tried here.
        const put: Put = { key, value: {} };
        Reflect.set(put, 'value', value);
        await expectTransactionRefused(harness, { put: [bystander, put] }, 'invalid', `a put of ${describe(value)}`);
      }
    },
  },
  {
    promise: 'a value beyond the limit is refused as `too-large`, and one below it is taken',
    run: async (harness) => {
      const { store, limits } = harness;
      const bytesMax = limits.valueBytesMax;
      if (bytesMax === undefined) return;
      const list = Array.from({ length: bytesMax }, () => 0);
      for (const value of [{ text: 'x'.repeat(bytesMax) }, { text: 'é'.repeat(bytesMax) }, { list }]) {
        await expectTransactionRefused(harness, { put: [{ key, value }] }, 'too-large', 'a value beyond the limit');
      }
      const large: JsonObject = { text: 'x'.repeat(Math.floor(bytesMax * 0.9)) };
      await store.commit({ put: [{ key, value: large }] });
      expectSame((await store.get(key)).entry?.value, large, 'a value below the limit comes back whole');
    },
  },
  {
    promise:
      'a transaction of more operations than the limit is refused as `too-large`, and one at the limit is one commit',
    run: async (harness) => {
      const { store, limits } = harness;
      if (limits.operationsMax > 20_000) return;
      const keys = Array.from({ length: limits.operationsMax + 1 }, (_, n) => `${prefix}${n}`);
      const put = keys.map((each): Put => ({ key: each, value: {} }));
      const compare = keys.map((each): Comparison => ({ key: each, modRevision: 0 }));
      await expectTransactionRefused(harness, { put }, 'too-large', `${put.length} puts`);
      await expectTransactionRefused(harness, { delete: keys }, 'too-large', `${keys.length} deletes`);
      await expectTransactionRefused(
        harness,
        { put: put.slice(0, 2), delete: keys.slice(2) },
        'too-large',
        `${keys.length} puts and deletes`,
      );
      await expectTransactionRefused(harness, { compare }, 'too-large', `${compare.length} conditions`);
      const start = await store.revision();
      const outcome = await store.commit({ compare: compare.slice(1), put: put.slice(1) });
      expectSame(
        outcome,
        { committed: true, revision: start + 1 },
        'as many conditions and changes as the limit allows',
      );
      expectSame((await store.list(prefix)).entries.length, limits.operationsMax, 'all of its keys are there');
    },
  },
  {
    promise: 'a transaction that changes a key twice is refused as `invalid`',
    run: async (harness) => {
      const put: Put = { key, value: {} };
      await expectTransactionRefused(harness, { put: [put, bystander, put] }, 'invalid', 'two puts of one key');
      await expectTransactionRefused(
        harness,
        { put: [bystander], delete: [key, key] },
        'invalid',
        'two deletes of one key',
      );
      await expectTransactionRefused(
        harness,
        { put: [put], delete: [key] },
        'invalid',
        'a put and a delete of one key',
      );
      const twice = [
        { key, modRevision: 0 },
        { key, modRevision: 0 },
      ];
      const outcome = await harness.store.commit({ compare: twice, put: [put] });
      expectThat(outcome.committed, 'comparing a key twice is no change of it');
      const compare = [
        { key, modRevision: outcome.revision },
        { key, modRevision: 0 },
      ];
      const contradiction = await harness.store.commit({ compare, put: [put] });
      expectThat(
        !contradiction.committed && contradiction.found.length === 2,
        'a contradiction fails like any condition',
      );
    },
  },
  {
    promise: 'numbers that count nothing are refused as `invalid`',
    run: async (harness) => {
      const { store } = harness;
      await store.commit({ put: [bystander] });
      for (const bad of [-1, Number.NaN, 1.5, -Infinity]) {
        await expectRefusal(store.list(prefix, { limit: bad }), 'invalid', `a limit of ${bad}`);
        await expectRefusal(store.list(prefix, { revision: bad }), 'invalid', `a list at revision ${bad}`);
        await expectRefusal(store.get(key, { revision: bad }), 'invalid', `a get at revision ${bad}`);
        await expectRefusal(store.compact(bad), 'invalid', `a compaction at revision ${bad}`);
        const compared = { compare: [{ key, modRevision: bad }], put: [bystander] };
        await expectTransactionRefused(harness, compared, 'invalid', `a comparison with revision ${bad}`);
        await expectWatchRefused(harness, prefix, { after: bad });
      }
      await expectRefusal(store.list(prefix, { limit: 0 }), 'invalid', 'a limit of 0');
      await expectRefusal(store.get(key, { revision: 0 }), 'invalid', 'a get at revision 0, which never was');
      for (const ttlMs of [0, -1, Number.NaN, Infinity])
        await expectRefusal(store.grantLease(ttlMs), 'invalid', `a lease of ${ttlMs} ms`);
    },
  },
];

async function expectTransactionRefused(
  { store }: StoreHarness,
  transaction: Transaction,
  code: StoreErrorCode,
  claim: string,
): Promise<void> {
  const before = await store.list('');
  await expectRefusal(store.commit(transaction), code, claim);
  expectSame(await store.list(''), before, `${claim} must write nothing`);
}

async function expectWatchRefused(
  harness: StoreHarness,
  watched: string,
  options: { readonly after?: number },
): Promise<void> {
  const watch = recordWatch(harness.store, watched, options);
  const claim = `a watch of ${JSON.stringify(watched)} with ${describe(options)} must fail as invalid`;
  await expectSoon(
    harness,
    () => watch.end !== undefined,
    () => claim,
  );
  expectThat(watch.end?.type === 'failed' && isStoreError(watch.end.error, 'invalid'), claim);
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value, (_, child: unknown) =>
    typeof child === 'bigint' || typeof child === 'symbol' || typeof child === 'function' ? child.toString() : child,
  );
}
