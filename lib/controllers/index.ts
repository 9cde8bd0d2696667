// Controllers: they see a cluster through a client only, this server's or any other's.
export type { ClusterRoleAggregated, ClusterRoleAggregationOptions } from './cluster-role-aggregation.js';
export { clusterRoleAggregation } from './cluster-role-aggregation.js';
export type { EphemeralVolumesOptions, EphemeralVolumesOutcome } from './ephemeral-volumes.js';
export { ephemeralVolumes } from './ephemeral-volumes.js';
export type { KeyedWork } from './keyed-work.js';
export { keyedWork } from './keyed-work.js';
export type { Latest } from './latest.js';
export { latest } from './latest.js';
export type { Item as PersistentVolumesItem } from './persistent-volumes/known-storage.js';
export type { PersistentVolumesOptions, PersistentVolumesOutcome } from './persistent-volumes/persistent-volumes.js';
export { persistentVolumes } from './persistent-volumes/persistent-volumes.js';
export type { ServiceAccountSecretsOptions, ServiceAccountSecretsOutcome } from './service-account-secrets.js';
export { serviceAccountSecrets } from './service-account-secrets.js';
