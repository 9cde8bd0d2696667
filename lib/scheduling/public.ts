// `vivarium/scheduling`: running, configuring and extending the scheduler. Sibling folders import index.ts; everything
// else in this folder is internal.

// The scheduler: running, explaining, simulating
export { createScheduler } from './scheduler/create-scheduler.js';
export type { Scheduler, SchedulerOptions } from './scheduler/scheduler-options.js';
export type { SchedulerActivity } from './scheduler/scheduler-activity.js';
export type { Explanation, NodeExplanation, Remedy } from './what-if/explain.js';
export type { PodChange } from './what-if/pod-change.js';
export type { SimulatedPlacement, WhatIf } from './what-if/simulate.js';

// The configuration
export { parseSchedulerConfiguration, schedulerConfiguration } from './configuration/scheduler-configuration.js';
export type {
  ConfigurationOptions,
  Extender,
  SchedulerConfiguration,
  SchedulerProfile,
} from './configuration/scheduler-configuration.js';
export type {
  ExtenderDocument,
  LeaderElectionDocument,
  ProfileDocument,
  SchedulerDocument,
} from './configuration/configuration-document.js';
export type { LeaderElectionSettings } from './configuration/leader-election.js';
export type { ArgumentDocuments, PluginArguments } from './configuration/plugin-arguments.js';
export { SchedulerConfigurationError } from './configuration/plugin-sets.js';
export type { EnabledPlugins, PluginSet, PluginSets } from './configuration/plugin-sets.js';
export { builtinPlugins, defaultPlugins, extensionPoints } from './configuration/extension-points.js';
export type { ExtensionPoint, PluginReference, PluginRegistry } from './configuration/extension-points.js';

// The contract of plugins
export type {
  NodeSet,
  PermitWait,
  PodEventDetails,
  PostFilterResult,
  SchedulingPlugin,
  WaitingPod,
} from './framework/plugin.js';
export { registryOf } from './framework/plugin-definition.js';
export type { PluginDefinition } from './framework/plugin-definition.js';
export type { Filters, PluginFactory, PluginTools, WaitingPods } from './framework/plugin-tools.js';
export { PluginError, pending, unresolvable, unschedulable } from './framework/rejection.js';
export type { Rejected, Rejection, RejectionCode, Skip } from './framework/rejection.js';
export { CycleState, stateKey } from './framework/cycle-state.js';
export type { Cycle, StateData, StateKey } from './framework/cycle-state.js';
export { on } from './framework/queueing-hints.js';
export type { ClusterEventWithHint, QueueingHint, QueueingHintFn } from './framework/queueing-hints.js';
export { actions } from './queue/cluster-event.js';
export type { QueuedPod } from './queue/queued-pod.js';
export type { Diagnosis } from './framework/placement.js';
export { normalizeScores, scaleToHighest, scaleToHighestReversed } from './plugins/normalize-scores.js';

// What plugins read: pods, nodes, the cluster
export type { PodFacts } from './pod/pod-facts.js';
export type { ResourceAmounts } from './pod/resource-amounts.js';
export type { ClusterView } from './cluster/cluster-view.js';
export type { NodeCapacity, NodeView } from './cluster/node-view.js';

// Device selectors
export { dynamicResources } from './plugins/dynamic-resources/dynamic-resources.js';
export { celSelectors } from './plugins/dynamic-resources/selectors/cel-selectors.js';
export { SelectorError } from './plugins/dynamic-resources/selectors/device-selectors.js';
export type { DeviceMatcher, SelectorCompiler } from './plugins/dynamic-resources/selectors/device-selectors.js';
export type { OfferedDevice } from './plugins/dynamic-resources/allocation/devices.js';
