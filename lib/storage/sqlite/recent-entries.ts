// The entries that were lately put or read, by key: what a watcher is told that a commit replaced is mostly among them,
// and then neither has to be read from the file nor parsed again. That is half of what a watched commit costs. Never
// trusted to be the newest: the worker says which revision was replaced.
import type { Entry } from '../store.js';

/** What is kept, in characters of JSON; the objects take three to four times as much. Some 6,000 pods. */
const charactersMax = 2 ** 24;

/** Entries by key, those used least recently forgotten first. */
export class RecentEntries {
  /** In the order of use. */
  readonly #kept = new Map<string, { readonly entry: Entry; readonly characters: number }>();
  #characters = 0;

  /** The last entry of a key that was kept. */
  get(key: string): Entry | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.entry;
  }

  /** Keeps an entry whose JSON has so many characters. */
  keep(entry: Entry, characters: number): void {
    this.forget(entry.key);
    this.#kept.set(entry.key, { entry, characters });
    this.#characters += characters;
    for (const key of this.#kept.keys()) {
      if (this.#characters <= charactersMax) return;
      this.forget(key);
    }
  }

  /** Keeps nothing of a key. */
  forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}
