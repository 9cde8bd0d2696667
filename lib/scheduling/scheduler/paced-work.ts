// Work that is less urgent than all else, begun a few pieces at a time: when much comes at once, everybody else has a
// turn in between. While nobody else needs long for theirs it is more and more at a time. It falls behind by no more
// than a bound; whatever is beyond that is begun at once, so nothing is ever dropped.
import { pause } from '../../core/index.js';
import type { Clock } from '../../core/index.js';

/** How much at once, and how far behind. */
export interface Pace {
  readonly clock: Clock;
  /** Pieces that are begun between two turns of the event loop, at least and at most. */
  readonly leastPerTurn: number;
  readonly mostPerTurn: number;
  /** The most that wait. */
  readonly waitingMax: number;
}

/** Begins work in the order in which it is given. */
export class PacedWork<T> {
  readonly #pace: Pace;
  readonly #begin: (piece: T, signal: AbortSignal) => void;
  /** From `#next` on; before it are those that were begun. */
  #waiting: T[] = [];
  #next = 0;
  /** How many are begun in this turn, and how many of them may still be. */
  #perTurn: number;
  #left: number;
  #isAwaitingTurn = false;

  /** `begin` must not throw. */
  constructor(pace: Pace, begin: (piece: T, signal: AbortSignal) => void) {
    this.#pace = pace;
    this.#begin = begin;
    this.#perTurn = pace.leastPerTurn;
    this.#left = this.#perTurn;
  }

  /**
   * Takes a piece, and begins what may be. Resolves when nothing waits any more, or the signal is aborted; never
   * rejects.
   */
  async add(piece: T, signal: AbortSignal): Promise<void> {
    this.#waiting.push(piece);
    this.#beginSome(signal);
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    const { clock, leastPerTurn, mostPerTurn } = this.#pace;
    try {
      // There is a timer for as long as something was begun in the turn before, and none otherwise.
      while (this.#left < this.#perTurn) {
        const before = clock.now();
        await pause(clock, 0, signal);
        this.#perTurn = clock.now() - before > turnMsMax ? leastPerTurn : Math.min(this.#perTurn * 2, mostPerTurn);
        this.#left = this.#perTurn;
        this.#beginSome(signal);
      }
    } catch {
      // The signal was aborted: what waits is not begun any more.
    }
    this.#isAwaitingTurn = false;
  }

  #beginSome(signal: AbortSignal): void {
    const { waitingMax } = this.#pace;
    while (this.#next < this.#waiting.length && (this.#left > 0 || this.#waiting.length - this.#next > waitingMax)) {
      this.#left -= 1;
      this.#begin(this.#waiting[this.#next++] as T, signal); // below the length
    }
    if (this.#next * 2 <= this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}

/** A turn that took longer than this, of which its own pieces take a part, was needed by others. */
const turnMsMax = 6;
