// How many pods there are in each domain of a constraint, and in the emptiest. The least is kept while it is known, so
// that asking node by node does not go through all domains each time.

/** Counts by domain. A domain that was counted is there even without pods. */
export class DomainCounts {
  readonly #counts: Map<string, number>;
  /** Undefined while it has to be looked for. */
  #least: number | undefined;

  constructor(counts: Iterable<readonly [string, number]> = []) {
    this.#counts = new Map(counts);
  }

  /** How many domains were counted. */
  get domains(): number {
    return this.#counts.size;
  }

  /** The count of the emptiest domain; Infinity where there is no domain. */
  get least(): number {
    return (this.#least ??= leastOf(this.#counts.values()));
  }

  /** The count of a domain; 0 where nobody counted. */
  of(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }

  /** Counts more pods, or fewer, or a domain without pods. */
  add(domain: string, pods: number): void {
    const before = this.#counts.get(domain);
    const after = (before ?? 0) + pods;
    this.#counts.set(domain, after);
    if (this.#least === undefined) return;
    if (after <= this.#least) this.#least = after;
    else if (before === this.#least) this.#least = undefined; // it may have been the only one
  }

  copy(): DomainCounts {
    const copy = new DomainCounts(this.#counts);
    copy.#least = this.#least;
    return copy;
  }
}

function leastOf(counts: Iterable<number>): number {
  let least = Infinity;
  for (const count of counts) if (count < least) least = count;
  return least;
}
