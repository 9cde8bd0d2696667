// Why a webhook gave no answer. Callers decide by the reason, people read the message; neither the request nor any
// credentials are ever part of it.

/**
 * - `unreachable`: no connection, or none that can be trusted.
 * - `reset`: the connection ended before the answer did.
 * - `timeout`: no answer in time.
 * - `redirected`: sent elsewhere, which is never followed.
 * - `refused`: answered with a status other than success.
 * - `tooLong`: the answer is longer than allowed.
 * - `malformed`: the answer is not what was asked for.
 * - `failed`: a function in this process threw.
 */
export type WebhookFailure =
  'unreachable' | 'reset' | 'timeout' | 'redirected' | 'refused' | 'tooLong' | 'malformed' | 'failed';

/** What is known of a failure besides its reason. */
export interface WebhookErrorDetails {
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** How long the webhook asked us to wait. */
  readonly retryAfterMs?: number;
  /** The ApiError of a refusal, or what the transport threw. */
  readonly cause?: unknown;
}

/** A call without an answer. */
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

/** Whether it is a WebhookError, by name: two copies of this package recognise each other's. */
export function isWebhookError(error: unknown): error is WebhookError {
  return error instanceof Error && error.name === 'WebhookError' && 'reason' in error;
}
