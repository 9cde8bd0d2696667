// A bounded log. Caches remember a position and later read the entries since then, to recompute only what changed. If
// those entries were dropped, the cache is rebuilt.

/** The log, for readers. */
export interface Log<T> {
  /** The position after the last entry. */
  readonly position: number;
  /** Returns the entries since a position; undefined if some of them were dropped. */
  since(position: number): readonly T[] | undefined;
}

/** A log with at most `max` entries. */
export class BoundedLog<T> implements Log<T> {
  readonly #kept: T[] = [];
  readonly #max: number;
  #first = 0;

  constructor(max = 16_384) {
    this.#max = max;
  }

  get position(): number {
    return this.#first + this.#kept.length;
  }

  /** Appends an entry. */
  add(entry: T): void {
    // Drops half of the entries at once, so that the amortised cost is constant.
    if (this.#kept.length >= this.#max) this.#first += this.#kept.splice(0, Math.ceil(this.#max / 2)).length;
    this.#kept.push(entry);
  }

  since(position: number): readonly T[] | undefined {
    if (position < this.#first || position > this.position) return undefined;
    return position === this.position ? nothing : this.#kept.slice(position - this.#first);
  }
}

/** A log that keeps no entries: readers always rebuild. */
export const untold: Log<never> = { position: 0, since: () => undefined };

/** A position in a log. */
export class LogReader<T> {
  readonly #log: Log<T>;
  #position: number | undefined;

  constructor(log: Log<T>) {
    this.#log = log;
  }

  /**
   * Returns the entries since the last call. Undefined at the first call, and if entries were dropped: the caller
   * rebuilds.
   */
  read(): readonly T[] | undefined {
    const entries = this.#position === undefined ? undefined : this.#log.since(this.#position);
    this.#position = this.#log.position;
    return entries;
  }
}

const nothing: readonly never[] = [];
