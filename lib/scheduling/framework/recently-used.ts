// A map that keeps what was used last and forgets the rest. Whoever still holds something forgotten may go on using it.

/** Values by key, at most so many. */
export class RecentlyUsed<V> {
  readonly #values = new Map<string, V>();
  readonly #max: number;
  #last: string | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** The value of a key, made where there is none. It counts as used. */
  get(key: string, make: () => V): V {
    const known = this.#values.get(key);
    // The last key of the map is the one used last: most often it is asked for again, and need not be moved.
    if (known !== undefined && this.#last === key) return known;
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#last = key;
    if (this.#values.size > this.#max) this.#forgetOne();
    return value;
  }

  /** How many are kept. */
  get size(): number {
    return this.#values.size;
  }

  #forgetOne(): void {
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }
}
