/**
 * A watch in protobuf: each event is its length in four bytes, big-endian, and a bare WatchEvent; the object inside has
 * its envelope (as apimachinery/pkg/util/framer and the raw serializer of runtime/serializer/protobuf).
 *
 *     WatchEvent {1 type, 2 object {1 raw}}
 */
import { DecodeError } from '../../schema/decode-error.js';
import { WireReader } from './wire-reader.js';
import { wireTypes } from './wire-types.js';
import { WireWriter } from './wire-writer.js';

/** One event. */
export interface WatchFrame {
  readonly type: string;
  /** The object with its envelope, encoded: all watchers share these bytes. */
  readonly object: Uint8Array;
}

/** Encodes an event, its length included. */
export function encodeWatchFrame({ type, object }: WatchFrame): Uint8Array {
  const writer = new WireWriter(object.length + type.length + 32);
  writer.raw(object);
  writer.delimited(1, 0);
  writer.delimited(2, 0);
  writer.string(1, type);
  const { length } = writer;
  writer.raw(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
  return writer.finish();
}

/**
 * Splits a stream into events: each call takes the next piece of the stream and returns the events it completes. Pieces
 * are joined only once an event is complete, so that a stream of tiny pieces stays linear.
 */
export function watchFrameReader({
  frameBytesMax,
}: {
  readonly frameBytesMax: number;
}): (piece: Uint8Array) => WatchFrame[] {
  let pieces: Uint8Array[] = [];
  let have = 0;
  let need = headerBytes;
  return (piece) => {
    pieces.push(piece);
    have += piece.length;
    if (have < need) return [];
    let rest = join(pieces, have);
    const frames: WatchFrame[] = [];
    for (;;) {
      need = headerBytes + (rest.length < headerBytes ? 0 : lengthOf(rest));
      if (need > headerBytes + frameBytesMax)
        throw new DecodeError(`watch event of ${need - headerBytes} bytes exceeds the limit of ${frameBytesMax}`);
      if (rest.length < need || rest.length < headerBytes) break;
      frames.push(readEvent(rest.subarray(headerBytes, need)));
      rest = rest.subarray(need);
    }
    pieces = [rest];
    have = rest.length;
    return frames;
  };
}

const headerBytes = 4;

function lengthOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, headerBytes).getUint32(0);
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (first?.length === length) return first;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function readEvent(bytes: Uint8Array): WatchFrame {
  let type = '';
  let object: Uint8Array = new Uint8Array();
  const reader = new WireReader(bytes);
  while (reader.more) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wireTypes.bytes) type = reader.string();
    else if (tag === 2 * 8 + wireTypes.bytes) object = readRaw(new WireReader(reader.bytes()));
    else reader.skip(tag & 7);
  }
  return { type, object };
}

function readRaw(reader: WireReader): Uint8Array {
  let raw: Uint8Array = new Uint8Array();
  while (reader.more) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wireTypes.bytes) raw = reader.bytes();
    else reader.skip(tag & 7);
  }
  return raw;
}
