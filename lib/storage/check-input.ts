/**
 * What every store checks before it does anything, so that bad input gets the same named refusal from each backend.
 * Called first in each method of a store; throws StoreError `invalid`, `too-large` for transactions and values, or
 * `compacted` and `future-revision` for revisions outside the history that is kept.
 *
 * Values are looked at as far as they are not frozen: by the rule of the code base a frozen object is frozen all the
 * way down and entered through a check like this one. So a path copy costs its path and a frozen value nothing, where
 * measuring a whole pod takes 8–16 µs, more than the memory store's commit. The size is counted in UTF-16 units and
 * never above the bytes of the JSON; a store that encodes holds the encoded bytes against `transactionBytesMax` too.
 */
import { storeLimits } from './limits.js';
import type { Revision, StoreListOptions, Transaction } from './store.js';
import { StoreError } from './store-error.js';

/** Refuses what is not a key: not a string, empty, longer than `keyBytesMax`, with U+0000 or half a surrogate pair. */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string') throw invalid(`a key is a string, not ${kindOf(key)}`);
  if (key.length === 0) throw invalid('a key is not empty');
  checkText(key, 'key');
}

/** Refuses what no key can begin with. The empty prefix is that of all keys. */
export function checkPrefix(prefix: unknown): asserts prefix is string {
  if (typeof prefix !== 'string') throw invalid(`a prefix is a string, not ${kindOf(prefix)}`);
  checkText(prefix, 'prefix');
}

/** Refuses a revision that cannot be read at: not a whole number from 1. */
export function checkRevision(revision: unknown): asserts revision is number {
  if (!isWhole(revision) || revision < 1) throw invalid(`a revision is a whole number from 1, not ${show(revision)}`);
}

/** Refuses a revision that no watch can begin after: not a whole number from 0, the time before all history. */
export function checkAfter(after: unknown): asserts after is number {
  if (!isWhole(after)) throw invalid(`a watch begins after a whole number from 0, not ${show(after)}`);
}

/**
 * The revisions that can still be read, both inclusive. `oldest` is the last revision given to `compact`, or
 * `historyMax` before the newest where that is later, so history is bounded without compaction by a client. It is 0
 * while nothing is gone, the time before the first commit included.
 */
export interface HistoryBounds {
  readonly oldest: Revision;
  readonly newest: Revision;
}

/** The bounds of a history of at most `historyMax` revisions besides the newest. */
export function historyBounds(newest: Revision, compacted: Revision, historyMax: number): HistoryBounds {
  return { oldest: Math.max(compacted, newest - historyMax), newest };
}

/** Refuses a revision that is gone with `compacted` and one still to come with `future-revision`. */
export function checkReadable(revision: Revision, bounds: HistoryBounds): void {
  checkNotCompacted(revision, bounds);
  checkNotFuture(revision, bounds);
}

/** Refuses a revision that is gone. For watches, which wait for those to come. */
export function checkNotCompacted(revision: Revision, { oldest }: HistoryBounds): void {
  if (revision >= oldest) return;
  throw new StoreError('compacted', `revision ${revision} is compacted, the oldest left is ${oldest}`, {
    revision: oldest,
  });
}

/** Refuses a revision still to come. For compaction, to which one gone means nothing. */
export function checkNotFuture(revision: Revision, { newest }: HistoryBounds): void {
  if (revision <= newest) return;
  throw new StoreError('future-revision', `revision ${revision} is still to come, the newest is ${newest}`, {
    revision: newest,
  });
}

/** Refuses options that name no page. */
export function checkStoreListOptions({ limit, after, revision }: StoreListOptions): void {
  if (limit !== undefined && (!isWhole(limit) || limit < 1)) {
    throw invalid(`the limit of a page is a whole number from 1, not ${show(limit)}`);
  }
  if (after !== undefined) checkPrefix(after);
  if (revision !== undefined) checkRevision(revision);
}

/** Refuses what names no lease. */
export function checkLease(lease: unknown): asserts lease is string {
  if (typeof lease !== 'string') throw invalid(`a lease is named by a string, not ${kindOf(lease)}`);
}

/** Refuses a length that no lease can have: not whole milliseconds from 1. */
export function checkTtl(ttlMs: unknown): asserts ttlMs is number {
  if (!isWhole(ttlMs) || ttlMs < 1 || ttlMs > storeLimits.leaseTtlMsMax) {
    throw invalid(`a lease lasts whole milliseconds from 1 to ${storeLimits.leaseTtlMsMax}, not ${show(ttlMs)}`);
  }
}

/** Refuses a transaction that no store takes. Looks up nothing: whether its leases exist is for the store to see. */
export function checkTransaction(transaction: Transaction): void {
  if (typeof transaction !== 'object' || (transaction as unknown) === null)
    throw invalid(`a transaction is an object, not ${kindOf(transaction)}`);
  const compare = list(transaction.compare, 'compare');
  const put = list(transaction.put, 'put');
  const deletes = list(transaction.delete, 'delete');
  if (compare.length > storeLimits.comparisonsMax) {
    throw tooLarge(`${compare.length} conditions in one transaction, the limit is ${storeLimits.comparisonsMax}`);
  }
  if (put.length + deletes.length > storeLimits.changesMax) {
    throw tooLarge(`${put.length + deletes.length} changes in one transaction, the limit is ${storeLimits.changesMax}`);
  }
  for (const comparison of compare) {
    checkKey(comparison.key);
    if (!isWhole(comparison.modRevision)) {
      throw invalid(`a key is compared with a whole number from 0, not ${show(comparison.modRevision)}`);
    }
  }
  let left = storeLimits.transactionBytesMax;
  for (const { key, value, lease } of put) {
    checkKey(key);
    if (lease !== undefined) checkLease(lease);
    left = takeValue(value, left - key.length);
  }
  for (const key of deletes) checkKey(key);
  if (put.length + deletes.length > 1) checkDistinct(transaction);
}

/** The refusal of something beyond the limits. For stores that measure what they encode. */
export function tooLarge(message: string): StoreError {
  return new StoreError('too-large', message);
}

// One look for both: on strings of one-byte characters the engine drops the surrogates from the class.
const suspicious = /[\0\ud800-\udfff]/;
const loneSurrogate = /\p{Surrogate}/u;

function checkText(text: string, what: string): void {
  const { keyBytesMax } = storeLimits;
  // A unit of UTF-16 is at most three bytes of UTF-8: only long keys have to be encoded to know.
  if (
    text.length > keyBytesMax ||
    (text.length * 3 > keyBytesMax && new TextEncoder().encode(text).length > keyBytesMax)
  ) {
    throw invalid(`the ${what} is longer than ${keyBytesMax} bytes`);
  }
  if (!suspicious.test(text)) return;
  if (text.includes('\0')) throw invalid(`the ${what} contains U+0000`);
  if (loneSurrogate.test(text)) throw invalid(`the ${what} contains half a surrogate pair`);
}

function checkDistinct({ put = [], delete: deletes = [] }: Transaction): void {
  const changed = new Set<string>();
  for (const { key } of put) changed.add(key);
  for (const key of deletes) changed.add(key);
  if (changed.size < put.length + deletes.length) throw invalid('a transaction changes no key twice');
}

/** Checks a value that may take `left` units and returns what is left after it. Never goes on beyond the limit. */
function takeValue(value: unknown, left: number): number {
  if (!isNode(value) || Array.isArray(value)) throw invalid(`a value is a JSON object, not ${kindOf(value)}`);
  if (Object.isFrozen(value)) return left;
  // A stack of its own, so that hostile nesting costs no call stack; a cycle ends at the limit.
  const pending: object[] = [value];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node)) {
      left -= node.length + 1;
      // Before the walk: an array may be long without taking memory.
      if (left >= 0) for (const child of node as readonly unknown[]) left -= takeChild(child, pending);
    } else {
      if (!isPlain(node)) throw invalid(`a value holds ${kindOf(node)}, which is not JSON`);
      left -= 2;
      for (const key of Object.keys(node)) left -= key.length + 4 + takeChild(node[key], pending);
    }
    if (left < 0)
      throw tooLarge(`the keys and values of a transaction are beyond ${storeLimits.transactionBytesMax} bytes`);
  }
  return left;
}

/** The least units that a child takes besides what is inside it, which waits in `pending`. */
function takeChild(child: unknown, pending: object[]): number {
  switch (typeof child) {
    case 'string':
      return child.length + 2;
    case 'number':
      if (!Number.isFinite(child)) throw invalid(`a value holds ${child}, which is not JSON`);
      return 1;
    case 'boolean':
      return 4;
    case 'object':
      if (child !== null && !Object.isFrozen(child)) pending.push(child);
      return 0;
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      throw invalid(`a value holds ${kindOf(child)}, which is not JSON`);
  }
}

function list<T>(value: readonly T[] | undefined, name: string): readonly T[] {
  if (value === undefined) return [];
  const items: unknown = value; // what the type promises is what is to be found out
  if (!Array.isArray(items)) throw invalid(`${name} is a list, not ${kindOf(value)}`);
  if (items.includes(undefined) || items.includes(null)) throw invalid(`${name} has an item missing`);
  return value;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function invalid(message: string): StoreError {
  return new StoreError('invalid', message);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`;
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return name === 'Object' ? 'an object' : `a ${name}`;
}

/** A number as it is, anything else by its kind: input may be long or hostile. */
function show(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value);
}
