// The webhook transport on node:https. Connections are reused. HTTP/1.1, so that calls spread over the replicas behind
// an address. Redirects are returned, not followed. Proxy settings of the environment are ignored.
import { Agent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebhookError, isWebhookError } from '../index.js';
import type { WebhookRequest, WebhookResponse, WebhookTransport } from '../index.js';
import { goNetworkError } from './go-network-error.js';

/**
 * Trust and credentials of a transport, in PEM. Credentials are sent with every request: configure them only on a
 * transport for one webhook.
 */
export interface NodeWebhookOptions {
  /**
   * Authorities that may sign certificates of webhooks. Default, unless the call names some: those that Node trusts.
   */
  readonly authorities?: string;
  /** The name that the certificate must have, if it is not the host of the URL. */
  readonly serverName?: string;
  /** Skips TLS verification (insecure). */
  readonly insecure?: boolean;
  /** The client certificate to present. */
  readonly certificate?: { readonly key: string; readonly certificate: string };
  /** The value of the header `Authorization`, or a function that returns the current one. */
  readonly authorization?: string | (() => string | Promise<string>);
}

/** A transport with its own connections. */
export interface NodeWebhookTransport {
  readonly transport: WebhookTransport;
  /**
   * Closes all connections, including those in use. Idle connections do not keep the process alive and close after a
   * minute.
   */
  close(): void;
  /** Same as `close`. */
  [Symbol.dispose](): void;
}

/** Creates a transport. No connection is opened before the first call. */
export function nodeWebhookTransport(options: NodeWebhookOptions = {}): NodeWebhookTransport {
  const { insecure = false, certificate, authorization } = options;
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: 32,
    rejectUnauthorized: !insecure,
    ALPNProtocols: ['http/1.1'],
    ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }),
  });
  const close = (): void => agent.destroy();
  return {
    transport: async (request) => {
      const own = typeof authorization === 'function' ? await authorization() : authorization;
      const headers = {
        ...request.headers,
        Host: new URL(request.url).host,
        ...(own !== undefined && { Authorization: own }),
        'Content-Length': new TextEncoder().encode(request.body).length,
      };
      return send(
        () => httpsRequest(request.url, { method: 'POST', agent, headers, ...whereTo(request, options) }),
        request,
      );
    },
    close,
    [Symbol.dispose]: close,
  };
}

/**
 * Shorter than the keep-alive time of usual servers, so that a reused connection is rarely one that the server closes.
 */
const idleMs = 45_000;

/**
 * Connects to the endpoint in place of the host of the URL; the certificate is still verified against the host name.
 */
function whereTo({ url, endpoint, authorities }: WebhookRequest, options: NodeWebhookOptions): RequestOptions {
  const { hostname } = new URL(url);
  const trusted = [options.authorities, authorities].filter((each) => each !== undefined && each !== '').join('\n');
  const serverName = options.serverName ?? (endpoint && hostname);
  return {
    ...(trusted !== '' && { ca: trusted }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(endpoint !== undefined && { host: endpoint.host, hostname: endpoint.host, port: endpoint.port }),
  };
}

async function send(open: () => ClientRequest, request: WebhookRequest): Promise<WebhookResponse> {
  for (let tries = 1; ; tries++) {
    const sent = open();
    try {
      return responseOf(await answerTo(sent, request));
    } catch (cause) {
      // A reused connection that the server just closed is no failure of the webhook. Reviews are idempotent: send
      // again.
      const wasStale = sent.reusedSocket && isReset(cause) && !request.signal.aborted;
      if (isWebhookError(cause)) throw cause;
      if (!wasStale || tries === staleMax)
        throw isReset(cause)
          ? new WebhookError('reset', textOf(cause), { cause })
          : new WebhookError('unreachable', goNetworkError(cause, request), { cause });
    }
  }
}

/** Maximum number of stale connections that are tried. */
const staleMax = 5;

function answerTo(request: ClientRequest, { body, signal }: WebhookRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    // A connection whose response is complete may already serve another request.
    const abort = (): void => {
      if (answer?.complete !== true) request.destroy();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    // Kept for the lifetime of the connection: later errors are reported by the response stream.
    request.on('error', reject);
    request.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new WebhookError('reset', 'the connection was closed'));
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

function responseOf(message: IncomingMessage): WebhookResponse {
  const { statusCode = 0, headers } = message;
  return {
    status: statusCode,
    header(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
    },
    body: message as AsyncIterable<Uint8Array>,
  };
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the connection was closed';
}
