// WebSockets of a client on node:http: the handshake, frames with masks, and back-pressure. No extensions.
import { createHash } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Observable, fromEvent, map } from 'rxjs';
import {
  SocketError,
  closeCodes,
  encodeBase64,
  encodeClose,
  encodeFrame,
  errorText,
  frameReader,
  onAbort,
  systemRandom,
} from '../../core/index.js';
import { ConnectionError } from '../index.js';
import type { ClientSocket, SocketAnswer, SocketRequest, TransportResponse } from '../index.js';

/** What a handshake needs of its transport. */
export interface SocketOpening {
  /** Creates the request with these headers; it is not sent yet. */
  readonly open: (headers: Readonly<Record<string, string | readonly string[]>>) => ClientRequest;
  readonly responseOf: (message: IncomingMessage) => TransportResponse;
  /** Called with each connection that became a WebSocket. */
  readonly onOpened: (socket: Duplex) => void;
}

/** The maximum size of a message of the server. */
const messageBytesMax = 16 * 1024 * 1024;

/** Opens a WebSocket. */
export function openNodeSocket(
  { headers, protocols, signal }: SocketRequest,
  { open, responseOf, onOpened }: SocketOpening,
): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const random = systemRandom();
    const drawBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => random.integer(256));
    const key = encodeBase64(drawBytes(16));
    const request = open({
      ...headers,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Protocol': protocols.join(', '),
    });
    const leave = signal && onAbort(signal, () => request.destroy());
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
    request.once('response', (message) => {
      leave?.();
      // The reader of the response receives its errors.
      message.on('error', () => undefined);
      resolve({ response: responseOf(message) });
    });
    request.once('upgrade', (message, socket, head) => {
      leave?.();
      const protocol = message.headers['sec-websocket-protocol'] ?? '';
      if (message.headers['sec-websocket-accept'] !== acceptOf(key) || !protocols.includes(protocol)) {
        socket.destroy();
        reject(new Error('the server responded with an invalid WebSocket handshake'));
        return;
      }
      onOpened(socket);
      resolve({ socket: clientSocket(socket, head, protocol, () => drawBytes(4)) });
    });
    request.end();
  });
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

function clientSocket(socket: Duplex, head: Uint8Array, protocol: string, mask: () => Uint8Array): ClientSocket {
  let isClosing = false;
  // Before the first subscription an error has no other receiver.
  socket.on('error', () => undefined);
  const close = (code: number): void => {
    if (isClosing) return;
    isClosing = true;
    // Further input is ignored, but must be read for the end of the connection to be noticed.
    socket.resume();
    socket.end(encodeClose(code, mask()), () => socket.destroy());
  };
  const messages$ = new Observable<Uint8Array>((subscriber) => {
    const read = frameReader({ messageBytesMax, isMasked: false });
    const fail = (error: unknown): void =>
      subscriber.error(new ConnectionError(`the WebSocket broke off: ${errorText(error)}`, { cause: error }));
    const take = (piece: Uint8Array): void => {
      if (isClosing || piece.length === 0) return;
      try {
        for (const message of read(piece)) {
          if (message.type === 'close') {
            close(closeCodes.normal);
            subscriber.complete();
          } else if (message.type === 'ping' && !socket.writableNeedDrain)
            socket.write(encodeFrame('pong', message.payload, mask()));
          else if (message.type === 'text' || message.type === 'binary') subscriber.next(message.payload);
        }
      } catch (error) {
        close(error instanceof SocketError ? error.code : closeCodes.protocolError);
        fail(error);
      }
    };
    socket.on('data', take);
    socket.on('error', fail);
    socket.on('close', () => (isClosing ? subscriber.complete() : fail(new Error('the connection was closed'))));
    if (socket.destroyed) fail(new Error('the connection was closed'));
    take(head);
    return () => {
      socket.off('data', take);
      close(closeCodes.normal);
    };
  });
  return {
    protocol,
    messages$,
    drained$: fromEvent(socket, 'drain').pipe(map(() => undefined)),
    send: (message) => !isClosing && socket.write(encodeFrame('binary', message, mask())),
    pause: () => {
      if (!isClosing) socket.pause();
    },
    resume: () => void socket.resume(),
    close: () => close(closeCodes.normal),
  };
}
