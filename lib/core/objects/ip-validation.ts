// What is wrong with a field that holds an IP address or a CIDR block, and what clients should know about its spelling.
// New fields require the canonical form; those older than that rule ("legacy") take other spellings, with warnings, and
// keep any value they already had. As apimachinery/pkg/util/validation/ip.go with StrictIPCIDRValidation, on since
// 1.36.
import { fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { quote } from '../go/format.js';
import { parseCidr, parseIp, printIp, printNetwork, sameIp } from './ip-address.js';
import type { Cidr, IpAddress } from './ip-address.js';
import type { SyntaxRule } from './names.js';

/** Values that a field already has; a set where there may be many. */
export type KnownValues = readonly string[] | ReadonlySet<string>;

/** A canonical IP address. */
export const isCanonicalIp: SyntaxRule = (value) => {
  const ip = parseIp(value);
  if (ip === undefined) return [noIp];
  const wrong = ipProblem(ip) ?? canonicalProblem(value, printIp(ip));
  return wrong === undefined ? [] : [wrong];
};

/** A canonical IP address. */
export function validateIp(value: string, path: FieldPath): readonly FieldError[] {
  return isCanonicalIp(value).map((sentence) => fieldInvalid(path, value, sentence));
}

/** An IP address in any unambiguous spelling, or one of those already there. */
export function validateLegacyIp(value: string, path: FieldPath, old: KnownValues = []): readonly FieldError[] {
  if (isKnown(value, old)) return [];
  const ip = parseIp(value);
  return invalidIf(value, path, ip === undefined ? noIp : ipProblem(ip));
}

/** A canonical CIDR block. */
export function validateCidr(value: string, path: FieldPath): readonly FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return invalidIf(value, path, noCidr);
  return invalidIf(value, path, cidrProblem(cidr) ?? canonicalProblem(value, printNetwork(cidr)));
}

/** A CIDR block in any unambiguous spelling, or one of those already there. */
export function validateLegacyCidr(value: string, path: FieldPath, old: KnownValues = []): readonly FieldError[] {
  if (isKnown(value, old)) return [];
  const cidr = parseCidr(value);
  return invalidIf(value, path, cidr === undefined ? noCidr : cidrProblem(cidr));
}

/** Returns the warnings about the spelling of an IP address. */
export function warningsForIp(value: string, path: FieldPath): readonly string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [];
  const canonical = quote(printIp(ip));
  const at = path.toString();
  if (!ip.strict || ip.mapped) return [`${at}: non-standard IP address ${quote(value)} is invalid: use ${canonical}`];
  if (ip.family === 4 || printIp(ip) === value) return [];
  return [`${at}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${canonical})`];
}

/** Returns the warnings about the spelling of a CIDR block. */
export function warningsForCidr(value: string, path: FieldPath): readonly string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const canonical = quote(printNetwork(cidr));
  const at = path.toString();
  const warnings: string[] = [];
  if (!sameIp(cidr.address, cidr.network)) {
    const single = quote(`${printIp(cidr.address)}/${cidr.bits}`);
    warnings.push(
      `${at}: CIDR value ${quote(value)} is ambiguous in this context (should be ${canonical} or ${single}?)`,
    );
  }
  if (!cidr.strict || cidr.address.mapped) {
    warnings.push(`${at}: non-standard CIDR value ${quote(value)} is invalid: use ${canonical}`);
  }
  if (warnings.length === 0 && cidr.address.family === 6 && printNetwork(cidr) !== value) {
    warnings.push(`${at}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${canonical})`);
  }
  return warnings;
}

const noIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const noCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function isKnown(value: string, known: KnownValues): boolean {
  return 'has' in known ? known.has(value) : known.includes(value);
}

function ipProblem(ip: IpAddress): string | undefined {
  if (!ip.strict) return 'must not have leading 0s';
  return ip.mapped ? 'must not be an IPv4-mapped IPv6 address' : undefined;
}

function cidrProblem(cidr: Cidr): string | undefined {
  if (!cidr.strict) return 'must not have leading 0s in IP or prefix length';
  if (cidr.address.mapped) return 'must not have an IPv4-mapped IPv6 address';
  return sameIp(cidr.address, cidr.network) ? undefined : 'must not have bits set beyond the prefix length';
}

function canonicalProblem(value: string, canonical: string): string | undefined {
  return value === canonical ? undefined : `must be in canonical form (${quote(canonical)})`;
}

function invalidIf(value: string, path: FieldPath, sentence: string | undefined): readonly FieldError[] {
  return sentence === undefined ? [] : [fieldInvalid(path, value, sentence)];
}
