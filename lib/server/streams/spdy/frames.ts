// Frames of SPDY/3.1: the part that exec, attach and port-forward of kubectl use. Control frames are bounded; data
// frames are passed on in the pieces in which they arrive, so that their length needs no bound. Flow control is left
// out, as in github.com/moby/spdystream: its clients never send WINDOW_UPDATE, and back-pressure is that of the
// connection.
import { joinBytes } from '../../../core/index.js';

/** A frame that was read, or a piece of a data frame. */
export type SpdyFrame =
  | { readonly type: 'data'; readonly id: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly type: 'synStream'; readonly id: number; readonly block: Uint8Array; readonly isLast: boolean }
  /** Headers of a stream, whose content has no effect; they are part of the compressed sequence. */
  | { readonly type: 'headers'; readonly block: Uint8Array }
  | { readonly type: 'reset'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway' };

/** A violation of the protocol by the client: the connection cannot be used any more. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/** Codes of RST_STREAM. */
export const resetCodes = { protocolError: 1, invalidStream: 2, refused: 3, cancel: 5, flowControl: 7 } as const;

/** The maximum length of a control frame in bytes. Streams of kubectl have fewer than 100 bytes of headers. */
const controlBytesMax = 65_536;

/** Creates a reader: each call takes the next bytes of the connection and returns the frames they complete. */
export function spdyReader(): (piece: Uint8Array) => readonly SpdyFrame[] {
  let pieces: Uint8Array[] = [];
  let have = 0;
  let need = headBytes;
  /** The data frame whose bytes are passed on as they arrive. */
  let open: { readonly id: number; readonly isLast: boolean; left: number } | undefined;

  return (piece) => {
    pieces.push(piece);
    have += piece.length;
    if (open === undefined && have < need) {
      if (pieces.length > piecesMax) pieces = [joinBytes(pieces)];
      return [];
    }
    let rest = joinBytes(pieces);
    const frames: SpdyFrame[] = [];
    for (;;) {
      if (open !== undefined) {
        if (rest.length === 0 && open.left > 0) break;
        const bytes = rest.subarray(0, open.left);
        open.left -= bytes.length;
        rest = rest.subarray(bytes.length);
        frames.push({ type: 'data', id: open.id, bytes, isLast: open.isLast && open.left === 0 });
        if (open.left > 0) break;
        open = undefined;
      }
      need = headBytes;
      if (rest.length < headBytes) break;
      const view = new DataView(rest.buffer, rest.byteOffset, rest.length);
      const word = view.getUint32(4);
      const length = word & 0xff_ff_ff;
      const flags = word >>> 24;
      const isControl = (view.getUint8(0) & 0x80) !== 0;
      if (!isControl) {
        open = { id: view.getUint32(0), isLast: (flags & finFlag) !== 0, left: length };
        rest = rest.subarray(headBytes);
        continue;
      }
      if ((view.getUint16(0) & 0x7f_ff) !== version) throw new SpdyError('the version of a frame is not SPDY/3');
      if (length > controlBytesMax) throw new SpdyError('a control frame is too long');
      need = headBytes + length;
      if (rest.length < need) break;
      const frame = controlFrame(view.getUint16(2), flags, rest.subarray(headBytes, need));
      if (frame !== undefined) frames.push(frame);
      rest = rest.subarray(need);
    }
    pieces = rest.length === 0 ? [] : [rest];
    have = rest.length;
    return frames;
  };
}

const headBytes = 8;
const piecesMax = 1024;
const version = 3;
const finFlag = 1;
const types = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;

/** Returns a control frame; undefined for those without effect: SETTINGS, WINDOW_UPDATE and unknown ones. */
function controlFrame(type: number, flags: number, payload: Uint8Array): SpdyFrame | undefined {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const id = (): number => {
    if (payload.length < 4) throw new SpdyError('a control frame is too short');
    return view.getUint32(0) & 0x7f_ff_ff_ff;
  };
  switch (type) {
    case types.synStream:
      if (payload.length < synStreamBytes) throw new SpdyError('a SYN_STREAM frame is too short');
      // Copied: the bytes of the connection may be reused.
      return { type: 'synStream', id: id(), block: payload.slice(synStreamBytes), isLast: (flags & finFlag) !== 0 };
    case types.synReply:
    case types.headers:
      return { type: 'headers', block: payload.slice(4) };
    case types.reset:
      return { type: 'reset', id: id() };
    case types.ping:
      return { type: 'ping', id: view.byteLength < 4 ? id() : view.getUint32(0) };
    case types.goAway:
      return { type: 'goAway' };
    default:
      return undefined;
  }
}

/** Stream id, associated stream, priority and slot, before the headers. */
const synStreamBytes = 10;

/** Encodes bytes of a stream as data frames. `isLast` ends the stream in this direction. */
export function dataFrame(id: number, bytes: Uint8Array, isLast: boolean): Uint8Array {
  const frame = new Uint8Array(headBytes + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, id);
  view.setUint32(4, ((isLast ? finFlag : 0) << 24) | bytes.length);
  frame.set(bytes, headBytes);
  return frame;
}

/** The maximum number of bytes in one data frame; the length has 24 bits. */
export const dataBytesMax = 0xff_ff_ff;

/** Encodes the reply to a new stream: no headers. `block` is the compressed header block. */
export function synReplyFrame(id: number, block: Uint8Array): Uint8Array {
  return control(types.synReply, [id], block);
}

/** Encodes the abnormal end of a stream. */
export function resetFrame(id: number, code: number): Uint8Array {
  return control(types.reset, [id, code]);
}

/** Encodes the answer to a ping. */
export function pingFrame(id: number): Uint8Array {
  return control(types.ping, [id]);
}

/** Encodes the announcement that no further streams are accepted. */
export function goAwayFrame(lastId: number): Uint8Array {
  return control(types.goAway, [lastId, 0]);
}

function control(type: number, words: readonly number[], rest: Uint8Array = new Uint8Array()): Uint8Array {
  const length = 4 * words.length + rest.length;
  const frame = new Uint8Array(headBytes + length);
  const view = new DataView(frame.buffer);
  view.setUint16(0, 0x80_00 | version);
  view.setUint16(2, type);
  view.setUint32(4, length);
  words.forEach((word, index) => view.setUint32(headBytes + 4 * index, word));
  frame.set(rest, headBytes + 4 * words.length);
  return frame;
}
