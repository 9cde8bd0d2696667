// The transport on node:http and node:https: connections are kept alive and reused, and a client may present a
// certificate. Proxy settings of the environment are ignored.
import { Agent, request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { onAbort } from '../../core/index.js';
import type { SocketTransport, Transport, TransportRequest, TransportResponse } from '../index.js';
import type { ClientTls } from './cluster-access.js';
import { openNodeSocket } from './node-socket.js';

/** A transport and its connections. */
export interface NodeTransport {
  readonly transport: Transport;
  /** Opens WebSockets with the same certificates. */
  readonly socketTransport: SocketTransport;
  /** Closes all connections, also those in use. */
  readonly close: () => void;
}

/**
 * Creates the connections to one cluster. Idle ones do not keep the process alive, and close before the server closes
 * them.
 */
export function nodeTransport(tls: ClientTls = {}): NodeTransport {
  const { authorities, certificate, serverName, insecure = false } = tls;
  const keep = { keepAlive: true, timeout: idleMs };
  const plain = new Agent(keep);
  const secure = new TlsAgent({
    ...keep,
    rejectUnauthorized: !insecure,
    ...(authorities !== undefined && { ca: authorities }),
    ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }),
    ...(serverName !== undefined && { servername: serverName }),
  });
  const sockets = new Set<Duplex>();
  const open = (url: string, { method, headers }: Pick<TransportRequest, 'method' | 'headers'>): ClientRequest => {
    const options = { method, headers: headers as Record<string, string | string[]> };
    return url.startsWith('https:')
      ? tlsRequest(url, { ...options, agent: secure })
      : plainRequest(url, { ...options, agent: plain });
  };
  return {
    transport: (url, request) => send(() => open(url, request), request),
    socketTransport: (url, request) =>
      openNodeSocket(request, {
        open: (headers) => open(url, { method: 'GET', headers }),
        responseOf,
        onOpened: (socket) => {
          sockets.add(socket);
          socket.once('close', () => sockets.delete(socket));
        },
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Less than the idle timeout of API servers. */
const idleMs = 45_000;

async function send(open: () => ClientRequest, request: TransportRequest): Promise<TransportResponse> {
  for (let tries = 1; ; tries++) {
    const sent = open();
    try {
      return responseOf(await answerTo(sent, request));
    } catch (error) {
      // The server had closed the idle connection. A GET is safe to repeat; as Go's transport.
      const wasStale =
        sent.reusedSocket && request.method === 'GET' && request.signal?.aborted !== true && isReset(error);
      if (!wasStale || tries === staleMax) throw error;
    }
  }
}

/** The number of idle connections that may be stale at once. */
const staleMax = 5;

function answerTo(request: ClientRequest, { body, signal }: TransportRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    // After a complete response the connection may already serve another request.
    const abort = (): void => {
      if (answer?.complete !== true) request.destroy();
    };
    const leave = signal && onAbort(signal, abort);
    // Not removed: later errors of the connection are reported by the response stream.
    request.on('error', reject);
    request.once('close', () => {
      leave?.();
      reject(new Error('the connection was closed'));
    });
    request.once('response', (message) => {
      answer = message.on('error', ignore);
      resolve(message);
    });
    if (body === undefined) request.end();
    else sendBody(request, body);
  });
}

/** Node does not set the length of a DELETE body. */
function sendBody(request: ClientRequest, body: string): void {
  const bytes = new TextEncoder().encode(body);
  request.setHeader('Content-Length', bytes.length);
  request.end(bytes);
}

function ignore(): void {
  // The reader of the response receives the error.
}

function responseOf(message: IncomingMessage): TransportResponse {
  const { statusCode = 0, headers } = message;
  return {
    status: statusCode,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
      },
    },
    body: message as AsyncIterable<Uint8Array>,
  };
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
