// A reader of DER, the binary form of certificates and keys: tag, length, value, nested. Reads lazily and never past
// the end of its input; what is malformed is absent.

/** One element, as a view of the bytes it was read from. */
export interface Der {
  readonly tag: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The element that starts at `at`. */
export function readDer(bytes: Uint8Array, at = 0, limit: number = bytes.length): Der | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first - 0x80;
  // Indefinite lengths are not DER, and more than four octets no length of ours.
  if (first === 0x80 || extra > 4) return undefined;
  let length = extra === 0 ? first : 0;
  for (let i = 0; i < extra; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  const start = at + 2 + extra;
  return start + length > limit ? undefined : { tag, bytes, start, end: start + length };
}

/** The elements inside one. */
export function derChildren({ bytes, start, end }: Der): readonly Der[] {
  const children: Der[] = [];
  for (let at = start; at < end;) {
    const child = readDer(bytes, at, end);
    if (child === undefined) break;
    children.push(child);
    at = child.end;
  }
  return children;
}

/** The value of an element. */
export function derValue({ bytes, start, end }: Der): Uint8Array {
  return bytes.subarray(start, end);
}
