// Signed tokens: JSON Web Signatures in compact form (RFC 7515) whose payload is a JSON object. Strict where leniency
// has been exploited: exactly three parts, base64url with nothing left over, no key twice, nothing `crit`ical, a
// bounded length. The claims of a parsed token are `unverified` until `verifyJws` hands them out.
import { constants, sign, verify } from 'node:crypto';
import type { SigningOptions } from 'node:crypto';
import { countMembers, isJsonObject } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { SignatureAlgorithm, SigningKey, VerificationKey } from './signature-key.js';
import { signatureAlgorithms } from './signature-key.js';

/** A token that has the right form. Nothing it says is known to be true. */
export interface Jws {
  /** The algorithm that it claims; any text. */
  readonly alg: string;
  /** The key that it claims; empty where it claims none. */
  readonly kid: string;
  /** Whether it demands to be understood in ways that nobody here knows. */
  readonly critical: boolean;
  readonly unverified: JsonObject;
  /** What was signed: header and payload as they were sent. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Whether a token is what its key signed: its claims, or why not. */
export type Verification =
  | { readonly verified: true; readonly claims: JsonObject }
  | {
      readonly verified: false;
      readonly problem: 'critical header' | 'unsupported algorithm' | 'unfit key' | 'wrong signature';
    };

/** Tokens longer than this are none. */
export const tokenLengthMax: number = 256 * 1024;

/** Reads a token; undefined for what is none. */
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
 * The issuer that a token claims, which says whose it is to verify; undefined for what is no token. Cheaper than
 * reading all of it.
 */
export function unverifiedIssuer(token: string): string | undefined {
  const parts = threeParts(token);
  const issuer = parts && jsonOf(parts[1])?.iss;
  return typeof issuer === 'string' ? issuer : undefined;
}

/** Checks a signature with a key, by the algorithm of the token if it is among those allowed and fits the key. */
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

/** Signs claims, by the first algorithm of the key. */
export function signJws(claims: JsonObject, key: SigningKey): string {
  const [alg = 'RS256'] = key.algorithms;
  const signed = `${encode(JSON.stringify({ alg, kid: key.kid }))}.${encode(JSON.stringify(claims))}`;
  const { digest, options } = methods[alg];
  return `${signed}.${sign(digest, Buffer.from(signed), { key: key.privateKey, ...options }).toString('base64url')}`;
}

interface Method {
  readonly digest: string;
  readonly options: SigningOptions;
  /** Of algorithms whose signatures all have one length; RSA's depends on the key, and is checked with it. */
  readonly signatureLength?: number;
}

const padded = { padding: constants.RSA_PKCS1_PADDING };
/** The salt may have any length, as go-jose takes it; RFC 7518 asks signers for that of the digest. */
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

/** Looks for at most three dots, however many there are. */
function threeParts(token: string): readonly [string, string, string] | undefined {
  if (token.length > tokenLengthMax) return undefined;
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first === -1 || second === -1 || token.includes('.', second + 1)) return undefined;
  return [token.slice(0, first), token.slice(first + 1, second), token.slice(second + 1)];
}

/** Base64url that encodes to itself again: without padding, line breaks, foreign digits or stray bits. */
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
 * Fewer than the text has where a key is there twice. Without recursion: how deep a document is nested is its author's
 * choice.
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
