// The one way events leave a producer: a fan-out in which all subscribers receive the same order. A bare Subject whose
// first subscriber makes the producer emit again gives the second subscriber 2 before 1; here a value emitted while
// another is being delivered waits its turn. Only the producer holds the Outlet; others get `values$`.
//
// Promises: a subscriber receives exactly the values whose `emit` was called after it subscribed, each once, in that
// order, then the end. Delivery is synchronous: `emit` returns when all subscribers have received it, unless it is
// called from within a delivery. A subscriber that throws does not affect the others (RxJS reports what it threw as an
// uncaught error).

import { Observable, type Subscriber } from 'rxjs';

/** Limits of an outlet. */
export interface OutletOptions {
  /** Values that may wait while one is delivered; `emit` throws RangeError beyond. Default 1,000,000. */
  readonly waitingMax?: number;
}

/** A serialised source of values for any number of subscribers. */
export class Outlet<T> {
  /** What is emitted from subscription on. */
  readonly values$: Observable<T>;
  readonly #listeners = new Set<Listener<T>>();
  readonly #waitingMax: number;
  #waiting: T[] = [];
  /** How many values were accepted and how many of them delivered, since the beginning. */
  #accepted = 0;
  #delivered = 0;
  #delivering = false;
  #end: End | undefined;

  constructor({ waitingMax = 1_000_000 }: OutletOptions = {}) {
    this.#waitingMax = waitingMax;
    this.values$ = new Observable((subscriber) => this.#listen(subscriber));
  }

  /** How many listen. */
  get subscribers(): number {
    return this.#listeners.size;
  }

  /**
   * Emits to all subscribers, at once or right after the value that is being delivered. No effect once completed or
   * failed.
   */
  emit(value: T): void {
    if (this.#end !== undefined) return;
    if (this.#accepted - this.#delivered >= this.#waitingMax) {
      throw new RangeError(`outlet: ${this.#waitingMax} values wait; does a subscriber answer each with several?`);
    }
    this.#accepted += 1;
    if (this.#delivering) this.#waiting.push(value);
    else this.#deliver([value]);
  }

  /** Ends the stream after what was emitted so far; for late subscribers at once. */
  complete(): void {
    this.#finish({});
  }

  /** The same, with an error. */
  error(error: unknown): void {
    this.#finish({ error });
  }

  #listen(subscriber: Subscriber<T>): (() => void) | undefined {
    if (this.#end !== undefined) {
      tellEnd(subscriber, this.#end);
      return undefined;
    }
    const listener: Listener<T> = { subscriber, joinedAt: this.#accepted };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #finish(end: End): void {
    this.#end ??= end;
    if (!this.#delivering) this.#deliver([]);
  }

  #deliver(first: readonly T[]): void {
    this.#delivering = true;
    // Batch by batch: what is emitted meanwhile gathers in an array of its own, so that none has to be shifted.
    for (let batch = first; batch.length > 0; batch = this.#takeWaiting()) {
      for (const value of batch) this.#tell(value);
    }
    this.#delivering = false;
    if (this.#end === undefined) return;
    for (const { subscriber } of this.#listeners) tellEnd(subscriber, this.#end);
  }

  #takeWaiting(): readonly T[] {
    const waiting = this.#waiting;
    if (waiting.length > 0) this.#waiting = [];
    return waiting;
  }

  #tell(value: T): void {
    this.#delivered += 1;
    for (const { subscriber, joinedAt } of this.#listeners) {
      // A Set keeps the order of joining: a subscriber that joined after this value was accepted, and all behind it,
      // must not receive it.
      if (joinedAt >= this.#delivered) return;
      try {
        subscriber.next(value);
      } catch (error) {
        subscriber.error(error); // only a hand-made Subscriber throws here
      }
    }
  }
}

interface Listener<T> {
  readonly subscriber: Subscriber<T>;
  /** How many values had been accepted when it joined: it receives none of those. */
  readonly joinedAt: number;
}

/** The end of a stream: with an error, or without. */
interface End {
  readonly error?: unknown;
}

function tellEnd(subscriber: Subscriber<unknown>, end: End): void {
  if ('error' in end) subscriber.error(end.error);
  else subscriber.complete();
}
