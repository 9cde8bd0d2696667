/**
 * Checks of the end: watches complete, calls settle, later ones are refused, and closing twice is closing once.
 */
import type { Store } from '../../storage/index.js';
import { describeError, expectRefusal, expectSame, expectSoon, expectThat, isStoreRefusal } from './expect.js';
import type { StoreCheck } from './harness.js';
import { recordWatch, watchReaches } from './watch-recording.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;
/** Longer than any run: on a shared backend, a lease that ended later would commit in the midst of another check. */
const dayMs = 86_400_000;

/** How a store ends. */
export const closingChecks: readonly StoreCheck[] = [
  {
    promise:
      'closing completes every watch: those that saw everything, those catching up and those waiting for the future',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const current = recordWatch(store, prefix, { after: start });
      const { revision } = await store.commit({ put: [{ key, value: {} }] });
      await watchReaches(harness, current, revision);
      const others = [{ after: start }, {}, { after: revision + 10 }].map((options) =>
        recordWatch(store, prefix, options),
      );
      await store.close();
      for (const watch of [current, ...others]) {
        await expectSoon(
          harness,
          () => watch.end !== undefined,
          () => 'a watch must complete when the store closes',
        );
        if (watch.end?.type === 'failed')
          throw new Error(
            `a watch must complete when the store closes, not fail with ${describeError(watch.end.error)}`,
          );
      }
      expectSame(current.events.length, 1, 'nothing is delivered twice at the end');
    },
  },
  {
    promise: 'a closed store refuses every call as `closed`, and its watches end at once',
    run: async (harness) => {
      const { store } = harness;
      const lease = await store.grantLease(dayMs);
      await store.commit({ put: [{ key, value: {}, lease }] });
      const early$ = recordWatch(store, prefix);
      await store.close();
      for (const [name, call] of callsOf(store, lease))
        await expectRefusal(call(), 'closed', `${name} on a closed store`);
      const watch = recordWatch(store, prefix, { after: 1 });
      await expectSoon(
        harness,
        () => watch.end !== undefined && early$.end !== undefined,
        () => 'a watch of a closed store must end at once',
      );
      expectThat(
        watch.end?.type === 'completed' || isStoreRefusal(watch.end?.error, 'closed'),
        'a watch of a closed store must complete or fail as closed',
      );
      expectSame(watch.batches, [], 'a closed store shows nothing');
    },
  },
  {
    promise: 'a closed store leaves nothing behind: no timer, thread, file or socket',
    run: async (harness) => {
      const { store } = harness;
      const lease = await store.grantLease(dayMs);
      await store.commit({ put: [{ key, value: {}, lease }] });
      const watches = [recordWatch(store, prefix), recordWatch(store, prefix, { after: (await store.revision()) + 5 })];
      const under = Promise.allSettled(callsOf(store, lease).map(([, call]) => call()));
      await store.close();
      await under;
      await expectSoon(
        harness,
        () => watches.every(({ end }) => end !== undefined),
        () => 'a watch must complete when the store closes',
      );
      expectSame(harness.leftBehind?.() ?? [], [], 'what is left of a closed store');
    },
  },
  {
    promise: 'closing twice, or at once from several sides, is closing once',
    run: async ({ store }) => {
      await store.commit({ put: [{ key, value: {} }] });
      await Promise.all([store.close(), store.close(), store.close()]);
      await store.close();
      await expectRefusal(store.get(key), 'closed', 'a get after closing');
    },
  },
  {
    promise: 'calls under way settle when the store closes, and a refusal says which',
    run: async (harness) => {
      const { store } = harness;
      const lease = await store.grantLease(dayMs);
      const calls = Array.from({ length: 5 }, () => [...callsOf(store, lease)]).flat();
      const results: (PromiseSettledResult<unknown> | undefined)[] = calls.map(() => undefined);
      calls.forEach(([, call], index) => {
        call().then(
          (value) => (results[index] = { status: 'fulfilled', value }),
          (reason: unknown) => (results[index] = { status: 'rejected', reason }),
        );
      });
      await store.close();
      await expectSoon(
        harness,
        () => results.every((result) => result !== undefined),
        () =>
          `every call under way must settle once the store is closed; open: ${calls.flatMap(([name], n) => (results[n] ? [] : [name])).join(', ')}`,
      );
      results.forEach((result, index) => {
        if (result?.status !== 'rejected') return;
        const name = calls[index]?.[0] ?? '';
        // The first of the five to revoke ends the lease for the others.
        const allowed = isStoreRefusal(result.reason, 'closed', 'unknown-outcome', 'unavailable', 'lease-not-found');
        expectThat(
          allowed,
          `${name} under way must be answered or refused as closed, not ${describeError(result.reason)}`,
        );
      });
    },
  },
  {
    promise: 'closing from within a watch ends that watch and every other',
    run: async (harness) => {
      const { store } = harness;
      const after = await store.revision();
      let closing: Promise<void> | undefined;
      const close = (): void => {
        closing ??= store.close();
      };
      const watches = [{}, { onBatch: close }, {}].map((options) => recordWatch(store, prefix, { after, ...options }));
      await store.commit({ put: [{ key, value: {} }] });
      const allCompleted = (): boolean => watches.every(({ end }) => end?.type === 'completed');
      await expectSoon(harness, allCompleted, () => 'all watches must complete when one of them closes the store');
      await closing;
      await expectRefusal(store.get(key), 'closed', 'a get after closing');
    },
  },
];

/** Every call a store has, by name. */
function callsOf(store: Store, lease: string): readonly (readonly [string, () => Promise<unknown>])[] {
  return [
    ['get', () => store.get(key)],
    ['list', () => store.list(prefix)],
    ['commit', () => store.commit({ put: [{ key, value: {} }] })],
    ['an empty commit', () => store.commit({})],
    ['revision', () => store.revision()],
    ['requestProgress', () => store.requestProgress()],
    ['compact', () => store.compact(1)],
    ['grantLease', () => store.grantLease(dayMs)],
    ['renewLease', () => store.renewLease(lease)],
    ['revokeLease', () => store.revokeLease(lease)],
  ];
}
