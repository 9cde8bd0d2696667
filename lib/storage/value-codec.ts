// Encodes the values of stores that keep them outside of their own memory: as JSON text, like a kube-apiserver, or as
// the bytes that a transformer makes of that text. Decoded values are frozen. A stored value that is not a JSON object
// is reported as `corrupt`. Used by the SQLite and the etcd store.
import { deepFreeze, isJsonObject, type JsonObject } from '../core/index.js';
import { tooLarge } from './check-input.js';
import { storeLimits } from './limits.js';
import type { Entry, LeaseId, Put, Revision } from './store.js';
import { StoreError } from './store-error.js';
import type { ValueTransformer } from './transformer.js';

/** A value as it is stored: JSON text, or bytes. */
export type StoredValue = string | Uint8Array;

/** An entry as it is stored; a tuple, for it also crosses between threads, where it costs two thirds of a record. */
export type StoredEntry = readonly [
  key: string,
  value: StoredValue,
  createRevision: Revision,
  modRevision: Revision,
  lease: LeaseId | null,
];

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
    const texts = put.map(({ key, value }) => stringify(deepFreeze(value), key));
    const bytes = bytesOf(put, texts);
    if (bytes > storeLimits.transactionBytesMax) {
      throw tooLarge(
        `the keys and values of a transaction take ${bytes} bytes, the limit is ${storeLimits.transactionBytesMax}`,
      );
    }
    const transformer = this.#transformer;
    if (transformer === undefined) return { values: texts, bytes };
    return { values: put.map(({ key }, index) => transformer.toStorage(encoder.encode(texts[index]), key)), bytes };
  }

  /** The entry that was stored. */
  decode([key, stored, createRevision, modRevision, lease]: StoredEntry): Entry {
    const { text, stale } = this.#fromStorage(stored, key);
    const value = this.#parse(text, key);
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
  decodeIf(stored: StoredEntry | null): Entry | undefined {
    return stored === null ? undefined : this.decode(stored);
  }

  #fromStorage(stored: StoredValue, key: string): { readonly text: string; readonly stale: boolean } {
    if (this.#transformer === undefined) return { text: textOf(stored), stale: false };
    const { bytes, stale } = this.#transformer.fromStorage(
      typeof stored === 'string' ? encoder.encode(stored) : stored,
      key,
    );
    return { text: textOf(bytes), stale };
  }

  #parse(text: string, key: string): JsonObject {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      const hint =
        this.#transformer === undefined ? '; it may be encrypted, and the store was opened without a transformer' : '';
      throw new StoreError('corrupt', `${key}: the value is not JSON${hint}`, { cause });
    }
    if (!isJsonObject(value)) throw new StoreError('corrupt', `${key}: the value is not a JSON object`);
    return deepFreeze(value);
  }
}

const encoder = new TextEncoder();
/** Keeps a byte order mark, which is no JSON. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(stored: StoredValue): string {
  return typeof stored === 'string' ? stored : decoder.decode(stored);
}

function stringify(value: JsonObject, key: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // A cycle or nesting beyond the stack, in an object that was frozen before it came here.
    throw new StoreError('invalid', `${key}: the value cannot be written as JSON`, { cause });
  }
}

/** Returns the bytes of keys and values. Far below the limit it returns their UTF-16 length, which is cheaper. */
function bytesOf(put: readonly Put[], texts: readonly string[]): number {
  let units = 0;
  for (const [index, { key }] of put.entries()) units += key.length + (texts[index]?.length ?? 0);
  if (units * 3 <= storeLimits.transactionBytesMax) return units;
  let bytes = 0;
  for (const [index, { key }] of put.entries()) {
    bytes += encoder.encode(key).length + encoder.encode(texts[index]).length;
  }
  return bytes;
}
