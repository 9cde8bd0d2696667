// HMAC with SHA-256 (RFC 2104, FIPS 180-4). In the engine because controllers also run where there is no Node, and
// synchronous because the asynchronous one of browsers would let virtual time pass. Used for a few short texts only.

/** Returns the code of a message under a key. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? sha256(key) : key);
  const inner = sha256(
    joined(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    joined(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

/** Returns the SHA-256 digest of bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  const state = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));
  const constants = Uint32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += blockBytes)
    compress(state, constants, words, (i) => view.getUint32(at + i * 4));
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setUint32(i * 4, word);
  return new Uint8Array(digest.buffer);
}

const blockBytes = 64;

/** Mixes one block of sixteen words into the state. */
function compress(state: Uint32Array, constants: Uint32Array, words: Uint32Array, wordAt: (i: number) => number): void {
  for (let i = 0; i < 64; i += 1) {
    const [two, fifteen] = [words[i - 2] ?? 0, words[i - 15] ?? 0];
    const small = rotated(two, 17) ^ rotated(two, 19) ^ (two >>> 10);
    const other = rotated(fifteen, 7) ^ rotated(fifteen, 18) ^ (fifteen >>> 3);
    words[i] = i < 16 ? wordAt(i) : (words[i - 16] ?? 0) + other + (words[i - 7] ?? 0) + small;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [i, word] of words.entries()) {
    const first =
      h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + word;
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + word;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits after the point. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x1_0000_0000);
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
