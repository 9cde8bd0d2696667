// Scheduling: which node a pod is to run on. Sees a cluster through a client only.
export type { ClusterEvent, NamedEvent } from './queue/cluster-event.js';
export { actions, clusterEvents, covers, isWildcard, labelOf } from './queue/cluster-event.js';
export { createSchedulingQueue } from './queue/create-queue.js';
export type { Happening } from './queue/in-flight.js';
export type { IncomingCount, IncomingQueue } from './queue/incoming-pods.js';
export type { QueuedPod, QueuePart } from './queue/queued-pod.js';
export { priorityOf, comparePriority } from './queue/queued-pod.js';
export type { EventRegistrations } from './queue/rejectors.js';
export type {
  RemoveOptions,
  AttemptFailure,
  QueueFigures,
  QueuePlugins,
  SchedulingQueue,
  SchedulingQueueOptions,
  TellOptions,
} from './queue/scheduling-queue.js';
export { SchedulerConfigurationError } from './configuration/configuration-error.js';
export type {
  ClientConnectionDocument,
  ExtenderDocument,
  ExtenderTls,
  LeaderElectionDocument,
  ManagedResource,
  PluginConfigDocument,
  ProfileDocument,
  SchedulerDocument,
} from './configuration/configuration-document.js';
export type { ExtensionPoint, PluginReference, PluginRegistry } from './configuration/extension-points.js';
export { builtinPlugins, defaultPlugins, extensionPoints } from './configuration/extension-points.js';
export type { LeaderElectionSettings } from './configuration/leader-election.js';
export type {
  ArgumentDocuments,
  ConfigurablePlugin,
  PluginArguments,
  ResourceWeight,
  ScoringStrategy,
  ShapePoint,
  Weightless,
} from './configuration/plugin-arguments.js';
export type { EnabledPlugin, EnabledPlugins, PluginSet, PluginSets } from './configuration/plugin-sets.js';
export type {
  ConfigurationOptions,
  Extender,
  SchedulerConfiguration,
  SchedulerProfile,
} from './configuration/scheduler-configuration.js';
export { parseSchedulerConfiguration, schedulerConfiguration } from './configuration/scheduler-configuration.js';
export type { PodFacts } from './pod/pod-facts.js';
export { podFacts } from './pod/pod-facts.js';
export type { ResourceAmounts } from './pod/resource-amounts.js';
export { isScalarResource } from './pod/resource-amounts.js';
export type { NonZeroRequests } from './pod/requests.js';
export {
  assumedMemory,
  assumedMilliCpu,
  heldRequests,
  nonZeroHeldRequests,
  nonZeroPodRequests,
  podRequests,
} from './pod/requests.js';
export type { HostPort } from './pod/host-ports.js';
export { anyAddress, hostPorts, portsCollide } from './pod/host-ports.js';
export {
  countUnpreferred,
  preferenceTolerations,
  toleratesOne,
  toleratesTaint,
  unschedulableTaint,
  untoleratedTaint,
} from './pod/tolerations.js';
export type { CompiledTerms, FieldTest, NodeTerm, RequiredNodes, WeightedNodeTerm } from './pod/node-affinity.js';
export {
  compileNodeTerms,
  compilePreferredTerms,
  matchesAnyTerm,
  matchesRequired,
  matchesTerm,
  preferenceScore,
  preferredNodes,
  requiredNodes,
} from './pod/node-affinity.js';
export type { AffinityTerm, AffinityTerms, WeightedAffinityTerm } from './pod/pod-affinity.js';
export { asksNamespaces, matchesAffinityTerm, podAffinity, podAntiAffinity } from './pod/pod-affinity.js';
export type { SelectingController, SelectingKind, SpreadConstraint, SpreadConstraints } from './pod/topology-spread.js';
export {
  alikeSelector,
  defaultSpreadConstraints,
  noSpreadConstraints,
  ownSpreadConstraints,
  selectingController,
  systemDefaultConstraints,
} from './pod/topology-spread.js';
export { imageName, podImages } from './pod/images.js';
export type { PodDeviceClaim } from './pod/device-claims.js';
export { deviceClaims } from './pod/device-claims.js';
export type { FitFailure } from './fit-error.js';
export { fitErrorText } from './fit-error.js';

// The framework, for plugins of one's own
export type { Cycle, MemoryKey, Remembered } from './framework/cycle.js';
export { CycleMemory, memoryKey } from './framework/cycle.js';
export type { EventInterest, EventResources, HintAnswer, QueueingHint } from './framework/event-interest.js';
export { on } from './framework/event-interest.js';
export type { Framework } from './framework/framework.js';
export type { Diagnosis, NoPlacement, Placement, Placer } from './framework/placement.js';
export { isPlaced } from './framework/placement.js';
export type { PluginDefinition } from './framework/plugin-definition.js';
export { definitionOf, registryOf } from './framework/plugin-definition.js';
export { PluginError } from './framework/plugin-error.js';
export type {
  Filters,
  LeavingPods,
  PluginMaker,
  PluginTools,
  PreemptionExtender,
  WaitingPods,
} from './framework/plugin-tools.js';
export type {
  NodeSet,
  PermitWait,
  PluginActivity,
  PodNote,
  PostFilterAnswer,
  SchedulingPlugin,
  WaitingPod,
} from './framework/plugin.js';
export type { Implementing, ProfilePlugins, WeightedPlugin } from './framework/profile-plugins.js';
export type { Rejected, Rejection, RejectionCode, Skip } from './framework/rejection.js';
export { pending, rejectionText, unresolvable, unschedulable } from './framework/rejection.js';
export type { FrameworkTimings, HintResult, PointName, PointStatus, Timings } from './framework/timings.js';
export type { EvaluatedPoint, EvaluationCount, Evaluations } from './framework/evaluations.js';
export type { Log } from './bounded-log.js';
export type { ChangeLog, ClusterChange } from './cluster/change-log.js';
export type { CacheFigures, ClusterCache, ClusterCacheOptions, Nominations } from './cluster/cluster-cache.js';
export { createClusterCache } from './cluster/cluster-cache.js';
export type { ClusterView } from './cluster/cluster-view.js';
export type { ClusterFeedOptions, EventTimings } from './cluster/cluster-feed.js';
export type { ClusterNews, FollowClusterOptions } from './cluster/follow-cluster.js';
export { followCluster } from './cluster/follow-cluster.js';
export type { FollowedName } from './cluster/followed-kinds.js';
export type { KnownCollection } from './cluster/known-collection.js';
export type { KnownKind, KnownKinds, KnownObjects } from './cluster/known-objects.js';
export type { KnownStore } from './cluster/known-store.js';
export type { ImageState, NodeCapacity, NodeDraft, NodeView } from './cluster/node-view.js';

// The scheduler
export type {
  AboutPod,
  Attempt,
  BackgroundFailed,
  BindingFailed,
  Bound,
  ExtenderFailed,
  NotServed,
  Preempted,
  Scheduled,
  SchedulingFailed,
  Skipped,
  Started,
  Unschedulable,
  WaitingAtPermit,
  WatchFailed,
  WriteFailed,
} from './scheduler/attempt.js';
export { createScheduler } from './scheduler/create-scheduler.js';
export type { ExtenderCalls, ExtenderVerdict } from './scheduler/extender-calls.js';
export type { FrameworkMetrics } from './scheduler/framework-metrics.js';
export type { HeldPods, PermitVerdict } from './scheduler/held-pods.js';
export type { AttemptResult, CurrentFigures, SchedulerMetrics } from './scheduler/scheduler-metrics.js';
export type { Scheduler, SchedulerOptions } from './scheduler/scheduler-options.js';
export type { ExtendedPlacer, PlacingProfile, SchedulerParts } from './scheduler/scheduler-parts.js';
export type { StatusWrites } from './scheduler/status-writes.js';
export { builtinMakers } from './plugins/default-plugins.js';
export type { OfferedDevice } from './plugins/dynamic-resources/allocation/devices.js';
export { dynamicResources } from './plugins/dynamic-resources/dynamic-resources.js';
export { basicSelectors } from './plugins/dynamic-resources/selectors/basic-selectors.js';
export type { DeviceMatcher, SelectorCompiler } from './plugins/dynamic-resources/selectors/device-selectors.js';
export { SelectorError } from './plugins/dynamic-resources/selectors/device-selectors.js';
export { normalizeShares, reverseShareOfHighest, shareOfHighest } from './plugins/score-shares.js';
export type { Explanation, NodeExplanation, Remedy } from './what-if/explain.js';
export type { PodChange } from './what-if/pod-change.js';
export type { Simulated, WhatIf } from './what-if/simulate.js';
