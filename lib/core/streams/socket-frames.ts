// WebSocket frames (RFC 6455): those of a client are masked, those of a server are not. The reader accepts the stream
// in chunks of any size, joins fragments into messages and refuses what the RFC forbids or what exceeds the limit, with
// the code for the close frame. No extensions.
import { joinBytes } from '../codec/join-bytes.js';

/** A complete message, or a control frame. */
export type SocketMessage =
  | { readonly type: 'text' | 'binary' | 'ping' | 'pong'; readonly payload: Uint8Array }
  | { readonly type: 'close'; readonly code: number };

/** Kinds of frames that are sent. */
export type FrameType = SocketMessage['type'];

/** A violation of the protocol by the peer; `code` is sent in the close frame. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of close frames. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  noStatus: 1005,
  invalidPayload: 1007,
  tooBig: 1009,
  internalError: 1011,
} as const;

/** Encodes an unfragmented frame. `mask`: four bytes that a client draws for each of its frames. */
export function encodeFrame(type: FrameType, payload: Uint8Array, mask?: Uint8Array): Uint8Array {
  const { length } = payload;
  const short = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const header = short + (mask === undefined ? 0 : 4);
  const frame = new Uint8Array(header + length);
  const view = new DataView(frame.buffer);
  frame[0] = final | opcodes[type];
  frame[1] = (mask === undefined ? 0 : masked) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (short === 4) view.setUint16(2, length);
  if (short === 10) view.setBigUint64(2, BigInt(length));
  frame.set(payload, header);
  if (mask === undefined) return frame;
  frame.set(mask, short);
  for (let at = 0; at < length; at++) frame[header + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return frame;
}

/** Encodes a close frame. */
export function encodeClose(code: number, mask?: Uint8Array): Uint8Array {
  return encodeFrame('close', Uint8Array.of(code >> 8, code), mask);
}

/**
 * Creates a reader of the peer's frames: each call takes the next chunk and returns the messages it completes. Throws
 * SocketError. `isMasked`: whether the peer is a client, whose frames are masked. Default true.
 */
export function frameReader({
  messageBytesMax,
  isMasked = true,
}: {
  readonly messageBytesMax: number;
  readonly isMasked?: boolean;
}): (piece: Uint8Array) => SocketMessage[] {
  let pieces: Uint8Array[] = [];
  let have = 0;
  let need = 2;
  let fragments: Uint8Array[] = [];
  let fragmented: 'text' | 'binary' | undefined;
  let size = 0;

  const take = (frame: Frame): SocketMessage | undefined => {
    if (frame.opcode >= opcodes.close) return control(frame);
    if (frame.opcode === opcodes.continuation ? fragmented === undefined : fragmented !== undefined) {
      throw new SocketError(closeCodes.protocolError, 'fragments out of order');
    }
    size += frame.payload.length;
    if (size > messageBytesMax) throw tooBig();
    const type = fragmented ?? (frame.opcode === opcodes.text ? 'text' : 'binary');
    // Empty fragments are not kept: a client could send any number of them.
    if (frame.payload.length > 0) fragments.push(frame.payload);
    fragmented = frame.isFinal ? undefined : type;
    if (!frame.isFinal) return undefined;
    const payload = joinBytes(fragments);
    fragments = [];
    size = 0;
    if (type === 'text') refuseBadText(payload);
    return { type, payload };
  };

  return (piece) => {
    pieces.push(piece);
    have += piece.length;
    if (have < need) {
      // Bounds the number of chunks for a client that sends byte by byte.
      if (pieces.length > piecesMax) pieces = [joinBytes(pieces)];
      return [];
    }
    let rest = joinBytes(pieces);
    const messages: SocketMessage[] = [];
    for (;;) {
      const head = readHead(rest, messageBytesMax, isMasked);
      need = head.need;
      if (rest.length < need || head.frame === undefined) break;
      const message = take(head.frame(rest));
      if (message !== undefined) messages.push(message);
      rest = rest.subarray(need);
    }
    pieces = rest.length === 0 ? [] : [rest];
    have = rest.length;
    return messages;
  };
}

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Uint8Array;
}

const final = 0x80;
const masked = 0x80;
const piecesMax = 1024;
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const known: ReadonlySet<number> = new Set(Object.values(opcodes));
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the length of the first frame as far as known and, once it is, how to read it. */
function readHead(
  bytes: Uint8Array,
  payloadMax: number,
  isMasked: boolean,
): { readonly need: number; readonly frame?: (bytes: Uint8Array) => Frame } {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return { need: 2 };
  const opcode = first & 0x0f;
  const isFinal = (first & final) !== 0;
  if ((first & 0x70) !== 0) throw new SocketError(closeCodes.protocolError, 'reserved bits are set');
  if (!known.has(opcode)) throw new SocketError(closeCodes.protocolError, `unknown opcode ${opcode}`);
  if (((second & masked) !== 0) !== isMasked)
    throw new SocketError(
      closeCodes.protocolError,
      isMasked ? 'frames of clients must be masked' : 'frames of servers must not be masked',
    );
  const short = second & 0x7f;
  if (opcode >= opcodes.close && (short > 125 || !isFinal))
    throw new SocketError(closeCodes.protocolError, 'control frames are short and whole');
  const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < maskAt) return { need: maskAt };
  const view = new DataView(bytes.buffer, bytes.byteOffset, maskAt);
  const length = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
  if (length > payloadMax) throw tooBig();
  const need = maskAt + (isMasked ? 4 : 0) + length;
  const payloadOf = (whole: Uint8Array): Uint8Array => {
    const content = whole.subarray(maskAt, need);
    return isMasked ? unmasked(content) : Uint8Array.from(content);
  };
  return { need, frame: (whole) => ({ opcode, isFinal, payload: payloadOf(whole) }) };
}

/** Removes the mask. Copies into a new array: `slice` of a Buffer would share the network's memory. */
function unmasked(bytes: Uint8Array): Uint8Array {
  const payload = new Uint8Array(bytes.length - 4);
  for (let at = 0; at < payload.length; at++) payload[at] = (bytes[at + 4] ?? 0) ^ (bytes[at & 3] ?? 0);
  return payload;
}

function control({ opcode, payload }: Frame): SocketMessage {
  if (opcode !== opcodes.close) return { type: opcode === opcodes.ping ? 'ping' : 'pong', payload };
  const [high, low] = payload;
  if (high === undefined) return { type: 'close', code: closeCodes.noStatus };
  const code = high * 256 + (low ?? 0);
  if (low === undefined || !isSendable(code)) throw new SocketError(closeCodes.protocolError, 'bad closing code');
  refuseBadText(payload.subarray(2));
  return { type: 'close', code };
}

/** Codes that may be sent at all (RFC 6455, section 7.4). */
function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999)
  );
}

function refuseBadText(payload: Uint8Array): void {
  try {
    strictUtf8.decode(payload);
  } catch {
    throw new SocketError(closeCodes.invalidPayload, 'text is no UTF-8');
  }
}

function tooBig(): SocketError {
  return new SocketError(closeCodes.tooBig, 'message too big');
}
