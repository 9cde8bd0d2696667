// The deadline that nearly all requests share: one minute after arrival. Requests arrive in the order of their
// deadlines, so one timer for the oldest serves all, and a request that is answered in time needs no timer of its own.
// Without requests the timer is cancelled; a server on a port keeps it until `close`, which saves setting and
// cancelling one per request.
import type { Clock } from '../../core/index.js';

/** The deadlines of requests with one time limit. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #keepsTimer: boolean;
  /** Pending requests, the oldest first. */
  readonly #pending = new Set<PendingRequest>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, { keepsTimer }: { readonly keepsTimer: boolean }) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#keepsTimer = keepsTimer;
  }

  /** Calls `expire` after the time limit, unless the returned function is called before. */
  add(expire: () => void): () => void {
    const pending: PendingRequest = { expire, due: this.#clock.now() + this.#limitMs };
    this.#pending.add(pending);
    this.#cancel ??= after(this.#clock, this.#limitMs, this.#onTimer);
    return () => {
      this.#pending.delete(pending);
      if (this.#pending.size === 0 && !this.#keepsTimer) this.close();
    };
  }

  /** Cancels the timer. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #onTimer = (): void => {
    this.#cancel = undefined;
    const now = this.#clock.now();
    for (const pending of this.#pending) {
      if (pending.due > now) {
        this.#cancel = after(this.#clock, pending.due - now, this.#onTimer);
        return;
      }
      this.#pending.delete(pending);
      pending.expire();
    }
  };
}

interface PendingRequest {
  readonly expire: () => void;
  readonly due: number;
}

/**
 * Calls back once after a delay, unless the returned function is called before. All timers of the wire are subscribed
 * here.
 */
export function after(clock: Clock, delayMs: number, callback: () => void): () => void {
  // A clock never fails; a callback that throws is a defect, which surfaces as an uncaught error.
  const subscription = clock.timer(delayMs).subscribe({ next: callback, error: callback });
  return () => subscription.unsubscribe();
}
