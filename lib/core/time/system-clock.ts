// The clock of the machine. Timers keep the process alive on purpose: a lifetime here ends by unsubscribing, and a
// process that left while something was waited for would end in silence. Delays are measured on the monotonic clock, so
// a correction of the wall clock moves `now()` but no timer. Who wants time to stand still takes the virtual clock.

import { NEVER, Observable } from 'rxjs';
import { wholeDelayMs, wholePeriodMs, type Clock } from './clock.js';

/** The longest delay setTimeout keeps; it fires at once beyond it. Longer waits are made of several. */
const timeoutMsMax = 2 ** 31 - 1;

/** Wall time and timers of the host. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    timer: (delayMs) => systemTimer(wholeDelayMs(delayMs)),
    interval: (periodMs) => systemInterval(wholePeriodMs(periodMs)),
  };
}

function systemTimer(delayMs: number): Observable<number> {
  if (delayMs === Infinity) return NEVER;
  return new Observable((subscriber) =>
    callAt(performance.now() + delayMs, () => {
      subscriber.next(0);
      subscriber.complete();
    }),
  );
}

// Ticks stay on the grid of start + n × period. Periods that passed while the process was stopped are dropped, as Go's
// time.Ticker drops them: after a laptop's night nobody wants four thousand heartbeats at once.
function systemInterval(periodMs: number): Observable<number> {
  if (periodMs === Infinity) return NEVER;
  return new Observable((subscriber) => {
    let count = 0;
    let due = performance.now() + periodMs;
    let cancel = callAt(due, tick);
    function tick(): void {
      const lateMs = Math.max(0, performance.now() - due);
      due += periodMs * (1 + Math.floor(lateMs / periodMs));
      cancel = callAt(due, tick);
      subscriber.next(count++);
    }
    return () => cancel();
  });
}

function callAt(due: number, callback: () => void): () => void {
  let handle: ReturnType<typeof setTimeout>;
  const wait = (): void => {
    const leftMs = Math.ceil(due - performance.now());
    handle = leftMs > timeoutMsMax ? setTimeout(wait, timeoutMsMax) : setTimeout(callback, Math.max(0, leftMs));
  };
  wait();
  return () => clearTimeout(handle);
}
