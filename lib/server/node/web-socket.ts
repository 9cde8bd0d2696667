// A WebSocket on the server's side, by hand: the few things that Kubernetes' protocols need, no more. Refusals of the
// handshake are those of golang.org/x/net/websocket, which the API server speaks for watches, down to their odd form.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SocketError, closeCodes, encodeClose, encodeFrame, frameReader } from '../http/socket-frames.js';

/** How a WebSocket is opened. */
export interface SocketOptions {
  /** Chooses one of the protocols that the client offered (none: ''), or undefined to refuse them all. */
  readonly choose: (offered: readonly string[]) => string | undefined;
  /** What a client is told whose protocols are all refused. */
  readonly refusal: string;
  /** Whether an Origin must be named. */
  readonly needsOrigin: boolean;
  /** The longest message a client may send. */
  readonly messageBytesMax: number;
  /** A message of the client; those that expect nothing ignore it. */
  readonly onMessage?: (payload: Uint8Array, type: 'text' | 'binary') => void;
  /** The connection has no more room, and has room again. */
  readonly onDrain: () => void;
  /** Either side has ended it, or it broke. Called once. */
  readonly onClose: () => void;
}

/** An open WebSocket. */
export interface OpenSocket {
  readonly protocol: string;
  /** Takes bytes that came with the request already. */
  take(bytes: Uint8Array): void;
  /** Sends a message; false when the client does not keep up. */
  send(payload: Uint8Array, type: 'text' | 'binary'): boolean;
  /** Ends it in good order. */
  close(code?: number): void;
  /** Ends it at once. */
  cut(): void;
  /** Reads no more until `resume`. */
  pause(): void;
  resume(): void;
}

/** Whether a request asks for a WebSocket (as streaming/pkg/httpstream/wsstream, IsWebSocketRequest). */
export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.connection?.split(',').some((token) => token.trim().toLowerCase() === 'upgrade') === true
  );
}

/** Answers the handshake. Undefined where it was refused, which the client has then been told. */
export function openSocket(message: IncomingMessage, socket: Duplex, options: SocketOptions): OpenSocket | undefined {
  const protocol = chooseProtocol(message, options);
  const refusal = refusalOf(message, options) ?? (protocol === undefined ? options.refusal : undefined);
  if (refusal !== undefined || protocol === undefined) {
    socket.end(refusal);
    return undefined;
  }
  const accept = createHash('sha1')
    .update(`${message.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  const protocolLine = protocol === '' ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${protocolLine}\r\n`,
  );
  return connect(socket, protocol, options);
}

/** Protocols that carry a bearer token are credentials, not protocols: the authenticator took them off the list. */
const tokenPrefix = 'base64url.bearer.authorization.k8s.io.';

function chooseProtocol({ headers }: IncomingMessage, { choose }: SocketOptions): string | undefined {
  const text = headers['sec-websocket-protocol']?.trim() ?? '';
  const offered = text === '' ? [] : text.split(',').map((each) => each.trim());
  return choose(offered.filter((each) => !each.startsWith(tokenPrefix)));
}

function refusalOf({ headers }: IncomingMessage, { needsOrigin }: SocketOptions): string | undefined {
  if ((headers['sec-websocket-key'] ?? '') === '') return 'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response';
  if (headers['sec-websocket-version'] !== '13')
    return 'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version';
  if (needsOrigin && !isOrigin(headers.origin)) return 'HTTP/1.1 403 Forbidden\r\n\r\n';
  return undefined;
}

/** Browsers always send one; a request without shall not be mistaken for theirs. */
function isOrigin(origin: string | undefined): boolean {
  return origin !== undefined && origin !== '' && origin !== 'null' && !/%(?![0-9A-Fa-f]{2})/.test(origin);
}

function connect(socket: Duplex, protocol: string, options: SocketOptions): OpenSocket {
  const read = frameReader(options);
  let isClosing = false;
  let isOver = false;

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    options.onClose();
  };
  const close = (code: number): void => {
    if (isClosing) return;
    isClosing = true;
    // What still comes is ignored, but has to be read for the end of the connection to be seen.
    socket.resume();
    // As x/net/websocket: the closing frame is the last word, nobody waits for the client's.
    socket.end(encodeClose(code), over);
  };
  const take = (piece: Uint8Array): void => {
    if (isClosing || piece.length === 0) return;
    try {
      for (const message of read(piece)) {
        if (message.type === 'close') close(closeCodes.normal);
        // Pings of a client that does not read are not worth a buffer.
        else if (message.type === 'ping' && !socket.writableNeedDrain)
          socket.write(encodeFrame('pong', message.payload));
        else if (message.type === 'text' || message.type === 'binary')
          options.onMessage?.(message.payload, message.type);
      }
    } catch (error) {
      close(error instanceof SocketError ? error.code : closeCodes.protocolError);
    }
  };

  socket.on('data', take);
  socket.on('drain', options.onDrain);
  socket.on('end', () => close(closeCodes.normal));
  socket.on('error', over);
  socket.on('close', over);
  return {
    protocol,
    take,
    send: (payload, type) => !isClosing && socket.write(encodeFrame(type, payload)),
    close: (code = closeCodes.normal) => close(code),
    cut: over,
    pause() {
      if (!isClosing) socket.pause();
    },
    resume: () => void socket.resume(),
  };
}
