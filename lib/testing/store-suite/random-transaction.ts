/**
 * Random transactions for the seeded checks: some create, some update, some delete, some guard, some do nothing, and
 * some conditions do not hold.
 */
import type { Random } from '../../core/index.js';
import type { Comparison, Put, Transaction } from '../../storage/index.js';
import type { StoreModel } from './store-model.js';

/** A valid transaction on one to four of the keys, given what is there. */
export function randomTransaction(chance: Random, keys: readonly string[], model: StoreModel): Transaction {
  const touched = chance.shuffle(keys).slice(0, 1 + chance.integer(4));
  const compare: Comparison[] = [];
  const put: Put[] = [];
  const deletes: string[] = [];
  for (const key of touched) {
    if (chance.next() < 0.4) {
      const modRevision = model.get(key)?.modRevision ?? 0;
      compare.push({ key, modRevision: chance.next() < 0.9 ? modRevision : modRevision + 1 });
    }
    const what = chance.next();
    if (what < 0.6) put.push({ key, value: { drawn: chance.integer(1000), key } });
    else if (what < 0.9) deletes.push(key);
  }
  return { compare, put, delete: deletes };
}
