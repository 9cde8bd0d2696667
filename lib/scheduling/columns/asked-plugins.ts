// The plugins of a cycle that columns do not stand for: those of users, and those of volumes and devices where the pod
// has any. For most pods they all say that they have nothing to do, and nobody is asked about nodes.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { rejectionBy } from '../framework/profile-filters.js';
import type { Implementing, WeightedPlugin } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { runPreScore, scoresOf } from '../framework/scores.js';
import { quietWhenSkipped } from './column-profile.js';
import type { ColumnProfile, PlacedFilter } from './column-profile.js';

/** Who is asked in a cycle. */
export interface AskedPlugins {
  /** Those who had something to say before any node. */
  readonly preFilters: readonly SchedulingPlugin[];
  readonly filters: readonly PlacedFilter[];
  /** Those of them who may refuse nodes to which nobody else is to come. */
  readonly refusing: readonly PlacedFilter[];
  readonly preScores: readonly Implementing<'preScore'>[];
  readonly scores: readonly WeightedPlugin[];
  /** Those who have nothing to do. */
  readonly skipped: ReadonlySet<string>;
}

/** Asks whether they have anything to do. Undefined where one refuses the pod, narrows the nodes or throws. */
export function askFirst(
  cycle: Cycle,
  { askedPreFilters, askedFilters, askedPreScores, askedScores }: ColumnProfile,
): AskedPlugins | undefined {
  const skipped = new Set<string>();
  const preFilters: SchedulingPlugin[] = [];
  for (const plugin of askedPreFilters) {
    let answer: ReturnType<typeof plugin.preFilter>;
    try {
      answer = plugin.preFilter(cycle);
    } catch {
      return undefined; // whoever asks again is told
    }
    if (answer === 'skip') skipped.add(plugin.name);
    else if (answer !== undefined) return undefined;
    else preFilters.push(plugin);
  }
  const isQuiet = ({ name }: SchedulingPlugin): boolean => skipped.has(name) && quietWhenSkipped.has(name);
  const filters = askedFilters.filter(({ plugin }) => !skipped.has(plugin.name));
  return {
    preFilters,
    filters,
    refusing: filters.filter(({ plugin }) => mayRefuse(plugin, cycle)),
    preScores: askedPreScores.filter((plugin) => !isQuiet(plugin)),
    scores: askedScores.filter(({ plugin }) => !isQuiet(plugin)),
    skipped,
  };
}

/** Who throws is asked about nodes, and throws there. */
function mayRefuse(plugin: SchedulingPlugin, cycle: Cycle): boolean {
  try {
    return plugin.fitsEverywhere?.(cycle) !== true;
  } catch {
    return true;
  }
}

/** What the first of them says against a node, of those before a place in the profile's order. */
export function firstRefusal(
  filters: readonly PlacedFilter[],
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

/** Asks who of them wants to score nodes. */
export function scorersOf(
  cycle: Cycle,
  { preScores, scores }: AskedPlugins,
  nodes: readonly NodeView[],
): readonly WeightedPlugin[] {
  const skipped = runPreScore(cycle, { preScore: preScores }, nodes);
  return scores.filter(({ plugin }) => !skipped.has(plugin.name));
}

/** Adds their scores of nodes. */
export function addAskedScores(
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
