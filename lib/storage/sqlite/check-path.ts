// Where a store or its backup may lie: in a file. SQLite takes some texts for something else.
import { resolve } from 'node:path';
import { StoreError } from '../store-error.js';

/** The absolute path of a file. Refuses what SQLite would take for something else than a file. */
export function checkPath(path: unknown): string {
  if (typeof path !== 'string') throw new StoreError('invalid', 'the path of a store is a string');
  if (path === ':memory:' || path === '')
    throw new StoreError('invalid', 'a store without a file is to be had with memoryStore()');
  if (/^file:/i.test(path)) throw new StoreError('invalid', 'the path of a store is a path, not a URL');
  if (path.includes('\0')) throw new StoreError('invalid', 'the path of a store contains U+0000');
  return resolve(path);
}
