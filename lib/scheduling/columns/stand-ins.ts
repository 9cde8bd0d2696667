// The plugins that columns stand for, counted as if they had been asked: what they judged is known without them. Those
// of a class of pods are found once, with the counts they add to.
import type { EvaluationCount, Evaluations } from '../framework/evaluations.js';
import type { SchedulingPlugin } from '../framework/plugin.js';

/**
 * Counts those that have something to do with pods of a class. Who only prepares, and does not filter or score, is left
 * out.
 */
export class StandIns {
  readonly #filters: readonly SchedulingPlugin[];
  readonly #scores: readonly SchedulingPlugin[];
  /** Where they are counted; every class of pods belongs to one profile, so they are looked up once. */
  #evaluations: Evaluations | undefined;
  #counts: Counts = nobody;

  constructor(filters: readonly SchedulingPlugin[], scores: readonly SchedulingPlugin[]) {
    this.#filters = filters;
    this.#scores = scores;
  }

  /** A pod was judged, before any node. */
  preFiltered(evaluations: Evaluations): void {
    for (const count of this.#countsIn(evaluations).preFilters) count.value += 1;
  }

  /** So many nodes were looked at for it. */
  filtered(evaluations: Evaluations, nodes: number): void {
    for (const count of this.#countsIn(evaluations).filters) count.value += nodes;
  }

  /** So many nodes were scored. */
  scored(evaluations: Evaluations, nodes: number): void {
    const { preScores, scores } = this.#countsIn(evaluations);
    for (const count of preScores) count.value += 1;
    for (const count of scores) count.value += nodes;
  }

  #countsIn(evaluations: Evaluations): Counts {
    if (this.#evaluations === evaluations) return this.#counts;
    this.#evaluations = evaluations;
    const [filters, scores] = [this.#filters, this.#scores];
    this.#counts = {
      preFilters: filters
        .filter((plugin) => plugin.preFilter !== undefined)
        .map(({ name }) => evaluations.of('PreFilter', name)),
      filters: filters.map(({ name }) => evaluations.of('Filter', name)),
      preScores: scores
        .filter((plugin) => plugin.preScore !== undefined)
        .map(({ name }) => evaluations.of('PreScore', name)),
      scores: scores.map(({ name }) => evaluations.of('Score', name)),
    };
    return this.#counts;
  }
}

interface Counts {
  readonly preFilters: readonly EvaluationCount[];
  readonly filters: readonly EvaluationCount[];
  readonly preScores: readonly EvaluationCount[];
  readonly scores: readonly EvaluationCount[];
}

const nobody: Counts = { preFilters: [], filters: [], preScores: [], scores: [] };
