// The controllers of Kubernetes, each a Part. They use a cluster only through a client and informers.
export type { ControllerEnvironment } from './controller-environment.js';
export type { ClusterRoleAggregated } from './cluster-role-aggregation.js';
export { clusterRoleAggregation } from './cluster-role-aggregation.js';
export type { DefaultServiceAccountCreated } from './default-service-accounts.js';
export { defaultServiceAccounts } from './default-service-accounts.js';
export type {
  NodeLifecycleActivity,
  NodeLifecycleItem,
  NodeLifecycleOptions,
  NodeTainted,
} from './node-lifecycle/node-lifecycle.js';
export { nodeLifecycle } from './node-lifecycle/node-lifecycle.js';
export type { NodeMonitorChange } from './node-lifecycle/node-monitor.js';
export type { PodEvicted, TaintEvictionActivity } from './taint-eviction.js';
export { taintEviction } from './taint-eviction.js';
export type { AttachDetachActivity, AttachDetachOptions, AttachableVolume } from './attach-detach/attach-detach.js';
export { attachDetach } from './attach-detach/attach-detach.js';
export type { VolumeMoved } from './attach-detach/attachment-sync.js';
export type { CsiAttached, CsiAttacherOptions } from './attach-detach/csi-attacher.js';
export { csiAttacher } from './attach-detach/csi-attacher.js';
export type { ExpansionAwaited, VolumeExpansionActivity } from './volume-expansion.js';
export { volumeExpansion } from './volume-expansion.js';
export type { NodeIpamActivity, NodeIpamOptions, NodeRangesAllocated } from './node-ipam.js';
export { nodeIpam } from './node-ipam.js';
export type {
  ResourceClaimChanged,
  ResourceClaimItem,
  ResourceClaimsActivity,
} from './resource-claims/resource-claims.js';
export { resourceClaims } from './resource-claims/resource-claims.js';
export type { DeviceTaintEvictionActivity } from './resource-claims/device-taint-eviction.js';
export { deviceTaintEviction } from './resource-claims/device-taint-eviction.js';
export type { RootCaPublished, RootCaPublisherOptions } from './root-ca-publisher.js';
export { rootCaPublisher } from './root-ca-publisher.js';
export type { ClaimsCreated, EphemeralVolumesActivity } from './ephemeral-volumes.js';
export { ephemeralVolumes } from './ephemeral-volumes.js';
export type { PolicyChecked } from './policy-type-checking.js';
export { policyTypeChecking } from './policy-type-checking.js';
export type { QuotaRecalculated } from './resource-quota-status.js';
export { resourceQuotaStatus } from './resource-quota-status.js';
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
export type { DaemonSetsActivity, DaemonsChanged } from './daemon-sets/daemon-sets.js';
export { daemonSets } from './daemon-sets/daemon-sets.js';
export type { StatefulSetStepped, StatefulSetsActivity, StatefulSetsOptions } from './stateful-sets/stateful-sets.js';
export { statefulSets } from './stateful-sets/stateful-sets.js';
export type { ProtectionRemoved, StorageProtection } from './storage-protection.js';
export { attributesClassProtection, claimProtection, volumeProtection } from './storage-protection.js';
export type { Collected } from './garbage-collection/collection.js';
export type {
  CollectionItem,
  GarbageCollectorActivity,
  GarbageCollectorOptions,
} from './garbage-collection/garbage-collector.js';
export { garbageCollector } from './garbage-collection/garbage-collector.js';
export type { ObjectIdentity } from './garbage-collection/object-identity.js';
export type { NamespaceFinalized } from './namespace-deletion/namespace-deletion.js';
export { namespaceDeletion } from './namespace-deletion/namespace-deletion.js';
export type { ReplicasChanged, ReplicaSetsActivity } from './replica-sets/replica-sets.js';
export { replicaSets, replicationControllers } from './replica-sets/replica-sets.js';
export type { DisruptionActivity, DisruptionItem, DisruptionWritten } from './disruption/disruption.js';
export { disruption } from './disruption/disruption.js';
export type {
  EndpointSlicesActivity,
  EndpointSlicesOptions,
  EndpointSlicesWritten,
} from './endpoints/endpoint-slices.js';
export { endpointSlices } from './endpoints/endpoint-slices.js';
export type { EndpointsActivity, EndpointsOptions, EndpointsWritten } from './endpoints/endpoints.js';
export { serviceEndpoints } from './endpoints/endpoints.js';
export type {
  EndpointSliceMirroringActivity,
  EndpointSliceMirroringOptions,
  EndpointsMirrored,
} from './endpoints/endpoint-slice-mirroring.js';
export { endpointSliceMirroring } from './endpoints/endpoint-slice-mirroring.js';
export type { JobFinished, JobsActivity } from './jobs/jobs.js';
export { jobs } from './jobs/jobs.js';
export type { DeploymentChanged, DeploymentsActivity } from './deployments/deployments.js';
export { deployments } from './deployments/deployments.js';
export type {
  CertificateRequestHandled,
  CertificateRequests,
  CertificateSigningOptions,
  CertificateToSign,
} from './certificates/certificate-requests.js';
export {
  certificateRequestApproval,
  certificateRequestCleanup,
  certificateRequestSigning,
} from './certificates/certificate-requests.js';
export type { ServiceCidrWritten } from './service-cidrs.js';
export { serviceCidrs } from './service-cidrs.js';
export type { BootstrapTokens, BootstrapTokensChange } from './bootstrap-tokens/bootstrap-tokens.js';
export { bootstrapSigner, bootstrapTokenCleanup } from './bootstrap-tokens/bootstrap-tokens.js';
export type { LegacyTokenCleaned, LegacyTokenCleanupOptions } from './legacy-token-cleanup.js';
export { legacyTokenCleanup } from './legacy-token-cleanup.js';
export type { CronJobStarted, CronJobsActivity } from './cron-jobs/cron-jobs.js';
export { cronJobs } from './cron-jobs/cron-jobs.js';
export type { ExpiredJobDeleted } from './ttl-after-finished.js';
export { ttlAfterFinished } from './ttl-after-finished.js';
export type {
  PodCollected,
  PodCollectionReason,
  PodGarbageCollectionOptions,
  PodSweep,
} from './pod-garbage-collection.js';
export { podGarbageCollection } from './pod-garbage-collection.js';
export type { NodeTtlSet } from './node-ttl.js';
export { nodeTtl } from './node-ttl.js';
export type { PodAutoscalingActivity, PodAutoscalingOptions, TargetScaled } from './pod-autoscaling/pod-autoscaling.js';
export { podAutoscaling } from './pod-autoscaling/pod-autoscaling.js';
export type { CustomMetricQuery, MetricsSource, MetricValue, PodUsage } from './pod-autoscaling/metrics-source.js';
