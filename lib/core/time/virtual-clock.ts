// Time that moves only by `advance` and `advanceUntil`. Timers fire in the order (time, sequence of creation); those of
// one instant fire together, then everything they set going settles, then time moves on. So with memory storage and
// seeded chance a whole cluster repeats itself to the byte. "Settles" means microtasks and promise chains of any
// length, and the work named to `holdWhile`. It cannot mean a socket or a thread pool that was not announced: time does
// not wait for it.

import { NEVER, Observable, type Subscriber } from 'rxjs';
import { wholeDelayMs, wholePeriodMs, type Clock } from './clock.js';
import { durationMs, type Duration } from './duration-ms.js';
import { TimerHeap } from './timer-heap.js';
import { eachTurn } from './turns.js';

/** Options of `virtualClock`. */
export interface VirtualClockOptions {
  /** The first `now()`, in milliseconds since 1970. Default 2026-01-01T00:00:00Z: the same in every run. */
  readonly start?: number;
  /**
   * Called when a timer has waited for `stallAfterMs` of real time without an advance: most likely one was forgotten.
   */
  readonly onStall?: (stall: Stall) => void;
  /** Real milliseconds before the warning. Default 1000. */
  readonly stallAfterMs?: number;
}

/** Timers that wait while time stands still. */
export interface Stall {
  readonly pending: number;
  /** How far time would have to move for the first of them. */
  readonly firstInMs: number;
}

/** A clock moved by hand. Moves requested while one is under way are made one after the other. */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward, firing on the way every timer that is or becomes due, each at its own instant. An interval
   * fires for every period. Resolves when time has arrived and everything has settled.
   */
  advance(duration: Duration): Promise<void>;
  /** The same, to a moment. Throws RangeError when that moment has passed. */
  advanceTo(timeMs: number): Promise<void>;
  /** Resolves when nothing is left to do without moving time: timers due now have fired and all has settled. */
  settled(): Promise<void>;
  /**
   * Moves time from timer to timer until none is left, but no further than `limit`, since heartbeats never end.
   * True when none is left; time then stands at the last timer fired.
   */
  runUntilIdle(limit: Duration): Promise<boolean>;
  /**
   * Moves time from timer to timer until `condition` holds, but no further than `limit`. The condition is evaluated
   * after each instant has settled. Returns whether it holds; where it never does, time stands at the limit.
   */
  advanceUntil(condition: () => boolean | Promise<boolean>, limit: Duration): Promise<boolean>;
  /** Names work done outside microtasks (hashing, a worker, a socket): time does not move before it is over. */
  holdWhile<T>(work: Promise<T>): Promise<T>;
  /** How many timers wait. Zero after everything was torn down. */
  readonly pending: number;
}

/** A clock that stands at `start`. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  return new HandMovedClock(options);
}

/** Rounds of timers at one instant after which time is taken to be stuck: timer(0) that keeps setting timer(0). */
const roundsAtInstantMax = 100_000;

/** One subscription's timer and its teardown in one: a class rather than closures, for there may be a million. */
class ClockTimer {
  readonly subscriber: Subscriber<number>;
  /** 0 for a timer that fires once. */
  readonly periodMs: number;
  count = 0;
  readonly #timers: TimerHeap<ClockTimer>;
  #slot = -1;

  constructor(timers: TimerHeap<ClockTimer>, subscriber: Subscriber<number>, periodMs: number) {
    this.#timers = timers;
    this.subscriber = subscriber;
    this.periodMs = periodMs;
  }

  set(time: number): void {
    if (this.#slot < 0) this.#slot = this.#timers.add(time, this);
    else this.#timers.postpone(this.#slot, time);
  }

  unsubscribe(): void {
    if (this.#slot < 0) return;
    this.#timers.remove(this.#slot);
    this.#slot = -1;
  }
}

class HandMovedClock implements VirtualClock {
  readonly #timers: TimerHeap<ClockTimer>;
  readonly #onStall: ((stall: Stall) => void) | undefined;
  readonly #stallAfterMs: number;
  #now: number;
  #held = 0;
  #moves: Promise<unknown> = Promise.resolve();
  #movesQueued = 0;
  #stallWatch: ReturnType<typeof setTimeout> | undefined;

  constructor({ start = Date.UTC(2026, 0, 1), onStall, stallAfterMs = 1000 }: VirtualClockOptions) {
    if (!Number.isSafeInteger(start)) throw new RangeError(`virtual clock: cannot start at ${start}`);
    this.#now = start;
    this.#timers = new TimerHeap(start);
    this.#onStall = onStall;
    this.#stallAfterMs = stallAfterMs;
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  timer(delayMs: number): Observable<number> {
    const delay = wholeDelayMs(delayMs);
    return delay === Infinity ? NEVER : new Observable((subscriber) => this.#schedule(subscriber, delay, 0));
  }

  interval(periodMs: number): Observable<number> {
    const period = wholePeriodMs(periodMs);
    return period === Infinity ? NEVER : new Observable((subscriber) => this.#schedule(subscriber, period, period));
  }

  async advance(duration: Duration): Promise<void> {
    const ms = durationMs(duration);
    await this.#move(() => this.#now + ms);
  }

  async advanceTo(timeMs: number): Promise<void> {
    await this.#move(() => {
      if (!(timeMs >= this.#now) || !Number.isSafeInteger(timeMs)) {
        throw new RangeError(`virtual clock: cannot go from ${this.#now} to ${timeMs}`);
      }
      return timeMs;
    });
  }

  settled(): Promise<void> {
    return this.advance(0);
  }

  async runUntilIdle(limit: Duration): Promise<boolean> {
    const ms = durationMs(limit);
    return await this.#move(() => this.#now + ms, 'stop when idle');
  }

  async advanceUntil(condition: () => boolean | Promise<boolean>, limit: Duration): Promise<boolean> {
    const end = this.#now + durationMs(limit);
    await this.settled();
    while (!(await condition())) {
      if (this.#now >= end) return false;
      await this.advanceTo(Math.max(this.#now, Math.min(end, this.#timers.firstTime())));
    }
    return true;
  }

  async holdWhile<T>(work: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work;
    } finally {
      this.#held -= 1;
    }
  }

  #schedule(subscriber: Subscriber<number>, delayMs: number, periodMs: number): ClockTimer {
    const timer = new ClockTimer(this.#timers, subscriber, periodMs);
    timer.set(this.#now + delayMs);
    this.#watchForStall();
    return timer;
  }

  /** Queues a move behind those already requested. Returns whether no timer is left. */
  #move(target: () => number, idle?: 'stop when idle'): Promise<boolean> {
    this.#movesQueued += 1;
    clearTimeout(this.#stallWatch);
    this.#stallWatch = undefined;
    const move = this.#moves.then(() => this.#moveTo(target(), idle !== undefined));
    this.#moves = move
      .catch(() => undefined) // reported to its own caller, not to the next
      .finally(() => {
        this.#movesQueued -= 1;
        this.#watchForStall();
      });
    return move;
  }

  #moveTo(target: number, stopWhenIdle: boolean): Promise<boolean> {
    let rounds = 0;
    return new Promise((resolve, reject) => {
      // The first turn comes before the first look at the heap: what the caller set going may still be setting timers.
      eachTurn(() => {
        if (this.#held > 0) return true;
        const due = this.#timers.firstUntil(target);
        if (due === Infinity) {
          const idle = this.pending === 0;
          if (!idle || !stopWhenIdle) this.#now = target;
          resolve(idle);
          return false;
        }
        rounds = due > this.#now ? 1 : rounds + 1;
        if (rounds > roundsAtInstantMax) {
          reject(new Error(`virtual clock: stuck at ${this.#now}, timers due at once keep setting timers due at once`));
          return false;
        }
        this.#now = due;
        try {
          this.#fireRound();
        } catch (error) {
          reject(new Error(`virtual clock: a timer failed at ${due}`, { cause: error }));
          return false;
        }
        return true;
      });
    });
  }

  /** Fires what is due now, except timers set meanwhile: those come a round later, after everything has settled. */
  #fireRound(): void {
    this.#timers.startRound();
    for (let timer = this.#timers.peek(); timer !== undefined; timer = this.#timers.peek()) {
      if (timer.periodMs > 0) {
        // Set again before it is heard of: a listener that lets go while listening must find it there to cancel.
        timer.set(this.#now + timer.periodMs);
        timer.subscriber.next(timer.count++);
      } else {
        timer.unsubscribe();
        timer.subscriber.next(0);
        timer.subscriber.complete();
      }
    }
  }

  // The real timer behind it keeps the process alive for that second, or the warning would never be printed.
  #watchForStall(): void {
    const onStall = this.#onStall;
    if (onStall === undefined || this.pending === 0) return;
    if (this.#stallWatch !== undefined || this.#movesQueued > 0) return;
    this.#stallWatch = setTimeout(() => {
      // #stallWatch stays set after the warning: one warning for each stall.
      if (this.pending > 0) onStall({ pending: this.pending, firstInMs: this.#timers.firstTime() - this.#now });
    }, this.#stallAfterMs);
  }
}
