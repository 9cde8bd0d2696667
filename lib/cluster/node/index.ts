// The parts of a cluster that need Node: certificates, keys and ports.
export type { CredentialsOptions } from './create-credentials.js';
export { createCredentials } from './create-credentials.js';
