/**
 * The protobuf wire format as far as etcd's messages use it: varints and length-delimited fields, on Node's buffers.
 * Used only by messages.ts. Reading uses the wire reader of lib/core: values are views of the message, never copies,
 * and a malformed message throws DecodeError. Writing is forward and field by field, unlike the writer of lib/core,
 * because requests are small and are composed of parts. Fields at their default are not written, as proto3 requires.
 */
import { WireReader } from '../../core/index.js';

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

/** Writes a number below 2^32 and returns where it ends. */
function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}

/** Reads one message front to back: `next` returns the number of each field, then one other method reads its value. */
export class MessageReader {
  readonly #wire: WireReader;
  #wireType = 0;

  constructor(bytes: Uint8Array) {
    this.#wire = new WireReader(bytes);
  }

  /** The number of the next field; 0 at the end. */
  next(): number {
    if (!this.#wire.more) return 0;
    const tag = this.#wire.tag();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  /** An integer that is known to stay below 2^53: revisions, counts, seconds. */
  number(): number {
    return this.#wire.int64();
  }

  /** An integer with all its 64 bits, unsigned. */
  exact(): bigint {
    return this.#wire.uint64();
  }

  flag(): boolean {
    return this.#wire.bool();
  }

  bytes(): Buffer {
    const { buffer, byteOffset, length } = this.#wire.bytes();
    return Buffer.from(buffer, byteOffset, length);
  }

  text(): string {
    return this.#wire.string();
  }

  message(): MessageReader {
    return new MessageReader(this.#wire.bytes());
  }

  /** Skips an unknown field. */
  skip(): void {
    this.#wire.skip(this.#wireType);
  }
}
