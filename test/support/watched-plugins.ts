// Plugins that are watched at work: which of them refuse nodes, and whose scores decide. A test that wants all of them
// in play can so see to it.
import type { Cycle } from '../../lib/scheduling/framework/cycle.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';

/** Plugins to use in place of others, and what was seen. */
export interface WatchedPlugins {
  readonly watched: ReadonlyMap<string, PluginDefinition>;
  /** How many nodes each that filters refused. */
  readonly refusing: ReadonlyMap<string, number>;
  /** For how many pods other nodes would have been the best ones without it, of each that scores. */
  readonly deciding: ReadonlyMap<string, number>;
}

/** The same plugins, watched. */
export function watchedPlugins(definitions: ReadonlyMap<string, PluginDefinition>): WatchedPlugins {
  const refusing = new Map<string, number>();
  const deciding = new Map<string, number>();
  let scored: { readonly cycle: Cycle; readonly byPlugin: Map<string, readonly number[]> } | undefined;

  /** Takes down the weighed scores of a plugin; what was taken down for the pod before is looked at. */
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
    const make: PluginDefinition['make'] = (tools, args) =>
      watch(definition.make(tools, args), tools.profile.plugins.score.find((each) => each.name === name)?.weight ?? 0);
    return [name, { ...definition, make }];
  });
  return { watched: new Map(watched), refusing, deciding };
}

function decides(name: string, byPlugin: ReadonlyMap<string, readonly number[]>): boolean {
  const others = [...byPlugin].filter(([each]) => each !== name).map(([, scores]) => scores);
  return bestOf([...byPlugin.values()]) !== bestOf(others);
}

/** The places of the best nodes. */
function bestOf(scores: readonly (readonly number[])[]): string {
  const totals = scores[0]?.map((_, index) => scores.reduce((sum, each) => sum + (each[index] ?? 0), 0)) ?? [];
  return totals.flatMap((total, index) => (total === Math.max(...totals) ? [index] : [])).join();
}

function count(counts: Map<string, number>, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}
