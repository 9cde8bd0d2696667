// The wire: everything between the bytes of a request and the Handler, and back. Adapters (fetch-handler.ts here,
// listen.ts in ../node) turn their platform's request into a WireInput and write the WireOutput; what is specific to
// Kubernetes is here. Never rejects: every failure is a response.
import { encodedBytes } from './object-encoder.js';
import type { EncodedBytes } from './object-encoder.js';
import type { Clock, Kinds, Query, Random, ApiResponse, Handler, RequestInfo } from '../../core/index.js';
import {
  badRequest,
  errorText,
  firstValue,
  isApiError,
  isParseError,
  methodNotAllowed,
  parseDurationMs,
  systemClock,
  systemRandom,
} from '../../core/index.js';
import { after, Deadlines } from './deadlines.js';
import { encodeFailure, encodeResponse, gzipBytesMin } from './encode-response.js';
import type { ResponseEncoding } from './encode-response.js';
import { isLongRunning, targetCache } from './request-info.js';
import { publicError, requestFailure } from './request-failure.js';
import type { RequestFailure } from './request-failure.js';
import { watchEncoder } from './watch-encoder.js';
import type { WireOutput } from './wire-output.js';
import { textOutput } from './wire-output.js';
import type { WireInput } from './wire-request.js';
import { WireRequest, negotiationCache } from './wire-request.js';

/** Options of the wire. All have defaults. */
export interface WireOptions {
  readonly clock?: Clock;
  /** Generates audit ids. */
  readonly random?: Random;
  /** The cache of encoded objects. Default: 64 MiB. */
  readonly encoded?: Pick<EncodedBytes, 'get'>;
  readonly limits?: Partial<WireLimits>;
  /** Receives errors that are no API errors: defects of the server. Clients get a generic message with 500. */
  readonly onDefect?: (error: unknown) => void;
}

/** Limits of the wire. */
export interface WireLimits {
  /** The maximum size of a body in bytes; a longer one responds with 413. Default 3 MiB. */
  readonly bodyBytesMax: number;
  /** The maximum length of path and query; a longer one responds with 431. Default 256 KiB. */
  readonly targetCharactersMax: number;
  /** The time limit of requests that are not long-running, in milliseconds. Default one minute. */
  readonly requestMs: number;
  /** The maximum number of events that wait for a slow client. Default 10,000. */
  readonly waitingEventsMax: number;
  /** How long a client that fell behind may take to read the final error, in milliseconds. Default 5 s. */
  readonly lingerMs: number;
}

/** A server behind the wire: an ApiServer, or a handler with its kinds. */
export interface WireServer {
  readonly handler: Handler;
  /** The kinds of the objects, for protobuf. */
  readonly kinds: Kinds;
  /** Receives requests that failed because of a defect or of the store. Default: they are dropped. */
  readonly reportFailure?: (failure: RequestFailure) => void;
}

/** A server behind the wire. */
export interface Wire {
  /** Serves a request. */
  readonly answer: (input: WireInput) => WireOutput | Promise<WireOutput>;
  /** Cancels the timer that is kept between requests. */
  readonly close: () => void;
}

/** Creates the wire of a server. A server on a port keeps its timer between requests, until it is closed. */
export function wire(
  { handler, kinds, reportFailure }: WireServer,
  options: WireOptions = {},
  { keepsTimer = false }: { readonly keepsTimer?: boolean } = {},
): Wire {
  const { clock = systemClock(), random = systemRandom(), onDefect = ignore } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const objects = {
    scheme: () => kinds.current,
    encoded: options.encoded ?? encodedBytes({ bytesMax: 64 * 1024 * 1024 }),
  };
  const encoding: ResponseEncoding = {
    ...objects,
    ...limits,
    clock,
    conceal: (error, request) => {
      if (!isApiError(error)) onDefect(error);
      const failure = requestFailure(error, request);
      if (failure !== undefined) reportFailure?.(failure);
      return publicError(error, request);
    },
    blockBytes: gzipBytesMin,
    watches: watchEncoder(objects),
  };
  const deadlines = new Deadlines(clock, limits.requestMs, { keepsTimer });
  const timing: Timing = { deadlines, clock, limits };
  const negotiate = negotiationCache();
  const targetOf = targetCache(limits.targetCharactersMax);

  const answer = (input: WireInput): WireOutput | Promise<WireOutput> => {
    const target = targetOf(input);
    if ('code' in target) return target;
    const { info, query } = target;
    const auditId = auditIdOf(input) ?? random.uuid();
    const request = new WireRequest(input, { info, query, auditId, negotiate, bodyBytesMax: limits.bodyBytesMax });
    let response: ApiResponse | Promise<ApiResponse>;
    try {
      response = within(timeoutOf(info, query), handler, request, timing);
    } catch (error) {
      return failed(error, request);
    }
    if (!(response instanceof Promise)) return answered(response, request);
    return response.then(
      (known) => answered(known, request),
      (error: unknown) => failed(error, request),
    );
  };
  const answered = (response: ApiResponse, request: WireRequest): WireOutput => {
    try {
      if (!isOfMethod(request.method, request.info) && !isMissing(response)) throw methodNotAllowed();
      return encodeResponse(response, request, encoding);
    } catch (error) {
      return failed(error, request);
    }
  };
  const failed = (error: unknown, request: WireRequest): WireOutput => {
    if (error === timedOut) return timeoutOutput(request.auditId);
    const shown = encoding.conceal(error, request);
    return encodeFailure(refusalFor(request.method, request.info, shown), request, encoding);
  };
  return { answer, close: () => deadlines.close() };
}

/** The audit id that the client sent; undefined without one. */
function auditIdOf(input: WireInput): string | undefined {
  const sent = input.header('audit-id');
  return sent === '' ? undefined : sent;
}

const defaultLimits: WireLimits = {
  bodyBytesMax: 3 * 1024 * 1024,
  targetCharactersMax: 256 * 1024,
  requestMs: 60_000,
  waitingEventsMax: 10_000,
  lingerMs: 5_000,
};

function ignore(): void {
  // Default of onDefect: the server reports the failure as its activity.
}

/** The requested time limit in milliseconds; Infinity for long-running requests. Throws ApiError 400. */
function timeoutOf(info: RequestInfo, query: Query): number | undefined {
  if (isLongRunning(info)) return Infinity;
  const asked = query.size === 0 ? '' : (firstValue(query, 'timeout') ?? '');
  if (asked === '') return undefined;
  try {
    return parseDurationMs(asked);
  } catch (error) {
    throw isParseError(error) ? badRequest(`invalid timeout specified in the request URL - ${error.message}`) : error;
  }
}

interface Timing {
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly limits: WireLimits;
}

/**
 * Limits a request to a time; zero and too long ones mean the limit of the server. As
 * apiserver/pkg/endpoints/filters/request_deadline.go. Not Promise.race, which costs as much as routing the request.
 */
function within(
  timeoutMs: number | undefined,
  handler: Handler,
  request: WireRequest,
  { deadlines, clock, limits }: Timing,
): ApiResponse | Promise<ApiResponse> {
  const answered = handler(request);
  if (timeoutMs === Infinity || !(answered instanceof Promise)) return answered;
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      request.abort(timedOut);
      reject(timedOut);
    };
    const own = timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < limits.requestMs;
    const cancel = own ? after(clock, timeoutMs, expire) : deadlines.add(expire);
    answered.then(
      (response) => {
        cancel();
        resolve(response);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(errorText(error), { cause: error }));
      },
    );
  });
}

const timedOut = new Error('request did not complete within the allotted timeout');

/**
 * The response of a request that timed out, as pkg/server/filters/timeout.go writes it: a Status as plain text without
 * a Content-Type.
 */
function timeoutOutput(auditId: string): WireOutput {
  const text =
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n';
  return textOutput(504, text, { headers: ['Audit-Id', auditId, 'Cache-Control', 'no-cache, private'] });
}

/**
 * Whether the method is served: the verb does not distinguish HEAD from GET, nor legacy watch paths by method.
 * Resources serve GET only, except for proxies.
 */
function isOfMethod(method: string, { isResource, verb, subresource }: RequestInfo): boolean {
  return !isResource || subresource === 'proxy' || (method !== 'HEAD' && (verb !== 'watch' || method === 'GET'));
}

/** Whether the response is the plain 404 of paths without a handler. */
function isMissing(response: ApiResponse): boolean {
  return response.type === 'raw' && response.code === 404;
}

/**
 * Returns the error for a method that the path does not support: refusals of authorization and missing paths come
 * first.
 */
function refusalFor(method: string, info: RequestInfo, error: unknown): unknown {
  if (isOfMethod(method, info) || isApiError(error, 'Unauthorized') || isApiError(error, 'Forbidden')) return error;
  const isUnrouted = isApiError(error, 'NotFound') && (error.status.details?.kind ?? '') === '';
  return isUnrouted ? error : methodNotAllowed();
}
