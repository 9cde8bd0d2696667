// What happened, in order, for whoever keeps results that depend on it: it remembers a position, asks later what came
// since, and does its sums again only for that. A log is bounded; who comes too late begins anew.

/** The reading end. */
export interface Log<T> {
  /** The position after the last entry. */
  readonly position: number;
  /** The entries since a position; undefined if they are not all kept any more. */
  since(position: number): readonly T[] | undefined;
}

/** A log of at most so many entries. */
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

  /** Writes. */
  add(entry: T): void {
    // Half is dropped at once, so that dropping costs nothing on the whole.
    if (this.#kept.length >= this.#max) this.#first += this.#kept.splice(0, Math.ceil(this.#max / 2)).length;
    this.#kept.push(entry);
  }

  since(position: number): readonly T[] | undefined {
    if (position < this.#first || position > this.position) return undefined;
    return position === this.position ? nothing : this.#kept.slice(position - this.#first);
  }
}

/** Of those who do not keep a log: anything may have happened. */
export const untold: Log<never> = { position: 0, since: () => undefined };

/** A place in a log: reads from where it stopped. */
export class LogReader<T> {
  readonly #log: Log<T>;
  #position: number | undefined;

  constructor(log: Log<T>) {
    this.#log = log;
  }

  /**
   * What happened since it was asked last; undefined the first time, and when that is no longer known: all is to be
   * read.
   */
  read(): readonly T[] | undefined {
    const entries = this.#position === undefined ? undefined : this.#log.since(this.#position);
    this.#position = this.#log.position;
    return entries;
  }
}

const nothing: readonly never[] = [];
