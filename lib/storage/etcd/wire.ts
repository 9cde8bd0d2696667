/**
 * The protobuf wire format as far as etcd's messages use it: varints and length-delimited fields, on Node's buffers.
 * Unlike the codec of lib/core it keeps all 64 bits where they are needed: a lease of another client is any int64.
 * Used only by messages.ts.
 *
 * Fields at their default are not written, as proto3 asks. What is read are views of the message, never copies, and
 * every length is checked against the bytes that are there.
 */

const noBytes = Buffer.alloc(0);

/** A message: its fields one after the other. */
export function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

/** A number field: nothing for zero. */
export function numberField(field: number, value: number | bigint): Buffer {
  if (value === 0 || value === 0n) return noBytes;
  const small = typeof value === 'number' && value > 0 && value <= 0xffff_ffff ? value : undefined;
  if (small === undefined) return bigField(field, BigInt.asUintN(64, BigInt(value)));
  const tag = field * 8;
  const bytes = Buffer.allocUnsafe(varintSize(tag) + varintSize(small));
  writeVarint(bytes, writeVarint(bytes, 0, tag), small);
  return bytes;
}

/** A boolean field: nothing for false. */
export function flagField(field: number, value: boolean): Buffer {
  return numberField(field, value ? 1 : 0);
}

/** Bytes, text or a message within. Written also when empty: an empty message within a oneof says which one it is. */
export function bytesField(field: number, value: Uint8Array | string): Buffer {
  const tag = field * 8 + 2;
  const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  const headSize = varintSize(tag) + varintSize(length);
  const bytes = Buffer.allocUnsafe(headSize + length);
  writeVarint(bytes, writeVarint(bytes, 0, tag), length);
  if (typeof value === 'string') bytes.write(value, headSize);
  else bytes.set(value, headSize);
  return bytes;
}

function bigField(field: number, value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(varintSize(field * 8) + 10);
  let at = writeVarint(bytes, 0, field * 8);
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes[at++] = Number(rest & 0x7fn) | 0x80;
  bytes[at++] = Number(rest);
  return bytes.subarray(0, at);
}

/** How many bytes a number below 2^32 takes. */
function varintSize(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Writes a number below 2^32 and answers where it ends. */
function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}

/** Reads one message front to back: `next` gives the number of each field, then one of the others takes its value. */
export class MessageReader {
  readonly #bytes: Buffer;
  #position = 0;
  #wireType = 0;
  /** The upper half of the varint read last. */
  #high = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The number of the next field; 0 at the end. */
  next(): number {
    if (this.#position >= this.#bytes.length) return 0;
    const tag = this.#varint();
    this.#wireType = tag & 7;
    return Math.floor(tag / 8);
  }

  /** An integer that is known to stay below 2^53: revisions, counts, seconds. */
  number(): number {
    const low = this.#varint();
    return (this.#high | 0) * 0x1_0000_0000 + low;
  }

  /** An integer with all its 64 bits, unsigned. */
  exact(): bigint {
    const low = this.#varint();
    return (BigInt(this.#high) << 32n) | BigInt(low);
  }

  flag(): boolean {
    return this.number() !== 0;
  }

  bytes(): Buffer {
    const start = this.#skipOver(this.#varint());
    return this.#bytes.subarray(start, this.#position);
  }

  text(): string {
    const start = this.#skipOver(this.#varint());
    return this.#bytes.toString('utf8', start, this.#position);
  }

  message(): MessageReader {
    return new MessageReader(this.bytes());
  }

  /** Leaves out a field that nobody asked for. */
  skip(): void {
    if (this.#wireType === 0) this.#varint();
    else if (this.#wireType === 1) this.#skipOver(8);
    else if (this.#wireType === 2) this.#skipOver(this.#varint());
    else if (this.#wireType === 5) this.#skipOver(4);
    else throw new Error(`etcd sent a field of wire type ${this.#wireType}`);
  }

  /** Moves on and answers where it was. */
  #skipOver(count: number): number {
    const start = this.#position;
    if (count > this.#bytes.length - start) throw new Error('etcd sent a message that is cut short');
    this.#position = start + count;
    return start;
  }

  /** The lower half of a varint; the upper half is left in `#high`. */
  #varint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#skipOver(1)] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new Error('etcd sent a number of more than 64 bits');
  }
}
