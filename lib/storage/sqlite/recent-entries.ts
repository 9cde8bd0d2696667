// The entries that were put or read last, by key: the previous entries that watchers receive with a commit are mostly
// among them, and then need not be read from the file and parsed again, which is half the cost of a watched commit. An
// entry here may be outdated: the worker reports which revision was replaced.
import { LRUCache } from 'lru-cache';
import type { Entry } from '../store.js';

/** The bound, in characters of JSON; the objects take three to four times as much. About 6,000 pods. */
const charactersMax = 2 ** 24;

/** Entries by key; the least recently used are evicted first. */
export class RecentEntries {
  readonly #kept = new LRUCache<string, Entry>({ maxSize: charactersMax });

  /** Returns the last entry of a key that was kept. */
  get(key: string): Entry | undefined {
    return this.#kept.get(key);
  }

  /** Keeps an entry whose JSON has so many characters. */
  keep(entry: Entry, characters: number): void {
    this.#kept.set(entry.key, entry, { size: Math.max(characters, 1) });
  }

  /** Removes the entry of a key. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
