// The body of an answer, whole and bounded, and what it means.
import { apiErrorFrom, deepFreeze, isJsonObject, mediaTypes, parseJson, parseMediaType } from '../core/index.js';
import type { ApiObject, Frozen, JsonObject } from '../core/index.js';
import type { RequestInfo } from './api-request.js';
import { bareRefusal } from './bare-refusal.js';
import { ConnectionError } from './connection-error.js';
import type { TransportResponse } from './transport.js';
import { piecesOf } from './transport.js';

/** The whole text. Throws ConnectionError where it is longer. */
export async function textOf({ body }: TransportResponse, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const piece of piecesOf(body)) {
    size += piece.length;
    if (size > bytesMax) throw new ConnectionError(`the server's answer is longer than ${bytesMax} bytes`);
    parts.push(decoder.decode(piece, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.length === 2 ? (parts[0] ?? '') + (parts[1] ?? '') : parts.join('');
}

/** Whether the answer says that it is JSON. */
export function isJsonAnswer({ headers }: TransportResponse): boolean {
  return parseMediaType(headers.get('content-type') ?? '')?.name === mediaTypes.json;
}

/** Parses what says it is JSON. Throws ConnectionError. */
export function jsonOf(response: TransportResponse, text: string): unknown {
  if (!isJsonAnswer(response))
    throw new ConnectionError(
      `the server answered with ${response.headers.get('content-type') ?? 'no content type'} instead of ${mediaTypes.json}`,
    );
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ConnectionError("the server's answer is no JSON", { cause });
  }
}

/** The object of an answer, frozen. Throws ApiError for a refusal, ConnectionError for what is no object of the API. */
export function objectOf(response: TransportResponse, text: string): Frozen<ApiObject> {
  const value = jsonOf(response, text);
  if (
    !isJsonObject(value) ||
    typeof value.kind !== 'string' ||
    typeof value.apiVersion !== 'string' ||
    !isJsonObject(value.metadata ?? {})
  ) {
    throw new ConnectionError("the server's answer is no object of the API");
  }
  const refusal = value.kind === 'Status' ? apiErrorFrom(value) : undefined;
  if (refusal !== undefined) throw refusal;
  return deepFreeze(Array.isArray(value.items) ? withKinds(value, value.items) : value);
}

/** The error of a refusal. */
export function refusalOf(info: RequestInfo, response: TransportResponse, text: string): Error {
  const { status: code } = response;
  const status = isJsonAnswer(response) ? apiErrorFrom(tryParse(text)) : undefined;
  if (status !== undefined) return status;
  const retryAfterSeconds = secondsOf(response.headers.get('retry-after'));
  return bareRefusal(info, { code, text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

/** What a Retry-After header asks for; undefined where it asks for nothing, or in the form of a date. */
export function secondsOf(header: string | null): number | undefined {
  return header !== null && /^[0-9]{1,9}$/.test(header.trim()) ? Number(header) : undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Items of a list do not repeat what the list says. Everybody else sees objects that know what they are. */
function withKinds(list: JsonObject, items: readonly unknown[]): JsonObject {
  const { kind, apiVersion } = list as { readonly kind: string; readonly apiVersion: string };
  if (!items.every(isJsonObject))
    throw new ConnectionError("the server's answer is a list of something else than objects");
  if (!kind.endsWith('List')) return list;
  const own = { kind: kind.slice(0, -'List'.length), apiVersion };
  return { ...list, items: items.map((item) => (item.kind === undefined ? { ...own, ...item } : item)) };
}
