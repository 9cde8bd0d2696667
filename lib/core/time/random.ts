// Chance as a port. A seed gives one history: every part draws from a stream of its own name, and what one stream
// draws never shifts another. The generator is sfc32 (Chris Doty-Humphrey's small fast counter, 128 bits of state, as
// tested in PractRand); it is no secret keeper. Keys, tokens and the names of production clusters come from
// `systemRandom`, which uses the host's cryptographic source. Nothing else may call Math.random or randomUUID.

/** A source of chance. */
export interface Random {
  /** At least 0 and below 1, with 53 random bits. */
  next(): number;
  /** A whole number, at least 0 and below `end`. */
  integer(end: number): number;
  /** One of the items. Throws RangeError when there is none. */
  pick<T>(items: readonly T[]): T;
  /** A copy in random order. */
  shuffle<T>(items: readonly T[]): T[];
  /** That many characters of the alphabet, which holds single UTF-16 units. */
  string(alphabet: string, length: number): string;
  /** A version 4 UUID. */
  uuid(): string;
  /**
   * The stream of that name below this one. Asked for twice it starts twice from the beginning, no matter what was
   * drawn meanwhile from here or elsewhere: a part asks once and keeps it.
   */
  stream(name: string): Random;
}

/** Chance that repeats itself: the same seed, the same draws, on every machine. `7` and `'7'` are one seed. */
export function random(seed: number | string): Random {
  return seeded(`${seed}`);
}

/** Unpredictable randomness for production, from the host's cryptographic source. All its streams are the same. */
export function systemRandom(): Random {
  const pool = new Uint32Array(2048);
  let used = pool.length;
  const self: Random = fromBits(
    () => {
      if (used === pool.length) {
        globalThis.crypto.getRandomValues(pool);
        used = 0;
      }
      return pool[used++] ?? 0;
    },
    () => self,
  );
  return self;
}

// The path is length-prefixed, so that stream('a').stream('b') and stream('ab') differ whatever names contain.
function seeded(path: string): Random {
  return fromBits(sfc32(path), (name) => seeded(`${path}/${name.length}:${name}`));
}

function fromBits(bits32: () => number, stream: (name: string) => Random): Random {
  const next = (): number => ((bits32() >>> 5) * 2 ** 26 + (bits32() >>> 6)) / 2 ** 53;
  const integer = (end: number): number => {
    if (!Number.isSafeInteger(end) || end < 1) throw new RangeError(`random: no whole number below ${end}`);
    return Math.floor(next() * end);
  };
  const pick = <T>(items: readonly T[]): T => items[integer(items.length)] as T;
  const shuffle = <T>(items: readonly T[]): T[] => {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = integer(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  };
  const string = (alphabet: string, length: number): string => {
    // Joined: a text that grows by characters keeps a cell of 32 bytes for each.
    const characters: string[] = [];
    for (let index = 0; index < length; index += 1) characters.push(alphabet.charAt(integer(alphabet.length)));
    return characters.join('');
  };
  return { next, integer, pick, shuffle, string, uuid: () => uuid(bits32), stream };
}

function uuid(bits32: () => number): string {
  const a = bits32();
  const b = bits32();
  const c = bits32();
  const d = bits32();
  const version = (b & 0x0fff) | 0x4000;
  const variant = ((c >>> 16) & 0x3fff) | 0x8000;
  return `${hex16(a >>> 16)}${hex16(a)}-${hex16(b >>> 16)}-${hex16(version)}-${hex16(variant)}-${hex16(c)}${hex16(d >>> 16)}${hex16(d)}`;
}

/** The four digits of the lower half of a number. */
function hex16(bits: number): string {
  return (hexOfByte[(bits >>> 8) & 0xff] ?? '') + (hexOfByte[bits & 0xff] ?? '');
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The generator of a text: its characters are stirred into the state until all of it depends on all of them. */
function sfc32(text: string): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let counter = 1;
  const draw = (): number => {
    const drawn = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + drawn) | 0;
    return drawn >>> 0;
  };
  for (let index = 0; index < text.length; index++) {
    a ^= text.charCodeAt(index);
    draw();
  }
  for (let round = 0; round < 16; round++) draw();
  return draw;
}

/** No vowels, so that no words come about, and no characters that look alike. As apimachinery/pkg/util/rand, String. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a suffix such as `x7k2p`, which completes `metadata.generateName`. */
export function nameSuffix(random: Random, length = 5): string {
  return random.string(suffixAlphabet, length);
}
