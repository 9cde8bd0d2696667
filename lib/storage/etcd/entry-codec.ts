/**
 * Transactions and entries as they go to etcd and come from it: keys below the prefix of the store, values as the codec
 * of all stores makes them.
 */
import { StoreError } from '../store-error.js';
import type { Change, Entry, Put, Transaction } from '../store.js';
import type { ValueTransformer } from '../transformer.js';
import { ValueCodec } from '../value-codec.js';
import { leaseNotFoundError } from './etcd-errors.js';
import { encodeTxn, isLeaseId, type EtcdKeyRange, type KeyValue, type TxnRequest, type EtcdEvent } from './messages.js';

/** Encodes transactions and decodes entries. */
export class EntryCodec {
  readonly #prefix: string;
  readonly #values: ValueCodec;

  constructor(prefix: string, transformer: ValueTransformer | undefined) {
    this.#prefix = prefix;
    this.#values = new ValueCodec(transformer);
  }

  /** The key in etcd. */
  keyOf(key: string): string {
    return this.#prefix + key;
  }

  /**
   * All keys in etcd that begin with a prefix. As client/v3/op.go, GetPrefixRangeEnd; UTF-8 has no byte 0xff to carry
   * over.
   */
  rangeOf(prefix: string): EtcdKeyRange {
    const key = this.keyOf(prefix);
    if (key === '') return { key: '\0', end: '\0' };
    const end = Buffer.from(key);
    end[end.length - 1] = (end.at(-1) ?? 0) + 1;
    return { key, end };
  }

  /**
   * The request for a transaction, with the values as they are now. Throws where it is too large, or a lease cannot be.
   */
  encode({ compare = [], put = [], delete: deletes = [] }: Transaction): Buffer {
    return encodeTxn({
      compare: compare.map(({ key, modRevision }) => ({ key: this.keyOf(key), modRevision })),
      put: this.#encodePuts(put),
      delete: deletes.map((key) => this.keyOf(key)),
    });
  }

  /** The entry of a key. */
  decode({ key, value, createRevision, modRevision, lease }: KeyValue): Entry {
    return this.#values.decode([key.slice(this.#prefix.length), value, createRevision, modRevision, lease ?? null]);
  }

  /** Returns the change of an event. */
  decodeEvent({ type, kv, previous }: EtcdEvent): Change {
    const before = previous && this.decode(previous);
    if (type === 'put') {
      const entry = this.decode(kv);
      return { type, key: entry.key, entry, previous: before };
    }
    if (before === undefined) throw new StoreError('corrupt', `etcd: ${kv.key} was deleted without a value before`);
    return { type, key: before.key, previous: before };
  }

  #encodePuts(put: readonly Put[]): TxnRequest['put'] {
    for (const { lease } of put) if (lease !== undefined && !isLeaseId(lease)) throw leaseNotFoundError(lease);
    const { values } = this.#values.encode(put);
    return put.map(({ key, lease }, index) => ({ key: this.keyOf(key), value: values[index] ?? '', lease }));
  }
}
