// Authentication and authorization: the contracts, and the parts that need nothing of Node. A host composes its own
// chain of them; `vivarium/auth/node` has the parts that verify signatures and certificates.
export type {
  Authenticated,
  Authenticator,
  ClientCertificate,
  Credentials,
  TokenAuthenticator,
} from './authenticator.js';
export type { ServerTools } from './server-tools.js';
export type { AccessAttributes, AccessRules, AccessSelectors, Authorizer, Decision } from './authorizer.js';
export type { AnonymousOptions } from './authentication/authenticator-decorators.js';
export {
  audienceAgnostic,
  audienceAgnosticTokens,
  orAnonymous,
  withAuthenticatedGroup,
} from './authentication/authenticator-decorators.js';
export { AuthenticationError } from './authentication/authentication-error.js';
export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimOrExpression,
  ClaimValidationRule,
  ExtraMapping,
  JwtAuthenticator,
  JwtIssuer,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './authentication/authentication-configuration.js';
export { anonymousOf, parseAuthenticationConfiguration } from './authentication/authentication-configuration.js';
export type {
  AuthenticationConfigurationRules,
  CompiledJwtAuthenticator,
} from './authentication/authentication-configuration-validation.js';
export {
  AuthenticationConfigurationError,
  compileAuthenticationConfiguration,
  validateAuthenticationConfiguration,
} from './authentication/authentication-configuration-validation.js';
export { basicAuth, basicCredentials } from './authentication/basic-auth.js';
export { bearerTokens, socketTokenPrefix } from './authentication/bearer-tokens.js';
export type { BootstrapTokenOptions } from './authentication/bootstrap-tokens.js';
export { bootstrapTokens } from './authentication/bootstrap-tokens.js';
export { userOf } from './authentication/claim-mapping.js';
export type { CompiledRule, JwtExpressions } from './authentication/jwt-expressions.js';
export type { OidcFlags } from './authentication/oidc-flags.js';
export { configurationOfOidcFlags, oidcFlagAlgorithms } from './authentication/oidc-flags.js';
export type { CompiledExpression, ExpressionCompiler, ExpressionEnvironment } from './authentication/expressions.js';
export { compileAt, ExpressionError } from './authentication/expressions.js';
export { isSameSecret } from './authentication/constant-time.js';
export type { CredentialsEntry } from './authentication/credentials-file.js';
export { CredentialsFileError, parseTokenFile, tokenFile } from './authentication/credentials-file.js';
export { unionAuthenticator, unionTokenAuthenticator } from './authentication/union.js';
export type { WebhookTokensOptions } from './authentication/webhook-tokens.js';
export { webhookTokens } from './authentication/webhook-tokens.js';
export { abac } from './authorization/abac.js';
export { alwaysAllow, alwaysDeny, mastersAllowed } from './authorization/always.js';
export { nodeAuthorizer } from './authorization/node/node-authorizer.js';
export type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
  WebhookConnectionInfo,
} from './authorization/authorization-configuration.js';
export { parseAuthorizationConfiguration } from './authorization/authorization-configuration.js';
export type {
  AuthorizationConfigurationRules,
  CompiledAuthorizer,
} from './authorization/authorization-configuration-validation.js';
export {
  AuthorizationConfigurationError,
  authorizerTypes,
  compileAuthorizationConfiguration,
} from './authorization/authorization-configuration-validation.js';
export type {
  AuthorizerParts,
  ConnectedWebhook,
  ReloadingParts,
  StandingType,
} from './authorization/configured-authorizers.js';
export { authorizationFrom, authorizersFrom } from './authorization/configured-authorizers.js';
export { matchConditionEnvironment } from './authorization/match-conditions.js';
export { unionAuthorizer } from './authorization/union.js';
export type { WebhookAuthorizerOptions } from './authorization/webhook.js';
export { webhookAuthorizer } from './authorization/webhook.js';
export type { ReviewVersion } from './review-call.js';
export type { RbacRules, RulesFound } from './rbac/rbac-authorizer.js';
export { rbacAuthorizer, rbacGroup } from './rbac/rbac-authorizer.js';
export { rbacIndex } from './rbac/rbac-index.js';
export { reloadingAuthenticator, reloadingAuthorizer, reloadingTokenAuthenticator } from './reloading.js';
export { printMissingRules, printTexts, uncoveredRules } from './rbac/rule-coverage.js';
export { ruleAllows } from './rbac/rule-matching.js';
export type {
  BoundObject,
  IssuedToken,
  PublicJwk,
  TokenDiscovery,
  TokenIssuer,
  TokenSubject,
} from './service-accounts/token-issuer.js';
export {
  administrator,
  allAuthenticated,
  allUnauthenticated,
  anonymousUser,
  nodeOf,
  serviceAccountGroups,
  serviceAccountOf,
  systemMasters,
  systemNodes,
} from './system-users.js';
