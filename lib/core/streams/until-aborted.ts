// Signals that many calls share. A signal itself is made for a few listeners (Node warns of more than ten, and walks
// along all of them for each that comes), so each signal gets one listener, which keeps the list of those that wait.
import { Observable, firstValueFrom, takeUntil } from 'rxjs';
import type { Clock } from '../time/clock.js';

/** Calls `action` when the signal is aborted. Returns how to let it be. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listenTo(signal);
  waiting.add(action);
  return () => {
    waiting.delete(action);
  };
}

/** Emits and completes when the signal is aborted; at once, if it is. */
export function aborted(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const tell = (): void => {
      subscriber.next();
      subscriber.complete();
    };
    if (!signal.aborted) return onAbort(signal, tell);
    tell();
    return undefined;
  });
}

/** Resolves after `ms`. Rejects with the signal's reason if the signal is aborted before. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const timer$ = clock.timer(ms);
  await firstValueFrom(signal === undefined ? timer$ : timer$.pipe(takeUntil(aborted(signal))), { defaultValue: 0 });
  if (signal?.aborted === true) throw reasonOf(signal);
}

/** The promise's outcome, or the signal's reason where that comes first. Leaves nothing behind. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(reasonOf(signal));
    if (signal.aborted) abort();
    const leave = onAbort(signal, abort);
    // Always attached, or a failure after the abort would be an unhandled rejection.
    void promise.then(resolve, reject).then(leave);
  });
}

/** Why a signal was aborted; an Error in any case. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the call was aborted', { cause: reason });
}

/** What is done when a signal is aborted: one set for each signal that is alive. */
const waitingFor = new WeakMap<AbortSignal, Set<() => void>>();

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  waitingFor.set(signal, waiting);
  signal.addEventListener(
    'abort',
    () => {
      for (const action of [...waiting]) action();
    },
    { once: true },
  );
  return waiting;
}
