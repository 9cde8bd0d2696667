// The catalogue of API errors, third part: failures of the server, and responses of a server without a Status.
//
// Every exported function is a maker with a row in docs/errors.md. Messages are Kubernetes' own, to the letter.
// As apimachinery/pkg/api/errors/errors.go and apiserver/pkg/storage/errors.go.

import { printGroupResource } from '../objects/gvk.js';
import { ApiError, errorText } from './api-error.js';
import { quote } from '../go/format.js';
import { resourceDetails } from './resource-ref.js';
import type { ResourceRef } from './resource-ref.js';
import { failureStatus } from './status.js';
import type { StatusCause, StatusReason } from './status.js';

/** An HTTP response that is no Status, as seen by a router or by a client. */
export interface ServerResponse {
  readonly code: number;
  /** The text of the response. */
  readonly message?: string;
  /** The HTTP method of the request. */
  readonly method?: string;
  /** What the request was about; printed after the message. */
  readonly ref?: ResourceRef;
  readonly retryAfterSeconds?: number;
  /** The response did not come from an API server: its text is kept as a cause. */
  readonly unexpected?: boolean;
}

/** 429: the client must retry later, after `retryAfterSeconds`. */
export function tooManyRequests(message: string, retryAfterSeconds = 0, causes: readonly StatusCause[] = []): ApiError {
  const details = { causes, retryAfterSeconds };
  return new ApiError(failureStatus({ code: 429, reason: 'TooManyRequests', message, details }));
}

/** 429: a rate limit of the server is reached. Says no time after which to retry. */
export function rateLimited(detail: string): ApiError {
  return new ApiError(failureStatus({ code: 429, reason: 'TooManyRequests', message: `Too many requests: ${detail}` }));
}

/** 500: the server failed. The error stays available as `cause`; the client reads only its text. */
export function internalError(error: unknown): ApiError {
  const text = errorText(error);
  return new ApiError(
    failureStatus({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${text}`,
      details: { causes: [{ message: text }] },
    }),
    { cause: error },
  );
}

/** 500: a failure that Kubernetes reports as bare text, without a reason. */
export function unclassifiedError(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(failureStatus({ code: 500, message }), options);
}

/** 500: the storage did not respond in time; the operation may be tried again after two seconds. */
export function serverTimeout(ref: ResourceRef, operation: string): ApiError {
  return new ApiError(
    failureStatus({
      code: 500,
      reason: 'ServerTimeout',
      message:
        `The ${operation} operation against ${printGroupResource(ref)} could not be completed at this time, ` +
        'please try again.',
      details: { ...resourceDetails({ ...ref, name: operation }), retryAfterSeconds: 2 },
    }),
  );
}

/** 503: a part that is needed is not ready, or is shutting down. */
export function serviceUnavailable(message: string): ApiError {
  return new ApiError(failureStatus({ code: 503, reason: 'ServiceUnavailable', message }));
}

/** 504: the request took too long; what it requested may still happen. */
export function timeout(
  detail = 'request did not complete within the allotted timeout',
  { retryAfterSeconds = 0, cause }: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
): ApiError {
  const failure = {
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${detail}`,
    details: { retryAfterSeconds },
  } as const;
  return new ApiError(failureStatus(failure), cause === undefined ? {} : { cause });
}

/** 504: the requested resource version is in the future and was not reached while the request waited. */
export function tooLargeResourceVersion(requested: string, current: string): ApiError {
  return new ApiError(
    failureStatus({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    }),
  );
}

/** 404: the path leads to no resource. */
export function unknownResource(): ApiError {
  return serverResponse({ code: 404 });
}

/** 405: the path exists but not for this HTTP method. */
export function methodNotAllowed(): ApiError {
  return serverResponse({ code: 405 });
}

/** 406: the path exists but writes none of the media types the client accepts. */
export function routeNotAcceptable(available: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return serverResponse({ code: 406, message });
}

/** 415: the path exists but does not read the media type the client sent. */
export function routeUnsupportedMediaType(): ApiError {
  return serverResponse({ code: 415, message: '415: Unsupported Media Type' });
}

/** 422: a JSON patch does not apply to the object. The message does not name the operation that failed. */
export function patchRejected(): ApiError {
  return serverResponse({ code: 422 });
}

/**
 * The error for an HTTP response without a Status, on the client, and for the router's own responses, on the server.
 */
export function serverResponse(response: ServerResponse): ApiError {
  const { code, message = '', method = '', ref, retryAfterSeconds = 0, unexpected = false } = response;
  const [reason, text] = meaning(code, method, message);
  const about = ref && [method.toLowerCase(), printGroupResource(ref), ...(ref.name ? [ref.name] : [])].join(' ');
  return new ApiError(
    failureStatus({
      code,
      ...(reason && { reason }),
      message: about === undefined ? text : `${text} (${about})`,
      details: {
        ...(ref && resourceDetails(ref)),
        causes: unexpected ? [{ reason: 'UnexpectedServerResponse', message }] : [],
        retryAfterSeconds,
      },
    }),
  );
}

function meaning(code: number, method: string, said: string): [reason: StatusReason | undefined, text: string] {
  switch (code) {
    case 400:
      return ['BadRequest', 'the server rejected our request for an unknown reason'];
    case 401:
      return ['Unauthorized', 'the server has asked for the client to provide credentials'];
    case 403:
      return ['Forbidden', said];
    case 404:
      return ['NotFound', 'the server could not find the requested resource'];
    case 405:
      return ['MethodNotAllowed', 'the server does not allow this method on the requested resource'];
    case 406:
      return ['NotAcceptable', said === '' || said === 'unknown' ? notAcceptableText : said];
    case 409:
      return [method === 'POST' ? 'AlreadyExists' : 'Conflict', 'the server reported a conflict'];
    case 415:
      return ['UnsupportedMediaType', said];
    case 422:
      return ['Invalid', 'the server rejected our request due to an error in our request'];
    case 429:
      return ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'];
    case 503:
      return ['ServiceUnavailable', 'the server is currently unable to handle the request'];
    case 504:
      return ['Timeout', timeoutText];
    default:
      return code >= 500
        ? ['InternalError', `an error on the server (${quote(said)}) has prevented the request from succeeding`]
        : [undefined, `the server responded with the status code ${code} but did not return more information`];
  }
}

const notAcceptableText = 'the server was unable to respond with a content type that the client supports';
const timeoutText =
  'the server was unable to return a response in the time allotted, but may still be processing the request';
