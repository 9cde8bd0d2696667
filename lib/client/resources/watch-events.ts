// The events of a watch as an Observable that is also an async iterable: `for await (const event of pods.watch())`.
// Iterating subscribes; leaving the loop unsubscribes. Events that the loop has not taken yet wait in a bounded buffer.
import type { Observable, Subscription } from 'rxjs';
import { resourceExpired } from '../../core/index.js';
import type { ApiObject, Frozen, RawEvent } from '../../core/index.js';

/** Emits the events of a watch; `for await` iterates over them. Cold. */
export type WatchEvents<T extends Frozen<ApiObject>> = Observable<RawEvent<T>> & AsyncIterable<RawEvent<T>>;

/** How many events may wait for the loop; the next one ends it with the error Expired. */
const waitingMax = 10_000;

/** Keeps the process alive until the promise settles. */
export type KeepAliveWhile = <T>(promise: Promise<T>) => Promise<T>;

/** Makes an Observable that the caller has just created iterable. */
export function withIterator<T>(
  source$: Observable<T>,
  keepAliveWhile: KeepAliveWhile | undefined,
): Observable<T> & AsyncIterable<T> {
  const iterable = source$ as Observable<T> & { [Symbol.asyncIterator]: () => AsyncIterator<T, undefined> };
  iterable[Symbol.asyncIterator] = () => new ObservableIterator(source$, keepAliveWhile);
  return iterable;
}

/** A call of `next` that waits for a value. */
interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

class ObservableIterator<T> implements AsyncIterator<T, undefined> {
  readonly #source$: Observable<T>;
  readonly #keepAliveWhile: KeepAliveWhile | undefined;
  readonly #values: T[] = [];
  readonly #waiting: Waiting<T>[] = [];
  #subscription: Subscription | undefined;
  #end: { readonly error?: Error } | undefined;

  constructor(source$: Observable<T>, keepAliveWhile: KeepAliveWhile | undefined) {
    this.#source$ = source$;
    this.#keepAliveWhile = keepAliveWhile;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#subscription ??= this.#source$.subscribe({
      next: (value) => this.#take(value),
      error: (error: unknown) => this.#finish({ error: error as Error }),
      complete: () => this.#finish({}),
    });
    const value = this.#values.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end !== undefined) return this.#ended();
    const result = new Promise<IteratorResult<T, undefined>>((resolve, reject) =>
      this.#waiting.push({ resolve, reject }),
    );
    return this.#keepAliveWhile?.(result) ?? result;
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#values.length = 0;
    this.#finish({});
    return this.#ended();
  }

  #take(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve({ done: false, value });
    else if (this.#values.push(value) > waitingMax)
      this.#finish({ error: resourceExpired(`more than ${waitingMax} events wait to be iterated over`) });
  }

  #finish(end: { readonly error?: Error }): void {
    this.#end ??= end;
    this.#subscription?.unsubscribe();
    // Values wait only where no call does.
    for (const { resolve, reject } of this.#waiting.splice(0)) this.#ended().then(resolve, reject);
  }

  /** The error is reported once; then the iteration is done. */
  #ended(): Promise<IteratorResult<T, undefined>> {
    const end = this.#end ?? {};
    this.#end = {};
    if (end.error !== undefined) return Promise.reject(end.error);
    return Promise.resolve({ done: true, value: undefined });
  }
}
