// What all tokens of ServiceAccounts have in common: an issuer of this cluster, a signature by one of its keys, and an
// audience. What else a token says is checked by whoever knows its kind. A token of a foreign issuer is not ours to
// judge; one of ours that fails is wrong. As pkg/serviceaccount/jwt.go, AuthenticateToken.
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

/** How tokens of ServiceAccounts are judged. */
export interface ServiceAccountTokenOptions {
  readonly keys: ServiceAccountKeys;
  /** Whose tokens count. The first is the one that issues; earlier ones stay while tokens of theirs live. */
  readonly issuers: readonly string[];
  /** Who the API server is; the issuers unless said otherwise. Tokens that name no audience are for it alone. */
  readonly apiAudiences?: readonly string[];
  /** Finds the objects that tokens are bound to. */
  readonly reader: ObjectReader;
  readonly clock: Clock;
}

/** A token whose signature, issuer and audience are right. */
export interface SignedToken {
  readonly token: string;
  readonly claims: JsonObject;
  readonly registered: RegisteredClaims;
}

/** Judges the rest of a token. Rejects with AuthenticationError. */
export type TokenCheck = (signed: SignedToken) => Promise<Authenticated>;

/** Takes tokens of these issuers, and leaves the rest of them to the check. */
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

/** What Kubernetes signs with; RSA keys could do more, but nobody here ever asked them to. */
const algorithms: readonly SignatureAlgorithm[] = ['RS256', 'ES256', 'ES384', 'ES512'];

/** Tries the keys that the token may have been signed by. Throws AuthenticationError. */
function verifiedClaims(jws: Jws, keys: ServiceAccountKeys): JsonObject {
  const candidates = keys.candidates(jws.kid);
  if (candidates.length === 0) throw new AuthenticationError('invalid signature, no keys found');
  for (const key of candidates) {
    const verification = verifyJws(jws, key, algorithms);
    if (verification.verified) return verification.claims;
  }
  // Which of several reasons it was is nobody's business. Reviews of tokens show this text.
  throw new AuthenticationError('go-jose/go-jose: error in cryptographic primitive');
}

/**
 * Of the audiences asked for, those of the token. Throws AuthenticationError where there are none, unless this server
 * has no name at all.
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
