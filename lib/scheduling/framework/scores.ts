// Scores nodes: every plugin scores every node, normalizes its scores to 0 to 100, and the weighted sum decides. As
// pkg/scheduler/framework/runtime, RunScorePlugins.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle-state.js';
import { PluginError } from './rejection.js';
import type { ProfilePlugins, WeightedPlugin } from './profile-plugins.js';
import { alwaysSuccess, timedPoint } from './timings.js';

/** The highest score of a plugin. */
export const maxScore = 100;

/** The normalized scores of one plugin, one per node, before weighting. */
export interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  readonly scores: readonly number[];
}

/** Returns the scores by plugin, without plugins that skip the pod. */
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
  return timedPoint(cycle.timings, 'Score', alwaysSuccess, () =>
    scoring.map((each) => ({ plugin: each.plugin.name, weight: each.weight, scores: scoresOf(cycle, each, nodes) })),
  );
}

/** Returns the weighted sums, one per node. */
export function totalScores(scores: readonly PluginScores[], nodeCount: number): number[] {
  const totals = new Array<number>(nodeCount).fill(0);
  for (const { weight, scores: ofPlugin } of scores) {
    for (let index = 0; index < nodeCount; index++)
      totals[index] = (totals[index] ?? 0) + weight * (ofPlugin[index] ?? 0);
  }
  return totals;
}

/** Runs PreScore and returns the names of the plugins that skip the pod. */
export function runPreScore(
  cycle: Cycle,
  { preScore }: Pick<ProfilePlugins, 'preScore'>,
  nodes: readonly NodeView[],
): ReadonlySet<string> {
  const skipped = new Set<string>();
  timedPoint(cycle.timings, 'PreScore', alwaysSuccess, () => {
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

/** Returns the normalized scores of one plugin. Throws if one is outside 0 to 100. */
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
