// An answer of the server to what goes over the wire: code, headers, bytes. Refusals, too: an ApiError becomes its
// Status in a form that the client accepts, anything else that was thrown a 500 with its text and never its stack. As
// apiserver/pkg/endpoints/handlers/responsewriters.
import type { ApiResponse, ObjectResponse, RawResponse, ResponseExtras, WatchResponse } from '../../client/index.js';
import type { ApiObject, Clock, Frozen, Negotiated } from '../../core/index.js';
import {
  badRequest,
  encodePrettyJson,
  isAggregatedDiscovery,
  isApiError,
  isStreamable,
  mediaTypes,
  notAcceptable,
  resourceExpired,
  toStatus,
} from '../../core/index.js';
import { encodeBody, encodeList, isItemList } from './object-encoder.js';
import type { ListEncoding } from './object-encoder.js';
import { pump } from './stream-pump.js';
import type { PumpLimits } from './stream-pump.js';
import { warningHeaders } from './warnings.js';
import type { WatchEncoder } from './watch-encoder.js';
import { watchContentType } from './watch-encoder.js';
import type { StartStream, WireBody, WireOutput } from './wire-output.js';
import { bytesBody } from './wire-output.js';
import type { WireRequest } from './wire-request.js';
import { streamTypes } from './wire-request.js';

/** What answering needs. */
export interface ResponseEncoding extends ListEncoding {
  readonly watches: WatchEncoder;
  readonly clock: Clock;
  /** Events that may wait for a client that does not read. */
  readonly waitingEventsMax: number;
  /** How long a client that fell behind has for reading so. */
  readonly lingerMs: number;
  /** Told of errors that are no answers: defects. */
  readonly onDefect: (error: unknown) => void;
}

/** The answer to a request. */
export function encodeResponse(response: ApiResponse, request: WireRequest, encoding: ResponseEncoding): WireOutput {
  switch (response.type) {
    case 'object':
      return objectOutput(response, request, encoding);
    case 'watch':
      return watchOutput(response, request, encoding);
    case 'raw':
      return rawOutput(response, request, encoding);
    case 'stream':
      // For adapters that cannot upgrade a connection.
      return { ...encodeFailure(badRequest('Upgrade request required'), request, encoding), channels: response };
  }
}

/** The answer to a request that was refused or failed. */
export function encodeFailure(error: unknown, request: WireRequest, encoding: ResponseEncoding): WireOutput {
  const status = toStatus(error);
  const { code = 500, details } = status;
  const form = request.negotiateStatus();
  const retry = details?.retryAfterSeconds ?? 0;
  const headers = [
    ...commonHeaders(request, form?.mediaType ?? mediaTypes.json),
    ...(retry > 0 ? ['Retry-After', `${retry}`] : []),
  ];
  const object = status as Frozen<ApiObject>;
  // Whoever accepts no form at all is still told why, in the one that people read.
  const bytes = form === undefined ? utf8.encode(encodePrettyJson(object)) : encodeBody(object, form, encoding);
  return { code, headers, body: bytesBody(bytes), gzip: false, close: false };
}

const utf8 = new TextEncoder();
/** As apiserver/pkg/endpoints/handlers/responsewriters/writers.go, defaultGzipThresholdBytes. */
export const gzipBytesMin: number = 128 * 1024;

function commonHeaders(
  { auditId, notes }: WireRequest,
  contentType: string,
  { warnings, headers }: ResponseExtras = {},
): string[] {
  const common = ['Audit-Id', auditId, 'Cache-Control', 'no-cache, private'];
  if (contentType !== '') common.push('Content-Type', contentType);
  if (notes.headers !== undefined) common.push(...notes.headers);
  if (headers !== undefined) for (const [name, value] of Object.entries(headers)) setHeader(common, name, value);
  if (warnings !== undefined || notes.warnings !== undefined) {
    for (const value of warningHeaders([...(warnings ?? []), ...(notes.warnings ?? [])])) common.push('Warning', value);
  }
  return common;
}

/** The handler's own headers replace those that every answer has. */
function setHeader(headers: string[], name: string, value: string): void {
  const lower = name.toLowerCase();
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === lower) {
      headers[at + 1] = value;
      return;
    }
  }
  headers.push(name, value);
}

function objectOutput(response: ObjectResponse, request: WireRequest, encoding: ResponseEncoding): WireOutput {
  const { code, object, form } = response;
  const body = isItemList(object)
    ? listBody(encodeList(object, form, encoding))
    : bytesBody(encodeBody(object, form, encoding));
  return {
    code,
    headers: commonHeaders(request, contentTypeOf(form), response),
    body,
    gzip: isWorthGzip(body) && acceptsGzip(request),
    close: false,
  };
}

/** As generateMediaTypeWithGVK: only aggregated discovery is known by its Content-Type. */
function contentTypeOf({ mediaType, transform }: Negotiated): string {
  if (transform === undefined || !isAggregatedDiscovery(transform)) return mediaType;
  return `${mediaType};g=${transform.group};v=${transform.version};as=${transform.kind}`;
}

/** A list that fits one block is as good as an object. */
function listBody(blocks: Iterable<Uint8Array>): WireBody {
  const rest = blocks[Symbol.iterator]();
  const first = rest.next();
  if (first.done === true) return bytesBody(new Uint8Array());
  const second = rest.next();
  if (second.done === true) return bytesBody(first.value);
  const remaining: Iterable<Uint8Array> = { [Symbol.iterator]: () => rest };
  return { type: 'blocks', blocks: startingWith([first.value, second.value], remaining) };
}

function* startingWith<T>(first: readonly T[], rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}

/** Blocks are at least as long as what is worth compressing. */
function isWorthGzip(body: WireBody): boolean {
  return body.type === 'bytes' ? body.bytes.length > gzipBytesMin : body.type === 'blocks';
}

function acceptsGzip(request: WireRequest): boolean {
  return (
    request
      .header('accept-encoding')
      ?.split(',')
      .some((token) => token.trim() === 'gzip') === true
  );
}

function watchOutput(response: WatchResponse, request: WireRequest, encoding: ResponseEncoding): WireOutput {
  const { form, events } = response;
  const { watches, onDefect } = encoding;
  // Only here: what is wrong with the options is told first (as handlers/get.go, where the stream is negotiated last).
  if (!isStreamable(form.mediaType)) throw notAcceptable(streamTypes);
  const isText = form.mediaType === mediaTypes.json;
  const start: StartStream = (sink, framing) => {
    // A message of its own needs no length in front.
    const framed = (frame: Uint8Array): Uint8Array => (framing === 'messages' && !isText ? frame.subarray(4) : frame);
    return pump(
      {
        values: events,
        encode: (event) => framed(watches.event(event, response)),
        failure(error) {
          if (!isApiError(error)) onDefect(error);
          return framed(watches.failure(toStatus(error), response));
        },
        overflow: tooSlow,
        joins: framing === 'row',
      },
      sink,
      pumpLimits(encoding),
    );
  };
  const headers = commonHeaders(request, watchContentType(form.mediaType), response);
  return {
    code: 200,
    headers,
    gzip: false,
    close: false,
    messages: isText ? 'text' : 'binary',
    body: { type: 'stream', start },
  };
}

function tooSlow(): unknown {
  return resourceExpired('the client did not read the watch as fast as events happened');
}

function pumpLimits({ clock, waitingEventsMax, lingerMs }: ResponseEncoding): PumpLimits {
  return { clock, waitingMax: waitingEventsMax, lingerMs };
}

function rawOutput(response: RawResponse, request: WireRequest, encoding: ResponseEncoding): WireOutput {
  const { code, contentType, content } = response;
  const headers = commonHeaders(request, contentType, response);
  if (isUnchanged(response, request))
    return {
      code: 304,
      headers: headers.filter(isForUnchanged),
      body: bytesBody(new Uint8Array()),
      gzip: false,
      close: false,
    };
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const body = bytesBody(typeof content === 'string' ? utf8.encode(content) : content);
    return { code, headers, body, gzip: isWorthGzip(body) && acceptsGzip(request), close: false };
  }
  const start: StartStream = (sink, framing) =>
    pump(
      { values: content, encode: (bytes) => bytes, failure: cutShort, overflow: tooSlow, joins: framing === 'row' },
      sink,
      pumpLimits(encoding),
    );
  return { code, headers, gzip: false, close: false, messages: 'log', body: { type: 'stream', start } };
}

/** Bytes have no way of saying that more should have come. */
function cutShort(): undefined {
  return undefined;
}

/** Whether the client has it already (RFC 9110, If-None-Match; ours are strong tags in quotes). */
function isUnchanged({ code, headers = {} }: RawResponse, request: WireRequest): boolean {
  const known = request.header('if-none-match');
  const tag = Object.entries(headers).find(([name]) => name.toLowerCase() === 'etag')?.[1];
  if (code !== 200 || known === undefined || tag === undefined) return false;
  return known.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}

/** Content-Type says something about a body that is not there; its value goes with it. */
function isForUnchanged(_: string, index: number, headers: readonly string[]): boolean {
  return headers[index - (index % 2)]?.toLowerCase() !== 'content-type';
}
