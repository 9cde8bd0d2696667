// WebSocket frames of the server's side (RFC 6455): what it sends is not masked, what it reads must be. The reader
// takes the stream in whatever pieces it comes, joins fragments into messages and refuses everything that the RFC
// forbids or that exceeds its limit, with the code that the closing frame shall carry. No extensions.
import { joinBytes } from './join-bytes.js';

/** A whole message, or a control frame. */
export type SocketMessage =
  | { readonly type: 'text' | 'binary' | 'ping' | 'pong'; readonly payload: Uint8Array }
  | { readonly type: 'close'; readonly code: number };

/** Kinds of frames that are sent. */
export type FrameType = SocketMessage['type'];

/** A client that broke the rules; `code` is for the closing frame. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of closing frames. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  noStatus: 1005,
  invalidPayload: 1007,
  tooBig: 1009,
  internalError: 1011,
} as const;

/** Encodes a frame that is a message of its own. */
export function encodeFrame(type: FrameType, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = new Uint8Array(header + length);
  const view = new DataView(frame.buffer);
  frame[0] = final | opcodes[type];
  frame[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header === 4) view.setUint16(2, length);
  if (header === 10) view.setBigUint64(2, BigInt(length));
  frame.set(payload, header);
  return frame;
}

/** Encodes the frame that ends a connection. */
export function encodeClose(code: number): Uint8Array {
  return encodeFrame('close', Uint8Array.of(code >> 8, code));
}

/**
 * Reads frames of a client: each call takes the next piece and answers the messages it completes. Throws SocketError.
 */
export function frameReader({
  messageBytesMax,
}: {
  readonly messageBytesMax: number;
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
    // Empty fragments cost their sender nothing: they must not cost memory either.
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
      // A client that sends byte by byte.
      if (pieces.length > piecesMax) pieces = [joinBytes(pieces)];
      return [];
    }
    let rest = joinBytes(pieces);
    const messages: SocketMessage[] = [];
    for (;;) {
      const head = readHead(rest, messageBytesMax);
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
const piecesMax = 1024;
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const known: ReadonlySet<number> = new Set(Object.values(opcodes));
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** How many bytes the frame at the front has, as far as that is known, and, when its length is, how to read it. */
function readHead(
  bytes: Uint8Array,
  payloadMax: number,
): { readonly need: number; readonly frame?: (bytes: Uint8Array) => Frame } {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return { need: 2 };
  const opcode = first & 0x0f;
  const isFinal = (first & final) !== 0;
  if ((first & 0x70) !== 0) throw new SocketError(closeCodes.protocolError, 'reserved bits are set');
  if (!known.has(opcode)) throw new SocketError(closeCodes.protocolError, `unknown opcode ${opcode}`);
  if ((second & 0x80) === 0) throw new SocketError(closeCodes.protocolError, 'frames of clients must be masked');
  const short = second & 0x7f;
  if (opcode >= opcodes.close && (short > 125 || !isFinal))
    throw new SocketError(closeCodes.protocolError, 'control frames are short and whole');
  const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < maskAt) return { need: maskAt };
  const view = new DataView(bytes.buffer, bytes.byteOffset, maskAt);
  const length = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
  if (length > payloadMax) throw tooBig();
  const need = maskAt + 4 + length;
  return { need, frame: (whole) => ({ opcode, isFinal, payload: unmasked(whole.subarray(maskAt, need)) }) };
}

/** The mask and what it covers. Into an array of its own: `slice` of a Buffer would still be the network's memory. */
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
