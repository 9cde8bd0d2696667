// A map that keeps the most recently used values. An evicted value stays usable by code that still references it.

/** Values by key, at most `max`; the least recently used one is evicted first. */
export class RecentlyUsed<V> {
  readonly #values = new Map<string, V>();
  readonly #max: number;
  #last: string | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the value of a key, created by `make` if absent, and marks it as used. */
  get(key: string, make: () => V): V {
    const known = this.#values.get(key);
    // The last key in the map is the most recently used one. It is requested again most often and need not be moved.
    if (known !== undefined && this.#last === key) return known;
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#last = key;
    if (this.#values.size > this.#max) this.#evictOldest();
    return value;
  }

  /** The number of values. */
  get size(): number {
    return this.#values.size;
  }

  #evictOldest(): void {
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }
}
