// The SQLite store keeps the promises of every store, also with a transformer between values and the file.
import { join } from 'node:path';
import t from 'tap';
import { systemClock, virtualClock } from '../../lib/core/index.js';
import { storeLimits } from '../../lib/storage/limits.js';
import { sqliteStore, type SqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import { checkRegisters, checkRevisions, recordHistory, registersOf, storeSuite } from '../../lib/testing/public.js';
import { bundledProgram } from '../support/bundled-program.js';

const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
const folder = t.testdir({});
let stores = 0;

t.test('the SQLite store keeps the promises of a store', async (t) => {
  storeSuite(
    (name, run) => t.test(name, run),
    async () => {
      const clock = virtualClock();
      const path = join(folder, `${++stores}.db`);
      const open = (): Promise<SqliteStore> => sqliteStore({ path, clock, worker });
      let store = await open();
      return {
        store,
        elapse: (ms) => clock.advance(ms),
        reopen: async () => {
          await store.close();
          store = await open();
          return store;
        },
        limits: {
          keyBytesMax: storeLimits.keyBytesMax,
          valueBytesMax: storeLimits.transactionBytesMax,
          operationsMax: storeLimits.changesMax,
        },
        dispose: async () => {
          await store.close();
          t.equal(clock.pending, 0, 'no timer is left');
        },
      };
    },
  );
});

t.test('20,000 concurrent operations have one order that explains them', async (t) => {
  for (const [seed, clients, keys] of [
    [1, 8, 4],
    [2, 64, 16],
  ] as const) {
    const store = await sqliteStore({ path: join(folder, `history-${seed}.db`), worker });
    const history = await recordHistory(store, {
      seed,
      clients,
      operations: 10_000,
      keys,
      clock: systemClock(),
      patienceMs: 20_000,
    });
    await store.close();
    t.comment(`seed ${seed}: ${clients} clients, ${keys} keys, ${history.operations.length} operations`);
    t.equal(checkRevisions(history)?.sentence, undefined, 'revisions and watches');
    t.equal(checkRegisters(registersOf(history))?.sentence, undefined, 'reads and commits');
  }
});
