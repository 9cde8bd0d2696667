// Verifies ID tokens: signature by one of the issuer's keys with an allowed algorithm, audience, and time. Synchronous
// if the key is cached. As coreos/go-oidc/verify.go.
import { formatUtcSeconds, quote, quoteEach } from '../../../core/index.js';
import type { Clock, JsonObject } from '../../../core/index.js';
import { verifyJws } from '../jws.js';
import type { Jws } from '../jws.js';
import type { SignatureAlgorithm } from '../signature-key.js';
import { idTokenClaims } from './id-token-claims.js';
import type { ClaimSource } from './id-token-claims.js';
import type { Issuer } from './issuer.js';

/** Requirements of tokens. */
export interface IdTokenRules {
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

/** A verified token. */
export interface IdToken {
  readonly claims: JsonObject;
  /** Sources of distributed claims, by claim name. */
  readonly elsewhere: ReadonlyMap<string, ClaimSource>;
}

/** Returns the verified token. Throws or rejects with the reason if it is invalid. */
export function verifyIdToken(jws: Jws, issuer: Issuer, rules: IdTokenRules): IdToken | Promise<IdToken> {
  if (!rules.algorithms.some((each) => each === jws.alg)) {
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${quoteEach(rules.algorithms)} got ${quote(jws.alg)}`,
    );
  }
  const claims = signedClaims(jws, issuer, rules);
  return claims === undefined ? verifyWithNewKeys(jws, issuer, rules) : checked(claims, issuer, rules);
}

/** Returns the issuer of a token as configurations name it. Some Google tokens omit the scheme. */
export function issuerNamed(iss: string): string {
  return iss === 'accounts.google.com' ? 'https://accounts.google.com' : iss;
}

async function verifyWithNewKeys(jws: Jws, issuer: Issuer, rules: IdTokenRules): Promise<IdToken> {
  const areNew = await issuer.fetchKeys().catch((error: unknown) => {
    throw new Error(`failed to verify signature: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  });
  const claims = areNew ? signedClaims(jws, issuer, rules) : undefined;
  if (claims === undefined) throw new Error('failed to verify signature: failed to verify id token signature');
  return checked(claims, issuer, rules);
}

function signedClaims(jws: Jws, issuer: Issuer, { algorithms }: IdTokenRules): JsonObject | undefined {
  for (const key of issuer.keys(jws.kid)) {
    const result = verifyJws(jws, key, algorithms);
    if (result.verified) return result.claims;
  }
  return undefined;
}

function checked(claims: JsonObject, issuer: Issuer, { audiences, clock }: IdTokenRules): IdToken {
  const token = idTokenClaims(claims);
  if (issuerNamed(token.issuer) !== issuer.url) {
    throw new Error(
      `oidc: id token issued by a different provider, expected ${quote(issuer.url)} got ${quote(token.issuer)}`,
    );
  }
  if (!token.audiences.some((each) => audiences.includes(each))) {
    const expected =
      audiences.length === 1
        ? `audience ${quote(audiences[0] ?? '')}`
        : `audience in ${quoteEach([...audiences].sort())}`;
    throw new Error(`oidc: expected ${expected} got ${quoteEach(token.audiences)}`);
  }
  const { expiry, notBefore, elsewhere } = token;
  const now = clock.now();
  if (expiry === undefined || expiry * 1000 < now)
    throw new Error(`oidc: token is expired (Token Expiry: ${formatUtcSeconds(expiry)})`);
  if (notBefore !== undefined && notBefore * 1000 > now + notBeforeLeewayMs) {
    throw new Error(
      `oidc: current time ${formatUtcSeconds(now / 1000)} before the nbf (not before) time: ${formatUtcSeconds(notBefore)}`,
    );
  }
  return { claims, elsewhere };
}

const notBeforeLeewayMs = 60_000;
