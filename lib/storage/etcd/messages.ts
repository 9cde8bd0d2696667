/**
 * The messages of etcd's API that a store needs, from and to protobuf: field numbers as api/etcdserverpb/rpc.proto and
 * api/mvccpb/kv.proto give them. Requests become bytes, answers become plain objects that hold views of the bytes that
 * came; unknown fields are left out. Keys are text here, since a store's keys are; values are bytes. Used by
 * etcd-client.ts and etcd-watch.ts only.
 */
import type { LeaseId, Revision } from '../store.js';
import { bytesField, flagField, message, MessageReader, numberField } from './wire.js';

/** Keys from `key` up to, but without, `end`: one key without an end, all from `key` on where the end is U+0000. */
export interface EtcdKeyRange {
  readonly key: string | Buffer;
  readonly end?: string | Buffer;
}

/** mvccpb.KeyValue. */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly lease: LeaseId | undefined;
}

/** RangeRequest: a linearizable read. */
export interface RangeRequest extends EtcdKeyRange {
  readonly limit?: number | undefined;
  readonly revision?: Revision | undefined;
  readonly countOnly?: boolean;
}

/** RangeResponse. `count` is of the whole range, whatever the limit. */
export interface RangeAnswer {
  readonly revision: Revision;
  readonly entries: readonly KeyValue[];
  readonly count: number;
}

/** TxnRequest: if all keys are at these revisions the changes are made, otherwise the keys are read. */
export interface TxnRequest {
  readonly compare: readonly { readonly key: string; readonly modRevision: Revision }[];
  readonly put: readonly {
    readonly key: string;
    readonly value: string | Uint8Array;
    readonly lease: LeaseId | undefined;
  }[];
  readonly delete: readonly string[];
}

/** TxnResponse. `found` has what was read, one list for each comparison. */
export interface TxnAnswer {
  readonly revision: Revision;
  readonly succeeded: boolean;
  readonly found: readonly (readonly KeyValue[])[];
}

/** WatchCreateRequest. */
export interface EtcdWatchRequest extends EtcdKeyRange {
  readonly startRevision: Revision;
  readonly withPrevious: boolean;
}

/** WatchResponse. */
export interface WatchAnswer {
  /** For an answer without events: everything up to here has been sent. */
  readonly revision: Revision;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: Revision;
  readonly cancelReason: string;
  /** More of the same batch follows. */
  readonly fragment: boolean;
  readonly events: readonly EtcdEvent[];
}

/** mvccpb.Event. Of a deleted key, `kv` has the key and the revision of the deletion. */
export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
  readonly previous: KeyValue | undefined;
}

/** A range to read. */
export function encodeRange({ key, end, limit = 0, revision = 0, countOnly = false }: RangeRequest): Buffer {
  return message(
    bytesField(1, key),
    end === undefined ? message() : bytesField(2, end),
    numberField(3, limit),
    numberField(4, revision),
    flagField(9, countOnly),
  );
}

/** What a range holds. */
export function decodeRange(bytes: Buffer): RangeAnswer {
  return readRange(new MessageReader(bytes));
}

/** A transaction. */
export function encodeTxn({ compare, put, delete: deletes }: TxnRequest): Buffer {
  return message(
    ...compare.map(({ key, modRevision }) => bytesField(1, encodeCompare(key, modRevision))),
    ...put.map(({ key, value, lease }) =>
      bytesField(
        2,
        bytesField(2, message(bytesField(1, key), bytesField(2, value), numberField(3, leaseNumber(lease)))),
      ),
    ),
    ...deletes.map((key) => bytesField(2, bytesField(3, bytesField(1, key)))),
    ...compare.map(({ key }) => bytesField(3, bytesField(1, bytesField(1, key)))),
  );
}

/** What became of a transaction. */
export function decodeTxn(bytes: Buffer): TxnAnswer {
  const reader = new MessageReader(bytes);
  let revision = 0;
  let succeeded = false;
  const found: (readonly KeyValue[])[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message());
    else if (field === 2) succeeded = reader.flag();
    else if (field === 3) readResponseOp(reader.message(), found);
    else reader.skip();
  }
  return { revision, succeeded, found };
}

/** A watch to begin, whose answers come in parts where they are large, with a word on progress every ten minutes. */
export function encodeWatchCreate({ key, end, startRevision, withPrevious }: EtcdWatchRequest): Buffer {
  return bytesField(
    1,
    message(
      bytesField(1, key),
      end === undefined ? message() : bytesField(2, end),
      numberField(3, startRevision),
      flagField(4, true),
      flagField(6, withPrevious),
      flagField(8, true),
    ),
  );
}

/** Asks how far a watch has got. */
export function encodeWatchProgress(): Buffer {
  return bytesField(3, message());
}

/** What a watch says. */
export function decodeWatch(bytes: Buffer): WatchAnswer {
  const reader = new MessageReader(bytes);
  const answer = {
    revision: 0,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
  };
  const events: EtcdEvent[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) answer.revision = readHeader(reader.message());
    else if (field === 3) answer.created = reader.flag();
    else if (field === 4) answer.canceled = reader.flag();
    else if (field === 5) answer.compactRevision = reader.number();
    else if (field === 6) answer.cancelReason = reader.text();
    else if (field === 7) answer.fragment = reader.flag();
    else if (field === 11) events.push(readEvent(reader.message()));
    else reader.skip();
  }
  return { ...answer, events };
}

/** A compaction. */
export function encodeCompaction(revision: Revision): Buffer {
  return numberField(1, revision);
}

/** A lease to begin, under a name of ours. */
export function encodeLeaseGrant(lease: LeaseId, ttlSeconds: number): Buffer {
  return message(numberField(1, ttlSeconds), numberField(2, leaseNumber(lease)));
}

/** A lease to renew or to end. */
export function encodeLease(lease: LeaseId): Buffer {
  return numberField(1, leaseNumber(lease));
}

/** How many seconds a renewed lease has: none where it is not there. */
export function decodeLeaseTtl(bytes: Buffer): number {
  const reader = new MessageReader(bytes);
  let ttlSeconds = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) ttlSeconds = reader.number();
    else reader.skip();
  }
  return ttlSeconds;
}

/** A name and password to be exchanged for a token. */
export function encodeCredentials(username: string, password: string): Buffer {
  return message(bytesField(1, username), bytesField(2, password));
}

/** A message of which one text counts: field 2, the token of Authenticate and the version of Status. */
export function decodeText(bytes: Buffer): string {
  const reader = new MessageReader(bytes);
  let text = '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) text = reader.text();
    else reader.skip();
  }
  return text;
}

/**
 * Returns whether a lease could be one of etcd's: the hexadecimal form that etcdctl prints, of any 64 bits but none.
 */
export function isLeaseId(lease: LeaseId): boolean {
  return /^[1-9a-f][0-9a-f]{0,15}$/.test(lease);
}

// EQUAL (0) of target MOD (2). A key is never at revision 0, so 0 says that it is absent; it has to be written out, for
// it also says which of the comparable things is meant.
function encodeCompare(key: string, modRevision: Revision): Buffer {
  return message(
    numberField(2, 2),
    bytesField(3, key),
    modRevision === 0 ? comparedWithZero : numberField(6, modRevision),
  );
}

const comparedWithZero = Buffer.from([6 * 8, 0]);

function leaseNumber(lease: LeaseId | undefined): bigint {
  return lease === undefined ? 0n : BigInt(`0x${lease}`);
}

function leaseId(number: bigint): LeaseId | undefined {
  return number === 0n ? undefined : number.toString(16);
}

function readHeader(reader: MessageReader): Revision {
  let revision = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) revision = reader.number();
    else reader.skip();
  }
  return revision;
}

function readRange(reader: MessageReader): RangeAnswer {
  let revision = 0;
  let count = 0;
  const entries: KeyValue[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message());
    else if (field === 2) entries.push(readKeyValue(reader.message()));
    else if (field === 4) count = reader.number();
    else reader.skip();
  }
  return { revision, entries, count };
}

/** Reads ranges only; the results of puts and deletes are not used. */
function readResponseOp(reader: MessageReader, found: (readonly KeyValue[])[]): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) found.push(readRange(reader.message()).entries);
    else reader.skip();
  }
}

function readEvent(reader: MessageReader): EtcdEvent {
  let type: EtcdEvent['type'] = 'put';
  let kv: KeyValue | undefined;
  let previous: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.number() === 1 ? 'delete' : 'put';
    else if (field === 2) kv = readKeyValue(reader.message());
    else if (field === 3) previous = readKeyValue(reader.message());
    else reader.skip();
  }
  if (kv === undefined) throw new Error('etcd sent an event without a key');
  return { type, kv, previous };
}

function readKeyValue(reader: MessageReader): KeyValue {
  let key = '';
  let value = message();
  let createRevision = 0;
  let modRevision = 0;
  let lease: LeaseId | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.text();
    else if (field === 2) createRevision = reader.number();
    else if (field === 3) modRevision = reader.number();
    else if (field === 5) value = reader.bytes();
    else if (field === 6) lease = leaseId(reader.exact());
    else reader.skip();
  }
  return { key, value, createRevision, modRevision, lease };
}
