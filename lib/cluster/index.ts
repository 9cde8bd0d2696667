// A whole cluster: the API server, the scheduler and the controllers, wired together from options.
export type {
  Cluster,
  ClusterActivity,
  ClusterListenOptions,
  ClusterListening,
  ClusterSnapshot,
  PartFailed,
} from './cluster.js';
export type {
  ClusterCompactionOptions,
  ClusterOptions,
  ClusterSchedulerOptions,
  PartTools,
} from './cluster-options.js';
export type { ControllerSetting, ControllerSettings } from './controller-settings.js';
export { completeControllerSettings, controllerSettings } from './controller-settings.js';
export type { ControllerDefinition, ControllerName, ControllerTools } from './controllers.js';
export { controllerDefinitions, controllerNames, createController, selectControllers } from './controllers.js';
export type { ClusterCredentials, ControllerCredentials } from './credentials.js';
export { createCluster } from './create-cluster.js';
export type { ControllerElection, ControllersActivity, ControllersOptions } from './elected-controllers.js';
export { electedControllers } from './elected-controllers.js';
export type { ComponentElection, ElectedComponentOptions } from './elected-component.js';
export { electedComponent } from './elected-component.js';
export type { DrainingPart, RunningParts } from './run-parts.js';
export { runParts } from './run-parts.js';
export type { ClusterNode, ClusterNodesOptions } from './simulated-nodes.js';
