// `vivarium/cluster/node`: certificates, keys and ports of a cluster on Node.
export type { CredentialsOptions } from './index.js';
export { createCredentials } from './index.js';
