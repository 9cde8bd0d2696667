/**
 * Writes the protobuf wire format backwards, from the end of a buffer to its front, as Kubernetes' generated marshalers
 * do: the length of a nested message is known once its content is written, so nothing is measured twice and nothing
 * moved. Callers therefore write fields in descending order, and of each field first the value, then its length, then
 * its tag. Used only by this folder.
 */
import { wireTypes } from './wire-types.js';

/** Writes one buffer back to front, doubling it when full. */
export class WireWriter {
  #bytes: Uint8Array;
  /** Where the written part starts. */
  #start: number;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#start = capacity;
  }

  /** The number of bytes written; the difference of two readings is the length of what was written in between. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** What has been written, as a copy of just that size. */
  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  /** The tag of the field whose value has just been written. */
  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** The length and tag of the nested message or bytes that began when `length` was `before`. */
  delimited(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, wireTypes.bytes);
  }

  /** An unsigned number below 2^32. */
  varint(value: number): void {
    if (value < 0x80) {
      const at = this.#reserve(1);
      this.#bytes[at] = value;
      return;
    }
    const size = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    let at = this.#reserve(size);
    let rest = value >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  /** A signed integer of up to 64 bits; a negative one takes ten bytes, also as int32. */
  int64(value: number): void {
    if (value >= 0 && value < twoTo32) {
      this.varint(value);
      return;
    }
    // The largest int64 is no number: what reads as 2^63 was meant as one less, not as its negative.
    let rest = value >= 2 ** 63 ? 0x7fff_ffff_ffff_ffffn : BigInt.asUintN(64, BigInt(value));
    const start = this.#reserve(10);
    let at = start;
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[at++] = Number(rest);
    this.#bytes.copyWithin(start + 10 - (at - start), start, at);
    this.#start += 10 - (at - start);
  }

  /** A 64-bit float, little-endian. */
  double(value: number): void {
    const start = this.#reserve(8);
    new DataView(this.#bytes.buffer, start, 8).setFloat64(0, value, true);
  }

  /** Bytes as they are, without a length. */
  raw(bytes: Uint8Array): void {
    const start = this.#reserve(bytes.length);
    this.#bytes.set(bytes, start);
  }

  /** A string field, complete. */
  string(number: number, value: string): void {
    const before = this.length;
    this.text(value);
    this.delimited(number, before);
  }

  /** The UTF-8 of a string, without a length. */
  text(value: string): void {
    const start = this.#reserve(value.length);
    if (value.length < shortString) {
      for (let i = 0; i < value.length; i++) {
        const code = value.charCodeAt(i);
        if (code > 0x7f) {
          this.#rewrite(value);
          return;
        }
        this.#bytes[start + i] = code;
      }
    } else if (utf8.encodeInto(value, this.#bytes.subarray(start, start + value.length)).read < value.length) {
      this.#rewrite(value);
    }
  }

  /** A string beyond ASCII needs more than the one byte a character that was reserved. */
  #rewrite(value: string): void {
    this.#start += value.length;
    this.raw(utf8.encode(value));
  }

  /** Where the next `count` bytes start. May replace the buffer, so it is to be called before the buffer is named. */
  #reserve(count: number): number {
    if (count > this.#start) this.#grow(count);
    this.#start -= count;
    return this.#start;
  }

  #grow(count: number): void {
    const written = this.length;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, written + count));
    larger.set(this.#bytes.subarray(this.#start), larger.length - written);
    this.#bytes = larger;
    this.#start = larger.length - written;
  }
}

const twoTo32 = 0x1_0000_0000;
/** Below this length writing characters beats a call of the native encoder (measured on Node 20). */
const shortString = 32;
const utf8 = new TextEncoder();
