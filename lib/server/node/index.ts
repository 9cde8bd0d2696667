// The API server on a port of Node. Apart from the rest of the server, which also runs where there is no Node.
export type { AuthorityOptions, CertificateAuthority, KeyPair } from './certificate-authority.js';
export { apiServerHosts, createAuthority, isKeyPair, restoreAuthority } from './certificate-authority.js';
export type { KubeconfigOptions, KubeconfigUser } from './kubeconfig.js';
export { kubeconfig } from './kubeconfig.js';
export type { ConnectionLimits, Listening, ListenOptions, ServingTls } from './listen.js';
export { listen } from './listen.js';
