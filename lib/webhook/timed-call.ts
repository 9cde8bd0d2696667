// Time limits for calls. When the time is over the work is aborted by its signal and not awaited.
import { Observable, defer, finalize, firstValueFrom, map, race } from 'rxjs';
import type { ObservableInput } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { WebhookCall } from './webhook-call.js';
import { WebhookError } from './webhook-error.js';

/** The time limit. */
export interface TimedCallOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Returns the call with a time limit; rejects with a `timeout` WebhookError when it is exceeded. */
export function timedCall(call: WebhookCall, { timeoutMs, clock }: TimedCallOptions): WebhookCall {
  return (request, signal) =>
    within(
      clock,
      timeoutMs,
      signal,
      (until) => call(request, until),
      () => new WebhookError('timeout', deadlineExceeded),
    );
}

/** Go's message for an exceeded time limit; it appears in the errors of rejected requests. */
export const deadlineExceeded = 'context deadline exceeded';

/**
 * Resolves to the result of the work; rejects with the error of `late` or with the signal's reason, whichever is first.
 * All subscriptions end with it.
 */
export function within<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (until: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const ending = new AbortController();
  const timer = clock.timer(timeoutMs).pipe(
    map(() => {
      throw late();
    }),
  );
  return firstValueUntilAborted(
    signal,
    race(
      defer(() => work(ending.signal)),
      timer,
    ).pipe(finalize(() => ending.abort())),
  );
}

/** Resolves to the first value, or rejects with the signal's reason. An aborted signal starts no work. */
export function firstValueUntilAborted<T>(signal: AbortSignal | undefined, work: ObservableInput<T>): Promise<T> {
  // Always emits a value or fails: `work` does, and `aborted` only fails.
  return firstValueFrom<T, never>(race(aborted(signal), work), { defaultValue: undefined as never });
}

function aborted(signal: AbortSignal | undefined): Observable<never> {
  return new Observable((subscriber) => {
    if (signal === undefined) return;
    const abort = (): void => subscriber.error(reasonOf(signal));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    return () => signal.removeEventListener('abort', abort);
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the call was aborted', { cause: reason });
}
