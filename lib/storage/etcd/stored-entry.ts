/**
 * Entries as etcd keeps them: the JSON text of the value, as a kube-apiserver writes it, and keys below the prefix of the
 * store. What comes out is frozen; what is not a JSON object was written by somebody else and is refused as `corrupt`.
 */
import { deepFreeze, isJsonObject, type JsonObject } from '../../core/index.js';
import { tooLarge } from '../check-input.js';
import { storeLimits } from '../limits.js';
import { StoreError } from '../store-error.js';
import type { Change, Entry, Transaction } from '../store.js';
import { leaseNotFoundError } from './etcd-errors.js';
import { encodeTxn, isLeaseId, type KeyRange, type KeyValue, type WatchEvent } from './messages.js';

/** The entry of a key, without the store's prefix. */
export function entryOf(kv: KeyValue, storePrefix: string): Entry {
  const { createRevision, modRevision, lease } = kv;
  const key = kv.key.slice(storePrefix.length);
  const value = valueOf(kv);
  return lease === undefined ? { key, value, createRevision, modRevision } : { key, value, createRevision, modRevision, lease };
}

/** The change that an event tells of. */
export function changeOf({ type, kv, previous }: WatchEvent, storePrefix: string): Change {
  const before = previous && entryOf(previous, storePrefix);
  const key = kv.key.slice(storePrefix.length);
  if (type === 'put') return { type, key, entry: entryOf(kv, storePrefix), previous: before };
  if (before === undefined) throw new StoreError('corrupt', `etcd: ${kv.key} was deleted without a value before`);
  return { type, key, previous: before };
}

/** All keys that begin with a prefix. As client/v3/op.go, GetPrefixRangeEnd; UTF-8 has no byte 0xff to carry over. */
export function rangeOf(prefix: string): KeyRange {
  if (prefix === '') return { key: '\0', end: '\0' };
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return { key: prefix, end };
}

/** The request that makes a transaction, with the values as they are now. Throws where it is too large, or a lease cannot be. */
export function encodeTransaction({ compare = [], put = [], delete: deletes = [] }: Transaction, prefix: string): Buffer {
  let bytes = 0;
  const puts = put.map(({ key, value, lease }) => {
    if (lease !== undefined && !isLeaseId(lease)) throw leaseNotFoundError(lease);
    const text = textOf(key, value);
    bytes += key.length + Buffer.byteLength(text);
    return { key: prefix + key, value: text, lease };
  });
  if (bytes > storeLimits.transactionBytesMax) throw tooLarge(`the keys and values of a transaction are ${bytes} bytes, the limit is ${storeLimits.transactionBytesMax}`);
  return encodeTxn({
    compare: compare.map(({ key, modRevision }) => ({ key: prefix + key, modRevision })),
    put: puts,
    delete: deletes.map((key) => prefix + key),
  });
}

// What is frozen passes the check of input unseen, and hostile nesting is more than `stringify` bears.
function textOf(key: string, value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new StoreError('invalid', `the value of ${key} cannot be written as JSON`, { cause: error });
  }
}

function valueOf({ key, value }: KeyValue): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString());
  } catch (error) {
    throw new StoreError('corrupt', `etcd: the value of ${key} is not JSON`, { cause: error });
  }
  if (!isJsonObject(parsed)) throw new StoreError('corrupt', `etcd: the value of ${key} is not a JSON object`);
  return deepFreeze(parsed);
}
