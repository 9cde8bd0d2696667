/**
 * The conformance suite of stores: one named check for each promise of lib/storage/store.ts, several scenarios each.
 * Needs no test runner. With tap:
 *
 *     storeSuite((name, run) => t.test(name, run), async () => ({ store, elapse, limits, dispose }));
 *
 * A store that passes may stand below the API server. The random checks are seeded, and the seed is in their names.
 */
import { badInputChecks } from './store-suite/bad-input.js';
import { closingChecks } from './store-suite/closing.js';
import { compactionChecks } from './store-suite/compaction.js';
import { durabilityChecks } from './store-suite/durability.js';
import { describeError } from './store-suite/expect.js';
import type { StoreHarness } from './store-suite/harness.js';
import { leaseChecks } from './store-suite/leases.js';
import { readingChecks } from './store-suite/reading.js';
import { revisionChecks } from './store-suite/revisions.js';
import { transactionChecks } from './store-suite/transactions.js';
import { valueChecks } from './store-suite/values.js';
import { watchIndependenceChecks } from './store-suite/watch-independence.js';
import { watchingChecks } from './store-suite/watching.js';

export type { StoreHarness, SuiteLimits } from './store-suite/harness.js';

const checks = [
  ...revisionChecks,
  ...transactionChecks,
  ...readingChecks,
  ...watchingChecks,
  ...watchIndependenceChecks,
  ...compactionChecks,
  ...leaseChecks,
  ...valueChecks,
  ...badInputChecks,
  ...durabilityChecks,
  ...closingChecks,
];

/**
 * Hands every check to a test runner, by name. A check makes a store of its own, and rejects with an error that spells
 * out the promise that was broken.
 */
export function storeSuite(
  check: (name: string, run: () => Promise<void>) => unknown,
  makeStore: () => Promise<StoreHarness>,
): void {
  for (const { promise, run } of checks) {
    check(promise, async () => {
      const harness = await makeStore();
      try {
        await run(harness);
      } catch (error) {
        throw new Error(`broke the promise: ${promise}: ${describeError(error)}`, { cause: error });
      } finally {
        await harness.dispose();
      }
    });
  }
}
