// Encodes DER (ITU-T X.690): the subset that an X.509 certificate needs. Every function returns one complete element:
// tag, length, value. Used by `certificate-authority.ts`; the decoder is `readDer` of core.

/** Encodes a SEQUENCE of the given elements, in their order. */
export function sequence(...elements: readonly Uint8Array[]): Uint8Array {
  return element(0x30, ...elements);
}

/** Encodes a SET OF the given elements. DER requires them to be sorted. */
export function setOf(members: readonly Uint8Array[]): Uint8Array {
  return element(0x31, ...members.toSorted((one, other) => Buffer.compare(one, other)));
}

/** Encodes an element with an explicit context-specific tag: the element keeps its own tag inside. */
export function explicitTag(number: number, inner: Uint8Array): Uint8Array {
  return element(0xa0 | number, inner);
}

/** Encodes bytes with an implicit context-specific tag, which replaces their own tag. */
export function implicitTag(number: number, bytes: Uint8Array): Uint8Array {
  return element(0x80 | number, bytes);
}

/** Encodes a non-negative INTEGER, given as big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  return (digits[0] ?? 0) >= 0x80
    ? element(0x02, Uint8Array.of(0), digits)
    : element(0x02, digits.length === 0 ? Uint8Array.of(0) : digits);
}

/** Encodes BOOLEAN true. False is the default of every field used here, and DER omits defaults. */
export function booleanTrue(): Uint8Array {
  return element(0x01, Uint8Array.of(0xff));
}

/** Encodes an OCTET STRING. */
export function octetString(bytes: Uint8Array): Uint8Array {
  return element(0x04, bytes);
}

/** Encodes a BIT STRING whose last byte has `unusedBits` trailing bits without meaning. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return element(0x03, Uint8Array.of(unusedBits), bytes);
}

/** Encodes an OBJECT IDENTIFIER, given in dotted form. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, ...[first * 40 + second, ...rest].map(base128));
}

/** Encodes a UTF8String. */
export function utf8String(value: string): Uint8Array {
  return element(0x0c, Buffer.from(value, 'utf8'));
}

/** Encodes a PrintableString. */
export function printableString(value: string): Uint8Array {
  return element(0x13, Buffer.from(value, 'latin1'));
}

/** Encodes a time in whole seconds: UTCTime until 2049, GeneralizedTime afterwards, as RFC 5280 section 4.1.2.5. */
export function certificateTime(ms: number): Uint8Array {
  const [year = '', ...rest] = new Date(ms).toISOString().replace(/\.\d+/, '').split(/[-T:]/);
  const isUtcTime = Number(year) < 2050;
  return element(isUtcTime ? 0x17 : 0x18, Buffer.from((isUtcTime ? year.slice(2) : year) + rest.join(''), 'latin1'));
}

function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  return Buffer.concat([Uint8Array.of(tag), encodeLength(content.length), content]);
}

function encodeLength(length: number): Uint8Array {
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
