// The error of the API: it carries the Status that a client receives.
//
// Invariants: the status is frozen; the message is the status' message. An ApiError is known by its brand, a
// registered symbol, not by its class, so two copies of this package recognise each other's errors. Made by the
// makers of request-errors, object-errors and server-errors, or from a Status that another server sent.
// Anything else that is thrown is a defect and becomes a 500 without a reason in `toStatus`.

import { parseFailure } from './parse-status.js';
import { failureStatus } from './status.js';
import type { Status, StatusReason } from './status.js';

const apiErrorBrand = Symbol.for('vivarium.ApiError');

/** A failed request, as the Status its client receives. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;

  /** Takes a frozen status. Outside this folder use a named maker, or `apiErrorFrom`. */
  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
    Object.defineProperty(this, apiErrorBrand, { value: true });
  }
}

/**
 * Returns whether the value is an ApiError and, if a reason is given, one of that reason. A status without a known
 * reason is judged by its code, as the Is… functions of apimachinery/pkg/api/errors/errors.go judge it.
 */
export function isApiError(error: unknown, reason?: StatusReason): error is ApiError {
  if (!isBranded(error)) return false;
  if (reason === undefined || error.status.reason === reason) return true;
  const code = codeOfReason.get(reason);
  if (code === undefined || error.status.code !== code) return false;
  return !isKnownReason(error.status.reason) || judgedByCodeAlone.has(reason);
}

/**
 * The error for a failed Status that another server sent as JSON, or undefined if the value is none. What the value
 * holds beyond a Status, or in the wrong type, is dropped.
 */
export function apiErrorFrom(value: unknown, options?: ErrorOptions): ApiError | undefined {
  const failure = parseFailure(value);
  return failure && new ApiError(failureStatus(failure), options);
}

/**
 * Returns the Status of the response when a request ended in this error. Another error becomes 500 with its bare text:
 * never a stack. As apiserver/pkg/endpoints/handlers/responsewriters/status.go, ErrorToAPIStatus.
 */
export function toStatus(error: unknown): Status {
  return isApiError(error) ? error.status : failureStatus({ code: 500, message: errorText(error) });
}

/** Returns the message of a thrown value of any type, without its stack. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return 'unknown error';
}

function isBranded(error: unknown): error is ApiError {
  return typeof error === 'object' && error !== null && apiErrorBrand in error;
}

// A reason that is missing here is recognised by its name only: another reason shares its code.
const codeOfReason: ReadonlyMap<string, number> = new Map<StatusReason, number>([
  ['BadRequest', 400],
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['NotFound', 404],
  ['MethodNotAllowed', 405],
  ['NotAcceptable', 406],
  ['Conflict', 409],
  ['Gone', 410],
  ['RequestEntityTooLarge', 413],
  ['UnsupportedMediaType', 415],
  ['Invalid', 422],
  ['TooManyRequests', 429],
  ['InternalError', 500],
  ['ServiceUnavailable', 503],
  ['Timeout', 504],
]);

const judgedByCodeAlone: ReadonlySet<StatusReason> = new Set(['RequestEntityTooLarge', 'TooManyRequests']);

const toldByWordOnly: ReadonlySet<string> = new Set<StatusReason>([
  'AlreadyExists',
  'Expired',
  'ServerTimeout',
  'StorageReadError',
]);

function isKnownReason(reason: Status['reason']): boolean {
  return reason !== undefined && (toldByWordOnly.has(reason) || codeOfReason.has(reason));
}
