// A transaction as sent to the worker and, once committed, as the changes that watchers receive.
import type { Batch, Change, Entry, Put, Revision, Transaction } from '../store.js';
import type { StoredValue, ValueCodec } from '../value-codec.js';
import { committedBatch } from './batches.js';
import type { Replaced, WireTransaction } from './protocol.js';
import type { RecentEntries } from './recent-entries.js';
import type { Watches } from './watches.js';

/** What a transaction is prepared with. */
export interface Preparation {
  readonly codec: ValueCodec;
  readonly watches: Watches;
  readonly recent: RecentEntries;
}

/** A transaction that can be sent. */
export interface PreparedTransaction {
  readonly write: WireTransaction;
  /** About what its keys and values take. */
  readonly bytes: number;
  /** What it changed, given the revision it got and what it replaced. Only of one that was watched. */
  readonly batch: (revision: Revision, replaced: readonly Replaced[]) => Batch;
}

/** Freezes and encodes the values of a transaction that has been checked. Throws `too-large`. */
export function prepareTransaction(
  transaction: Transaction,
  { codec, watches, recent }: Preparation,
): PreparedTransaction {
  const { compare = [], delete: remove = [] } = transaction;
  // Copied, for the caller may change the lists once commit has returned; the values are frozen.
  const put = (transaction.put ?? []).map(({ key, value, lease }): Put =>
    lease === undefined ? { key, value } : { key, value, lease },
  );
  const { values, bytes } = codec.encode(put);
  const watched = put.some(({ key }) => watches.includes(key)) || remove.some((key) => watches.includes(key));
  const known = watched ? [...put.map(({ key }) => recent.get(key)), ...remove.map((key) => recent.get(key))] : [];
  const knownRevision = (index: number): Revision => known[index]?.modRevision ?? 0;
  const write: WireTransaction = [
    'transaction',
    compare.map(({ key, modRevision }) => [key, modRevision]),
    put.map(({ key, lease }, index) => [key, ownBytes(values[index] ?? ''), lease ?? null, knownRevision(index)]),
    remove.map((key, index) => [key, knownRevision(put.length + index)]),
    watched,
  ];
  const batch = (revision: Revision, replaced: readonly Replaced[]): Batch => {
    const before = replaced.map((each, index): Entry | undefined =>
      each === 'known' ? known[index] : codec.decodeIf(each),
    );
    const made = committedBatch({ revision, put, replaced: before });
    keepRecent(recent, made.changes, values);
    return made;
  };
  return { write, bytes, batch };
}

/** The value in a buffer of its own: a view of a larger one would be sent with all of it. */
function ownBytes(value: StoredValue): StoredValue {
  return typeof value === 'string' || value.byteLength === value.buffer.byteLength ? value : value.slice();
}

/** The puts come first among the changes, in their order. */
function keepRecent(recent: RecentEntries, changes: readonly Change[], values: readonly StoredValue[]): void {
  for (const [index, change] of changes.entries()) {
    if (change.type === 'put') recent.keep(change.entry, values[index]?.length ?? 0);
    else recent.forget(change.key);
  }
}
