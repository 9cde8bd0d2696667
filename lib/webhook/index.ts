// Calls to webhooks: the contract, and the one careful way to call.
export type { WebhookCall } from './webhook-call.js';
