// What other folders import of the server on a port of Node. Users import public.ts.
export type { AuthorityOptions, CertificateAuthority, KeyPair } from '../../pki/index.js';
export { apiServerHosts, createAuthority, isKeyPair, restoreAuthority } from '../../pki/index.js';
export type { KubeconfigOptions, KubeconfigUser } from './kubeconfig.js';
export { kubeconfig } from './kubeconfig.js';
export type { ConnectionLimits, Listening, ListenOptions, ServingTls } from './listen.js';
export { listen } from './listen.js';
