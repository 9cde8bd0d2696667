// The makers of all built-in plugins, by the names that configurations know. Each is given the arguments that the
// profile has completed and checked for it. In the order of the default profile.
import type { PluginMaker } from '../framework/plugin-tools.js';
import { defaultPreemption } from '../preemption/default-preemption.js';
import { defaultBinder } from './default-binder.js';
import { dynamicResources } from './dynamic-resources/dynamic-resources.js';
import { imageLocality } from './image-locality.js';
import { interPodAffinity } from './inter-pod-affinity/inter-pod-affinity.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeDeclaredFeatures } from './node-declared-features.js';
import { nodeName } from './node-name.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesBalancedAllocation } from './node-resources/node-resources-balanced-allocation.js';
import { nodeResourcesFit } from './node-resources/node-resources-fit.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { podTopologySpread } from './pod-topology-spread/pod-topology-spread.js';
import { prioritySort } from './priority-sort.js';
import { schedulingGates } from './scheduling-gates.js';
import { taintToleration } from './taint-toleration.js';
import { nodeVolumeLimits } from './volumes/node-volume-limits.js';
import { volumeBinding } from './volumes/volume-binding.js';
import { volumeRestrictions } from './volumes/volume-restrictions.js';
import { volumeZone } from './volumes/volume-zone.js';

/** Makers by plugin. */
export const builtinMakers: ReadonlyMap<string, PluginMaker> = new Map<string, PluginMaker>([
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
