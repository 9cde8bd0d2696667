// JSON Web Signatures in compact form (RFC 7515) with a JSON object as payload. Strict where lenient parsers were
// exploited: exactly three parts, canonical base64url, no duplicate keys, no `crit` header, limited length. The claims
// of a parsed token are named `unverified`; `verifyJws` returns verified ones. See decision 012.
import { constants, sign, verify } from 'node:crypto';
import type { SigningOptions } from 'node:crypto';
import { countMembers, isJsonObject } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { SignatureAlgorithm, SigningKey, VerificationKey } from './signature-key.js';
import { signatureAlgorithms } from './signature-key.js';

/** A well-formed token that is not verified. */
export interface Jws {
  /** The `alg` header; any string. */
  readonly alg: string;
  /** The `kid` header; empty if absent. */
  readonly kid: string;
  /** True if the header has `crit`; no critical header is supported. */
  readonly critical: boolean;
  readonly unverified: JsonObject;
  /** The signed text: header and payload as sent. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** The result of a verification: the claims, or why it failed. */
export type Verification =
  | { readonly verified: true; readonly claims: JsonObject }
  | {
      readonly verified: false;
      readonly problem: 'critical header' | 'unsupported algorithm' | 'unfit key' | 'wrong signature';
    };

/** Maximum length of a token, in characters. */
export const tokenLengthMax: number = 256 * 1024;

/** Parses a token; returns undefined if it is malformed. */
export function parseJws(token: string): Jws | undefined {
  const parts = threeParts(token);
  if (parts === undefined) return undefined;
  const [header, payload] = [jsonOf(parts[0]), jsonOf(parts[1])];
  const signature = bytesOf(parts[2]);
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  const { alg, kid = '', crit } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string') return undefined;
  return {
    alg,
    kid,
    critical: crit !== undefined,
    unverified: payload,
    signed: token.slice(0, -parts[2].length - 1),
    signature,
  };
}

/**
 * Returns the `iss` claim, which selects the verifier of a token; undefined if the token is malformed. Cheaper than
 * `parseJws`.
 */
export function unverifiedIssuer(token: string): string | undefined {
  const parts = threeParts(token);
  const issuer = parts && jsonOf(parts[1])?.iss;
  return typeof issuer === 'string' ? issuer : undefined;
}

/** Verifies the signature with a key. The algorithm of the token must be allowed and must be one of the key's. */
export function verifyJws(
  jws: Jws,
  key: VerificationKey,
  allowed: readonly SignatureAlgorithm[] = signatureAlgorithms,
): Verification {
  if (jws.critical) return { verified: false, problem: 'critical header' };
  const algorithm = allowed.find((each) => each === jws.alg);
  if (algorithm === undefined) return { verified: false, problem: 'unsupported algorithm' };
  if (!key.algorithms.includes(algorithm)) return { verified: false, problem: 'unfit key' };
  const { digest, options, signatureLength } = methods[algorithm];
  const mayFit = signatureLength === undefined || signatureLength === jws.signature.length;
  const verified = mayFit && verify(digest, Buffer.from(jws.signed), { key: key.publicKey, ...options }, jws.signature);
  return verified ? { verified, claims: jws.unverified } : { verified: false, problem: 'wrong signature' };
}

/** Signs claims with the first algorithm of the key. */
export function signJws(claims: JsonObject, key: SigningKey): string {
  const [alg = 'RS256'] = key.algorithms;
  const signed = `${encode(JSON.stringify({ alg, kid: key.kid }))}.${encode(JSON.stringify(claims))}`;
  const { digest, options } = methods[alg];
  return `${signed}.${sign(digest, Buffer.from(signed), { key: key.privateKey, ...options }).toString('base64url')}`;
}

interface Method {
  readonly digest: string;
  readonly options: SigningOptions;
  /** Length of signatures, for algorithms with a fixed one; that of RSA depends on the key and is checked by Node. */
  readonly signatureLength?: number;
}

const padded = { padding: constants.RSA_PKCS1_PADDING };
/** Any salt length is accepted, as in go-jose; RFC 7518 requires signers to use that of the digest. */
const probabilistic = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
const elliptic = { dsaEncoding: 'ieee-p1363' } as const;
const methods: Readonly<Record<SignatureAlgorithm, Method>> = {
  RS256: { digest: 'sha256', options: padded },
  RS384: { digest: 'sha384', options: padded },
  RS512: { digest: 'sha512', options: padded },
  PS256: { digest: 'sha256', options: probabilistic },
  PS384: { digest: 'sha384', options: probabilistic },
  PS512: { digest: 'sha512', options: probabilistic },
  ES256: { digest: 'sha256', options: elliptic, signatureLength: 64 },
  ES384: { digest: 'sha384', options: elliptic, signatureLength: 96 },
  ES512: { digest: 'sha512', options: elliptic, signatureLength: 132 },
};

/** Searches for at most three dots, however many there are. */
function threeParts(token: string): readonly [string, string, string] | undefined {
  if (token.length > tokenLengthMax) return undefined;
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first === -1 || second === -1 || token.includes('.', second + 1)) return undefined;
  return [token.slice(0, first), token.slice(first + 1, second), token.slice(second + 1)];
}

/** Decodes canonical base64url: no padding, line breaks, foreign characters or non-zero trailing bits. */
function bytesOf(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function jsonOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  if (bytes === undefined) return undefined;
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && membersOf(value) === countMembers(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Counts the members of a document; fewer than in its text means a duplicate key. Iterative, because nesting is chosen
 * by the sender.
 */
function membersOf(document: JsonObject): number {
  let members = 0;
  const open: unknown[] = [document];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) members += inner.length;
    for (const each of inner) open.push(each);
  }
  return members;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
