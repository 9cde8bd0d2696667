// The client of an API server over HTTP, ours or a real one. JSON in both directions. Requests are retried where the
// server sends Retry-After, as client-go does; all other errors are thrown.
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { badRequest, mediaTypes, systemClock } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, RawEvent, RequestInfo } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import { isJsonResponse, parseJsonBody, parseObjectBody, readBodyText } from './response-body.js';
import type { OutgoingRequest, RequestSender } from '../request-sender.js';
import type { Client } from '../client.js';
import { createClient } from '../client.js';
import { ConnectionError } from './connection-error.js';
import type { HttpLimits, HttpMessage, HttpSettings } from './http-exchange.js';
import { exchange, readResponse } from './http-exchange.js';
import { requestTarget } from './http-request.js';
import { openHttpStream } from './http-streams.js';
import type { SocketTransport } from './socket-transport.js';
import type { Transport } from './transport.js';
import { fetchTransport, chunksOf } from './transport.js';
import { userAgentOf } from './http-request.js';
import { linesOf, readEvent } from './watch-lines.js';

/** Options of a client over HTTP. `connect` of ./node creates them from a kubeconfig. */
export interface HttpClientOptions {
  /** The URL of the server, `https://127.0.0.1:6443`. Its path is a prefix of all paths. */
  readonly server: string;
  /** Default: `fetch`, with the trusted authorities of the platform and without a client certificate. */
  readonly transport?: Transport;
  /**
   * Opens WebSockets, for exec, attach and port-forward. Default: none, and these reject; `connect` of ./node has one.
   */
  readonly socketTransport?: SocketTransport;
  /** The Authorization header, `Bearer …`. A function is called before every request. */
  readonly authorization?: string | (() => string | Promise<string>);
  /** The user to impersonate. */
  readonly impersonate?: Frozen<UserInfo>;
  /** The User-Agent. Its product, up to the slash, is the field manager of writes. Default `vivarium/<version>`. */
  readonly userAgent?: string;
  /** The clock of retries. Default: the system's. */
  readonly clock?: Clock;
  readonly limits?: Partial<HttpLimits>;
  /** Receives the warnings of the server. */
  readonly onWarning?: (text: string) => void;
}

/** Creates a client of the server at a URL. The transport owns the connections. */
export function httpClient(options: HttpClientOptions): Client {
  const {
    transport = fetchTransport,
    socketTransport,
    authorization,
    impersonate,
    userAgent = userAgentOf('vivarium'),
    clock = systemClock(),
    limits,
    onWarning,
  } = options;
  return createClient(
    httpSender({
      server: addressOf(options.server),
      transport,
      socketTransport,
      authorization: typeof authorization === 'string' ? () => authorization : authorization,
      impersonate,
      userAgent,
      clock,
      limits: { ...defaultLimits, ...limits },
      onWarning,
    }),
  );
}

const defaultLimits: HttpLimits = {
  responseBytesMax: 256 * 1024 * 1024,
  eventBytesMax: 16 * 1024 * 1024,
  retriesMax: 10,
  retryAfterMsMax: 60_000,
};

function addressOf(server: string): string {
  const { protocol, origin, pathname, username, search } = new URL(server);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || search !== '')
    throw new TypeError(`no address of a server: ${server}`);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function httpSender(sending: HttpSettings): RequestSender {
  return {
    isInProcess: false,
    async send(call) {
      const message = messageOf(call);
      const response = await exchange(sending, message);
      return parseObjectBody(
        response,
        await readResponse(sending, message, () => readBodyText(response, sending.limits.responseBytesMax)),
      );
    },
    watch: (call) =>
      new Observable((subscriber) => {
        const abort = new AbortController();
        void emitEvents(sending, { ...call, signal: abort.signal }, subscriber);
        return () => abort.abort();
      }),
    bytes: (call) =>
      new Observable((subscriber) => {
        const abort = new AbortController();
        void emitBytes(sending, { ...call, signal: abort.signal }, subscriber);
        return () => abort.abort();
      }),
    stream: (call) => openHttpStream(sending, call),
    async read(path, { aggregated = false, signal }) {
      if (!path.startsWith('/')) throw badRequest(`no path: ${path}`);
      const message = {
        info: { ...nothing, path },
        target: path,
        accept: aggregated ? aggregatedTypes : anyType,
        signal,
      };
      const response = await exchange(sending, message);
      const text = await readResponse(sending, message, () => readBodyText(response, sending.limits.responseBytesMax));
      return isJsonResponse(response) ? parseJsonBody(response, text) : text;
    },
    as: (user) => httpSender({ ...sending, impersonate: user }),
  };
}

const nothing: RequestInfo = {
  verb: 'get',
  isResource: false,
  path: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
};
const anyType = `${mediaTypes.json}, */*`;
const aggregatedTypes = [
  ...['v2', 'v2beta1'].map(
    (version) => `${mediaTypes.json};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  ),
  mediaTypes.json,
].join(',');

/** Returns the HTTP form of a request. Throws ApiError 400 for a name that cannot be a path segment. */
function messageOf({ info, options, body, signal }: OutgoingRequest): HttpMessage {
  const sent = body !== undefined && 'object' in body ? body : undefined;
  return {
    info,
    target: requestTarget(info, options),
    accept: mediaTypes.json,
    body: sent && JSON.stringify(sent.object),
    contentType: sent && (sent.patchType ?? mediaTypes.json),
    signal,
  };
}

/** Emits the events of a watch until it is unsubscribed. Never rejects. */
async function emitEvents(
  sending: HttpSettings,
  call: OutgoingRequest,
  subscriber: Subscriber<RawEvent<Frozen<ApiObject>>>,
): Promise<void> {
  try {
    const message = messageOf(call);
    const response = await exchange(sending, message);
    if (!isJsonResponse(response))
      throw new ConnectionError(
        `the server responded to a watch with ${response.headers.get('content-type') ?? 'no content type'} instead of ${mediaTypes.json}`,
      );
    const lines = linesOf(chunksOf(response.body), sending.limits.eventBytesMax);
    for (;;) {
      const next = await readResponse(sending, message, () => lines.next());
      if (next.done === true || subscriber.closed) break;
      subscriber.next(readEvent(next.value));
    }
    subscriber.complete();
  } catch (error) {
    // After unsubscribing the request is aborted and the error has no receiver.
    subscriber.error(error);
  }
}

/** Emits the bytes of a response as they arrive. Never rejects. */
async function emitBytes(
  sending: HttpSettings,
  call: OutgoingRequest,
  subscriber: Subscriber<Uint8Array>,
): Promise<void> {
  try {
    const message = { ...messageOf(call), accept: anyType };
    const response = await exchange(sending, message);
    const pieces = chunksOf(response.body);
    for (;;) {
      const next = await readResponse(sending, message, () => pieces.next());
      if (next.done === true || subscriber.closed) break;
      subscriber.next(next.value);
    }
    subscriber.complete();
  } catch (error) {
    subscriber.error(error);
  }
}
