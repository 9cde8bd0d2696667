// The extension points of binding. PreBind runs in groups of plugins that may run in parallel; the first Bind plugin
// that does not skip binds the pod; PostBind runs afterwards. As pkg/scheduler/framework/runtime, RunPreBindPlugins and
// so on.
import { errorText } from '../../core/index.js';
import type { Cycle } from '../framework/cycle-state.js';
import { PluginError } from '../framework/rejection.js';
import { rejectedBy } from '../framework/profile-filters.js';
import type { Implementing, ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { statusOfRejection, alwaysSuccess, timedPointAsync, timedPoint } from '../framework/timings.js';
import type { PointStatus } from '../framework/timings.js';

/** The PreBind plugins that have something to do: groups run in sequence, the plugins of a group in parallel. */
export type PreBindGroups = readonly (readonly Implementing<'preBind'>[])[];

/** Runs PreBindPreFlight. Throws what plugins throw. */
export function preBindGroups(cycle: Cycle, { preBind }: ProfilePlugins, nodeName: string): PreBindGroups {
  if (preBind.length > 0)
    return timedPoint(cycle.timings, 'PreBindPreFlight', statusOfGroups, () => groupsOf(cycle, preBind, nodeName));
  cycle.timings?.recordSkippedPoint('PreBindPreFlight', 'Skip');
  return none;
}

function statusOfGroups({ length }: PreBindGroups): PointStatus {
  return length === 0 ? 'Skip' : 'Success';
}

function groupsOf(cycle: Cycle, preBind: readonly Implementing<'preBind'>[], nodeName: string): PreBindGroups {
  const groups: Implementing<'preBind'>[][] = [];
  let sideBySide: Implementing<'preBind'>[] | undefined;
  for (const plugin of preBind) {
    const plan = planOf(plugin, cycle, nodeName);
    if (plan === 'skip') continue;
    if (plan.parallel && sideBySide !== undefined) {
      sideBySide.push(plugin);
      continue;
    }
    const group = [plugin];
    groups.push(group);
    sideBySide = plan.parallel ? group : undefined;
  }
  return groups;
}

/** Runs PreBind; the first rejection or error ends it. Rejects with what plugins throw. */
export function runPreBind(
  cycle: Cycle,
  groups: PreBindGroups,
  nodeName: string,
  signal: AbortSignal,
): Promise<Rejected | undefined> {
  return timedPointAsync(cycle.timings, 'PreBind', statusOfRejection, () =>
    preBindGroupsInOrder(cycle, groups, nodeName, signal),
  );
}

async function preBindGroupsInOrder(
  cycle: Cycle,
  groups: PreBindGroups,
  nodeName: string,
  signal: AbortSignal,
): Promise<Rejected | undefined> {
  for (const group of groups) {
    const others = new AbortController();
    const within = group.length === 1 ? signal : AbortSignal.any([signal, others.signal]);
    const ends: (Rejected | PluginError)[] = [];
    const runs = group.map(async (plugin) => {
      const end = await preBindResult(plugin, cycle, nodeName, within);
      if (end === undefined) return;
      ends.push(end);
      others.abort(end); // the results of the others are ignored
    });
    await Promise.all(runs);
    const [first] = ends;
    if (first instanceof PluginError) throw first;
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Runs Bind until a plugin does not skip. Rejects with what it throws. */
export function runBind(
  cycle: Cycle,
  { bind }: ProfilePlugins,
  nodeName: string,
  signal: AbortSignal,
): Promise<Rejected | undefined> {
  return timedPointAsync(cycle.timings, 'Bind', statusOfRejection, async () => {
    for (const plugin of bind) {
      try {
        const answer = await plugin.bind(cycle, nodeName, signal);
        if (answer === 'skip') continue;
        return answer === undefined ? undefined : rejectedBy(plugin.name, answer);
      } catch (error) {
        throw new PluginError(plugin.name, `running Bind plugin "${plugin.name}": ${errorText(error)}`, error);
      }
    }
    throw new Error('no bind plugin wanted to bind the pod');
  });
}

/** Runs PostBind. Returns the errors, which no longer affect the pod. */
export function runPostBind(cycle: Cycle, { postBind }: ProfilePlugins, nodeName: string): readonly unknown[] {
  const errors: unknown[] = [];
  if (postBind.length === 0) {
    cycle.timings?.recordSkippedPoint('PostBind', 'Success');
    return errors;
  }
  timedPoint(cycle.timings, 'PostBind', alwaysSuccess, () => {
    for (const plugin of postBind) {
      try {
        plugin.postBind(cycle, nodeName);
      } catch (error) {
        errors.push(
          new PluginError(plugin.name, `running PostBind plugin "${plugin.name}": ${errorText(error)}`, error),
        );
      }
    }
  });
  return errors;
}

const none: PreBindGroups = [];
const runsAlone = { parallel: false } as const;

function planOf(
  plugin: Implementing<'preBind'>,
  cycle: Cycle,
  nodeName: string,
): 'skip' | { readonly parallel: boolean } {
  try {
    return plugin.preBindPreFlight?.(cycle, nodeName) ?? runsAlone;
  } catch (error) {
    throw new PluginError(plugin.name, `running PreBindPreFlight "${plugin.name}": ${errorText(error)}`, error);
  }
}

async function preBindResult(
  plugin: Implementing<'preBind'>,
  cycle: Cycle,
  nodeName: string,
  signal: AbortSignal,
): Promise<Rejected | PluginError | undefined> {
  try {
    const rejection = await plugin.preBind(cycle, nodeName, signal);
    return rejection === undefined ? undefined : rejectedBy(plugin.name, rejection);
  } catch (error) {
    // The reason of the abort is more specific than the error it caused.
    const cause: unknown = signal.aborted ? signal.reason : error;
    return new PluginError(plugin.name, `running PreBind plugin "${plugin.name}": ${errorText(cause)}`, cause);
  }
}
