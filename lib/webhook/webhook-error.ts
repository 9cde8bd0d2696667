// Errors of webhook calls. Callers decide by `reason`; the message is for users. Neither contains the request or
// credentials.

/**
 * The reason of a failed call:
 *
 * - `unreachable`: no connection, or its certificate is not trusted.
 * - `reset`: the connection ended before the response did.
 * - `timeout`: no response within the time limit.
 * - `redirected`: a redirect, which is never followed.
 * - `refused`: a response with an error status.
 * - `tooLong`: the response exceeds the length limit.
 * - `malformed`: the response is not of the expected form.
 * - `failed`: a function in this process threw.
 */
export type WebhookFailure =
  'unreachable' | 'reset' | 'timeout' | 'redirected' | 'refused' | 'tooLong' | 'malformed' | 'failed';

/** Details of a failed call besides its reason. */
export interface WebhookErrorDetails {
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The value of Retry-After, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The ApiError of an error response, or the error of the transport. */
  readonly cause?: unknown;
}

/** A webhook call that failed. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookFailure;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(reason: WebhookFailure, message: string, { status, retryAfterMs, cause }: WebhookErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns true for a WebhookError, recognised by name so that two copies of this package agree. */
export function isWebhookError(error: unknown): error is WebhookError {
  return error instanceof Error && error.name === 'WebhookError' && 'reason' in error;
}
