// The filters of a profile on one node. The first plugin that says no gives the reason. Pods that are nominated to the
// node and must not be pushed aside are put there first; where that makes a difference the filters must pass with them
// and without them, for a pod may also rely on one that never comes.
// As pkg/scheduler/framework/runtime, RunFilterPluginsWithNominatedPods.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Cycle } from './cycle.js';
import { PluginError } from './plugin-error.js';
import type { Filters } from './plugin-tools.js';
import { activeFilters } from './pre-filter.js';
import type { ActiveFilters } from './pre-filter.js';
import type { Implementing } from './profile-plugins.js';
import type { Rejected, Rejection } from './rejection.js';

/** The filters that a cycle's PreFilter left active. */
export const profileFilters: Filters = {
  filter: (cycle, node) => {
    const nominated = crowdOf(cycle, node.name);
    if (nominated.length > 0) {
      const crowded: Cycle = { ...cycle, memory: cycle.memory.copy() };
      const draft = node.copy();
      for (const pod of nominated) {
        draft.add(pod);
        profileFilters.addPod(crowded, pod, draft);
      }
      const rejected = firstRejection(crowded, draft);
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

/** What the first plugin that refuses the node says, of the pods that are there. */
export function firstRejection(cycle: Cycle, node: NodeView): Rejected | undefined {
  for (const plugin of active(cycle).filters) {
    const rejected = rejectionBy(plugin, cycle, node);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}

/** What one plugin says of the node. */
export function rejectionBy(plugin: Implementing<'filter'>, cycle: Cycle, node: NodeView): Rejected | undefined {
  let rejection: Rejection | undefined;
  try {
    rejection = plugin.filter(cycle, node);
  } catch (error) {
    throw new PluginError(plugin.name, `running "${plugin.name}" filter plugin: ${errorText(error)}`, error);
  }
  return rejection && rejectedBy(plugin.name, rejection);
}

/** A rejection with its plugin. Of those that plugins make once there is one here too. */
export function rejectedBy(plugin: string, rejection: Rejection): Rejected {
  const known = rejectedOnes.get(rejection);
  if (known?.plugin === plugin) return known;
  const rejected = Object.freeze({ ...rejection, plugin });
  rejectedOnes.set(rejection, rejected);
  return rejected;
}

const rejectedOnes = new WeakMap<Rejection, Rejected>();

/** The pods that are to come to a node and that a pod has to reckon with. */
export function crowdOf({ cluster, pod }: Cycle, nodeName: string): readonly PodFacts[] {
  const nominated = cluster.nominatedTo(nodeName);
  return nominated.length === 0
    ? nominated
    : nominated.filter((each) => isToReckonWith(each, pod.priority) && each.uid !== pod.uid);
}

/** Whether others of a priority must not push a nominated pod aside. */
export function isToReckonWith(nominated: PodFacts, priority: number): boolean {
  return nominated.priority >= priority;
}

function active(cycle: Cycle): ActiveFilters {
  return cycle.memory.recall(activeFilters);
}
