// The checkers of stores are checked: the suite and the histories' judges pass what is right, and fail what is broken.
import t from 'tap';
import { virtualClock } from '../../lib/core/index.js';
import { storeSuite, type StoreHarness } from '../../lib/testing/store-suite.js';
import { emptyDisk, referenceLimits, referenceStore } from '../support/reference-store.js';

async function referenceHarness(): Promise<StoreHarness> {
  const clock = virtualClock();
  const disk = emptyDisk();
  let store = referenceStore(clock, disk);
  return {
    store,
    elapse: (ms) => clock.advance(ms),
    reopen: async () => {
      await store.close();
      store = referenceStore(clock, disk);
      return store;
    },
    limits: referenceLimits,
    dispose: () => store.close(),
  };
}

t.test('the reference store keeps every promise', async (t) => {
  const checks: Promise<unknown>[] = [];
  storeSuite((name, run) => checks.push(t.test(name, run)), referenceHarness);
  await Promise.all(checks);
});
