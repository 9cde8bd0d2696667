// The names that most programs need. `vivarium/core` lists everything the core offers, `vivarium/types` the types of
// all kinds.
export type {
  Cluster,
  ClusterActivity,
  ClusterCredentials,
  ClusterListenOptions,
  ClusterListening,
  ClusterOptions,
  ClusterCompactionOptions,
  ClusterNode,
  ClusterNodesOptions,
  ClusterSchedulerOptions,
  ClusterSnapshot,
  ControllerName,
  ControllerSettings,
  PartFailed,
  PartTools,
} from './cluster/index.js';
export { controllerNames, createCluster } from './cluster/index.js';
export type {
  ApiObject,
  Clock,
  Frozen,
  JsonObject,
  ObjectMeta,
  Persisted,
  Random,
  Scheme,
  Status,
  VirtualClock,
  Activity,
  Part,
} from './core/index.js';
export {
  ApiError,
  builtinScheme,
  createKinds,
  deepFreeze,
  defineKind,
  isApiError,
  random,
  systemClock,
  virtualClock,
} from './core/index.js';
export type { MemoryStore, MemoryStoreOptions, Store } from './storage/index.js';
export { memoryStore } from './storage/index.js';
export type { Client, Informers } from './client/index.js';
