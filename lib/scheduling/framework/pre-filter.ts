// Runs PreFilter. A plugin that returns `skip` is left out of the filters of this cycle. After an Unschedulable
// rejection the remaining plugins still run, because preemption's simulation needs their data;
// UnschedulableAndUnresolvable ends the round. As pkg/scheduler/framework/runtime, RunPreFilterPlugins.
import { errorText } from '../../core/index.js';
import { stateKey } from './cycle-state.js';
import type { Cycle, StateKey, StateData } from './cycle-state.js';
import { PluginError, unresolvable } from './rejection.js';
import type { Implementing, ProfilePlugins } from './profile-plugins.js';
import type { Rejected, Rejection } from './rejection.js';
import { statusOfRejection, timedPoint } from './timings.js';

/** The result of all PreFilter plugins. */
export interface PreFilterOutcome {
  /** The rejection of all nodes. Without `plugin` where several plugins together leave no node. */
  readonly rejection?: Rejection & Partial<Pick<Rejected, 'plugin'>>;
  /** The nodes that plugins restrict the search to; absent: all nodes. */
  readonly nodeNames?: ReadonlySet<string>;
  /** The names of the plugins that restricted the nodes, sorted. */
  readonly narrowedBy: readonly string[];
}

/** The plugins whose filters run in a cycle. */
export interface ActiveFilters extends StateData {
  readonly filters: readonly Implementing<'filter'>[];
  readonly adders: readonly Implementing<'addPod'>[];
  readonly removers: readonly Implementing<'removePod'>[];
}

/** The key of the active filters in the cycle state. */
export const activeFilters: StateKey<ActiveFilters> = stateKey<ActiveFilters>('framework: active filters');

/** Runs all PreFilter plugins and stores the active filters in the cycle state. */
export function runPreFilter(cycle: Cycle, plugins: ProfilePlugins): PreFilterOutcome {
  const skipped = new Set<string>();
  try {
    return timedPoint(
      cycle.timings,
      'PreFilter',
      ({ rejection }) => statusOfRejection(rejection),
      () => runAll(cycle, plugins, skipped),
    );
  } finally {
    cycle.state.set(activeFilters, activeWithout(plugins, skipped));
  }
}

/** Returns the filters of a profile without those of skipped plugins. */
export function activeWithout({ filter, preFilter }: ProfilePlugins, skipped: ReadonlySet<string>): ActiveFilters {
  return {
    filters: filter.filter(({ name }) => !skipped.has(name)),
    adders: preFilter.filter(
      (plugin): plugin is Implementing<'preFilter' | 'addPod'> =>
        plugin.addPod !== undefined && !skipped.has(plugin.name),
    ),
    removers: preFilter.filter(
      (plugin): plugin is Implementing<'preFilter' | 'removePod'> =>
        plugin.removePod !== undefined && !skipped.has(plugin.name),
    ),
  };
}

function runAll(cycle: Cycle, plugins: ProfilePlugins, skipped: Set<string>): PreFilterOutcome {
  let rejection: Rejected | undefined;
  let nodeNames: ReadonlySet<string> | undefined;
  const narrowedBy: string[] = [];
  for (const plugin of plugins.preFilter) {
    const answer = resultOf(plugin, cycle);
    if (answer === 'skip') {
      skipped.add(plugin.name);
      continue;
    }
    cycle.timings?.evaluations.add('PreFilter', [plugin], 1);
    if (answer === undefined) continue;
    if ('code' in answer) {
      const rejected = { ...answer, plugin: plugin.name };
      if (answer.code === 'UnschedulableAndUnresolvable') return { rejection: rejected, narrowedBy: [] };
      if (answer.code === 'Pending')
        throw new PluginError(plugin.name, `running PreFilter plugin "${plugin.name}": ${answer.reasons.join(', ')}`);
      rejection = rejected;
      continue;
    }
    narrowedBy.push(plugin.name);
    nodeNames = nodeNames === undefined ? answer.nodeNames : intersection(nodeNames, answer.nodeNames);
    if (nodeNames.size === 0)
      return { rejection: unresolvable(noNodesMessage(narrowedBy.sort())), nodeNames, narrowedBy };
  }
  return { ...(rejection && { rejection }), ...(nodeNames && { nodeNames }), narrowedBy: narrowedBy.sort() };
}

function resultOf(plugin: Implementing<'preFilter'>, cycle: Cycle): ReturnType<typeof plugin.preFilter> {
  try {
    return plugin.preFilter(cycle);
  } catch (error) {
    throw new PluginError(plugin.name, `running PreFilter plugin "${plugin.name}": ${errorText(error)}`, error);
  }
}

function noNodesMessage(plugins: readonly string[]): string {
  return plugins.length === 1
    ? `node(s) didn't satisfy plugin ${plugins.join(' ')}`
    : `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`;
}

function intersection(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(Array.from(one).filter((name) => other.has(name)));
}
