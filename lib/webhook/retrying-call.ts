// Calls that are tried again after failures that pass: for reviews of tokens and of access. Admission and conversion
// call once, since somebody waits for each of them and the client tries again itself.
// As apiserver/pkg/util/webhook/webhook.go, DefaultShouldRetry.
import { backoffLadders, backoffStep, isApiError, isExhausted } from '../core/index.js';
import type { BackoffLadder, BackoffState, Clock, Random } from '../core/index.js';
import { firstValueUntilAborted } from './timed-call.js';
import type { WebhookCall } from './webhook-call.js';
import { isWebhookError } from './webhook-error.js';

/** How often, and how long to wait in between. */
export interface RetryingCallOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Default five tries, half a second after the first, half as long again after each. */
  readonly ladder?: BackoffLadder;
  /** A webhook that asks for a longer wait than this is not called again. Default 30 s. */
  readonly retryAfterMsMax?: number;
}

/** The same call, tried again. Rejects with the last failure. */
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

/** Whether to call again may help: the connection was lost, the webhook failed or is overloaded, or it said when to. */
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
