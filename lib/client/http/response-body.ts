// Reads and parses response bodies, within limits.
import { apiErrorFrom, deepFreeze, isJsonObject, mediaTypes, parseJson, parseMediaType } from '../../core/index.js';
import type { ApiObject, Frozen, JsonObject, RequestInfo } from '../../core/index.js';
import { plainResponseError } from './error-response.js';
import { ConnectionError } from './connection-error.js';
import type { TransportResponse } from './transport.js';
import { chunksOf } from './transport.js';

/** Reads a body as text. Throws ConnectionError if it exceeds the limit. */
export async function readBodyText({ body }: TransportResponse, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const piece of chunksOf(body)) {
    size += piece.length;
    if (size > bytesMax) throw new ConnectionError(`the response is longer than ${bytesMax} bytes`);
    parts.push(decoder.decode(piece, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.length === 2 ? (parts[0] ?? '') + (parts[1] ?? '') : parts.join('');
}

/** Returns whether the content type is JSON. */
export function isJsonResponse({ headers }: TransportResponse): boolean {
  return parseMediaType(headers.get('content-type') ?? '')?.name === mediaTypes.json;
}

/** Parses a JSON body. Throws ConnectionError. */
export function parseJsonBody(response: TransportResponse, text: string): unknown {
  if (!isJsonResponse(response))
    throw new ConnectionError(
      `the server responded with ${response.headers.get('content-type') ?? 'no content type'} instead of ${mediaTypes.json}`,
    );
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ConnectionError('the response is not JSON', { cause });
  }
}

/** Parses an API object, frozen. Throws ApiError for a Status of failure, ConnectionError for anything else. */
export function parseObjectBody(response: TransportResponse, text: string): Frozen<ApiObject> {
  const value = parseJsonBody(response, text);
  if (
    !isJsonObject(value) ||
    typeof value.kind !== 'string' ||
    typeof value.apiVersion !== 'string' ||
    !isJsonObject(value.metadata ?? {})
  ) {
    throw new ConnectionError('the response is not an API object');
  }
  const refusal = value.kind === 'Status' ? apiErrorFrom(value) : undefined;
  if (refusal !== undefined) throw refusal;
  return deepFreeze(Array.isArray(value.items) ? withItemKinds(value, value.items) : value);
}

/** Returns the error of a response with an error code. */
export function errorOfResponse(info: RequestInfo, response: TransportResponse, text: string): Error {
  const { status: code } = response;
  const status = isJsonResponse(response) ? apiErrorFrom(tryParse(text)) : undefined;
  if (status !== undefined) return status;
  const retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'));
  return plainResponseError(info, { code, text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

/** Parses a Retry-After header in seconds; undefined if it is absent or a date. */
export function parseRetryAfter(header: string | null): number | undefined {
  return header !== null && /^[0-9]{1,9}$/.test(header.trim()) ? Number(header) : undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds kind and apiVersion to the items of a list, which omit them on the wire. */
function withItemKinds(list: JsonObject, items: readonly unknown[]): JsonObject {
  const { kind, apiVersion } = list as { readonly kind: string; readonly apiVersion: string };
  if (!items.every(isJsonObject)) throw new ConnectionError('the response is a list whose items are not objects');
  if (!kind.endsWith('List')) return list;
  const own = { kind: kind.slice(0, -'List'.length), apiVersion };
  return { ...list, items: items.map((item) => (item.kind === undefined ? { ...own, ...item } : item)) };
}
