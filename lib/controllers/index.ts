// The controllers of Kubernetes, each a Part. They use a cluster only through a client and informers.
export type { ControllerEnvironment } from './controller-environment.js';
export type { ClusterRoleAggregated } from './cluster-role-aggregation.js';
export { clusterRoleAggregation } from './cluster-role-aggregation.js';
export type { ClaimsCreated, EphemeralVolumesActivity } from './ephemeral-volumes.js';
export { ephemeralVolumes } from './ephemeral-volumes.js';
export type { StorageOutcome } from './persistent-volumes/storage.js';
export type { StorageItem } from './persistent-volumes/storage-watches.js';
export type { PersistentVolumesActivity } from './persistent-volumes/persistent-volumes.js';
export { persistentVolumes } from './persistent-volumes/persistent-volumes.js';
export type {
  ServiceAccountSecretsActivity,
  ServiceAccountSecretsChange,
  ServiceAccountSecretsOptions,
} from './service-account-secrets.js';
export { serviceAccountSecrets } from './service-account-secrets.js';
