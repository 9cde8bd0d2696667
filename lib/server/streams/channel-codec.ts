// Messages of numbered channels, as the `channel.k8s.io` protocols write them over a WebSocket.
import { decodeBase64, encodeBase64 } from '../../core/index.js';
import { SocketError, closeCodes } from '../http/socket-frames.js';
import type { ChannelProtocol } from './stream-protocols.js';

/** A message of a client. */
export type NumberedMessage =
  | { readonly type: 'data'; readonly channel: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly channel: number };

/** The message that carries bytes of a channel. */
export function encodeChannel({ isBase64 }: ChannelProtocol, channel: number, bytes: Uint8Array): Uint8Array {
  if (isBase64) return utf8.encode(`${channel}${encodeBase64(bytes)}`);
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

/** Reads a message; undefined where it is empty, which has no effect. Throws SocketError where it is no base64. */
export function decodeChannel(
  { isBase64, endsChannels }: ChannelProtocol,
  message: Uint8Array,
): NumberedMessage | undefined {
  const [first] = message;
  if (first === undefined) return undefined;
  if (!isBase64) {
    const ended = message[1];
    if (endsChannels && first === endChannel) return ended === undefined ? undefined : { type: 'end', channel: ended };
    return { type: 'data', channel: first, bytes: message.subarray(1) };
  }
  try {
    return { type: 'data', channel: first - zero, bytes: decodeBase64(text.decode(message.subarray(1))) };
  } catch {
    throw new SocketError(closeCodes.invalidPayload, 'a message is no base64');
  }
}

const utf8 = new TextEncoder();
const text = new TextDecoder();
const zero = 48;
const endChannel = 255;
