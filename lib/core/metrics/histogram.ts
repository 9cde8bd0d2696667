// How often a quantity was how large: counts under bounds, and the sum. Observing costs a comparison or two, since
// small values are frequent and the bounds are tried from below.
import type { Sample } from './prometheus-text.js';
import { printSampleValue } from './prometheus-text.js';

/** Counts under bounds. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** Bounds are inclusive and rise. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** How many values were observed. */
  get count(): number {
    return this.#counts.reduce((sum, own) => sum + own, 0);
  }

  /** Counts a value. */
  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** Counts up to each bound, all, their sum and their number. */
  *samples(labels: string): Generator<Sample> {
    let count = 0;
    for (const [index, own] of this.#counts.entries()) {
      count += own;
      const bound = `le="${printSampleValue(this.#bounds[index] ?? Infinity)}"`;
      yield { suffix: '_bucket', labels: labels === '' ? bound : `${labels},${bound}`, value: count };
    }
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: count };
  }
}
