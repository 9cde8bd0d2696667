// The refusal of a server that did not say it with a Status: a router's bare page, a proxy in between. What a client
// makes of it is Kubernetes' own (client-go/rest/request.go, newUnstructuredResponseError).
import { serverResponse } from '../core/index.js';
import type { ApiError } from '../core/index.js';
import type { RequestInfo } from './api-request.js';

/** An answer without a Status. */
export interface BareAnswer {
  readonly code: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** The error for it. */
export function bareRefusal(info: RequestInfo, { code, text, retryAfterSeconds = 0 }: BareAnswer): ApiError {
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

/** As much of a page as client-go keeps. */
const textMax = 2048;

/** The HTTP method of a verb. */
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
