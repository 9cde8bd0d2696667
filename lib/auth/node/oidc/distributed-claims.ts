// Distributed claims: groups that are not in the token but in another signed token at a given endpoint. Only the groups
// claim is resolved. The endpoint comes from a verified token; only https is requested, and a limited number of issuers
// is cached. As apiserver/plugin/pkg/authenticator/token/oidc/oidc.go, claimResolver.
import { errorText, quote } from '../../../core/index.js';
import type { JsonObject } from '../../../core/index.js';
import { parseJws } from '../jws.js';
import type { FetchDocument } from './documents.js';
import type { ClaimSource } from './id-token-claims.js';
import { issuerNamed, verifyIdToken } from './id-token.js';
import type { IdToken, IdTokenRules } from './id-token.js';
import { Issuer, discoveryIntervalMs } from './issuer.js';
import type { IssuerOptions } from './issuer.js';

/** Dependencies of the resolver. */
export interface DistributedClaimOptions {
  readonly claim: string;
  readonly rules: IdTokenRules;
  readonly fetchDocument: FetchDocument;
  readonly connection: IssuerOptions['connection'];
}

/**
 * Returns the claims with the distributed one added; synchronously if the token contains it or nothing refers to it.
 */
export type ClaimResolver = (token: IdToken) => JsonObject | Promise<JsonObject>;

const issuersMax = 16;

/** Creates a resolver. */
export function distributedClaims(options: DistributedClaimOptions): ClaimResolver {
  const issuers = new Map<string, Known>();
  return ({ claims, elsewhere }) => {
    if (Object.hasOwn(claims, options.claim) || !Object.hasOwn(claims, '_claim_names')) return claims;
    if (!Object.hasOwn(claims, '_claim_sources')) throw new Error('oidc: no claim sources');
    const source = elsewhere.get(options.claim);
    // A source without an endpoint is an aggregated claim, which Kubernetes does not support.
    return source === undefined || source.endpoint === '' ? claims : resolved(claims, source, options, issuers);
  };
}

/** An issuer, and the time of the last request for its discovery document. */
interface Known {
  readonly issuer: Issuer;
  askedAt: number;
  asking: Promise<void>;
}

async function resolved(
  claims: JsonObject,
  { endpoint, accessToken }: ClaimSource,
  options: DistributedClaimOptions,
  issuers: Map<string, Known>,
): Promise<JsonObject> {
  const { claim, rules } = options;
  const jws = parseJws((await fetched(endpoint, accessToken, options)).trim());
  if (jws === undefined)
    throw new Error(
      `getting untrusted issuer from endpoint ${endpoint} failed for claim ${quote(claim)}: malformed token`,
    );
  const url = issuerNamed(typeof jws.unverified.iss === 'string' ? jws.unverified.iss : '');
  const issuer = await discovered(url, options, issuers);
  if (issuer.problem !== undefined)
    throw new Error(`verifying untrusted issuer ${url} failed: verifier not initialized for issuer: ${quote(url)}`);
  let found: JsonObject;
  try {
    found = (await verifyIdToken(jws, issuer, rules)).claims;
  } catch (error) {
    throw new Error(`verify distributed claim token: ${errorText(error)}`, { cause: error });
  }
  const value = Object.hasOwn(found, claim) ? found[claim] : undefined;
  if (value === undefined)
    throw new Error(`jwt returned by distributed claim endpoint ${quote(endpoint)} did not contain claim: ${claim}`);
  return { ...claims, [claim]: value };
}

async function fetched(
  endpoint: string,
  accessToken: string,
  { claim, fetchDocument, connection }: DistributedClaimOptions,
): Promise<string> {
  const wrong = (problem: string): Error => new Error(`while getting distributed claim ${quote(claim)}: ${problem}`);
  if (!isHttps(endpoint)) throw wrong(`the endpoint ${quote(endpoint)} is not https`);
  const { status, body } = await fetchDocument({
    url: endpoint,
    bearer: accessToken === '' ? undefined : accessToken,
    ...connection,
  }).catch((error: unknown) => {
    throw wrong(errorText(error));
  });
  if (status < 200 || status > 226) throw wrong(`error while getting distributed claim JWT: ${status}`);
  return body;
}

/** Returns the issuer; requests its discovery document unless it is cached or was requested recently. */
async function discovered(
  url: string,
  { fetchDocument, connection, rules: { clock } }: DistributedClaimOptions,
  issuers: Map<string, Known>,
): Promise<Issuer> {
  if (!isHttps(url)) throw new Error(`verifying untrusted issuer ${url} failed: it is not https`);
  const known = issuers.get(url) ?? {
    issuer: new Issuer({ url, fetchDocument, clock, connection }),
    askedAt: -Infinity,
    asking: Promise.resolve(),
  };
  issuers.delete(url);
  issuers.set(url, known);
  for (const oldest of issuers.keys()) {
    if (issuers.size <= issuersMax) break;
    issuers.delete(oldest);
  }
  if (known.issuer.problem !== undefined && clock.now() >= known.askedAt + discoveryIntervalMs) {
    known.askedAt = clock.now();
    known.asking = known.issuer.discover();
  }
  await known.asking;
  return known.issuer;
}

function isHttps(url: string): boolean {
  return url.startsWith('https://') && URL.canParse(url);
}
