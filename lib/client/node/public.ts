// `vivarium/client/node`: kubeconfigs, client certificates and connections on Node.
export type {
  ClientCredentials,
  ClientTls,
  ClusterAccess,
  Connection,
  InClusterOptions,
  KubeconfigSource,
  NodeTransport,
} from './index.js';
export { KubeconfigError, connect, inClusterAccess, loadKubeconfig, nodeTransport } from './index.js';
