// Calls to webhooks, and rules of a host that are called as webhooks: the contract, the call over a network, retries
// and time limits. Needs nothing of Node; the transport and a server are in `node/`.
export type { AdmissionRule, AdmissionRuleOptions, RuleReview, WriteRules } from './admission/admission-rule.js';
export { mutating, validating, webhook } from './admission/admission-rule.js';
export { webhookConfigurations, webhookHandler } from './admission/webhook-handler.js';
export { webhookDenial, webhookFailure } from './admission/denial.js';
export type { WebhookCallOptions } from './http-call.js';
export { webhookCall } from './http-call.js';
export type { WebhookFunction } from './in-process-call.js';
export { inProcessCall } from './in-process-call.js';
export type { HeaderPairs, ProxyRequest, ProxyResponse, ProxyTransport } from './proxy-transport.js';
export type { RetryingCallOptions } from './retrying-call.js';
export { isPassing, retryingCall } from './retrying-call.js';
export type { TimedCallOptions } from './timed-call.js';
export { deadlineExceeded, timedCall, within } from './timed-call.js';
export type { WebhookCall } from './webhook-call.js';
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
