// Reads IP addresses and prefixes strictly, with the messages of Go's net/netip: no leading zeros, no short forms. One
// pass over the text.
import { parseCidr, parseIp, quote } from '../../core/index.js';
import type { Cidr, IpAddress } from '../../core/index.js';

/** An address, or why there is none. `zone` is the part after `%`. */
export type ParsedAddress =
  { readonly address: IpAddress; readonly zone: string | undefined } | { readonly error: string };

/** Reads an address with an optional zone. */
export function parseAddress(text: string): ParsedAddress {
  const problem = addressProblem(text);
  const percent = text.indexOf('%');
  const address = problem === undefined ? parseIp(percent < 0 ? text : text.slice(0, percent)) : undefined;
  if (address !== undefined) return { address, zone: percent < 0 ? undefined : text.slice(percent + 1) };
  return { error: `ParseAddr(${quote(text)}): ${problem ?? 'unable to parse IP'}` };
}

/** Reads `address/length`; returns Go's message without the name of the function where there is none. */
export function parsePrefix(text: string): { readonly cidr: Cidr } | { readonly error: string } {
  const slash = text.lastIndexOf('/');
  const fail = (problem: string): { readonly error: string } => ({
    error: `netip.ParsePrefix(${quote(text)}): ${problem}`,
  });
  if (slash < 0) return fail("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if ('error' in parsed) return fail(parsed.error);
  if (parsed.zone !== undefined) return fail('IPv6 zones cannot be present in a prefix');
  const length = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]*)$/.test(length)) return fail(`bad bits after slash: ${quote(length)}`);
  const cidr = parseCidr(text);
  return cidr === undefined ? fail('prefix length out of range') : { cidr };
}

function addressProblem(text: string): string | undefined {
  const kind = /[.:%]/.exec(text)?.[0];
  switch (kind) {
    case '.':
      return dottedProblem(text);
    case ':':
      return groupsProblem(text);
    default:
      return kind === '%' ? 'missing IPv6 address' : 'unable to parse IP';
  }
}

function dottedProblem(text: string): string | undefined {
  let dots = 0;
  let field = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character >= '0' && character <= '9') {
      if (field === '0') return 'IPv4 field has octet with leading zero';
      field += character;
      if (Number(field) > 255) return 'IPv4 field has value >255';
    } else if (character === '.') {
      if (field === '' || i === text.length - 1)
        return `IPv4 field must have at least one digit (at ${quote(text.slice(i))})`;
      if (dots === 3) return 'IPv4 address too long';
      dots++;
      field = '';
    } else return `unexpected character (at ${quote(text.slice(i))})`;
  }
  return dots < 3 ? 'IPv4 address too short' : undefined;
}

function groupsProblem(text: string): string | undefined {
  const percent = text.indexOf('%');
  if (percent === text.length - 1) return 'zone must be a non-empty string';
  const address = percent < 0 ? text : text.slice(0, percent);
  let [rest, groups, gap] = address.startsWith('::') ? [address.slice(2), 0, true] : [address, 0, false];
  while (rest !== '' && groups < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits === '') return at('each colon-separated field must have at least one digit', rest);
    if (digits.length > 4) return at('each group must have 4 or less digits', rest);
    if (rest[digits.length] === '.') {
      if (!gap && groups !== 6) return at('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups > 6) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      return dottedProblem(rest) ?? (gap && groups === 6 ? needsGap : undefined);
    }
    groups++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return at('unexpected character, want colon', rest);
    if (rest === ':') return at('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap) return at('multiple :: in address', rest);
    gap = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return at('trailing garbage after address', rest);
  if (groups < 8) return gap ? undefined : 'address string too short';
  return gap ? needsGap : undefined;
}

const needsGap = 'the :: must expand to at least one field of zeros';

function at(problem: string, rest: string): string {
  return `${problem} (at ${quote(rest)})`;
}
