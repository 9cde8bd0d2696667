// The parts of authentication that verify signatures and certificates, which Node does.
export type { TrustOptions } from './certificate-chain.js';
export type { RegisteredClaims } from './claims.js';
export { registeredClaims } from './claims.js';
export { clientCertificates } from './client-certificates.js';
export type { Jws, Verification } from './jws.js';
export { parseJws, signJws, tokenLengthMax, unverifiedIssuer, verifyJws } from './jws.js';
export type { SignatureAlgorithm, SigningKey, VerificationKey } from './signature-key.js';
export { jwkOf, keyId, keyOfJwk, signatureAlgorithms, signingKey, verificationKey } from './signature-key.js';
export { boundTokens } from './service-accounts/bound-tokens.js';
export type { KeySource, ServiceAccountKeys } from './service-accounts/keys.js';
export { serviceAccountKeys } from './service-accounts/keys.js';
export type { LegacyTokenOptions } from './service-accounts/legacy-tokens.js';
export { legacyToken, legacyTokens } from './service-accounts/legacy-tokens.js';
export { serviceAccountTokens } from './service-accounts/service-account-tokens.js';
export type { ServiceAccountTokenOptions } from './service-accounts/signed-tokens.js';
export type { TokenIssuerOptions } from './service-accounts/token-issuer.js';
export { tokenIssuer } from './service-accounts/token-issuer.js';
