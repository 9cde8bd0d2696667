// Webhooks over the network.
export {};
