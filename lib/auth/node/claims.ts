// Decodes the registered claims of RFC 7519 from untrusted JSON. A claim of the wrong type makes the token invalid, as
// in go-jose; null counts as absent.
import type { JsonObject, JsonValue } from '../../core/index.js';

/** Registered claims. Absent strings are empty. */
export interface RegisteredClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970; also of the other dates. */
  readonly expiry?: number;
  readonly notBefore?: number;
  readonly issuedAt?: number;
  readonly id: string;
}

/** Decodes the claims; returns undefined if one has the wrong type. */
export function registeredClaims(claims: JsonObject): RegisteredClaims | undefined {
  const [issuer, subject, id] = [textClaim(claims, 'iss'), textClaim(claims, 'sub'), textClaim(claims, 'jti')];
  const [expiry, notBefore, issuedAt] = [
    numericDate(own(claims, 'exp')),
    numericDate(own(claims, 'nbf')),
    numericDate(own(claims, 'iat')),
  ];
  const audiences = audiencesClaim(claims);
  if (issuer === undefined || subject === undefined || id === undefined || audiences === undefined) return undefined;
  if (expiry === undefined || notBefore === undefined || issuedAt === undefined) return undefined;
  return {
    issuer,
    subject,
    audiences,
    id,
    ...(expiry !== null && { expiry }),
    ...(notBefore !== null && { notBefore }),
    ...(issuedAt !== null && { issuedAt }),
  };
}

/** Returns a string claim: empty if absent, undefined if it has the wrong type. */
export function textClaim(claims: JsonObject, name: string): string | undefined {
  const value = own(claims, name) ?? '';
  return typeof value === 'string' ? value : undefined;
}

/** Returns a date in whole seconds since 1970: null if absent, undefined if it has the wrong type. */
export function numericDate(value: JsonValue | undefined): number | null | undefined {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;
}

/** Decodes `aud`: a string or a list of strings. */
function audiencesClaim(claims: JsonObject): readonly string[] | undefined {
  const value = own(claims, 'aud') ?? [];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

function own(claims: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
