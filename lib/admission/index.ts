// Admission: the contract of its plugins, those of Kubernetes by name, and their chain. Hosts give plugins to
// `createServer`, their own or these.
export type {
  AdmissionAnswer,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionReview,
  Handles,
  Reinvocation,
} from './plugin.js';
export { limitRangerAdmission } from './limit-ranger.js';
export { podSecurityAdmission } from './pod-security/pod-security.js';
export { priorityAdmission } from './priority.js';
export { resourceQuotaAdmission } from './resource-quota/resource-quota.js';
export type { AdmissionConfiguration, AdmissionPluginConfiguration } from './admission-configuration.js';
export { parseAdmissionConfiguration } from './admission-configuration.js';
export type { AdmissionOptions, HostPlugin } from './admission-options.js';
export { admissionPlugins, enabledAdmissionPlugins } from './admission-options.js';
export type { AdmissionPluginDefinition } from './built-in-plugins.js';
export { builtInPlugins } from './built-in-plugins.js';
export type { AdmissionChain, AdmissionSteps } from './chain.js';
export { admissionChain, newReinvocation } from './chain.js';
export { mutatingWebhooks } from './webhooks/mutating-webhooks.js';
export { validatingWebhooks } from './webhooks/validating-webhooks.js';
export type { AdmissionWebhookOptions, WebhookClients } from './webhooks/webhook-clients.js';
export { clusterServices } from './webhooks/cluster-services.js';
export { webhookClients } from './webhooks/webhook-clients.js';
