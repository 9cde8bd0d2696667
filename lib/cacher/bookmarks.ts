// Periodic bookmarks for watchers that requested them: a revision to resume from that is newer than the last event. One
// timer for all watchers, and none while there are no watchers. The cache first catches up with writes to other
// resources; otherwise the bookmarks of a quiet resource would become too old to resume from.
import type { Subscription } from 'rxjs';
import { exhaustMap } from 'rxjs';
import type { Clock } from '../core/index.js';

/** Options of bookmarks. */
export interface BookmarksOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Brings the cache up to the store, if possible. Must not reject. */
  readonly catchUp: () => Promise<unknown>;
}

/** A receiver of bookmarks. */
export interface BookmarkReader {
  /** Emits a bookmark at the cached revision. Must not throw. */
  bookmark(): void;
}

/** The receivers of bookmarks, and their timer. */
export class Bookmarks {
  readonly #options: BookmarksOptions;
  readonly #readers = new Set<BookmarkReader>();
  #timer: Subscription | undefined;

  constructor(options: BookmarksOptions) {
    this.#options = options;
  }

  /** Adds a receiver. */
  add(reader: BookmarkReader): void {
    this.#readers.add(reader);
    this.#timer ??= this.#start();
  }

  /** Removes a receiver. */
  remove(reader: BookmarkReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#timer?.unsubscribe();
    this.#timer = undefined;
  }

  #start(): Subscription {
    const { clock, everyMs, catchUp } = this.#options;
    return clock
      .interval(everyMs)
      .pipe(exhaustMap(catchUp))
      .subscribe({
        next: () => {
          for (const reader of this.#readers) reader.bookmark();
        },
        error: (cause: unknown) => {
          throw new Error('cacher: the clock failed', { cause }); // RxJS reports it as uncaught
        },
      });
  }
}
