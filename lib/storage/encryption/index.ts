// Encryption at rest as Kubernetes' EncryptionConfiguration, for stores that keep bytes. Apart from the other parts of
// storage, because it needs Node's cryptography.
export type { Encryption, EncryptionOptions } from './encryption.js';
export { encryptionFor, transformerByKey } from './encryption.js';
export type { RewritableStore, Rewriting } from './rotate.js';
export { rewriteStale } from './rotate.js';
