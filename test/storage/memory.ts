import t from 'tap';
import { virtualClock } from '../../lib/core/index.js';
import { storeLimits } from '../../lib/storage/limits.js';
import { memoryStore } from '../../lib/storage/memory-store.js';
import { storeSuite } from '../../lib/testing/store-suite.js';

t.test('the memory store keeps the promises of a store', async (t) => {
  storeSuite(
    (name, run) => t.test(name, run),
    async () => {
      const clock = virtualClock();
      const store = memoryStore({ clock });
      return {
        store,
        elapse: (ms) => clock.advance(ms),
        limits: { keyBytesMax: storeLimits.keyBytesMax, valueBytesMax: storeLimits.transactionBytesMax, operationsMax: storeLimits.changesMax },
        dispose: async () => {
          await store.close();
          t.equal(clock.pending, 0, 'no timer is left');
        },
      };
    },
  );
});
