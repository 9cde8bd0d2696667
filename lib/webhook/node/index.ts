// The transports of webhooks and of aggregated APIs on Node, and a server of rules.
export type { NodeProxyTransportOptions, NodeProxyTransport } from './node-proxy-transport.js';
export { nodeProxyTransport } from './node-proxy-transport.js';
export type { NodeWebhookOptions, NodeWebhookTransport } from './node-webhook-transport.js';
export { nodeWebhookTransport } from './node-webhook-transport.js';
export type { ServedWebhooks, ServeWebhooksOptions } from './serve-webhooks.js';
export { serveWebhooks } from './serve-webhooks.js';
