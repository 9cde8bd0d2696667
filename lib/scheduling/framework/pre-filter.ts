// The first question to plugins: may the pod be placed at all, and does it matter to them? Who says skip is left out of
// the filters of this cycle. A no that preemption may turn is remembered while the others are asked, since the what-if
// of preemption needs what they remember; one that nothing turns ends the round.
// As pkg/scheduler/framework/runtime, RunPreFilterPlugins.
import { errorText } from '../../core/index.js';
import { memoryKey } from './cycle.js';
import type { Cycle, MemoryKey, Remembered } from './cycle.js';
import { PluginError } from './plugin-error.js';
import type { Implementing, ProfilePlugins } from './profile-plugins.js';
import { unresolvable } from './rejection.js';
import type { Rejected, Rejection } from './rejection.js';
import { statusOfRejection, timedPoint } from './timings.js';

/** What PreFilter came to. */
export interface PreFilterOutcome {
  /** A no for all nodes. Without plugin where several together leave no node. */
  readonly rejection?: Rejection & Partial<Pick<Rejected, 'plugin'>>;
  /** Only these nodes come into question; all where it is absent. */
  readonly nodeNames?: ReadonlySet<string>;
  /** The plugins that narrowed the nodes, sorted. */
  readonly narrowedBy: readonly string[];
}

/** The plugins whose filters are asked in a cycle. */
export interface ActiveFilters extends Remembered {
  readonly filters: readonly Implementing<'filter'>[];
  readonly adders: readonly Implementing<'addPod'>[];
  readonly removers: readonly Implementing<'removePod'>[];
}

/** Where the cycle remembers them. */
export const activeFilters: MemoryKey<ActiveFilters> = memoryKey<ActiveFilters>('framework: active filters');

/** Asks all plugins, and remembers whose filters are to be asked. */
export function runPreFilter(cycle: Cycle, plugins: ProfilePlugins): PreFilterOutcome {
  const skipped = new Set<string>();
  try {
    return timedPoint(
      cycle.timings,
      'PreFilter',
      ({ rejection }) => statusOfRejection(rejection),
      () => ask(cycle, plugins, skipped),
    );
  } finally {
    cycle.memory.set(activeFilters, activeWithout(plugins, skipped));
  }
}

/** The filters of a profile without those of plugins that have nothing to do with the pod. */
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

function ask(cycle: Cycle, plugins: ProfilePlugins, skipped: Set<string>): PreFilterOutcome {
  let rejection: Rejected | undefined;
  let nodeNames: ReadonlySet<string> | undefined;
  const narrowedBy: string[] = [];
  for (const plugin of plugins.preFilter) {
    const answer = answerOf(plugin, cycle);
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
    if (nodeNames.size === 0) return { rejection: unresolvable(nothingLeft(narrowedBy.sort())), nodeNames, narrowedBy };
  }
  return { ...(rejection && { rejection }), ...(nodeNames && { nodeNames }), narrowedBy: narrowedBy.sort() };
}

function answerOf(plugin: Implementing<'preFilter'>, cycle: Cycle): ReturnType<typeof plugin.preFilter> {
  try {
    return plugin.preFilter(cycle);
  } catch (error) {
    throw new PluginError(plugin.name, `running PreFilter plugin "${plugin.name}": ${errorText(error)}`, error);
  }
}

function nothingLeft(plugins: readonly string[]): string {
  return plugins.length === 1
    ? `node(s) didn't satisfy plugin ${plugins.join(' ')}`
    : `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`;
}

function intersection(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(Array.from(one).filter((name) => other.has(name)));
}
