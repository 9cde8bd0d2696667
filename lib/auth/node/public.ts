// The public surface of `vivarium/auth/node`: authentication that verifies signatures and certificates, which needs
// Node.
export type { TrustOptions } from '../../pki/index.js';
export type { CachedTokensOptions } from './cached-tokens.js';
export { cachedTokens } from './cached-tokens.js';
export { clientCertificates } from './client-certificates.js';
export type { RequestHeaderOptions } from './request-header.js';
export { requestHeader } from './request-header.js';
export type { SignatureAlgorithm } from './signature-key.js';
export { serviceAccountTokens } from './service-accounts/bound-tokens.js';
export type { KeySource, ServiceAccountKeys } from './service-accounts/keys.js';
export { serviceAccountKeys } from './service-accounts/keys.js';
export type { LegacyTokenOptions } from './service-accounts/legacy-tokens.js';
export { legacyToken } from './service-accounts/legacy-tokens.js';
export type { ServiceAccountTokenOptions } from './service-accounts/signed-tokens.js';
export type { TokenIssuerOptions } from './service-accounts/token-issuer.js';
export { tokenIssuer } from './service-accounts/token-issuer.js';
export type { AuthenticationReload, ReloadedAuthentication } from './oidc/authentication-from.js';
export { authenticationFrom } from './oidc/authentication-from.js';
export type { DocumentRequest, EgressType, FetchDocument, FetchedDocument } from './oidc/documents.js';
export type { HttpsDocumentOptions } from './oidc/https-documents.js';
export { httpsDocuments } from './oidc/https-documents.js';
export type { OidcActivity, OidcOptions, OidcTokens } from './oidc/oidc-tokens.js';
export { oidcTokens } from './oidc/oidc-tokens.js';
