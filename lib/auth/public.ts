// The public surface of `vivarium/auth`: the contracts of authentication and authorization, and their implementations
// that need nothing of Node. A host composes them; `vivarium/auth/node` has those that verify signatures.
export type {
  Authenticated,
  Authenticator,
  ClientCertificate,
  Credentials,
  TokenAuthenticator,
} from './authenticator.js';
export type { AccessAttributes, AccessRules, Authorizer, Decision } from './authorizer.js';
export type { ServerTools } from './server-tools.js';
export { reloadingAuthenticator, reloadingAuthorizer, reloadingTokenAuthenticator } from './reloading.js';
export { AuthenticationError } from './authentication/authentication-error.js';
export type { AnonymousOptions } from './authentication/authenticator-decorators.js';
export {
  audienceAgnostic,
  audienceAgnosticTokens,
  orAnonymous,
  withAuthenticatedGroup,
} from './authentication/authenticator-decorators.js';
export { basicAuth } from './authentication/basic-auth.js';
export { bearerTokens } from './authentication/bearer-tokens.js';
export type { BootstrapTokenOptions } from './authentication/bootstrap-tokens.js';
export { bootstrapTokens } from './authentication/bootstrap-tokens.js';
export { CredentialsFileError, tokenFile } from './authentication/credentials-file.js';
export { unionAuthenticator, unionTokenAuthenticator } from './authentication/union.js';
export type { WebhookTokensOptions } from './authentication/webhook-tokens.js';
export { webhookTokens } from './authentication/webhook-tokens.js';
export type { AuthenticationConfiguration } from './authentication/authentication-configuration.js';
export { parseAuthenticationConfiguration } from './authentication/authentication-configuration.js';
export { AuthenticationConfigurationError } from './authentication/authentication-configuration-validation.js';
export type { CompiledExpression, ExpressionCompiler, ExpressionEnvironment } from './authentication/expressions.js';
export { ExpressionError } from './authentication/expressions.js';
export { abac } from './authorization/abac.js';
export { alwaysAllow, alwaysDeny, mastersAllowed } from './authorization/always.js';
export { nodeAuthorizer } from './authorization/node/node-authorizer.js';
export { unionAuthorizer } from './authorization/union.js';
export type { WebhookAuthorizerOptions } from './authorization/webhook.js';
export { webhookAuthorizer } from './authorization/webhook.js';
export type { AuthorizationConfiguration } from './authorization/authorization-configuration.js';
export { parseAuthorizationConfiguration } from './authorization/authorization-configuration.js';
export { AuthorizationConfigurationError } from './authorization/authorization-configuration-validation.js';
export type { AuthorizerParts, ReloadingParts } from './authorization/configured-authorizers.js';
export { authorizationFrom, authorizersFrom } from './authorization/configured-authorizers.js';
export type { RbacRules } from './rbac/rbac-authorizer.js';
export { rbacAuthorizer } from './rbac/rbac-authorizer.js';
export type {
  BoundObject,
  IssuedToken,
  PublicJwk,
  TokenDiscovery,
  TokenIssuer,
  TokenSubject,
} from './service-accounts/token-issuer.js';
