// The transport of webhooks on node:https. Connections are kept for the next call; what a webhook sends beyond one
// answer to one request, such as a redirect, is handed on and never obeyed. HTTP/1.1, so that calls spread over the
// replicas behind an address. Of proxies in the environment it knows nothing.
import { Agent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebhookError } from '../index.js';
import type { WebhookRequest, WebhookResponse, WebhookTransport } from '../index.js';

/**
 * Whom to trust, and what to show. All PEM. Credentials go wherever calls go: give them to a transport for one webhook
 * only.
 */
export interface NodeWebhookOptions {
  /** Who may sign certificates of webhooks. Without them, and without any in the call, those whom Node trusts. */
  readonly authorities?: string;
  /** The name that the certificate must have, where it is not that of the address. */
  readonly serverName?: string;
  /** Trusts everybody, and so nobody. */
  readonly insecure?: boolean;
  /** Our own certificate. */
  readonly certificate?: { readonly key: string; readonly certificate: string };
  /** The header `Authorization`, or who knows it now. */
  readonly authorization?: string | (() => string | Promise<string>);
}

/** A transport with connections of its own. */
export interface NodeWebhookTransport {
  readonly transport: WebhookTransport;
  /**
   * Closes all connections, those in use as well. Idle ones keep no process alive, and end by themselves in a minute.
   */
  close(): void;
  /** The same. */
  [Symbol.dispose](): void;
}

/** Makes one. Nothing is connected before the first call. */
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

/** Less than servers usually wait between two requests. */
const idleMs = 45_000;

/** An endpoint is connected to in place of the host, whose name the certificate must still have. */
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
      // A kept connection that the webhook had just closed says nothing about the webhook. Reviews may be asked twice.
      const wasStale = sent.reusedSocket && isReset(cause) && !request.signal.aborted;
      if (!wasStale || tries === staleMax)
        throw isReset(cause) ? new WebhookError('reset', textOf(cause), { cause }) : cause;
    }
  }
}

/** As many kept connections may be stale at once. */
const staleMax = 5;

function answerTo(request: ClientRequest, { body, signal }: WebhookRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    // A connection whose answer is complete may already serve somebody else.
    const abort = (): void => {
      if (answer?.complete !== true) request.destroy();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    // Stays: what happens to the connection later is told by the answer's own stream.
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
  // Whoever reads the answer hears of it.
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
