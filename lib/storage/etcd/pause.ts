/**
 * Waiting, with an end to it: everything the etcd store waits for ends when the store closes, and most of it in time.
 */
import { firstValueFrom, from, fromEvent, map, race } from 'rxjs';
import type { Clock } from '../../core/index.js';

/** Resolves after that long, or as soon as the signal aborts. */
export async function pauseUntilAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return;
  await firstValueFrom(race(clock.timer(ms), fromEvent(signal, 'abort')), { defaultValue: undefined });
}

/** Waits for a promise, but not longer than that; returns whether it came to an end in time. */
export async function settlesWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const ended = promise.then(
    () => true,
    () => true,
  );
  return await firstValueFrom(race(from(ended), clock.timer(ms).pipe(map(() => false))), { defaultValue: false });
}
