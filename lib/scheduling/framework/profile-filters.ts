// Runs the filters of a profile on one node; the first rejection is returned. Nominated pods of equal or higher
// priority are first added to a copy of the node. The pod must fit with them and, because they may never arrive, also
// without them. As pkg/scheduler/framework/runtime, RunFilterPluginsWithNominatedPods.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Cycle } from './cycle-state.js';
import { PluginError } from './rejection.js';
import type { Filters } from './plugin-tools.js';
import { activeFilters } from './pre-filter.js';
import type { ActiveFilters } from './pre-filter.js';
import type { Implementing } from './profile-plugins.js';
import type { Rejected, Rejection } from './rejection.js';

/** Runs the filters that the cycle's PreFilter left active. */
export const profileFilters: Filters = {
  filter: (cycle, node) => {
    const nominated = nominatedPodsFor(cycle, node.name);
    if (nominated.length > 0) {
      const withNominated: Cycle = { ...cycle, state: cycle.state.copy() };
      const draft = node.copy();
      for (const pod of nominated) {
        draft.add(pod);
        profileFilters.addPod(withNominated, pod, draft);
      }
      const rejected = firstRejection(withNominated, draft);
      if (rejected !== undefined) return rejected;
    }
    return firstRejection(cycle, node);
  },
  addPod: (cycle, pod, node) => {
    for (const plugin of active(cycle).adders) plugin.addPod(cycle, pod, node);
  },
  removePod: (cycle, pod, node) => {
    for (const plugin of active(cycle).removers) plugin.removePod(cycle, pod, node);
  },
};

/** Returns the first rejection, without nominated pods. */
export function firstRejection(cycle: Cycle, node: NodeView): Rejected | undefined {
  for (const plugin of active(cycle).filters) {
    const rejected = rejectionBy(plugin, cycle, node);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}

/** Returns the rejection by one plugin. */
export function rejectionBy(plugin: Implementing<'filter'>, cycle: Cycle, node: NodeView): Rejected | undefined {
  let rejection: Rejection | undefined;
  try {
    rejection = plugin.filter(cycle, node);
  } catch (error) {
    throw new PluginError(plugin.name, `running "${plugin.name}" filter plugin: ${errorText(error)}`, error);
  }
  return rejection && rejectedBy(plugin.name, rejection);
}

/**
 * Returns a rejection with its plugin. The result is cached per rejection object, so constant rejections give constant
 * results.
 */
export function rejectedBy(plugin: string, rejection: Rejection): Rejected {
  const known = rejectedCache.get(rejection);
  if (known?.plugin === plugin) return known;
  const rejected = Object.freeze({ ...rejection, plugin });
  rejectedCache.set(rejection, rejected);
  return rejected;
}

const rejectedCache = new WeakMap<Rejection, Rejected>();

/** Returns the pods nominated to a node that count as present for this pod. */
export function nominatedPodsFor({ cluster, pod }: Cycle, nodeName: string): readonly PodFacts[] {
  const nominated = cluster.nominatedTo(nodeName);
  return nominated.length === 0
    ? nominated
    : nominated.filter((each) => countsForPriority(each, pod.priority) && each.uid !== pod.uid);
}

/** Returns whether a nominated pod counts as present for a pod of this priority. */
export function countsForPriority(nominated: PodFacts, priority: number): boolean {
  return nominated.priority >= priority;
}

function active(cycle: Cycle): ActiveFilters {
  return cycle.state.read(activeFilters);
}
