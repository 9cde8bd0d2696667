/**
 * Entries as etcd keeps them: keys below the prefix of the store, values as JSON text, as a kube-apiserver writes them,
 * or what a transformer makes of that. What comes out is frozen; what is not a JSON object was written by somebody else
 * and is refused as `corrupt`.
 */
import { deepFreeze, isJsonObject, type JsonObject } from '../../core/index.js';
import { tooLarge } from '../check-input.js';
import { storeLimits } from '../limits.js';
import { StoreError } from '../store-error.js';
import type { Change, Entry, Put, Transaction } from '../store.js';
import type { ValueTransformer } from '../transformer.js';
import { leaseNotFoundError } from './etcd-errors.js';
import { encodeTxn, isLeaseId, type KeyRange, type KeyValue, type TxnRequest, type WatchEvent } from './messages.js';

/** Encodes transactions and decodes entries. */
export class EntryCodec {
  readonly #prefix: string;
  readonly #transformer: ValueTransformer | undefined;

  constructor(prefix: string, transformer: ValueTransformer | undefined) {
    this.#prefix = prefix;
    this.#transformer = transformer;
  }

  /** The key in etcd. */
  keyOf(key: string): string {
    return this.#prefix + key;
  }

  /** All keys in etcd that begin with a prefix. As client/v3/op.go, GetPrefixRangeEnd; UTF-8 has no byte 0xff to carry over. */
  rangeOf(prefix: string): KeyRange {
    const key = this.keyOf(prefix);
    if (key === '') return { key: '\0', end: '\0' };
    const end = Buffer.from(key);
    end[end.length - 1] = (end.at(-1) ?? 0) + 1;
    return { key, end };
  }

  /** The request for a transaction, with the values as they are now. Throws where it is too large, or a lease cannot be. */
  encode({ compare = [], put = [], delete: deletes = [] }: Transaction): Buffer {
    return encodeTxn({
      compare: compare.map(({ key, modRevision }) => ({ key: this.keyOf(key), modRevision })),
      put: this.#encodePuts(put),
      delete: deletes.map((key) => this.keyOf(key)),
    });
  }

  /** The entry of a key. */
  decode(kv: KeyValue): Entry {
    const { createRevision, modRevision, lease } = kv;
    const key = kv.key.slice(this.#prefix.length);
    const { bytes, stale } = this.#transformer?.fromStorage(kv.value, key) ?? { bytes: kv.value, stale: false };
    const value = parse(bytes, key);
    return { key, value, createRevision, modRevision, ...(lease !== undefined && { lease }), ...(stale && { stale }) };
  }

  /** The change that an event tells of. */
  decodeEvent({ type, kv, previous }: WatchEvent): Change {
    const before = previous && this.decode(previous);
    if (type === 'put') {
      const entry = this.decode(kv);
      return { type, key: entry.key, entry, previous: before };
    }
    if (before === undefined) throw new StoreError('corrupt', `etcd: ${kv.key} was deleted without a value before`);
    return { type, key: before.key, previous: before };
  }

  #encodePuts(put: readonly Put[]): TxnRequest['put'] {
    let bytes = 0;
    const puts = put.map(({ key, value, lease }) => {
      if (lease !== undefined && !isLeaseId(lease)) throw leaseNotFoundError(lease);
      const text = stringify(deepFreeze(value), key);
      bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
      return { key: this.keyOf(key), value: this.#transformer?.toStorage(Buffer.from(text), key) ?? text, lease };
    });
    const { transactionBytesMax } = storeLimits;
    if (bytes > transactionBytesMax) throw tooLarge(`the keys and values of a transaction are ${bytes} bytes, the limit is ${transactionBytesMax}`);
    return puts;
  }
}

function stringify(value: JsonObject, key: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // What is frozen passes the check of input unseen, and hostile nesting is more than `stringify` bears.
    throw new StoreError('invalid', `the value of ${key} cannot be written as JSON`, { cause });
  }
}

function parse(bytes: Uint8Array, key: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch (cause) {
    throw new StoreError('corrupt', `etcd: the value of ${key} is not JSON`, { cause });
  }
  if (!isJsonObject(value)) throw new StoreError('corrupt', `etcd: the value of ${key} is not a JSON object`);
  return deepFreeze(value);
}
