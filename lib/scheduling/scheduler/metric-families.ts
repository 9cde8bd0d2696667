// Builders for metric families whose names start with `scheduler_`.
import { Histogram, labelText } from '../../core/index.js';
import type { MetricFamily, Sample } from '../../core/index.js';

/** The histograms of one family by label values. Values come from code and configuration, so there are few. */
export class LabelledHistograms {
  readonly #labels: readonly string[];
  readonly #bounds: readonly number[];
  readonly #all: { readonly labels: string; readonly histogram: Histogram }[] = [];
  /** A tree with one level per label: joining the values to one key would cost more than the observation. */
  readonly #root: Branch = { below: new Map(), histogram: undefined };

  constructor(labels: readonly string[], bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
  }

  /**
   * Returns the histogram of some label values, in label order. It is the same object for the life of this instance, so
   * callers may keep it.
   */
  at(...values: readonly string[]): Histogram {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.below.get(value);
      if (next === undefined) branch.below.set(value, (next = { below: new Map(), histogram: undefined }));
      branch = next;
    }
    return (branch.histogram ??= this.#create(values));
  }

  /** Yields the number of observations by labels. */
  *counts(): Generator<Sample> {
    for (const { labels, histogram } of this.#all) yield { labels, value: histogram.count };
  }

  /** Yields the samples of all histograms. */
  *samples(): Generator<Sample> {
    for (const { labels, histogram } of this.#all) yield* histogram.samples(labels);
  }

  #create(values: readonly string[]): Histogram {
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
 * Returns exponential bucket bounds as prometheus.ExponentialBuckets does: each is the previous one times the factor,
 * rounded.
 */
export function exponential(first: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

/** Creates a family. */
export function family(
  type: MetricFamily['type'],
  name: string,
  help: string,
  samples: () => Iterable<Sample>,
): MetricFamily {
  return { name: `scheduler_${name}`, help, type, samples };
}

/** Creates a family of histograms. */
export function histograms(name: string, help: string, labelled: LabelledHistograms): MetricFamily {
  return family('histogram', name, help, () => labelled.samples());
}

/** Creates a family with one sample without labels. */
export function single(type: MetricFamily['type'], name: string, help: string, value: number): MetricFamily {
  return family(type, name, help, () => [{ labels: '', value }]);
}

/** Returns samples by the value of one label. */
export function byLabel(label: string, values: Iterable<readonly [value: string, number: number]>): readonly Sample[] {
  return Array.from(values, ([of, value]) => ({ labels: labelText({ [label]: of }), value }));
}
