// Retries calls after transient failures, for token and access reviews. Admission and conversion do not retry: a client
// waits for each of them and retries itself. As apiserver/pkg/util/webhook/webhook.go, DefaultShouldRetry.
import { backoffLadders, backoffStep, isApiError, isExhausted } from '../core/index.js';
import type { BackoffLadder, BackoffState, Clock, Random } from '../core/index.js';
import { firstValueUntilAborted } from './timed-call.js';
import type { WebhookCall } from './webhook-call.js';
import { isWebhookError } from './webhook-error.js';

/** The number of attempts and the time between them. */
export interface RetryingCallOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Back-off between attempts. Default: five attempts, 500 ms after the first, then 1.5 times as long each. */
  readonly ladder?: BackoffLadder;
  /** A Retry-After longer than this ends the attempts. Default 30 s. */
  readonly retryAfterMsMax?: number;
}

/** Returns the call with retries. Rejects with the last failure. */
export function retryingCall(
  call: WebhookCall,
  { clock, random, ladder = backoffLadders.webhook, retryAfterMsMax = 30_000 }: RetryingCallOptions,
): WebhookCall {
  return async (request, signal) => {
    let state: BackoffState | undefined;
    for (;;) {
      try {
        return await call(request, signal);
      } catch (error) {
        const step = backoffStep(ladder, state, { nowMs: clock.now(), random });
        const askedMs = isWebhookError(error) ? (error.retryAfterMs ?? 0) : 0;
        if (!isPassing(error) || isExhausted(ladder, step.state) || askedMs > retryAfterMsMax) throw error;
        state = step.state;
        await firstValueUntilAborted(signal, clock.timer(Math.max(step.delayMs, askedMs)));
      }
    }
  };
}

/** Returns true for transient failures: a lost connection, a server error, overload, or a Retry-After header. */
export function isPassing(error: unknown): boolean {
  if (!isWebhookError(error)) return false;
  const { reason, retryAfterMs, cause } = error;
  return (
    reason === 'reset' ||
    retryAfterMs !== undefined ||
    isApiError(cause, 'InternalError') ||
    isApiError(cause, 'Timeout') ||
    isApiError(cause, 'TooManyRequests')
  );
}
