// The claims of RFC 7519 that every token may have, read with the care due to a stranger's document. A claim of the
// wrong type makes the token unreadable, as go-jose has it; null is no claim.
import type { JsonObject, JsonValue } from '../../core/index.js';

/** Registered claims. Absent texts are empty. */
export interface RegisteredClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970, as the others. */
  readonly expiry?: number;
  readonly notBefore?: number;
  readonly issuedAt?: number;
  readonly id: string;
}

/** Reads them; undefined where one is not of its type. */
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

/** A text; empty where there is none, undefined where it is something else. */
export function textClaim(claims: JsonObject, name: string): string | undefined {
  const value = own(claims, name) ?? '';
  return typeof value === 'string' ? value : undefined;
}

/** A date in whole seconds since 1970; null where there is none, undefined where it is something else. */
export function numericDate(value: JsonValue | undefined): number | null | undefined {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;
}

/** `aud`: one text or a list of them. */
function audiencesClaim(claims: JsonObject): readonly string[] | undefined {
  const value = own(claims, 'aud') ?? [];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

function own(claims: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
