// Whether a token is its issuer's word to us: signed with one of the issuer's keys by an algorithm that is allowed, for
// one of our audiences, and in its time. Answers at once as long as the key is known. As coreos/go-oidc/verify.go.
import { quote } from '../../../core/index.js';
import type { Clock, JsonObject } from '../../../core/index.js';
import { verifyJws } from '../jws.js';
import type { Jws } from '../jws.js';
import type { SignatureAlgorithm } from '../signature-key.js';
import { idTokenClaims } from './id-token-claims.js';
import type { ClaimSource } from './id-token-claims.js';
import type { Issuer } from './issuer.js';

/** What tokens must be like. */
export interface IdTokenRules {
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

/** A token that is to be believed. */
export interface IdToken {
  readonly claims: JsonObject;
  /** Where claims are that it does not have itself, by their names. */
  readonly elsewhere: ReadonlyMap<string, ClaimSource>;
}

/** The token, if it is to be believed. Throws, or rejects, with the reason why it is not. */
export function verifyIdToken(jws: Jws, issuer: Issuer, rules: IdTokenRules): IdToken | Promise<IdToken> {
  if (!rules.algorithms.some((each) => each === jws.alg)) {
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${printList(rules.algorithms)} got ${quote(jws.alg)}`,
    );
  }
  const claims = signedClaims(jws, issuer, rules);
  return claims === undefined ? verifyWithNewKeys(jws, issuer, rules) : checked(claims, issuer, rules);
}

/**
 * The issuer of a token as configurations name it. Google once left out the scheme, and some of its tokens still do.
 */
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
        : `audience in ${printList([...audiences].sort())}`;
    throw new Error(`oidc: expected ${expected} got ${printList(token.audiences)}`);
  }
  const { expiry, notBefore, elsewhere } = token;
  const now = clock.now();
  if (expiry === undefined || expiry * 1000 < now)
    throw new Error(`oidc: token is expired (Token Expiry: ${printSeconds(expiry)})`);
  if (notBefore !== undefined && notBefore * 1000 > now + notBeforeLeewayMs) {
    throw new Error(
      `oidc: current time ${printSeconds(now / 1000)} before the nbf (not before) time: ${printSeconds(notBefore)}`,
    );
  }
  return { claims, elsewhere };
}

const notBeforeLeewayMs = 60_000;

/** As Go prints a list of quoted texts. */
function printList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/** As Go prints a time in UTC. No time at all is its year 1; what no calendar has is printed as the number it is. */
function printSeconds(seconds: number | undefined): string {
  if (seconds === undefined) return '0001-01-01 00:00:00 +0000 UTC';
  const date = new Date(Math.trunc(seconds) * 1000);
  return Number.isNaN(date.getTime())
    ? String(seconds)
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
