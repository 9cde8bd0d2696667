// How good each node is. Every plugin scores every node, brings its scores into the range from 0 to 100, and the sum of
// them, weighed, is what counts. As pkg/scheduler/framework/runtime, RunScorePlugins.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle.js';
import { PluginError } from './plugin-error.js';
import type { ProfilePlugins, WeightedPlugin } from './profile-plugins.js';
import { succeeded, timedPoint } from './timings.js';

/** The highest score that a plugin may give. */
export const maxScore = 100;

/** What one plugin says of all nodes, before weights. */
export interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  readonly scores: readonly number[];
}

/** The scores of nodes, by plugin. Plugins that have nothing to do with the pod are left out. */
export function scoresByPlugin(
  cycle: Cycle,
  plugins: ProfilePlugins,
  nodes: readonly NodeView[],
): readonly PluginScores[] {
  const skipped = runPreScore(cycle, plugins, nodes);
  const scoring = plugins.score.filter(({ plugin }) => !skipped.has(plugin.name));
  cycle.timings?.evaluations.add(
    'Score',
    scoring.map(({ plugin }) => plugin),
    nodes.length,
  );
  return timedPoint(cycle.timings, 'Score', succeeded, () =>
    scoring.map((each) => ({ plugin: each.plugin.name, weight: each.weight, scores: scoresOf(cycle, each, nodes) })),
  );
}

/** The weighed sums, one for each node. */
export function totalScores(scores: readonly PluginScores[], nodeCount: number): number[] {
  const totals = new Array<number>(nodeCount).fill(0);
  for (const { weight, scores: ofPlugin } of scores) {
    for (let index = 0; index < nodeCount; index++)
      totals[index] = (totals[index] ?? 0) + weight * (ofPlugin[index] ?? 0);
  }
  return totals;
}

/** Asks who wants to score at all. */
export function runPreScore(
  cycle: Cycle,
  { preScore }: Pick<ProfilePlugins, 'preScore'>,
  nodes: readonly NodeView[],
): ReadonlySet<string> {
  const skipped = new Set<string>();
  timedPoint(cycle.timings, 'PreScore', succeeded, () => {
    for (const plugin of preScore) {
      try {
        if (plugin.preScore(cycle, nodes) === 'skip') skipped.add(plugin.name);
        else cycle.timings?.evaluations.add('PreScore', [plugin], 1);
      } catch (error) {
        throw new PluginError(plugin.name, `running PreScore plugin "${plugin.name}": ${errorText(error)}`, error);
      }
    }
  });
  return skipped;
}

/** The scores of one plugin, brought into the range. */
export function scoresOf(cycle: Cycle, { plugin }: WeightedPlugin, nodes: readonly NodeView[]): readonly number[] {
  const scores = during(plugin.name, 'running Score plugins', () => nodes.map((node) => plugin.score(cycle, node)));
  during(plugin.name, 'running Normalize on Score plugins', () => plugin.normalizeScores?.(cycle, scores, nodes));
  const wrong = scores.find((score) => !(score >= 0 && score <= maxScore));
  if (wrong === undefined) return scores;
  const complaint = `plugin "${plugin.name}" returns an invalid score ${wrong}, it should in the range of [0, ${maxScore}] after normalizing`;
  throw new PluginError(plugin.name, `applying score defaultWeights on Score plugins: ${complaint}`);
}

function during<T>(plugin: string, doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PluginError(plugin, `${doing}: plugin "${plugin}" failed with: ${errorText(error)}`, error);
  }
}
