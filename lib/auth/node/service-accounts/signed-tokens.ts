// Verification common to all service account tokens: issuer, signature and audience. The remaining claims are verified
// by `check`. Tokens of other issuers are not authenticated; invalid tokens of these issuers are errors. As
// pkg/serviceaccount/jwt.go, AuthenticateToken.
import { quote } from '../../../core/index.js';
import type { Clock, JsonObject, ObjectReader } from '../../../core/index.js';
import type { Authenticated, TokenAuthenticator } from '../../authenticator.js';
import { AuthenticationError } from '../../authentication/authentication-error.js';
import { registeredClaims } from '../claims.js';
import type { RegisteredClaims } from '../claims.js';
import { parseJws, verifyJws } from '../jws.js';
import type { Jws } from '../jws.js';
import type { SignatureAlgorithm } from '../signature-key.js';
import type { ServiceAccountKeys } from './keys.js';

/** Options of service account tokens. */
export interface ServiceAccountTokenOptions {
  readonly keys: ServiceAccountKeys;
  /** Accepted issuers. The first issues tokens; the others are former issuers whose tokens are still in use. */
  readonly issuers: readonly string[];
  /** Audiences of the API server. Default: the issuers. Tokens without an audience are for it alone. */
  readonly apiAudiences?: readonly string[];
  /** Reads the objects that tokens are bound to. */
  readonly reader: ObjectReader;
  readonly clock: Clock;
}

/** A token with valid signature, issuer and audience. */
export interface SignedToken {
  readonly token: string;
  readonly claims: JsonObject;
  readonly registered: RegisteredClaims;
}

/** Verifies the remaining claims. Rejects with AuthenticationError. */
export type TokenCheck = (signed: SignedToken) => Promise<Authenticated>;

/** Authenticates tokens of these issuers; `check` verifies the remaining claims. */
export function signedTokens(
  { keys, issuers, apiAudiences = issuers }: Pick<ServiceAccountTokenOptions, 'keys' | 'issuers' | 'apiAudiences'>,
  check: TokenCheck,
): TokenAuthenticator {
  const known = new Set<unknown>(issuers);
  const judge = async (token: string, jws: Jws, asked: readonly string[]): Promise<Authenticated> => {
    const claims = verifiedClaims(jws, keys);
    const registered = registeredClaims(claims);
    if (registered === undefined) throw new AuthenticationError('service account token claims could not be read');
    const isUnaddressed = registered.audiences.length === 0;
    const audiences = meantFor(isUnaddressed ? apiAudiences : registered.audiences, asked, apiAudiences);
    const found = await check({ token, claims, registered });
    const annotations = isUnaddressed
      ? { 'authentication.k8s.io/legacy-token': registered.subject, ...found.annotations }
      : found.annotations;
    return { ...found, ...(audiences.length > 0 && { audiences }), ...(annotations && { annotations }) };
  };
  return (token, audiences = []) => {
    const jws = parseJws(token);
    if (jws === undefined || !known.has(jws.unverified.iss)) return notMine;
    return judge(token, jws, audiences.length === 0 ? apiAudiences : audiences);
  };
}

const notMine = [undefined] as const;

/** The algorithms that Kubernetes signs with. RSA keys support further ones, which it never uses. */
const algorithms: readonly SignatureAlgorithm[] = ['RS256', 'ES256', 'ES384', 'ES512'];

/** Verifies with each candidate key. Throws AuthenticationError. */
function verifiedClaims(jws: Jws, keys: ServiceAccountKeys): JsonObject {
  const candidates = keys.candidates(jws.kid);
  if (candidates.length === 0) throw new AuthenticationError('invalid signature, no keys found');
  for (const key of candidates) {
    const verification = verifyJws(jws, key, algorithms);
    if (verification.verified) return verification.claims;
  }
  // One message for all reasons, since token reviews return it.
  throw new AuthenticationError('go-jose/go-jose: error in cryptographic primitive');
}

/**
 * Returns the requested audiences that the token has. Throws AuthenticationError if there are none, unless the server
 * has no audiences.
 */
function meantFor(
  audiences: readonly string[],
  asked: readonly string[],
  apiAudiences: readonly string[],
): readonly string[] {
  const common = asked.filter((each) => audiences.includes(each));
  if (common.length === 0 && apiAudiences.length > 0)
    throw new AuthenticationError(
      `token audiences ${printed(audiences)} is invalid for the target audiences ${printed(asked)}`,
    );
  return common;
}

function printed(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}
