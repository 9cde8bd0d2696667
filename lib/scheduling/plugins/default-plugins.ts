// The factories of all built-in plugins by name, in the order of the default profile. Each receives the profile's
// completed and validated arguments. PrioritySort, SchedulingGates and DefaultBinder are so small that they are here
// too. As the plugins of the same names.
import type { PluginFactory, PluginTools } from '../framework/plugin-tools.js';
import { defaultPreemption } from '../preemption/default-preemption.js';
import { dynamicResources } from './dynamic-resources/dynamic-resources.js';
import { imageLocality } from './image-locality.js';
import { interPodAffinity } from './inter-pod-affinity/inter-pod-affinity.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeDeclaredFeatures } from './node-declared-features.js';
import { nodeName, nodeUnschedulable, nodePorts, taintToleration } from './node-constraints.js';
import { nodeResourcesBalancedAllocation } from './node-resources/node-resources-balanced-allocation.js';
import { nodeResourcesFit } from './node-resources/node-resources-fit.js';
import { podTopologySpread } from './pod-topology-spread/pod-topology-spread.js';
import { nodeVolumeLimits } from './volumes/node-volume-limits.js';
import { volumeBinding } from './volumes/volume-binding.js';
import { volumeRestrictions } from './volumes/volume-restrictions.js';
import { volumeZone } from './volumes/volume-zone.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { comparePriority as compare } from '../queue/queued-pod.js';
import { on } from '../framework/queueing-hints.js';
import { unresolvable } from '../framework/rejection.js';
import { actions } from '../queue/cluster-event.js';
import { isSamePod } from './pod-predicates.js';
import type { PodSubresources } from '../../client/index.js';
import type { Binding } from '../../core/types/index.js';

/** The factories of the built-in plugins, by name. */
export const builtinPluginFactories: ReadonlyMap<string, PluginFactory> = new Map<string, PluginFactory>([
  ['SchedulingGates', schedulingGates],
  ['PrioritySort', prioritySort],
  ['NodeUnschedulable', nodeUnschedulable],
  ['NodeName', nodeName],
  ['TaintToleration', taintToleration],
  ['NodeAffinity', ({ profile }) => nodeAffinity(profile.args.NodeAffinity)],
  ['NodePorts', nodePorts],
  ['NodeResourcesFit', (tools) => nodeResourcesFit(tools, tools.profile.args.NodeResourcesFit)],
  ['VolumeRestrictions', volumeRestrictions],
  ['NodeVolumeLimits', nodeVolumeLimits],
  ['VolumeBinding', (tools) => volumeBinding(tools, tools.profile.args.VolumeBinding)],
  ['VolumeZone', volumeZone],
  ['PodTopologySpread', (tools) => podTopologySpread(tools, tools.profile.args.PodTopologySpread)],
  ['InterPodAffinity', (tools) => interPodAffinity(tools, tools.profile.args.InterPodAffinity)],
  ['DynamicResources', (tools) => dynamicResources(tools, tools.profile.args.DynamicResources)],
  ['DefaultPreemption', (tools) => defaultPreemption(tools, tools.profile.args.DefaultPreemption)],
  [
    'NodeResourcesBalancedAllocation',
    (tools) => nodeResourcesBalancedAllocation(tools, tools.profile.args.NodeResourcesBalancedAllocation),
  ],
  ['ImageLocality', imageLocality],
  ['DefaultBinder', defaultBinder],
  ['NodeDeclaredFeatures', nodeDeclaredFeatures],
]);

/** Creates PrioritySort: pods of higher priority first, then those that have waited longer. */
export function prioritySort(): SchedulingPlugin {
  return { name: 'PrioritySort', compare };
}

/**
 * Creates SchedulingGates: a pod with scheduling gates is not scheduled until all are removed. The API server writes
 * the condition that reports them.
 */
export function schedulingGates(): SchedulingPlugin {
  return {
    name: 'SchedulingGates',
    events: [
      on('Pod', actions.updatePodSchedulingGatesEliminated, (pod, _, changed) =>
        isSamePod(pod, changed) ? 'queue' : 'skip',
      ),
    ],
    preEnqueue: ({ gates }) =>
      gates.length === 0 ? undefined : unresolvable(`waiting for scheduling gates: [${gates.join(' ')}]`),
  };
}

/**
 * Creates DefaultBinder: creates a Binding. It has the uid of the pod, so that another pod of the same name is not
 * bound.
 */
export function defaultBinder({ client }: Pick<PluginTools, 'client'>): SchedulingPlugin {
  let bindings: PodSubresources['binding'] | undefined;
  return {
    name: 'DefaultBinder',
    bind: async ({ pod: { namespace, name, uid, object } }, nodeName, signal) => {
      const binding: Binding = { metadata: { namespace, name, uid }, target: { kind: 'Node', name: nodeName } };
      bindings ??= client.kind('v1', 'Pod').binding;
      const cause = { reason: `scheduled to ${nodeName}`, resourceVersion: object.metadata?.resourceVersion };
      await bindings.create({ namespace, name }, binding, { signal, cause });
      return undefined;
    },
  };
}
