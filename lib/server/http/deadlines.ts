// The deadline that nearly all requests share: a minute from when they came. They come in the order of their deadlines,
// so one timer for the oldest serves all of them, and a request that is answered in time costs no timer of its own.
// Without requests the timer is given back at once; a server that lives on its port anyway keeps it, and spares itself
// the setting and cancelling of one per request, until `close`.
import type { Clock } from '../../core/index.js';
import { after } from './after.js';

/** Requests with one time limit. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #keepsTimer: boolean;
  /** Who waits, the oldest first. */
  readonly #waiting = new Set<Waiting>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, { keepsTimer }: { readonly keepsTimer: boolean }) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#keepsTimer = keepsTimer;
  }

  /** Begins to wait: calls back when it took too long, unless the answer is called before. */
  add(expire: () => void): () => void {
    const waiting: Waiting = { expire, due: this.#clock.now() + this.#limitMs };
    this.#waiting.add(waiting);
    this.#cancel ??= after(this.#clock, this.#limitMs, this.#onTimer);
    return () => {
      this.#waiting.delete(waiting);
      if (this.#waiting.size === 0 && !this.#keepsTimer) this.close();
    };
  }

  /** Gives the timer back. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #onTimer = (): void => {
    this.#cancel = undefined;
    const now = this.#clock.now();
    for (const waiting of this.#waiting) {
      if (waiting.due > now) {
        this.#cancel = after(this.#clock, waiting.due - now, this.#onTimer);
        return;
      }
      this.#waiting.delete(waiting);
      waiting.expire();
    }
  };
}

interface Waiting {
  readonly expire: () => void;
  readonly due: number;
}
