// Serves rules of a host over HTTPS on Node, so that a real cluster can call them.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { errorText } from '../../core/index.js';
import { webhookHandler } from '../index.js';
import type { AdmissionRule } from '../index.js';

/** Options of a webhook server. */
export interface ServeWebhooksOptions {
  /** Key and certificate in PEM. The certificate is valid for the host name that the cluster uses. */
  readonly tls: { readonly key: string; readonly certificate: string };
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on. Default 0: any free port. */
  readonly port?: number;
}

/** A webhook server on its port. */
export interface ServedWebhooks {
  /** The URL of the server, such as `https://127.0.0.1:8443`, without the path of a rule. */
  readonly url: string;
  /** Stops accepting connections and closes all of them. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves rules, each at the path of its name. Rejects where the port is not available. */
export async function serveWebhooks(
  rules: readonly AdmissionRule[],
  { tls, host = '127.0.0.1', port = 0 }: ServeWebhooksOptions,
): Promise<ServedWebhooks> {
  const handle = webhookHandler(rules);
  const server = createServer({
    key: tls.key,
    cert: tls.certificate,
    // The longest time limit that a webhook can have is 30 s.
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    handshakeTimeout: 10_000,
  });
  server.on('request', (message: IncomingMessage, response: ServerResponse) => void answer(message, response));
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    try {
      const result = await handle(requestOf(message, ending.signal));
      response.writeHead(result.status, Object.fromEntries(result.headers));
      response.end(await result.text());
    } catch (error) {
      // The target is no URL, or the client is gone.
      if (!response.headersSent) response.writeHead(400);
      response.end(errorText(error));
    }
  };
  server.listen(port, host);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  const { port: bound } = server.address() as AddressInfo;
  return { url: `https://${host.includes(':') ? `[${host}]` : host}:${bound}`, close, [Symbol.asyncDispose]: close };
}

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = message;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    signal,
    headers: { 'content-type': headers['content-type'] ?? '' },
    duplex: 'half',
    ...(hasBody && { body: Readable.toWeb(message) as ReadableStream<Uint8Array> }),
  };
  return new Request(new URL(url, 'https://webhook'), init);
}
