/**
 * Reads the protobuf wire format, tags, varints, 64-bit floats and length-delimited bytes, without any knowledge of
 * messages. Every length is checked against the bytes that remain before anything is done with it; what is wrong is a
 * DecodeError in the words of Kubernetes' generated unmarshalers. Used by this folder and by the etcd store.
 */
import { DecodeError } from '../../schema/decode-error.js';
import { wireTypes } from './wire-types.js';

/** Reads one buffer front to back. `end` narrows while a nested message is read. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  #end: number;
  /** The high half of the varint read last. */
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** Returns whether bytes remain in the current message. */
  get more(): boolean {
    return this.#position < this.#end;
  }

  /** A field's tag: its number times eight plus its wire type. */
  tag(): number {
    const low = this.#varint();
    if (this.#high !== 0 || low < 8) throw new DecodeError(`proto: illegal tag ${low >>> 3} (wire type ${low & 7})`);
    return low;
  }

  /** A varint as a signed 32-bit number, whatever its high bits. */
  int32(): number {
    return this.#varint() | 0;
  }

  /** A varint as a signed 64-bit number; beyond 2^53 the nearest that a number can hold. */
  int64(): number {
    const low = this.#varint();
    return (this.#high | 0) * twoTo32 + low;
  }

  /** A varint with all its 64 bits, unsigned. */
  uint64(): bigint {
    const low = this.#varint();
    return (BigInt(this.#high) << 32n) | BigInt(low);
  }

  /** A varint as a boolean: anything but zero. */
  bool(): boolean {
    return this.#varint() !== 0 || this.#high !== 0;
  }

  /** A 64-bit float, little-endian. */
  double(): number {
    const start = this.#advance(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  /** Length-delimited bytes, as a view of the buffer. */
  bytes(): Uint8Array {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A length-delimited string; invalid UTF-8 becomes replacement characters, as Go's JSON does. */
  string(): string {
    const length = this.#length();
    const start = this.#advance(length);
    const ascii = length < shortString ? this.#shortAscii(start, start + length) : undefined;
    return ascii ?? utf8.decode(this.#bytes.subarray(start, start + length));
  }

  /** Starts a nested message: reads end with it. Pass the result to `leave`. */
  enter(): number {
    const length = this.#length();
    const outer = this.#end;
    if (length > outer - this.#position) throw new DecodeError(unexpectedEnd);
    this.#end = this.#position + length;
    return outer;
  }

  /** Ends a nested message. */
  leave(outer: number): void {
    this.#position = this.#end;
    this.#end = outer;
  }

  /** Skips the value of an unknown field. Groups may nest to any depth. */
  skip(wireType: number): void {
    let depth = 0;
    for (let type = wireType; ; type = this.tag() & 7) {
      if (type === wireTypes.varint) this.#varint();
      else if (type === wireTypes.fixed64) this.#advance(8);
      else if (type === wireTypes.bytes) this.#advance(this.#length());
      else if (type === wireTypes.fixed32) this.#advance(4);
      else if (type === wireTypes.startGroup) depth++;
      else if (type !== wireTypes.endGroup) throw new DecodeError(`proto: illegal wireType ${type}`);
      else if (--depth < 0) throw new DecodeError('proto: unexpected end of group');
      if (depth === 0) return;
    }
  }

  /**
   * Most strings are short ASCII, for which the native decoder costs more than the characters themselves. Eight at a
   * time: character by character would leave a rope of tiny strings behind. Undefined where a byte is not ASCII, be it
   * one after the end.
   */
  #shortAscii(start: number, end: number): string | undefined {
    const bytes = this.#bytes;
    let text = '';
    for (let at = start; at < end; at += 8) {
      const a = bytes[at] ?? 0;
      const b = bytes[at + 1] ?? 0;
      const c = bytes[at + 2] ?? 0;
      const d = bytes[at + 3] ?? 0;
      const e = bytes[at + 4] ?? 0;
      const f = bytes[at + 5] ?? 0;
      const g = bytes[at + 6] ?? 0;
      const h = bytes[at + 7] ?? 0;
      if ((a | b | c | d | e | f | g | h) > 0x7f) return undefined;
      const eight = String.fromCharCode(a, b, c, d, e, f, g, h);
      text += end - at < 8 ? eight.slice(0, end - at) : eight;
    }
    return text;
  }

  #length(): number {
    const low = this.#varint();
    if (this.#high > 0x7fffffff) throw new DecodeError('proto: negative length found during unmarshaling');
    return this.#high * twoTo32 + low;
  }

  /** Moves over `count` bytes and returns where they start. */
  #advance(count: number): number {
    const start = this.#position;
    if (count > this.#end - start) throw new DecodeError(unexpectedEnd);
    this.#position = start + count;
    return start;
  }

  /** The low half of a varint, unsigned; the high half is left in `#high`. */
  #varint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#position >= this.#end) throw new DecodeError(unexpectedEnd);
      const byte = this.#bytes[this.#position++] ?? 0;
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
    throw new DecodeError('proto: integer overflow');
  }
}

const twoTo32 = 0x1_0000_0000;
const unexpectedEnd = 'unexpected EOF';
/** Below this length reading characters beats a call of the native decoder (measured on Node 20). */
const shortString = 25;
/** Keeps a leading byte order mark: it is part of the value. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
