// Authentication and authorization: the contracts, and the parts that need nothing of Node. A host composes its own chain
// of them; `vivarium/auth/node` has the parts that verify signatures and certificates.
export type { Authenticated, Authenticator, ClientCertificate, Credentials, TokenAuthenticator } from './authenticator.js';
export type { AuthTools } from './auth-tools.js';
export type { AccessAttributes, AccessRules, AccessSelectors, Authorizer, Decision } from './authorizer.js';
export type { AnonymousOptions } from './authentication/anonymous.js';
export { orAnonymous } from './authentication/anonymous.js';
export { AuthenticationError } from './authentication/authentication-error.js';
export type { CompiledExpression, ExpressionCompiler, ExpressionEnvironment } from './authentication/expressions.js';
export { compileAt, ExpressionError, noExpressions } from './authentication/expressions.js';
export { unionAuthenticator } from './authentication/union.js';
export { alwaysAllow, alwaysDeny, mastersAllowed } from './authorization/always.js';
export { unionAuthorizer } from './authorization/union.js';
export type { RbacRules, RulesFound } from './rbac/rbac-rules.js';
export { administrator, allAuthenticated, allUnauthenticated, anonymousUser, nodeOf, serviceAccountGroups, serviceAccountOf, systemMasters, systemNodes } from './system-users.js';
