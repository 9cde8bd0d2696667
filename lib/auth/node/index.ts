// The parts of authentication that verify signatures and certificates, which Node does.
export type { RegisteredClaims } from './claims.js';
export { registeredClaims } from './claims.js';
export type { Jws, Verification } from './jws.js';
export { parseJws, signJws, tokenLengthMax, unverifiedIssuer, verifyJws } from './jws.js';
export type { PublicJwk, SignatureAlgorithm, SigningKey, VerificationKey } from './signature-key.js';
export { jwkOf, keyId, keyOfJwk, signatureAlgorithms, signingKey, verificationKey } from './signature-key.js';
