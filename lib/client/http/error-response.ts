// Error responses without a Status: plain text of a router or of a proxy. Converted to an ApiError as
// client-go/rest/request.go, newUnstructuredResponseError.
import { serverResponse } from '../../core/index.js';
import type { ApiError, RequestInfo } from '../../core/index.js';

/** A response without a Status. */
export interface PlainResponse {
  readonly code: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** Returns the ApiError for a response without a Status. */
export function plainResponseError(info: RequestInfo, { code, text, retryAfterSeconds = 0 }: PlainResponse): ApiError {
  const { verb, isResource, group, resource, name } = info;
  const message = text.slice(0, textMax).trim();
  return serverResponse({
    code,
    message: message === '' ? 'unknown' : message,
    method: methodOf(verb),
    retryAfterSeconds,
    unexpected: true,
    ...(isResource && { ref: { group, resource, name } }),
  });
}

/** The number of characters that client-go keeps. */
const textMax = 2048;

/** Returns the HTTP method of a verb. */
export function methodOf(verb: string): string {
  return methods.get(verb) ?? 'GET';
}

const methods: ReadonlyMap<string, string> = new Map([
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
]);
