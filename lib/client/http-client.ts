// The client of any API server, ours or a real one, over HTTP. JSON both ways. What a server asks to be tried again
// later is tried again, as Kubernetes' own clients do; everything else is the caller's to decide.
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { badRequest, mediaTypes, systemClock } from '../core/index.js';
import type { ApiObject, Clock, Frozen, RawEvent } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { RequestInfo } from './api-request.js';
import { isJsonAnswer, jsonOf, objectOf, textOf } from './answer-body.js';
import type { Call, Carrier } from './carrier.js';
import type { Client } from './client.js';
import { clientOf } from './client.js';
import { ConnectionError } from './connection-error.js';
import type { HttpLimits, HttpMessage, HttpSending } from './http-exchange.js';
import { exchange, reading } from './http-exchange.js';
import { requestTarget } from './request-target.js';
import type { Transport } from './transport.js';
import { fetchTransport, piecesOf } from './transport.js';
import { userAgentOf } from './user-agent.js';
import { linesOf, readEvent } from './watch-lines.js';

/** What a client over HTTP is made of. `connect` of ./node makes it from a kubeconfig. */
export interface HttpClientOptions {
  /** The server's address, `https://127.0.0.1:6443`; a path in it comes before all others. */
  readonly server: string;
  /** Default `fetch`, which trusts whom the platform trusts and presents no certificate. */
  readonly transport?: Transport;
  /** The Authorization header, `Bearer …`; a function is asked before every request. */
  readonly authorization?: string | (() => string | Promise<string>);
  /** Acts as somebody else from the start. */
  readonly impersonate?: Frozen<UserInfo>;
  /** The User-Agent. Its product, up to the slash, is the field manager of writes. Default `vivarium/<version>`. */
  readonly userAgent?: string;
  /** Waits until a request may be tried again. */
  readonly clock?: Clock;
  readonly limits?: Partial<HttpLimits>;
  /** Told what a server warns of. */
  readonly onWarning?: (text: string) => void;
}

/** A client of the server at an address. Connections are the transport's. */
export function httpClient(options: HttpClientOptions): Client {
  const {
    transport = fetchTransport,
    authorization,
    impersonate,
    userAgent = userAgentOf('vivarium'),
    clock = systemClock(),
    limits,
    onWarning,
  } = options;
  return clientOf(
    httpCarrier({
      server: addressOf(options.server),
      transport,
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
  answerBytesMax: 256 * 1024 * 1024,
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

function httpCarrier(sending: HttpSending): Carrier {
  return {
    async send(call) {
      const message = messageOf(call);
      const response = await exchange(sending, message);
      return objectOf(response, await reading(sending, message, () => textOf(response, sending.limits.answerBytesMax)));
    },
    watch: (call) =>
      new Observable((subscriber) => {
        const abort = new AbortController();
        void follow(sending, { ...call, signal: abort.signal }, subscriber);
        return () => abort.abort();
      }),
    bytes: (call) =>
      new Observable((subscriber) => {
        const abort = new AbortController();
        void readBytes(sending, { ...call, signal: abort.signal }, subscriber);
        return () => abort.abort();
      }),
    stream: ({ info }) =>
      Promise.reject(new Error(`pods/${info.subresource} needs a client in process: HTTP does not carry streams`)),
    async read(path, { aggregated = false, signal }) {
      if (!path.startsWith('/')) throw badRequest(`no path: ${path}`);
      const message = {
        info: { ...nothing, path },
        target: path,
        accept: aggregated ? aggregatedTypes : anyType,
        signal,
      };
      const response = await exchange(sending, message);
      const text = await reading(sending, message, () => textOf(response, sending.limits.answerBytesMax));
      return isJsonAnswer(response) ? jsonOf(response, text) : text;
    },
    as: (user) => httpCarrier({ ...sending, impersonate: user }),
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

/** Throws ApiError 400 where the call has no place in a path. */
function messageOf({ info, options, body, signal }: Call): HttpMessage {
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

/** Tells events for as long as somebody listens. Never rejects. */
async function follow(
  sending: HttpSending,
  call: Call,
  subscriber: Subscriber<RawEvent<Frozen<ApiObject>>>,
): Promise<void> {
  try {
    const message = messageOf(call);
    const response = await exchange(sending, message);
    if (!isJsonAnswer(response))
      throw new ConnectionError(
        `the server answered a watch with ${response.headers.get('content-type') ?? 'no content type'} instead of ${mediaTypes.json}`,
      );
    const lines = linesOf(piecesOf(response.body), sending.limits.eventBytesMax);
    for (;;) {
      const next = await reading(sending, message, () => lines.next());
      if (next.done === true || subscriber.closed) break;
      subscriber.next(readEvent(next.value));
    }
    subscriber.complete();
  } catch (error) {
    // Ending the subscription aborts the request; nobody is left to hear how that went.
    subscriber.error(error);
  }
}

/** Emits the bytes of an answer as they come. Never rejects. */
async function readBytes(sending: HttpSending, call: Call, subscriber: Subscriber<Uint8Array>): Promise<void> {
  try {
    const message = { ...messageOf(call), accept: anyType };
    const response = await exchange(sending, message);
    const pieces = piecesOf(response.body);
    for (;;) {
      const next = await reading(sending, message, () => pieces.next());
      if (next.done === true || subscriber.closed) break;
      subscriber.next(next.value);
    }
    subscriber.complete();
  } catch (error) {
    subscriber.error(error);
  }
}
