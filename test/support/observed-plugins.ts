// Wraps plugins to observe them: which of them reject nodes, and whose scores decide. A test can assert that all of
// them had an effect.
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';

/** Wrapped plugins and the observations. */
export interface WatchedPlugins {
  readonly watched: ReadonlyMap<string, PluginDefinition>;
  /** Number of nodes that each filter rejected. */
  readonly refusing: ReadonlyMap<string, number>;
  /** For each score plugin: the number of pods for which other nodes would have been best without it. */
  readonly deciding: ReadonlyMap<string, number>;
}

/** Wraps plugins. */
export function watchedPlugins(definitions: ReadonlyMap<string, PluginDefinition>): WatchedPlugins {
  const refusing = new Map<string, number>();
  const deciding = new Map<string, number>();
  let scored: { readonly cycle: Cycle; readonly byPlugin: Map<string, readonly number[]> } | undefined;

  /** Records the weighted scores of a plugin, and evaluates those recorded for the previous pod. */
  const takeDown = (cycle: Cycle, name: string, scores: readonly number[]): void => {
    if (scored?.cycle !== cycle) {
      for (const each of scored?.byPlugin.keys() ?? [])
        if (scored !== undefined && decides(each, scored.byPlugin)) count(deciding, each);
      scored = { cycle, byPlugin: new Map() };
    }
    scored.byPlugin.set(name, scores);
  };
  const watch = (plugin: SchedulingPlugin, weight: number): SchedulingPlugin => {
    const { name, filter, score, normalizeScores } = plugin;
    if (filter !== undefined) count(refusing, name, 0);
    if (score !== undefined) count(deciding, name, 0);
    return {
      ...plugin,
      ...(filter && {
        filter: (cycle, node) => {
          const rejection = filter(cycle, node);
          if (rejection !== undefined) count(refusing, name);
          return rejection;
        },
      }),
      ...(score && {
        normalizeScores: (cycle, scores, nodes) => {
          normalizeScores?.(cycle, scores, nodes);
          takeDown(
            cycle,
            name,
            scores.map((each) => weight * each),
          );
        },
      }),
    };
  };
  const watched = Array.from(definitions, ([name, definition]): [string, PluginDefinition] => {
    const create: PluginDefinition['create'] = (tools, args) =>
      watch(
        definition.create(tools, args),
        tools.profile.plugins.score.find((each) => each.name === name)?.weight ?? 0,
      );
    return [name, { ...definition, create }];
  });
  return { watched: new Map(watched), refusing, deciding };
}

function decides(name: string, byPlugin: ReadonlyMap<string, readonly number[]>): boolean {
  const others = [...byPlugin].filter(([each]) => each !== name).map(([, scores]) => scores);
  return bestOf([...byPlugin.values()]) !== bestOf(others);
}

/** Returns the indices of the best nodes. */
function bestOf(scores: readonly (readonly number[])[]): string {
  const totals = scores[0]?.map((_, index) => scores.reduce((sum, each) => sum + (each[index] ?? 0), 0)) ?? [];
  return totals.flatMap((total, index) => (total === Math.max(...totals) ? [index] : [])).join();
}

function count(counts: Map<string, number>, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}
