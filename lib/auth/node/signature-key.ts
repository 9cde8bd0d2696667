// Keys that sign tokens and those that verify them. A key belongs to one family of algorithms: RSA to RS and PS, each
// elliptic curve to exactly one. That table, and not what a token claims about itself, decides how a signature is
// checked; secrets are no keys here, so a public key can never pass for one.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { isJsonObject } from '../../core/index.js';
import type { PublicJwk } from '../service-accounts/token-issuer.js';

/** The algorithms of RFC 7518 that are taken: none without a signature, none with a shared secret. */
export type SignatureAlgorithm =
  'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512';

/** All of them. */
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

/** A public key. */
export interface VerificationKey {
  /** By which a token names it. */
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** What it may have signed with; the first is what Kubernetes signs with. */
  readonly algorithms: readonly SignatureAlgorithm[];
}

/** A private key with its public half. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/**
 * A public key of PEM, DER or whatever Node reads; private keys and certificates give their public half. Throws
 * TypeError for keys that sign no tokens.
 */
export function verificationKey(source: Parameters<typeof createPublicKey>[0], kid?: string): VerificationKey {
  const publicKey = isPublicKey(source) ? source : createPublicKey(source);
  return { kid: kid ?? keyId(publicKey), publicKey, algorithms: algorithmsOf(publicKey) };
}

/** A private key of PEM or whatever Node reads. Throws TypeError for keys that sign no tokens. */
export function signingKey(source: Parameters<typeof createPrivateKey>[0] | KeyObject): SigningKey {
  const privateKey = isKeyObject(source) ? source : createPrivateKey(source);
  return { ...verificationKey(privateKey), privateKey };
}

/**
 * The key of a member of a JSON Web Key set; undefined for keys of other kinds, for other uses, or broken ones, which a
 * set may contain.
 */
export function keyOfJwk(jwk: unknown): VerificationKey | undefined {
  if (!isJsonObject(jwk) || (jwk.kty !== 'RSA' && jwk.kty !== 'EC') || (jwk.use !== undefined && jwk.use !== 'sig'))
    return undefined;
  try {
    const { kty, n, e, crv, x, y } = jwk;
    // Only the public members are looked at; Node checks that they are the texts it needs.
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

/** A key as a JSON Web Key set publishes it, its members in the order in which Kubernetes writes them. */
export function jwkOf({ kid, publicKey, algorithms: [alg = 'RS256'] }: VerificationKey): PublicJwk {
  const { kty, n = '', e = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return kty === 'RSA' ? { use: 'sig', kty, kid, alg, n, e } : { use: 'sig', kty: 'EC', kid, crv, alg, x, y };
}

/**
 * What a key is named by where nobody gave it a name: a hash of its public half, as pkg/serviceaccount/jwt.go names
 * keys.
 */
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

/** As Go's crypto/rsa, which refuses shorter keys; longer ones only cost time. */
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
