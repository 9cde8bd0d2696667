// Calls to webhooks: the contract, and the one careful way to call. Needs nothing of Node; `vivarium/webhook/node` has
// the transport for it.
export type { WebhookCallOptions } from './http-call.js';
export { webhookCall } from './http-call.js';
export type { WebhookFunction } from './in-process-call.js';
export { inProcessCall } from './in-process-call.js';
export type { RetryingCallOptions } from './retrying-call.js';
export { isPassing, retryingCall } from './retrying-call.js';
export type { TimedCallOptions } from './timed-call.js';
export { timedCall } from './timed-call.js';
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
