// How often the plugins of a profile judged: once for a pod at PreFilter and PreScore, once for each node at Filter and
// Score. Who had nothing to do with the pod did not judge. A filter counts for every node that was looked at, also
// where another refused the node before it: so both placers count the same, though one of them asks nobody.

/** The points at which judgements are counted. */
export type EvaluatedPoint = 'PreFilter' | 'Filter' | 'PreScore' | 'Score';

/** A count that whoever judges adds to. */
export interface EvaluationCount {
  value: number;
}

/** Counts of one profile. */
export class Evaluations {
  readonly #counts: Readonly<Record<EvaluatedPoint, Map<string, EvaluationCount>>> = {
    PreFilter: new Map(),
    Filter: new Map(),
    PreScore: new Map(),
    Score: new Map(),
  };

  /** The count of a plugin at a point. There is one as long as this exists, so it can be kept. */
  of(point: EvaluatedPoint, plugin: string): EvaluationCount {
    const counts = this.#counts[point];
    let count = counts.get(plugin);
    if (count === undefined) counts.set(plugin, (count = { value: 0 }));
    return count;
  }

  /** Each of some plugins judged so many times. */
  add(point: EvaluatedPoint, plugins: Iterable<{ readonly name: string }>, times: number): void {
    for (const { name } of plugins) this.of(point, name).value += times;
  }

  /** All counts above 0. */
  *list(): Generator<{ readonly point: EvaluatedPoint; readonly plugin: string; readonly value: number }> {
    for (const point of points)
      for (const [plugin, { value }] of this.#counts[point]) if (value > 0) yield { point, plugin, value };
  }
}

const points: readonly EvaluatedPoint[] = ['PreFilter', 'Filter', 'PreScore', 'Score'];
