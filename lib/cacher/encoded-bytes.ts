// Objects in the form in which they are sent, encoded once: everyone who lists or watches an object in one form shares
// its bytes. Objects are known by identity, which is right because the cacher hands out one object per revision; they
// are not kept alive by it. Bounded by bytes; what was not used for longest goes first.
import { LRUCache } from 'lru-cache';

/** The bound. */
export interface EncodedBytesOptions {
  /** How many bytes may be kept, counting some for the bookkeeping of each entry. */
  readonly bytesMax: number;
}

/** What is kept, for metrics. */
export interface EncodedBytesFigures {
  readonly entries: number;
  readonly bytes: number;
}

/** Bytes by object and form. */
export interface EncodedBytes {
  /** The bytes of a frozen object in a form (version and media type, say): those kept, or what `encode` makes. */
  get(object: object, form: string, encode: () => Uint8Array): Uint8Array;
  figures(): EncodedBytesFigures;
}

/** What an entry takes besides its bytes, about. */
const entryBytes = 200;

/** An empty cache of bytes. Throws RangeError for a bound that is none. */
export function encodedBytes({ bytesMax }: EncodedBytesOptions): EncodedBytes {
  if (!Number.isSafeInteger(bytesMax) || bytesMax < 1)
    throw new RangeError(`encoded bytes: bytesMax is a whole number from 1, not ${bytesMax}`);
  // The object itself is no key: a whole pod would then live for as long as its bytes.
  const places = new WeakMap<object, Place>();
  let last = 0;
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: bytesMax,
    sizeCalculation: (bytes) => bytes.byteLength + entryBytes,
  });

  const keyOf = (object: object, form: string): string => {
    const place = places.get(object);
    if (place === undefined) {
      const number = ++last;
      const key = `${number} ${form}`;
      places.set(object, { number, form, key });
      return key;
    }
    if (place.form !== form) {
      place.form = form;
      place.key = `${place.number} ${form}`;
    }
    return place.key;
  };
  return {
    get: (object, form, encode) => {
      const key = keyOf(object, form);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const bytes = encode();
      kept.set(key, bytes); // too large to be kept at all, it is not
      return bytes;
    },
    figures: () => ({ entries: kept.size, bytes: kept.calculatedSize }),
  };
}

/**
 * Under which key an object was last looked up: most are asked for in one form, and a key made anew has to be hashed
 * anew.
 */
interface Place {
  readonly number: number;
  form: string;
  key: string;
}
