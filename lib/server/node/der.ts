// Writes DER, the bytes that certificates are made of (ITU-T X.690): as much of it as an X.509 certificate needs. Every
// function answers one complete element.

/** Several elements in their order. */
export function sequence(...elements: readonly Uint8Array[]): Uint8Array {
  return element(0x30, ...elements);
}

/** A set of one element; larger ones would have to be sorted. */
export function setOf(only: Uint8Array): Uint8Array {
  return element(0x31, only);
}

/** An element under a number of the surrounding structure, with a tag of its own inside. */
export function explicit(number: number, inner: Uint8Array): Uint8Array {
  return element(0xa0 | number, inner);
}

/** Bytes under a number of the surrounding structure, in place of their own tag. */
export function implicit(number: number, bytes: Uint8Array): Uint8Array {
  return element(0x80 | number, bytes);
}

/** A whole number that is not negative, from its bytes, the most significant first. */
export function unsigned(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  return (digits[0] ?? 0) >= 0x80
    ? element(0x02, Uint8Array.of(0), digits)
    : element(0x02, digits.length === 0 ? Uint8Array.of(0) : digits);
}

/** True; false is the absence of it. */
export function truth(): Uint8Array {
  return element(0x01, Uint8Array.of(0xff));
}

/** Bytes. */
export function octets(bytes: Uint8Array): Uint8Array {
  return element(0x04, bytes);
}

/** Bits, of whose last byte so many do not count. */
export function bits(bytes: Uint8Array, unused = 0): Uint8Array {
  return element(0x03, Uint8Array.of(unused), bytes);
}

/** An object identifier in its dotted form. */
export function identifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, ...[first * 40 + second, ...rest].map(base128));
}

/** Text. */
export function text(value: string): Uint8Array {
  return element(0x0c, Buffer.from(value, 'utf8'));
}

/** A point in time, in whole seconds: two digits of the year until 2049, four afterwards, as RFC 5280 demands. */
export function time(ms: number): Uint8Array {
  const [year = '', ...rest] = new Date(ms).toISOString().replace(/\.\d+/, '').split(/[-T:]/);
  const isShort = Number(year) < 2050;
  return element(isShort ? 0x17 : 0x18, Buffer.from((isShort ? year.slice(2) : year) + rest.join(''), 'latin1'));
}

function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}

function base128(value: number): Uint8Array {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return Uint8Array.from(bytes);
}
