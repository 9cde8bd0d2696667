// Counts plugin evaluations on the fast path. Cached plugins are counted as if they had run, so that the metrics equal
// those of the plain placer.
import type { EvaluationCount, Evaluations } from '../framework/evaluations.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import type { UncachedPlugins } from './uncached-plugins.js';
import type { FastPathProfile } from './fast-path-profile.js';
import type { PodEvaluation } from './pod-evaluation.js';

/** Counters of the cached plugins of one pod class. Plugins without Filter and Score are not counted. */
export class CachedPluginCounters {
  readonly #filters: readonly SchedulingPlugin[];
  readonly #scores: readonly SchedulingPlugin[];
  /** The registry the counters belong to. A pod class belongs to one profile, so counters are looked up once. */
  #evaluations: Evaluations | undefined;
  #counts: Counts = noCounts;

  constructor(filters: readonly SchedulingPlugin[], scores: readonly SchedulingPlugin[]) {
    this.#filters = filters;
    this.#scores = scores;
  }

  /** Counts PreFilter of one pod. */
  countPreFilter(evaluations: Evaluations): void {
    for (const count of this.#countsIn(evaluations).preFilters) count.value += 1;
  }

  /** Counts Filter on a number of nodes. */
  countFilter(evaluations: Evaluations, nodes: number): void {
    for (const count of this.#countsIn(evaluations).filters) count.value += nodes;
  }

  /** Counts PreScore, and Score on a number of nodes. */
  countScore(evaluations: Evaluations, nodes: number): void {
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

const noCounts: Counts = { preFilters: [], filters: [], preScores: [], scores: [] };

// Functions that count all plugins of a search: the cached ones of the class, those on other pods if they check or
// score anything, and the uncached ones that ran.

/** The parts of a search that decide which plugins are counted. */
export interface CountedSearch {
  readonly evaluation: PodEvaluation;
  readonly uncached: UncachedPlugins;
  readonly profile: FastPathProfile;
}

/** Counts PreFilter of one pod. */
export function countPreFilter(evaluations: Evaluations, { evaluation, uncached, profile }: CountedSearch): void {
  evaluation.podClass.pluginCounters.countPreFilter(evaluations);
  evaluations.add('PreFilter', uncached.preFilters, 1);
  for (const name of checkingPlugins(evaluation, profile)) evaluations.of('PreFilter', name).value += 1;
}

/** Counts Filter on a number of nodes. */
export function countFilter(
  evaluations: Evaluations,
  { evaluation, uncached, profile }: CountedSearch,
  nodes: number,
): void {
  evaluation.podClass.pluginCounters.countFilter(evaluations, nodes);
  for (const { plugin } of uncached.filters) evaluations.of('Filter', plugin.name).value += nodes;
  for (const name of checkingPlugins(evaluation, profile)) evaluations.of('Filter', name).value += nodes;
}

/** Counts Score on a number of nodes, including the uncached `scorers`; their PreScore is counted where it runs. */
export function countScore(
  evaluations: Evaluations,
  { evaluation: { podClass, softConstraints, preferences }, uncached, profile }: CountedSearch,
  nodes: number,
  scorers: readonly WeightedPlugin[],
): void {
  podClass.pluginCounters.countScore(evaluations, nodes);
  for (const { plugin } of scorers) evaluations.of('Score', plugin.name).value += nodes;
  for (const name of profile.constantScores)
    if (uncached.skipped.has(name)) evaluations.of('Score', name).value += nodes;
  if (softConstraints.length > 0) countPeerScore(evaluations, spread, nodes);
  if (preferences.length > 0) countPeerScore(evaluations, affinity, nodes);
}

const spread = 'PodTopologySpread';
const affinity = 'InterPodAffinity';
const noPlugins: readonly string[] = [];

function checkingPlugins(
  { checks }: PodEvaluation,
  { spreadPosition, affinityPosition }: FastPathProfile,
): readonly string[] {
  if (checks.length === 0) return noPlugins;
  const isChecked = (at: number | undefined): boolean => checks.some(({ position }) => position === at);
  return [...(isChecked(spreadPosition) ? [spread] : []), ...(isChecked(affinityPosition) ? [affinity] : [])];
}

function countPeerScore(evaluations: Evaluations, name: string, nodes: number): void {
  evaluations.of('PreScore', name).value += 1;
  evaluations.of('Score', name).value += nodes;
}
