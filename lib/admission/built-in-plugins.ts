// The plugins of Kubernetes by name, in the order in which they run in both phases, with those that are on by default.
// As pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins and DefaultOffAdmissionPlugins.
import type { ServerTools } from '../auth/index.js';
import { admitAllAdmission, denyAllAdmission } from './always.js';
import { alwaysPullImages } from './always-pull-images.js';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './certificate-signers.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { defaultIngressClass, defaultStorageClass } from './default-classes.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { eventRateLimit } from './event-rate-limit.js';
import { extendedResourceToleration } from './extended-resource-toleration.js';
import { imagePolicyWebhook } from './image-policy-webhook.js';
import { limitRangerAdmission } from './limit-ranger.js';
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { nodeRestriction } from './node-restriction.js';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';
import type { AdmissionPlugin } from './plugin.js';
import { mutatingPolicies } from './policies/mutating-policies.js';
import { validatingPolicies } from './policies/validating-policies.js';
import { podNodeSelector } from './pod-node-selector.js';
import { podSecurityAdmission } from './pod-security/pod-security.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';
import { podTopologyLabels } from './pod-topology-labels.js';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './pods-on-nodes.js';
import { priorityAdmission } from './priority.js';
import { runtimeClassAdmission } from './runtime-class.js';
import { serviceAccountAdmission } from './service-account.js';
import { denyServiceExternalIPs, limitPodHardAntiAffinityTopology } from './simple-restrictions.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';
import { resourceQuotaAdmission } from './resource-quota/resource-quota.js';
import { mutatingWebhooks } from './webhooks/mutating-webhooks.js';
import { validatingWebhooks } from './webhooks/validating-webhooks.js';
import type { AdmissionWebhookOptions } from './webhooks/webhook-clients.js';

/** A plugin of Kubernetes. */
export interface AdmissionPluginDefinition {
  readonly name: string;
  /** Whether it runs unless it is disabled. */
  readonly isDefault: boolean;
  /**
   * Creates the plugin. `configuration` is the document that AdmissionConfiguration has for it; undefined for none.
   * `webhooks` are the options of the host for plugins that call webhooks.
   * Throws where the configuration is wrong. Absent for plugins that do nothing, because the feature gate that they
   * belong to is off in v1.36.
   */
  readonly create?: (tools: ServerTools, configuration: unknown, webhooks?: AdmissionWebhookOptions) => AdmissionPlugin;
}

/** All plugins, in their order. */
export const builtInPlugins: readonly AdmissionPluginDefinition[] = [
  { name: 'AlwaysAdmit', isDefault: false, create: admitAllAdmission },
  { name: 'NamespaceAutoProvision', isDefault: false, create: namespaceAutoProvision },
  { name: 'NamespaceLifecycle', isDefault: true, create: namespaceLifecycle },
  { name: 'NamespaceExists', isDefault: false, create: namespaceExists },
  { name: 'LimitPodHardAntiAffinityTopology', isDefault: false, create: limitPodHardAntiAffinityTopology },
  { name: 'LimitRanger', isDefault: true, create: limitRangerAdmission },
  { name: 'ServiceAccount', isDefault: true, create: serviceAccountAdmission },
  { name: 'NodeRestriction', isDefault: false, create: nodeRestriction },
  { name: 'TaintNodesByCondition', isDefault: true, create: taintNodesByCondition },
  { name: 'AlwaysPullImages', isDefault: false, create: alwaysPullImages },
  { name: 'ImagePolicyWebhook', isDefault: false, create: imagePolicyWebhook },
  { name: 'PodSecurity', isDefault: true, create: podSecurityAdmission },
  { name: 'PodNodeSelector', isDefault: false, create: podNodeSelector },
  { name: 'Priority', isDefault: true, create: priorityAdmission },
  { name: 'DefaultTolerationSeconds', isDefault: true, create: defaultTolerationSeconds },
  { name: 'PodTolerationRestriction', isDefault: false, create: podTolerationRestriction },
  { name: 'EventRateLimit', isDefault: false, create: eventRateLimit },
  { name: 'ExtendedResourceToleration', isDefault: false, create: extendedResourceToleration },
  { name: 'DefaultStorageClass', isDefault: true, create: defaultStorageClass },
  { name: 'StorageObjectInUseProtection', isDefault: true, create: storageObjectInUseProtection },
  { name: 'PodGroupProtection', isDefault: true },
  { name: 'OwnerReferencesPermissionEnforcement', isDefault: false, create: ownerReferencesPermissionEnforcement },
  { name: 'PersistentVolumeClaimResize', isDefault: true, create: persistentVolumeClaimResize },
  { name: 'RuntimeClass', isDefault: true, create: runtimeClassAdmission },
  { name: 'CertificateApproval', isDefault: true, create: certificateApproval },
  { name: 'CertificateSigning', isDefault: true, create: certificateSigning },
  { name: 'ClusterTrustBundleAttest', isDefault: true, create: clusterTrustBundleAttest },
  { name: 'CertificateSubjectRestriction', isDefault: true, create: certificateSubjectRestriction },
  { name: 'DefaultIngressClass', isDefault: true, create: defaultIngressClass },
  { name: 'DenyServiceExternalIPs', isDefault: false, create: denyServiceExternalIPs },
  { name: 'PodTopologyLabels', isDefault: true, create: podTopologyLabels },
  { name: 'PodGroupWorkloadExists', isDefault: true },
  { name: 'NodeDeclaredFeatureValidator', isDefault: true, create: nodeDeclaredFeatureValidator },
  { name: 'JobValidation', isDefault: true },
  { name: 'PodResizeValidator', isDefault: true, create: podResizeValidator },
  { name: 'MutatingAdmissionPolicy', isDefault: true, create: mutatingPolicies },
  { name: 'MutatingAdmissionWebhook', isDefault: true, create: mutatingWebhooks },
  { name: 'ValidatingAdmissionPolicy', isDefault: true, create: validatingPolicies },
  { name: 'ValidatingAdmissionWebhook', isDefault: true, create: validatingWebhooks },
  { name: 'ResourceQuota', isDefault: true, create: resourceQuotaAdmission },
  { name: 'AlwaysDeny', isDefault: false, create: denyAllAdmission },
];
