// Calls that end in time, whatever they wait for. The rest of the work is told by its signal and is not waited for.
import { Observable, defer, finalize, firstValueFrom, map, race } from 'rxjs';
import type { ObservableInput } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { WebhookCall } from './webhook-call.js';
import { WebhookError } from './webhook-error.js';

/** How long. */
export interface TimedCallOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The same call, which rejects with a `timeout` once the time is over. */
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

/** In Go's words, for they end up in the messages of refused requests. */
export const deadlineExceeded = 'context deadline exceeded';

/**
 * The outcome of the work, or what `late` says, or the signal's reason: whichever comes first. Leaves nothing behind.
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

/**
 * The first value, or the signal's reason where that comes first; nothing is begun for a signal that is aborted
 * already.
 */
export function firstValueUntilAborted<T>(signal: AbortSignal | undefined, work: ObservableInput<T>): Promise<T> {
  // Never without a value: `work` has one or fails, and `aborted` only fails.
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
