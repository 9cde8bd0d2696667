// Encodes a response for the wire: code, headers, bytes. An ApiError becomes its Status in a form that the client
// accepts; any other error a 500 with its message and without its stack. As
// apiserver/pkg/endpoints/handlers/responsewriters.
import type {
  ApiObject,
  Clock,
  Frozen,
  Negotiated,
  ApiResponse,
  ObjectResponse,
  RawResponse,
  ResponseExtras,
  WatchResponse,
} from '../../core/index.js';
import {
  badRequest,
  encodePrettyJson,
  isAggregatedDiscovery,
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
import type { WatchEncoder } from './watch-encoder.js';
import { watchContentType } from './watch-encoder.js';
import type { StartStream, WireBody, WireOutput } from './wire-output.js';
import type { WireRequest } from './wire-request.js';
import { streamTypes } from './wire-request.js';

/** Dependencies and limits of encoding. */
export interface ResponseEncoding extends ListEncoding {
  readonly watches: WatchEncoder;
  readonly clock: Clock;
  /** The maximum number of events that wait for a slow client. */
  readonly waitingEventsMax: number;
  /** How long a client that fell behind may take to read the final error, in milliseconds. */
  readonly lingerMs: number;
  /** Reports an error of a request to the host. Returns the error that the client receives. */
  readonly conceal: (error: unknown, request: WireRequest) => unknown;
}

/** Encodes the response to a request. */
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

/** Encodes the response to a request that was refused or failed. */
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
  // A client that accepts none of the forms gets the Status as indented JSON.
  const bytes = form === undefined ? utf8.encode(encodePrettyJson(object)) : encodeBody(object, form, encoding);
  return { code, headers, body: { type: 'bytes', bytes }, gzip: false, close: false };
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

/** Sets a header; replaces one of the same name. */
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
  const body: WireBody = isItemList(object)
    ? listBody(encodeList(object, form, encoding))
    : { type: 'bytes', bytes: encodeBody(object, form, encoding) };
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

/** A list of a single block is sent as bytes with a length. */
function listBody(blocks: Iterable<Uint8Array>): WireBody {
  const rest = blocks[Symbol.iterator]();
  const first = rest.next();
  if (first.done === true) return { type: 'bytes', bytes: new Uint8Array() };
  const second = rest.next();
  if (second.done === true) return { type: 'bytes', bytes: first.value };
  const remaining: Iterable<Uint8Array> = { [Symbol.iterator]: () => rest };
  return { type: 'blocks', blocks: startingWith([first.value, second.value], remaining) };
}

function* startingWith<T>(first: readonly T[], rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}

/** Whether the body is long enough to compress. Blocks always are. */
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
  const { watches, conceal } = encoding;
  // Negotiated after the options were checked, as handlers/get.go does.
  if (!isStreamable(form.mediaType)) throw notAcceptable(streamTypes);
  const isText = form.mediaType === mediaTypes.json;
  const start: StartStream = (sink, framing) => {
    // A separate message needs no length prefix.
    const framed = (frame: Uint8Array): Uint8Array => (framing === 'messages' && !isText ? frame.subarray(4) : frame);
    return pump(
      {
        values: events,
        encode: (event) => framed(watches.event(event, response)),
        failure(error) {
          return framed(watches.failure(toStatus(conceal(error, request)), response));
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
      body: { type: 'bytes', bytes: new Uint8Array() },
      gzip: false,
      close: false,
    };
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const body: WireBody = { type: 'bytes', bytes: typeof content === 'string' ? utf8.encode(content) : content };
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

/** A stream of bytes has no final error frame. */
function cutShort(): undefined {
  return undefined;
}

/** Whether the client's copy is current (RFC 9110, If-None-Match; our tags are strong, in quotes). */
function isUnchanged({ code, headers = {} }: RawResponse, request: WireRequest): boolean {
  const known = request.header('if-none-match');
  const tag = Object.entries(headers).find(([name]) => name.toLowerCase() === 'etag')?.[1];
  if (code !== 200 || known === undefined || tag === undefined) return false;
  return known.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}

/** Removes Content-Type, name and value, from the headers of a response without a body. */
function isForUnchanged(_: string, index: number, headers: readonly string[]): boolean {
  return headers[index - (index % 2)]?.toLowerCase() !== 'content-type';
}

/**
 * The values of Warning headers (`299 - "text"`), without duplicates and truncated where they are too long, as byte
 * strings. As apiserver/pkg/endpoints/filters/warning.go and apimachinery/pkg/util/net/http.go, NewWarningHeader.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '');
  const whole = distinct.map((text) => Array.from(text).length);
  if (sum(whole) <= totalRunesMax) return distinct.flatMap(header);
  const cut: string[] = [];
  let runes = 0;
  for (const text of distinct) {
    if (runes >= totalRunesMax) break;
    const short = Array.from(text).slice(0, itemRunesMax);
    runes += short.length;
    cut.push(short.join(''));
  }
  return cut.flatMap(header);
}

const totalRunesMax = 4096;
const itemRunesMax = 256;
const control = /\p{Cc}/u;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The header of one text; none where it contains control characters. */
function header(text: string): string[] {
  return control.test(text) ? [] : [`299 - "${byteString(text.replace(/["\\]/g, '\\$&'))}"`];
}

function byteString(text: string): string {
  return ascii.test(text)
    ? text
    : Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

const ascii = /^[\x20-\x7e]*$/;
