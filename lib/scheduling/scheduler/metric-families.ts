// Shorthand for families of metrics, all of which begin with `scheduler_`.
import { Histogram, labelText } from '../../core/index.js';
import type { MetricFamily, Sample } from '../../core/index.js';

/**
 * Histograms of one family, by the values of its labels. Values come from code and configuration, so there are few of
 * them.
 */
export class LabelledHistograms {
  readonly #labels: readonly string[];
  readonly #bounds: readonly number[];
  readonly #all: { readonly labels: string; readonly histogram: Histogram }[] = [];
  /** A tree, one level for each label: to make one text of all values would cost more than to observe. */
  readonly #root: Branch = { below: new Map(), histogram: undefined };

  constructor(labels: readonly string[], bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
  }

  /** That of some values, in the order of the labels. There is one as long as this exists, so it can be kept. */
  at(...values: readonly string[]): Histogram {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.below.get(value);
      if (next === undefined) branch.below.set(value, (next = { below: new Map(), histogram: undefined }));
      branch = next;
    }
    return (branch.histogram ??= this.#made(values));
  }

  /** How many values were observed, by labels. */
  *counts(): Generator<Sample> {
    for (const { labels, histogram } of this.#all) yield { labels, value: histogram.count };
  }

  /** All of them. */
  *samples(): Generator<Sample> {
    for (const { labels, histogram } of this.#all) yield* histogram.samples(labels);
  }

  #made(values: readonly string[]): Histogram {
    const histogram = new Histogram(this.#bounds);
    this.#all.push({
      labels: labelText(Object.fromEntries(values.map((value, index) => [this.#labels[index] ?? '', value]))),
      histogram,
    });
    return histogram;
  }
}

interface Branch {
  readonly below: Map<string, Branch>;
  histogram: Histogram | undefined;
}

/**
 * Bounds that grow by a factor, as prometheus.ExponentialBuckets has them: each is the one before times the factor,
 * rounded.
 */
export function exponential(first: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

/** A family. */
export function family(
  type: MetricFamily['type'],
  name: string,
  help: string,
  samples: () => Iterable<Sample>,
): MetricFamily {
  return { name: `scheduler_${name}`, help, type, samples };
}

/** A family of histograms. */
export function histograms(name: string, help: string, labelled: LabelledHistograms): MetricFamily {
  return family('histogram', name, help, () => labelled.samples());
}

/** A family of one number. */
export function single(type: MetricFamily['type'], name: string, help: string, value: number): MetricFamily {
  return family(type, name, help, () => [{ labels: '', value }]);
}

/** Numbers by the values of one label. */
export function byLabel(label: string, values: Iterable<readonly [value: string, number: number]>): readonly Sample[] {
  return Array.from(values, ([of, value]) => ({ labels: labelText({ [label]: of }), value }));
}
