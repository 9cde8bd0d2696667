// The plugins that the fast path has no cache for: those of users, and those for volumes and devices. For most pods
// they all skip at PreFilter, and then none of them runs on nodes.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { rejectionBy } from '../framework/profile-filters.js';
import type { Implementing, WeightedPlugin } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { runPreScore, scoresOf } from '../framework/scores.js';
import { constantWhenSkipped } from './fast-path-profile.js';
import type { FastPathProfile, PositionedFilter } from './fast-path-profile.js';

/** The uncached plugins that take part in a cycle. */
export interface UncachedPlugins {
  /** Plugins whose PreFilter did not skip. */
  readonly preFilters: readonly SchedulingPlugin[];
  readonly filters: readonly PositionedFilter[];
  /** Filters that may reject a node without nominated pods. */
  readonly rejectingFilters: readonly PositionedFilter[];
  readonly preScores: readonly Implementing<'preScore'>[];
  readonly scores: readonly WeightedPlugin[];
  /** Names of plugins whose PreFilter skipped. */
  readonly skipped: ReadonlySet<string>;
}

/**
 * Runs PreFilter of the uncached plugins. Undefined if one rejects the pod, narrows the nodes or throws: the plain
 * placer then runs the cycle.
 */
export function runUncachedPreFilters(
  cycle: Cycle,
  { uncachedPreFilters, uncachedFilters, uncachedPreScores, uncachedScores }: FastPathProfile,
): UncachedPlugins | undefined {
  const skipped = new Set<string>();
  const preFilters: SchedulingPlugin[] = [];
  for (const plugin of uncachedPreFilters) {
    let result: ReturnType<typeof plugin.preFilter>;
    try {
      result = plugin.preFilter(cycle);
    } catch {
      return undefined; // the plain placer runs it again and reports the error
    }
    if (result === 'skip') skipped.add(plugin.name);
    else if (result !== undefined) return undefined;
    else preFilters.push(plugin);
  }
  const isConstant = ({ name }: SchedulingPlugin): boolean => skipped.has(name) && constantWhenSkipped.has(name);
  const filters = uncachedFilters.filter(({ plugin }) => !skipped.has(plugin.name));
  return {
    preFilters,
    filters,
    rejectingFilters: filters.filter(({ plugin }) => mayReject(plugin, cycle)),
    preScores: uncachedPreScores.filter((plugin) => !isConstant(plugin)),
    scores: uncachedScores.filter(({ plugin }) => !isConstant(plugin)),
    skipped,
  };
}

/** A plugin that throws here runs on nodes, and throws there. */
function mayReject(plugin: SchedulingPlugin, cycle: Cycle): boolean {
  try {
    return plugin.fitsEverywhere?.(cycle) !== true;
  } catch {
    return true;
  }
}

/** Returns the first rejection of a node, from filters before the position `before`. Default: from all filters. */
export function firstUncachedRejection(
  filters: readonly PositionedFilter[],
  cycle: Cycle,
  node: NodeView,
  before?: number,
): Rejected | undefined {
  for (const { plugin, position } of filters) {
    if (before !== undefined && position >= before) return undefined;
    const rejected = rejectionBy(plugin, cycle, node);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}

/** Runs PreScore and returns the plugins that score. */
export function runUncachedPreScores(
  cycle: Cycle,
  { preScores, scores }: UncachedPlugins,
  nodes: readonly NodeView[],
): readonly WeightedPlugin[] {
  const skipped = runPreScore(cycle, { preScore: preScores }, nodes);
  return scores.filter(({ plugin }) => !skipped.has(plugin.name));
}

/** Adds the weighted scores of uncached plugins to `totals`. */
export function addUncachedScores(
  totals: Float64Array,
  nodes: readonly NodeView[],
  cycle: Cycle,
  scores: readonly WeightedPlugin[],
): void {
  for (const each of scores) {
    for (const [index, score] of scoresOf(cycle, each, nodes).entries())
      totals[index] = (totals[index] ?? 0) + each.weight * score;
  }
}
