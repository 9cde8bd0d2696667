// A WebSocket on the server side, with the subset that the protocols of Kubernetes need. Refusals of the handshake are
// those of golang.org/x/net/websocket, which the API server uses for watches, including their form.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SocketError, closeCodes, encodeClose, encodeFrame, frameReader } from '../../core/index.js';

/** Options of a WebSocket. */
export interface SocketOptions {
  /** Chooses one of the protocols that the client offered (none: ''), or undefined to refuse them all. */
  readonly choose: (offered: readonly string[]) => string | undefined;
  /** The response where all offered protocols are refused. */
  readonly refusal: string;
  /** Whether the Origin header is required. */
  readonly needsOrigin: boolean;
  /** The maximum size of a client's message in bytes. */
  readonly messageBytesMax: number;
  /** Called with each message of the client. Default: ignored. */
  readonly onMessage?: (payload: Uint8Array, type: 'text' | 'binary') => void;
  /** Called when a full connection has room again. */
  readonly onDrain: () => void;
  /** Called once when the connection ends. */
  readonly onClose: () => void;
}

/** An open WebSocket. */
export interface OpenSocket {
  readonly protocol: string;
  /** Reads bytes that arrived with the request. */
  take(bytes: Uint8Array): void;
  /** Sends a message; false where the connection is full. */
  send(payload: Uint8Array, type: 'text' | 'binary'): boolean;
  /** Sends a close frame and ends the connection. */
  close(code?: number): void;
  /** Destroys the connection. */
  cut(): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
}

/** Whether a request is a WebSocket handshake (as streaming/pkg/httpstream/wsstream, IsWebSocketRequest). */
export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.connection?.split(',').some((token) => token.trim().toLowerCase() === 'upgrade') === true
  );
}

/** Completes the handshake; undefined where it was refused with a response. */
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

/** The prefix of protocols that carry a bearer token, which are credentials and not offered to `choose`. */
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

/** Whether the Origin header is a valid URL; browsers always send one. */
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
    // Further input is ignored, but must be read for the end of the connection to be noticed.
    socket.resume();
    // As x/net/websocket: closes without waiting for the client's close frame.
    socket.end(encodeClose(code), over);
  };
  const take = (piece: Uint8Array): void => {
    if (isClosing || piece.length === 0) return;
    try {
      for (const message of read(piece)) {
        if (message.type === 'close') close(closeCodes.normal);
        // Pings of a client that does not read are dropped rather than buffered.
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
