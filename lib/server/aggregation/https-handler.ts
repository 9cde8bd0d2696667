// Passes requests on to an API server over HTTPS, with the headers of a front proxy. Everything about the response is
// bounded: the time of the exchange and its length, except for watches and other long-running requests, whose body is
// passed on as it arrives. Redirects are refused, not followed. As kube-aggregator/pkg/apiserver/handler_proxy.go.
import { finalize, from, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText, mediaTypes } from '../../core/index.js';
import type { ApiRequest, ApiResponse, Clock, Frozen, Handler, RawResponse, WatchResponse } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import {
  errorOfResponse,
  isConnectionError,
  linesOf,
  methodOf,
  parseObjectBody,
  readEvent,
  requestTarget,
} from '../../client/index.js';
import type { TransportResponse } from '../../client/index.js';
import { WebhookError, deadlineExceeded, isWebhookError, within } from '../../webhook/index.js';
import type { HeaderPairs, ProxyRequest, ProxyResponse, ProxyTransport, ServiceEndpoint } from '../../webhook/index.js';
import { textResponse } from '../documents/text-response.js';
import { joinBytes } from '../../core/index.js';
import { isLongRunning } from '../http/request-info.js';

/** A server over HTTPS. */
export interface HttpsHandlerOptions {
  /** The name and port of the service: the Host header, and the name that its certificate must have. */
  readonly host: string;
  /** Returns the address to connect to. */
  readonly resolve: () => Promise<ServiceEndpoint>;
  readonly transport: ProxyTransport;
  readonly clock: Clock;
  /** Authorities that may have signed the certificate, in PEM; empty for those of the platform. */
  readonly authorities: string;
  readonly insecure: boolean;
}

/** The time limit of an exchange, and for the begin of a long-running response. */
const exchangeMs = 60_000;
/** The maximum length of a response that does not run long. */
const responseBytesMax = 64 * 1024 * 1024;
/** The maximum length of an event of a watch that a client in process reads. */
const eventBytesMax = 16 * 1024 * 1024;

/** Returns the handler. It rejects with WebhookError where there is no response. */
export function httpsHandler(options: HttpsHandlerOptions): Handler {
  const late = (): WebhookError => new WebhookError('timeout', deadlineExceeded);
  return async (request) => {
    const { clock } = options;
    const { signal } = request;
    if (!isLongRunning(request.info))
      return within(clock, exchangeMs, signal, (until) => exchangeWhole(options, request, until), late);
    const stop = new AbortController();
    const begin = async (): Promise<ApiResponse> => {
      const response = await send(options, request, stop.signal);
      if (!isRefusal(response)) return streamedResponse(request, response, () => stop.abort());
      const refusal = await wholeResponse(request, response);
      stop.abort();
      return refusal;
    };
    try {
      return await within(clock, exchangeMs, signal, begin, late);
    } catch (error) {
      stop.abort();
      throw error;
    }
  };
}

async function exchangeWhole(
  options: HttpsHandlerOptions,
  request: ApiRequest,
  until: AbortSignal,
): Promise<ApiResponse> {
  return wholeResponse(request, await send(options, request, until));
}

async function send(options: HttpsHandlerOptions, request: ApiRequest, signal: AbortSignal): Promise<ProxyResponse> {
  const { host, resolve, transport, authorities, insecure } = options;
  const endpoint = await resolve();
  const { bytes, contentType } = await bodyOf(request);
  const message: ProxyRequest = {
    method: request.info.isResource ? methodOf(request.info.verb) : request.info.verb.toUpperCase(),
    host,
    path: pathOf(request),
    headers: headersOf(request, contentType),
    ...(bytes !== undefined && { body: bytes }),
    endpoint,
    ...(authorities !== '' && { authorities }),
    insecure,
    signal,
  };
  try {
    return await transport(message);
  } catch (cause) {
    throw isWebhookError(cause) ? cause : new WebhookError('unreachable', errorText(cause), { cause });
  }
}

/** The path as the client sent it, or that of a request in process. */
function pathOf(request: ApiRequest): string {
  const { uri, info } = request;
  if (uri === undefined) return requestTarget(info, request.options());
  return uri.startsWith('/') ? uri : uri.replace(/^[a-z]+:\/\/[^/?]*/i, '');
}

async function bodyOf(request: ApiRequest): Promise<{ readonly bytes?: Uint8Array; readonly contentType?: string }> {
  const body = await request.body();
  if (body === undefined) return {};
  if ('bytes' in body) return { bytes: body.bytes };
  const bytes = new TextEncoder().encode(JSON.stringify(body.object));
  return { bytes, contentType: body.patchType ?? mediaTypes.json };
}

function headersOf(request: ApiRequest, contentType: string | undefined): HeaderPairs {
  const { uri, user = {}, auditId, remoteAddress } = request;
  const own: HeaderPairs =
    uri === undefined
      ? [
          ['Accept', mediaTypes.json],
          ['User-Agent', request.header('User-Agent') ?? 'vivarium'],
          ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
        ]
      : (request.headersWith?.('') ?? []).filter(([name]) => !connectionHeaders.has(name));
  return [
    ...own,
    ...(remoteAddress === undefined ? [] : [['X-Forwarded-For', remoteAddress] as const]),
    ...(auditId === undefined ? [] : [['Audit-Id', auditId] as const]),
    ...frontProxyHeaders(user),
  ];
}

/**
 * Returns the headers in which a front proxy names the user, by their conventional names. Backends accept them with the
 * proxy's client certificate only. As client-go/transport/round_trippers.go, SetAuthProxyHeaders.
 */
function frontProxyHeaders({ username = '', uid = '', groups = [], extra = {} }: Frozen<UserInfo>): HeaderPairs {
  return [
    ['X-Remote-User', username],
    ...(uid === '' ? [] : [['X-Remote-Uid', uid] as const]),
    ...groups.map((group) => ['X-Remote-Group', group] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`X-Remote-Extra-${escapeHeaderName(key)}`, value] as const),
    ),
  ];
}

/** Percent-encodes the bytes that the name of a header cannot have, and the percent sign. */
function escapeHeaderName(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && nameCharacter.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** The characters of a token (RFC 9110) except for the percent sign. */
const nameCharacter = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

/** Headers of a request that belong to its connection, or that are set here. Responses are requested uncompressed. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
  'audit-id',
  'x-forwarded-for',
]);

function isRefusal({ status }: ProxyResponse): boolean {
  return status < 200 || status >= 300;
}

function isRedirect(response: ProxyResponse): boolean {
  return response.status >= 300 && response.status < 400 && headerOf(response, 'location') !== '';
}

async function wholeResponse(request: ApiRequest, response: ProxyResponse): Promise<ApiResponse> {
  if (isRedirect(response))
    return textResponse(502, 'the backend attempted to redirect this request, which is not permitted');
  const bytes = await readBody(response);
  if (request.uri !== undefined || !request.info.isResource) return rawResponse(response, bytes);
  const text = new TextDecoder().decode(bytes);
  if (isRefusal(response)) throw errorOfResponse(request.info, webResponse(response), text);
  try {
    const object = parseObjectBody(webResponse(response), text);
    return { type: 'object', code: response.status, object, form: { mediaType: mediaTypes.json, pretty: false } };
  } catch (cause) {
    throw isConnectionError(cause) ? new WebhookError('malformed', cause.message, { cause }) : cause;
  }
}

async function readBody({ body }: ProxyResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > responseBytesMax)
        throw new WebhookError('tooLong', `the response is longer than ${responseBytesMax} bytes`);
      pieces.push(piece);
    }
  } catch (cause) {
    throw isWebhookError(cause) ? cause : new WebhookError('reset', errorText(cause), { cause });
  }
  return joinBytes(pieces);
}

/** A response whose body is passed on as it arrives. Unsubscribing closes the connection. */
function streamedResponse(request: ApiRequest, response: ProxyResponse, stop: () => void): ApiResponse {
  if (request.uri === undefined && request.info.verb === 'watch') return watchResponse(response, stop);
  return rawResponse(response, from(response.body).pipe(finalize(stop)));
}

function watchResponse({ body }: ProxyResponse, stop: () => void): WatchResponse {
  return {
    type: 'watch',
    events: from(linesOf(body, eventBytesMax)).pipe(map(readEvent), finalize(stop)),
    bookmark: ({ resourceVersion }) => ({ metadata: { resourceVersion } }),
    form: { mediaType: mediaTypes.json, pretty: false },
  };
}

function rawResponse(response: ProxyResponse, content: Uint8Array | Observable<Uint8Array>): RawResponse {
  return {
    type: 'raw',
    code: response.status,
    contentType: headerOf(response, 'content-type'),
    content,
    headers: passedHeaders(response),
  };
}

/** Headers of the response that belong to its connection, or that the wire sets. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'content-length',
  'content-type',
  'date',
  'audit-id',
]);

/** Several headers of one name are joined, as the wire sends one of each. */
function passedHeaders({ headers }: ProxyResponse): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (ownHeaders.has(name.toLowerCase())) continue;
    passed[name] = Object.hasOwn(passed, name) ? `${passed[name] ?? ''}, ${value}` : value;
  }
  return passed;
}

function headerOf({ headers }: ProxyResponse, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

function webResponse(response: ProxyResponse): TransportResponse {
  return { status: response.status, headers: { get: (name) => headerOf(response, name) || null }, body: null };
}
