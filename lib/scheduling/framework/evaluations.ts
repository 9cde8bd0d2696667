// Counts how often the plugins of a profile were evaluated: once per pod at PreFilter and PreScore, once per node at
// Filter and Score. A plugin that skipped the pod is not counted. A filter counts for every node that was evaluated,
// also where an earlier filter rejected the node, so that the plain placer and the cached one report the same figures.

/** The extension points at which evaluations are counted. */
export type EvaluatedPoint = 'PreFilter' | 'Filter' | 'PreScore' | 'Score';

/** A counter that the code that runs plugins increments. */
export interface EvaluationCount {
  value: number;
}

/** The evaluation counters of one profile. */
export class Evaluations {
  readonly #counts: Readonly<Record<EvaluatedPoint, Map<string, EvaluationCount>>> = {
    PreFilter: new Map(),
    Filter: new Map(),
    PreScore: new Map(),
    Score: new Map(),
  };

  /**
   * Returns the counter of a plugin at a point. It is the same object for the life of this instance, so callers may
   * keep it.
   */
  of(point: EvaluatedPoint, plugin: string): EvaluationCount {
    const counts = this.#counts[point];
    let count = counts.get(plugin);
    if (count === undefined) counts.set(plugin, (count = { value: 0 }));
    return count;
  }

  /** Adds `times` to the counter of each plugin. */
  add(point: EvaluatedPoint, plugins: Iterable<{ readonly name: string }>, times: number): void {
    for (const { name } of plugins) this.of(point, name).value += times;
  }

  /** Yields all counters above 0. */
  *list(): Generator<{ readonly point: EvaluatedPoint; readonly plugin: string; readonly value: number }> {
    for (const point of evaluatedPoints)
      for (const [plugin, { value }] of this.#counts[point]) if (value > 0) yield { point, plugin, value };
  }
}

const evaluatedPoints: readonly EvaluatedPoint[] = ['PreFilter', 'Filter', 'PreScore', 'Score'];
