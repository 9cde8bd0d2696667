// The clock of the machine. Delays are measured on the monotonic clock, so a correction of the wall clock moves `now()`
// but no timer. For time that stands still there is the virtual clock.
//
// Timers of `systemClock` keep the process alive: a lifetime ends by unsubscribing. Those of `backgroundClock` do not,
// so a cluster that was not closed does not hold up the end of a program; calls that the program awaits hold it up
// themselves (`keepAliveWhile`).

import { NEVER, Observable } from 'rxjs';
import { wholeDelayMs, wholePeriodMs, type Clock } from './clock.js';

/** The longest delay setTimeout keeps; it fires at once beyond it. Longer waits are made of several. */
const timeoutMsMax = 2 ** 31 - 1;

/** Wall time and timers of the host. */
export function systemClock(): Clock {
  return hostClock(() => undefined);
}

/** A clock whose timers do not keep the process alive. */
export interface BackgroundClock extends Clock {
  /** Keeps the process alive until the promise settles. Returns the promise. */
  keepAliveWhile<T>(promise: Promise<T>): Promise<T>;
}

/** Wall time, and timers of the host that do not keep the process alive. */
export function backgroundClock(): BackgroundClock {
  const unref = (handle: TimerHandle): void => {
    if (typeof handle === 'object') handle.unref();
  };
  let pending = 0;
  let keeper: TimerHandle | undefined;
  const release = (): void => {
    pending -= 1;
    if (pending === 0 && keeper !== undefined) unref(keeper);
  };
  return {
    ...hostClock(unref),
    keepAliveWhile: (promise) => {
      if (pending === 0) {
        if (keeper === undefined) keeper = setInterval(() => undefined, timeoutMsMax);
        else if (typeof keeper === 'object') keeper.ref();
      }
      pending += 1;
      promise.then(release, release);
      return promise;
    },
  };
}

/** A timer of Node; a number in browsers. */
type TimerHandle = ReturnType<typeof setTimeout> | number;

function hostClock(onTimer: (handle: TimerHandle) => void): Clock {
  const callAt = (due: number, callback: () => void): (() => void) => {
    let handle: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      const leftMs = Math.ceil(due - performance.now());
      handle = leftMs > timeoutMsMax ? setTimeout(wait, timeoutMsMax) : setTimeout(callback, Math.max(0, leftMs));
      onTimer(handle);
    };
    wait();
    return () => clearTimeout(handle);
  };
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    timer: (delayMs) => systemTimer(wholeDelayMs(delayMs), callAt),
    interval: (periodMs) => systemInterval(wholePeriodMs(periodMs), callAt),
  };
}

/** Calls back at a time of the monotonic clock, unless the returned function is called before. */
type CallAt = (due: number, callback: () => void) => () => void;

function systemTimer(delayMs: number, callAt: CallAt): Observable<number> {
  if (delayMs === Infinity) return NEVER;
  return new Observable((subscriber) =>
    callAt(performance.now() + delayMs, () => {
      subscriber.next(0);
      subscriber.complete();
    }),
  );
}

// Ticks stay on the grid of start + n × period. Periods that passed while the process was stopped are dropped, as Go's
// time.Ticker drops them: a laptop that wakes up must not send four thousand heartbeats at once.
function systemInterval(periodMs: number, callAt: CallAt): Observable<number> {
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
