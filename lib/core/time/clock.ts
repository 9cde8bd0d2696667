// Time as a port. Every part of the engine that waits or stamps takes a Clock; nothing else reads the machine's time
// or sets a timer. `systemClock` and `virtualClock` are the two that exist; a host may bring a third.
// Promises: building an observable is inert and each subscription has a timer of its own; unsubscribing before it is
// due cancels it at once, without an emission; nothing is emitted while subscribing.

import type { Observable } from 'rxjs';

/** The only source of time. All figures but `elapsed` are whole milliseconds. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /**
   * Milliseconds with fractions that only go forward, from some moment on: for differences, where a millisecond is
   * long. Without it `now` is used.
   */
  elapsed?(): number;
  /**
   * Emits 0 once, `delayMs` after subscription, then completes. A fraction is rounded up, a negative delay is 0,
   * Infinity never comes, NaN is refused.
   */
  timer(delayMs: number): Observable<number>;
  /**
   * Emits 0, 1, 2 … every `periodMs` after subscription, the first after one period. A fraction is rounded up; what
   * is not above 0 is refused, since virtual time would never get past it.
   */
  interval(periodMs: number): Observable<number>;
}

/** Returns a reading in milliseconds, as fine as the clock can; the difference of two readings is the time between. */
export function stopwatch(clock: Clock): () => number {
  return clock.elapsed?.bind(clock) ?? (() => clock.now());
}

/** The delay as every clock understands it: whole, not negative, perhaps Infinity. Throws RangeError on NaN. */
export function wholeDelayMs(delayMs: number): number {
  if (Number.isNaN(delayMs)) throw new RangeError('timer: the delay is not a number');
  return Math.max(0, Math.ceil(delayMs));
}

/** The period as every clock understands it: whole, at least 1, perhaps Infinity. Throws RangeError otherwise. */
export function wholePeriodMs(periodMs: number): number {
  if (!(periodMs > 0)) throw new RangeError(`interval: the period must be above 0, got ${periodMs}`);
  return Math.ceil(periodMs);
}
