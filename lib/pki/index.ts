// Public key infrastructure: X.509 certificates, their verification, and certificate authorities. Needs Node. Imported
// by the Node adapters of server, auth and cluster, and by the command; users find `createAuthority` in
// `vivarium/server/node`.
export { bundleProblem, reloadBundle } from './authority-bundle.js';
export type { ReloadingBundle } from './authority-bundle.js';
export type { AuthorityOptions, CertificateAuthority, KeyPair } from './certificate-authority.js';
export {
  apiServerHosts,
  createAuthority,
  generatePrivateKey,
  isKeyPair,
  restoreAuthority,
} from './certificate-authority.js';
export type {
  CertificateVerifier,
  CertificateVerdict,
  PresentedCertificate,
  TrustOptions,
} from './certificate-chain.js';
export { certificateVerifier } from './certificate-chain.js';
export type { Certificate } from './certificate.js';
export { parseCertificateBundle } from './certificate.js';
export type { AuthorityFiles } from './stored-authority.js';
export { openStoredAuthority } from './stored-authority.js';
