// `vivarium/server/node`: the API server on a port of Node, with a certificate authority and kubeconfig files.

// Serving
export { listen } from './listen.js';
export type { ConnectionLimits, Listening, ListenOptions, ServingTls } from './listen.js';

// Credentials
export { apiServerHosts, createAuthority, isKeyPair, restoreAuthority } from '../../pki/index.js';
export type { AuthorityOptions, CertificateAuthority, KeyPair } from '../../pki/index.js';
export { kubeconfig } from './kubeconfig.js';
export type { KubeconfigOptions, KubeconfigUser } from './kubeconfig.js';
