// The SQLite store: the promises every store makes, and those of this one about its file.
import { join } from 'node:path';
import t from 'tap';
import { virtualClock } from '../../lib/core/index.js';
import { storeLimits } from '../../lib/storage/limits.js';
import { sqliteStore, type SqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import { storeSuite } from '../../lib/testing/store-suite.js';
import { bundledProgram } from '../support/bundled-program.js';

const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
const folder = t.testdir({});

let stores = 0;
storeSuite(
  (name, run) => t.test(name, run),
  async () => {
    const clock = virtualClock();
    const path = join(folder, `suite-${++stores}.db`);
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
      limits: { keyBytesMax: storeLimits.keyBytesMax, valueBytesMax: storeLimits.transactionBytesMax, operationsMax: storeLimits.changesMax },
      dispose: () => store.close(),
    };
  },
);
