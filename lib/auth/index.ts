// Authentication and authorization: the contracts that the API server plugs parts into.
export type { Authenticated, Authenticator, ClientCertificate, Credentials } from './authenticator.js';
export { administrator, anonymous } from './authenticator.js';
export type { AccessAttributes, Authorizer, Decision } from './authorizer.js';
export { alwaysAllow } from './authorizer.js';
export { allAuthenticated, allUnauthenticated, anonymousUser, nodeOf, serviceAccountGroups, serviceAccountOf, systemMasters, systemNodes } from './system-users.js';
