// The transport on node:http and node:https: connections are kept and used again, and a client may present a
// certificate. Of proxies in the environment it knows nothing.
import { Agent, request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { onAbort } from '../../core/index.js';
import type { Transport, TransportRequest, TransportResponse } from '../index.js';
import type { ClientTls } from './cluster-access.js';

/** A transport with connections of its own. */
export interface NodeTransport {
  readonly transport: Transport;
  /** Closes all connections, those in use as well. */
  readonly close: () => void;
}

/** Connections for one cluster. Idle ones do not keep the process alive, and end before servers end them. */
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
  const open = (url: string, { method, headers }: TransportRequest): ClientRequest => {
    const options = { method, headers: headers as Record<string, string | string[]> };
    return url.startsWith('https:')
      ? tlsRequest(url, { ...options, agent: secure })
      : plainRequest(url, { ...options, agent: plain });
  };
  return {
    transport: (url, request) => send(() => open(url, request), request),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Less than any API server waits between two requests. */
const idleMs = 45_000;

async function send(open: () => ClientRequest, request: TransportRequest): Promise<TransportResponse> {
  for (let tries = 1; ; tries++) {
    const sent = open();
    try {
      return responseOf(await answerTo(sent, request));
    } catch (error) {
      // The server had closed a kept connection just then. Reading twice does no harm; as Go's transport.
      const wasStale =
        sent.reusedSocket && request.method === 'GET' && request.signal?.aborted !== true && isReset(error);
      if (!wasStale || tries === staleMax) throw error;
    }
  }
}

/** As many kept connections may be stale at once. */
const staleMax = 5;

function answerTo(request: ClientRequest, { body, signal }: TransportRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    // A connection whose answer is complete may already serve somebody else.
    const abort = (): void => {
      if (answer?.complete !== true) request.destroy();
    };
    const leave = signal && onAbort(signal, abort);
    // Stays: what happens to the connection later is told by the answer's own stream.
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

/** Node does not say of itself how long the body of a DELETE is. */
function sendBody(request: ClientRequest, body: string): void {
  const bytes = new TextEncoder().encode(body);
  request.setHeader('Content-Length', bytes.length);
  request.end(bytes);
}

function ignore(): void {
  // Whoever reads the answer hears of it.
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
