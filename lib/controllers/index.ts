// Controllers: they see a cluster through a client only, this server's or any other's.
export type { ClusterRoleAggregated, ClusterRoleAggregationOptions } from './cluster-role-aggregation.js';
export { clusterRoleAggregation } from './cluster-role-aggregation.js';
export type { KeyedWork } from './keyed-work.js';
export { keyedWork } from './keyed-work.js';
export type { ServiceAccountSecretsOptions, ServiceAccountSecretsOutcome } from './service-account-secrets.js';
export { serviceAccountSecrets } from './service-account-secrets.js';
