// Decodes the claims that decide whether an ID token is valid, exactly as strict as Kubernetes' library: a date may be
// a string of digits, null is the zero value of most claims, and a wrong type invalidates the token. As
// coreos/go-oidc/oidc.go: idToken, audience, jsonTime.
import { isJsonObject, unmarshalTypeError } from '../../../core/index.js';
import type { JsonObject, JsonValue } from '../../../core/index.js';

/** The claims of an ID token. */
export interface IdTokenClaims {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970. */
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  /** Sources of distributed claims, by claim name. */
  readonly elsewhere: ReadonlyMap<string, ClaimSource>;
}

/** The source of a distributed claim. */
export interface ClaimSource {
  /** URL of the source; empty for an aggregated claim. */
  readonly endpoint: string;
  /** Access token to send there; may be empty. */
  readonly accessToken: string;
}

/** Decodes the claims. Throws an Error that states the problem. */
export function idTokenClaims(claims: JsonObject): IdTokenClaims {
  const audiences = audiencesOf(claims);
  const expiry = dateOf(claims, 'exp', 'needed');
  dateOf(claims, 'iat', 'needed');
  const notBefore = dateOf(claims, 'nbf', 'optional');
  const issuer = textOf(claims, 'iss');
  for (const name of ['sub', 'nonce', 'at_hash']) textOf(claims, name);
  return { issuer, audiences, expiry, notBefore, elsewhere: elsewhereOf(claims) };
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function textOf(claims: JsonObject, name: string): string {
  return textIn(own(claims, name), `idToken.${name}`);
}

function textIn(value: JsonValue | undefined, field: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw mismatch(text, field, 'string');
  return text;
}

/** Decodes a string or a list of strings; null is one empty string. */
function audiencesOf(claims: JsonObject): readonly string[] {
  const value = own(claims, 'aud');
  if (value === undefined) return [];
  if (value === null || typeof value === 'string') return [value ?? ''];
  if (!Array.isArray(value)) throw mismatch(value, 'idToken.aud', '[]string');
  return (value as readonly JsonValue[]).map((each) => textIn(each, 'idToken.aud'));
}

/** Decodes whole seconds, as a number or as digits. Null is no date and allowed only for optional dates. */
function dateOf(claims: JsonObject, name: string, presence: 'needed' | 'optional'): number | undefined {
  const value = own(claims, name);
  if (value === undefined || (value === null && presence === 'optional')) return undefined;
  if (value === null) throw unreadable('strconv.ParseFloat: parsing "": invalid syntax');
  if (typeof value === 'string' && numberText.test(value)) return seconds(Number(value));
  if (typeof value === 'string')
    throw unreadable(
      `json: invalid number literal, trying to unmarshal ${JSON.stringify(JSON.stringify(value))} into Number`,
    );
  if (typeof value !== 'number') throw mismatch(value, `idToken.${name}`, 'json.Number');
  return seconds(value);
}

/** Out-of-range values become a date in the past, as in Go, so that such a token is expired. */
function seconds(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2 ** 63);
}

/** A number in JSON syntax. */
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function elsewhereOf(claims: JsonObject): ReadonlyMap<string, ClaimSource> {
  const names = membersOf(claims, '_claim_names', 'map[string]string').map(
    ([claim, source]) => [claim, textIn(source, 'idToken._claim_names')] as const,
  );
  const sources = new Map(
    membersOf(claims, '_claim_sources', 'map[string]oidc.claimSource').map(([name, source]) => [
      name,
      sourceOf(source),
    ]),
  );
  const elsewhere = new Map<string, ClaimSource>();
  for (const [claim, name] of names) {
    if (name === '') throw new Error('oidc: failed to obtain source from claim name');
    const source = sources.get(name);
    if (source === undefined) throw new Error('oidc: source does not exist');
    elsewhere.set(claim, source);
  }
  return elsewhere;
}

function membersOf(claims: JsonObject, name: string, goType: string): readonly (readonly [string, JsonValue])[] {
  const value = own(claims, name) ?? {};
  if (!isJsonObject(value)) throw mismatch(value, `idToken.${name}`, goType);
  return Object.entries(value);
}

function sourceOf(source: JsonValue): ClaimSource {
  if (source === null) return { endpoint: '', accessToken: '' };
  if (!isJsonObject(source)) throw mismatch(source, 'idToken._claim_sources', 'oidc.claimSource');
  const member = (name: string): string => textIn(own(source, name), `claimSource._claim_sources.${name}`);
  return { endpoint: member('endpoint'), accessToken: member('access_token') };
}

function mismatch(value: JsonValue, field: string, goType: string): Error {
  return unreadable(unmarshalTypeError(value, `struct field ${field} of type ${goType}`));
}

function unreadable(problem: string): Error {
  return new Error(`oidc: failed to unmarshal claims: ${problem}`);
}
