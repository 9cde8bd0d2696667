// Starts low-priority tasks a few per turn of the event loop, so that other work runs in between. The number per turn
// doubles while turns are short and falls to the minimum after a long one. Beyond a bound of waiting tasks the excess
// starts at once: nothing is dropped.
import { pause } from '../../core/index.js';
import type { Clock } from '../../core/index.js';

/** The limits of a throttle. */
export interface TurnThrottleOptions {
  readonly clock: Clock;
  /** Tasks started per turn of the event loop, minimum and maximum. */
  readonly minPerTurn: number;
  readonly maxPerTurn: number;
  /** The most tasks that wait. */
  readonly waitingMax: number;
}

/** Starts tasks in the order in which they are added. */
export class TurnThrottle<T> {
  readonly #options: TurnThrottleOptions;
  readonly #start: (piece: T, signal: AbortSignal) => void;
  /** Tasks; those before `#next` have been started. */
  #waiting: T[] = [];
  #next = 0;
  /** The number of tasks per turn, and how many may still start in this turn. */
  #perTurn: number;
  #left: number;
  #isAwaitingTurn = false;

  /** `begin` starts a task and must not throw. */
  constructor(pace: TurnThrottleOptions, begin: (piece: T, signal: AbortSignal) => void) {
    this.#options = pace;
    this.#start = begin;
    this.#perTurn = pace.minPerTurn;
    this.#left = this.#perTurn;
  }

  /** Adds a task and starts those that may start. Resolves when no task waits or the signal aborts; never rejects. */
  async add(piece: T, signal: AbortSignal): Promise<void> {
    this.#waiting.push(piece);
    this.#startSome(signal);
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    const { clock, minPerTurn, maxPerTurn } = this.#options;
    try {
      // A timer exists only while the previous turn started tasks.
      while (this.#left < this.#perTurn) {
        const before = clock.now();
        await pause(clock, 0, signal);
        this.#perTurn = clock.now() - before > turnMsMax ? minPerTurn : Math.min(this.#perTurn * 2, maxPerTurn);
        this.#left = this.#perTurn;
        this.#startSome(signal);
      }
    } catch {
      // The signal was aborted: waiting tasks are not started.
    }
    this.#isAwaitingTurn = false;
  }

  #startSome(signal: AbortSignal): void {
    const { waitingMax } = this.#options;
    while (this.#next < this.#waiting.length && (this.#left > 0 || this.#waiting.length - this.#next > waitingMax)) {
      this.#left -= 1;
      this.#start(this.#waiting[this.#next++] as T, signal); // in bounds
    }
    if (this.#next * 2 <= this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}

/** After a turn longer than this the minimum applies again: other work needs the time. */
const turnMsMax = 6;
