// Bookmarks now and then, for the watchers that asked for them: a revision to resume from that is newer than the last
// event. One timer for all of them, none while there is nobody. What has been written elsewhere meanwhile is found out
// first, or the bookmarks of a quiet resource would grow too old to be of use.
import type { Subscription } from 'rxjs';
import { exhaustMap } from 'rxjs';
import type { Clock } from '../core/index.js';

/** What bookmarks need. */
export interface BookmarksOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Brings the cache up to the store, if that is possible now. Must not reject. */
  readonly catchUp: () => Promise<unknown>;
}

/** One who wants bookmarks. */
export interface BookmarkReader {
  /** Sends it one, of where the cache is. Must not throw. */
  bookmark(): void;
}

/** Those who want bookmarks. */
export class Bookmarks {
  readonly #options: BookmarksOptions;
  readonly #readers = new Set<BookmarkReader>();
  #timer: Subscription | undefined;

  constructor(options: BookmarksOptions) {
    this.#options = options;
  }

  /** From now on, until it is removed. */
  add(reader: BookmarkReader): void {
    this.#readers.add(reader);
    this.#timer ??= this.#start();
  }

  /** No more. */
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
