// Webhooks over the network: the transport of Node.
export type { NodeWebhookOptions, NodeWebhookTransport } from './node-webhook-transport.js';
export { nodeWebhookTransport } from './node-webhook-transport.js';
