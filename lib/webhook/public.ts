// The public surface of `vivarium/webhook`: rules of a host as plain functions, in process or served as webhooks, and
// calls to webhooks, over a network or of functions in this process.
export type { AdmissionRule, AdmissionRuleOptions, RuleReview, WriteRules } from './admission/admission-rule.js';
export { mutating, validating, webhook } from './admission/admission-rule.js';
export { webhookConfigurations, webhookHandler } from './admission/webhook-handler.js';
export type { WebhookCall } from './webhook-call.js';
export type { WebhookFunction } from './in-process-call.js';
export { inProcessCall } from './in-process-call.js';
export type { WebhookCallOptions } from './http-call.js';
export { webhookCall } from './http-call.js';
export type { HeaderPairs, ProxyRequest, ProxyResponse, ProxyTransport } from './proxy-transport.js';
export type { RetryingCallOptions } from './retrying-call.js';
export { retryingCall } from './retrying-call.js';
export type { WebhookErrorDetails, WebhookFailure } from './webhook-error.js';
export { WebhookError, isWebhookError } from './webhook-error.js';
export type {
  ServiceEndpoint,
  ServiceReference,
  ServiceResolver,
  WebhookRequest,
  WebhookResponse,
  WebhookTarget,
  WebhookTransport,
} from './webhook-transport.js';
