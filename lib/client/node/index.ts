// Clients on Node: kubeconfigs, certificates, connections. Apart from the rest, which also runs where there is no Node.
export type { ClientTls, ClusterAccess, ClientCredentials } from './cluster-access.js';
export type { Connection } from './connect.js';
export { connect } from './connect.js';
export type { InClusterOptions } from './cluster-access.js';
export { inClusterAccess } from './cluster-access.js';
export { KubeconfigError } from './kubeconfig-document.js';
export type { KubeconfigSource } from './load-kubeconfig.js';
export { loadKubeconfig } from './load-kubeconfig.js';
export type { NodeTransport } from './node-transport.js';
export { nodeTransport } from './node-transport.js';
