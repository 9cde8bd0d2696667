// Values between the object that the caller holds and what is stored: JSON text, or the bytes that a transformer makes
// of it. Runs in the main thread, for an object costs many times as much to send to the worker as its text.
import { Buffer } from 'node:buffer';
import { deepFreeze, isJsonObject, type JsonObject } from '../../core/index.js';
import { tooLarge } from '../check-input.js';
import { storeLimits } from '../limits.js';
import type { Entry, Put } from '../store.js';
import { StoreError } from '../store-error.js';
import type { Restored, ValueTransformer } from '../transformer.js';
import type { StoredValue, WireEntry } from './protocol.js';

/** The values of puts, in their order, and about the bytes they take with their keys. */
export interface EncodedValues {
  readonly values: readonly StoredValue[];
  readonly bytes: number;
}

/** Encodes and decodes the values of a store. */
export class ValueCodec {
  readonly #transformer: ValueTransformer | undefined;

  constructor(transformer: ValueTransformer | undefined) {
    this.#transformer = transformer;
  }

  /** Freezes the values and encodes them. Refuses as `too-large` what is beyond the limit of a transaction. */
  encode(put: readonly Put[]): EncodedValues {
    const texts = put.map(({ value }) => stringify(deepFreeze(value)));
    const bytes = bytesOf(put, texts);
    if (bytes > storeLimits.transactionBytesMax) {
      throw tooLarge(`the keys and values of a transaction take ${bytes} bytes, the limit is ${storeLimits.transactionBytesMax}`);
    }
    const transformer = this.#transformer;
    return { values: transformer === undefined ? texts : put.map(({ key }, index) => toStorage(transformer, key, texts[index] ?? '')), bytes };
  }

  /** The entry that was stored. */
  decode([key, stored, createRevision, modRevision, lease]: WireEntry): Entry {
    const { text, stale } = this.#fromStorage(stored, key);
    const value = parse(text, key);
    return Object.freeze({
      key,
      value,
      createRevision,
      modRevision,
      ...(lease !== null && { lease }),
      ...(stale && { stale }),
    });
  }

  /** The entry that was stored, if there was one. */
  decodeIf(stored: WireEntry | null): Entry | undefined {
    return stored === null ? undefined : this.decode(stored);
  }

  #fromStorage(stored: StoredValue, key: string): { readonly text: string; readonly stale: boolean } {
    if (this.#transformer === undefined) {
      if (typeof stored === 'string') return { text: stored, stale: false };
      throw new StoreError('corrupt', `${key}: the value is encrypted, and the store was opened without a transformer`);
    }
    const { bytes, stale }: Restored = this.#transformer.fromStorage(typeof stored === 'string' ? Buffer.from(stored) : stored, key);
    return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(), stale };
  }
}

function toStorage(transformer: ValueTransformer, key: string, text: string): Uint8Array {
  const bytes = transformer.toStorage(Buffer.from(text), key);
  // A view of a larger buffer would be sent with all of it.
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

function stringify(value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // A cycle or nesting beyond the stack, in an object that was frozen before it came here.
    throw new StoreError('invalid', 'a value cannot be written as JSON', { cause });
  }
}

function parse(text: string, key: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new StoreError('corrupt', `${key}: the value is not JSON`, { cause });
  }
  if (!isJsonObject(value)) throw new StoreError('corrupt', `${key}: the value is not an object`);
  return deepFreeze(value);
}

/** The bytes of keys and values, or fewer where it does not matter: only what is long has to be counted. */
function bytesOf(put: readonly Put[], texts: readonly string[]): number {
  let units = 0;
  for (const [index, { key }] of put.entries()) units += key.length + (texts[index]?.length ?? 0);
  if (units * 3 <= storeLimits.transactionBytesMax) return units;
  let bytes = 0;
  for (const [index, { key }] of put.entries()) bytes += Buffer.byteLength(key) + Buffer.byteLength(texts[index] ?? '');
  return bytes;
}
