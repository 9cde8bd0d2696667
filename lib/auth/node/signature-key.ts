// Keys that sign and verify tokens. A key has a fixed set of algorithms: RSA keys RS and PS, each elliptic curve
// exactly one. That set, not the header of a token, decides how a signature is verified. Symmetric keys are not
// supported, so a public key can never be used as a shared secret.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { isJsonObject } from '../../core/index.js';
import type { PublicJwk } from '../service-accounts/token-issuer.js';

/** The supported algorithms of RFC 7518; neither `none` nor those with a shared secret. */
export type SignatureAlgorithm =
  'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512';

/** All supported algorithms. */
export const signatureAlgorithms: readonly SignatureAlgorithm[] = Object.freeze([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
]);

/** A public key with its identifier and algorithms. */
export interface VerificationKey {
  /** The key ID, by which tokens refer to the key. */
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** Algorithms of the key; Kubernetes signs with the first. */
  readonly algorithms: readonly SignatureAlgorithm[];
}

/** A private key with its public key. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/**
 * Reads a public key from PEM, DER or any form that Node accepts; private keys and certificates yield their public key.
 * Throws TypeError for keys that cannot sign tokens.
 */
export function verificationKey(source: Parameters<typeof createPublicKey>[0], kid?: string): VerificationKey {
  const publicKey = isPublicKey(source) ? source : createPublicKey(source);
  return { kid: kid ?? keyId(publicKey), publicKey, algorithms: algorithmsOf(publicKey) };
}

/** Reads a private key from PEM or any form that Node accepts. Throws TypeError for keys that cannot sign tokens. */
export function signingKey(source: Parameters<typeof createPrivateKey>[0] | KeyObject): SigningKey {
  const privateKey = isKeyObject(source) ? source : createPrivateKey(source);
  return { ...verificationKey(privateKey), privateKey };
}

/**
 * Reads a member of a JSON Web Key set. Returns undefined for malformed keys and for keys of other types or uses, which
 * a set may contain.
 */
export function keyOfJwk(jwk: unknown): VerificationKey | undefined {
  if (!isJsonObject(jwk) || (jwk.kty !== 'RSA' && jwk.kty !== 'EC') || (jwk.use !== undefined && jwk.use !== 'sig'))
    return undefined;
  try {
    const { kty, n, e, crv, x, y } = jwk;
    // Only public members are used; Node checks their types.
    const key = verificationKey(
      { key: (kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y }) as JsonWebKey, format: 'jwk' },
      typeof jwk.kid === 'string' ? jwk.kid : '',
    );
    const algorithms = typeof jwk.alg === 'string' ? key.algorithms.filter((each) => each === jwk.alg) : key.algorithms;
    return algorithms.length === 0 ? undefined : { ...key, algorithms };
  } catch {
    return undefined;
  }
}

/** Returns the key as a member of a JSON Web Key set, members in the order of Kubernetes. */
export function jwkOf({ kid, publicKey, algorithms: [alg = 'RS256'] }: VerificationKey): PublicJwk {
  const { kty, n = '', e = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return kty === 'RSA' ? { use: 'sig', kty, kid, alg, n, e } : { use: 'sig', kty: 'EC', kid, crv, alg, x, y };
}

/** Returns the default key ID: a hash of the public key, as in pkg/serviceaccount/jwt.go. */
export function keyId(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

function algorithmsOf(key: KeyObject): readonly SignatureAlgorithm[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength < modulusBitsMin || modulusLength > modulusBitsMax)
      throw new TypeError(`RSA keys of ${modulusLength} bits sign no tokens`);
    return algorithmsOfRsa;
  }
  const algorithms = key.asymmetricKeyType === 'ec' ? algorithmsOfCurve.get(namedCurve) : undefined;
  if (algorithms === undefined)
    throw new TypeError(
      `keys of type ${key.asymmetricKeyType ?? 'secret'} ${namedCurve} sign no tokens`.replace('  ', ' '),
    );
  return algorithms;
}

/** The limit of Go's crypto/rsa; longer keys than the maximum only cost time. */
const modulusBitsMin = 1024;
const modulusBitsMax = 8192;
const algorithmsOfRsa: readonly SignatureAlgorithm[] = Object.freeze([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]);
const algorithmsOfCurve: ReadonlyMap<string, readonly SignatureAlgorithm[]> = new Map([
  ['prime256v1', Object.freeze<SignatureAlgorithm[]>(['ES256'])],
  ['secp384r1', Object.freeze<SignatureAlgorithm[]>(['ES384'])],
  ['secp521r1', Object.freeze<SignatureAlgorithm[]>(['ES512'])],
]);

function isKeyObject(source: unknown): source is KeyObject {
  return typeof source === 'object' && source !== null && 'asymmetricKeyType' in source;
}

function isPublicKey(source: unknown): source is KeyObject {
  return isKeyObject(source) && source.type === 'public';
}
