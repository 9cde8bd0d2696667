// The transport of aggregated APIs on node:https. Connections are reused. HTTP/1.1. Redirects are returned, not
// followed. Proxy settings of the environment are ignored.
import { Agent, request as httpsRequest } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebhookError, isWebhookError } from '../index.js';
import type { HeaderPairs, ProxyRequest, ProxyTransport } from '../index.js';
import { goNetworkError } from './go-network-error.js';

/** Options of a transport of aggregated APIs. */
export interface NodeProxyTransportOptions {
  /**
   * The certificate of the front proxy, in PEM, signed by the authority that backends trust for it
   * (`--proxy-client-cert-file` and `--proxy-client-key-file` of kube-apiserver). Default: none.
   */
  readonly certificate?: { readonly key: string; readonly certificate: string };
}

/** A transport with its own connections. */
export interface NodeProxyTransport {
  readonly transport: ProxyTransport;
  /** Closes all connections. Idle ones do not keep the process alive and close after a minute. */
  close(): void;
  /** Same as `close`. */
  [Symbol.dispose](): void;
}

/** Creates a transport. No connection is opened before the first request. */
export function nodeProxyTransport({ certificate }: NodeProxyTransportOptions = {}): NodeProxyTransport {
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: 32,
    ALPNProtocols: ['http/1.1'],
    ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }),
  });
  const close = (): void => agent.destroy();
  return {
    transport: async (request) => {
      const message = await responseTo(open(request, agent), request);
      return { status: message.statusCode ?? 0, headers: pairsOf(message.rawHeaders), body: message };
    },
    close,
    [Symbol.dispose]: close,
  };
}

const idleMs = 45_000;

function open(request: ProxyRequest, agent: Agent): ClientRequest {
  const { method, host, path, headers, endpoint, authorities = '', insecure = false, body } = request;
  const all: [string, string][] = [...headers.map(([name, value]): [string, string] => [name, value]), ['Host', host]];
  if (body !== undefined) all.push(['Content-Length', `${body.length}`]);
  return httpsRequest({
    method,
    path,
    agent,
    host: endpoint.host,
    port: endpoint.port,
    servername: new URL(`https://${host}`).hostname,
    rejectUnauthorized: !insecure,
    ...(authorities !== '' && { ca: authorities }),
    headers: all.flat(),
  });
}

function responseTo(request: ClientRequest, { body, signal, host, endpoint }: ProxyRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const abort = (): void => {
      // A connection whose response is complete may already serve another request.
      if (answer?.complete !== true) request.destroy();
    };
    const fail = (cause: unknown): void =>
      reject(
        isWebhookError(cause)
          ? cause
          : new WebhookError('unreachable', goNetworkError(cause, { url: `https://${host}`, endpoint }), { cause }),
      );
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    // Kept for the lifetime of the connection: later errors are reported by the response stream.
    request.on('error', fail);
    request.once('close', () => {
      signal.removeEventListener('abort', abort);
      fail(new WebhookError('reset', 'the connection was closed'));
    });
    request.once('response', (message) => {
      answer = message.on('error', ignore);
      resolve(message);
    });
    request.end(body);
  });
}

function ignore(): void {
  // The reader of the body receives the error.
}

function pairsOf(raw: readonly string[]): HeaderPairs {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
