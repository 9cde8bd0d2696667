// A callback at a time, on the clock that was handed in: the one place where the wire subscribes to timers.
import type { Clock } from '../../core/index.js';

/** Calls back once after so many milliseconds, unless the answer is called before. */
export function after(clock: Clock, delayMs: number, callback: () => void): () => void {
  // A clock never fails; a callback that throws is a defect, which the host hears of as an uncaught error.
  const subscription = clock.timer(delayMs).subscribe({ next: callback, error: callback });
  return () => subscription.unsubscribe();
}
