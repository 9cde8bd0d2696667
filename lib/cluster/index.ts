// A whole cluster: the API server, the scheduler and the controllers, wired together from options.
export type { Cluster, ClusterActivity, ClusterListenOptions, ClusterListening, PartFailed } from './cluster.js';
export type { ClusterOptions, ClusterSchedulerOptions, PartTools } from './cluster-options.js';
export type { ControllerName } from './controllers.js';
export { controllerNames } from './controllers.js';
export type { ClusterCredentials } from './credentials.js';
export { createCluster } from './create-cluster.js';
export type { ElectedSchedulerOptions } from './elected-scheduler.js';
export { electedScheduler } from './elected-scheduler.js';
export type { DrainingPart, RunningParts } from './run-parts.js';
export { runParts } from './run-parts.js';
