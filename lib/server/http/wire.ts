// The wire: everything between the bytes of a request and the Handler, and back. Adapters (fetch-handler.ts here,
// listen.ts in ../node) turn what their platform has into a WireInput and write the WireOutput; what Kubernetes says
// about either stands here, once. Never rejects: whatever happens there is an answer.
import { encodedBytes } from '../../cacher/index.js';
import type { EncodedBytes } from '../../cacher/index.js';
import type { ApiResponse, Handler, RequestInfo } from '../../client/index.js';
import type { Clock, Kinds, Random } from '../../core/index.js';
import {
  badRequest,
  errorText,
  isApiError,
  isParseError,
  methodNotAllowed,
  parseDurationMs,
  systemClock,
  systemRandom,
} from '../../core/index.js';
import { after } from './after.js';
import { Deadlines } from './deadlines.js';
import { encodeFailure, encodeResponse, gzipBytesMin } from './encode-response.js';
import type { ResponseEncoding } from './encode-response.js';
import type { Query } from './query.js';
import { firstValue } from './query.js';
import { isLongRunning } from './request-info.js';
import { rememberTargets } from './request-info.js';
import { watchEncoder } from './watch-encoder.js';
import type { WireOutput } from './wire-output.js';
import { textOutput } from './wire-output.js';
import type { WireInput } from './wire-request.js';
import { WireRequest, rememberNegotiations } from './wire-request.js';

/** What the wire is made of. Everything has a default. */
export interface WireOptions {
  readonly clock?: Clock;
  /** Draws audit ids. */
  readonly random?: Random;
  /** Where encoded objects are kept. Default a cache of 64 MiB. */
  readonly encoded?: Pick<EncodedBytes, 'get'>;
  readonly limits?: Partial<WireLimits>;
  /** Told of errors that are no answers: defects of the server. Their text is answered with 500. */
  readonly onDefect?: (error: unknown) => void;
}

/** Every buffer and every wait has an end. */
export interface WireLimits {
  /** The longest body, beyond which 413 is answered. Default 3 MiB. */
  readonly bodyBytesMax: number;
  /** The longest path with its query, beyond which 431 is answered. Default 256 KiB. */
  readonly targetCharactersMax: number;
  /** How long a request may take that is none of the long ones. Default one minute. */
  readonly requestMs: number;
  /** Events that may wait for a client that does not read. Default 10,000. */
  readonly waitingEventsMax: number;
  /** How long a client that fell behind has for reading so. Default 5 s. */
  readonly lingerMs: number;
}

/** What the wire serves: an ApiServer, or a handler with the kinds of its objects. */
export interface WireServer {
  readonly handler: Handler;
  /** Encode and decode protobuf. */
  readonly kinds: Kinds;
}

/** A server behind the wire. */
export interface Wire {
  /** Answers a request. */
  readonly answer: (input: WireInput) => WireOutput | Promise<WireOutput>;
  /** Gives back what is kept between requests. */
  readonly close: () => void;
}

/** Puts a server behind the wire. One that lives on a port keeps its timer between requests, until it is closed. */
export function wire(
  { handler, kinds }: WireServer,
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
    onDefect,
    blockBytes: gzipBytesMin,
    watches: watchEncoder(objects),
  };
  const deadlines = new Deadlines(clock, limits.requestMs, { keepsTimer });
  const timing: Timing = { deadlines, clock, limits };
  const negotiate = rememberNegotiations();
  const targetOf = rememberTargets(limits.targetCharactersMax);
  const nextId = auditIds(random);

  const answer = (input: WireInput): WireOutput | Promise<WireOutput> => {
    const target = targetOf(input);
    if ('code' in target) return target;
    const { info, query } = target;
    const auditId = auditIdOf(input) ?? nextId();
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
    if (!isApiError(error)) onDefect(error);
    return encodeFailure(refusalFor(request.method, request.info, error), request, encoding);
  };
  return { answer, close: () => deadlines.close() };
}

/**
 * Version 4 UUIDs that count: nobody has to guess them, and drawing each anew would cost more than all the rest of a
 * small answer.
 */
function auditIds(random: Random): () => string {
  const prefix = random.uuid().slice(0, 24);
  let count = random.integer(2 ** 40);
  return () => prefix + (count++).toString(16).padStart(12, '0');
}

/** The client's own, where it sent one. */
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
  // Nobody wants to know.
}

/**
 * What the client asked for, in milliseconds, Infinity where the request may take as long as it likes. Throws ApiError
 * 400.
 */
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
 * As apiserver/pkg/endpoints/filters/request_deadline.go: zero and too much both mean the limit of the server. By hand
 * instead of Promise.race, which costs as much as routing the request.
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

/** As pkg/server/filters/timeout.go writes it: a Status that does not say so, and nobody set its Content-Type. */
function timeoutOutput(auditId: string): WireOutput {
  const text =
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n';
  return textOutput(504, text, { headers: ['Audit-Id', auditId, 'Cache-Control', 'no-cache, private'] });
}

/**
 * Verbs do not tell HEAD from GET, nor with which method a path names the verb itself. Resources answer to GET alone,
 * but for proxies.
 */
function isOfMethod(method: string, { isResource, verb, subresource }: RequestInfo): boolean {
  return !isResource || subresource === 'proxy' || (method !== 'HEAD' && (verb !== 'watch' || method === 'GET'));
}

/** The page for paths that nobody serves, whatever the method. */
function isMissing(response: ApiResponse): boolean {
  return response.type === 'raw' && response.code === 404;
}

/** Who may not ask is told so first, and that there is no such path; everybody else that the method does not fit. */
function refusalFor(method: string, info: RequestInfo, error: unknown): unknown {
  if (isOfMethod(method, info) || isApiError(error, 'Unauthorized') || isApiError(error, 'Forbidden')) return error;
  const isUnrouted = isApiError(error, 'NotFound') && (error.status.details?.kind ?? '') === '';
  return isUnrouted ? error : methodNotAllowed();
}
