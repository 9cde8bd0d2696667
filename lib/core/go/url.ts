// Reads a URL the way Go does, because Kubernetes reports a malformed one with Go's message. Only the parts that
// validation uses are kept. One scan per part; nothing here throws.
// As net/url/url.go of Go 1.26: Parse, ParseRequestURI, parseAuthority, parseHost, unescape.
import { quote } from './format.js';
import { parseIp } from '../objects/ip-address.js';

/** The parts of a URL. */
export interface GoUrl {
  /** In lower case; empty for a relative reference. */
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  /** The text before `@`, in its usual escaping; undefined without an `@`. */
  readonly user: string | undefined;
  /** The path in its usual escaping, or as it was written where that is a correct one; empty for an opaque URL. */
  readonly escapedPath: string;
  readonly query: string;
  readonly fragment: string;
}

/** A URL, or why it is none. */
export type ParsedUrl = { readonly url: GoUrl } | { readonly error: string };

/** Reads a URL as it is in a request: absolute or an absolute path, and a `#` is part of it. */
export function parseGoRequestUri(text: string): ParsedUrl {
  const parsed = parse(text, true);
  return typeof parsed === 'string' ? { error: `parse ${quote(text)}: ${parsed}` } : { url: parsed };
}

/** Reads a URL or a relative reference. */
export function parseGoUrl(text: string): ParsedUrl {
  const hash = text.indexOf('#');
  const whole = hash < 0 ? text : text.slice(0, hash);
  const parsed = parse(whole, false);
  if (typeof parsed === 'string') return { error: `parse ${quote(whole)}: ${parsed}` };
  if (hash < 0) return { url: parsed };
  const fragment = unescape(text.slice(hash + 1), 'other');
  return 'error' in fragment
    ? { error: `parse ${quote(text)}: ${fragment.error}` }
    : { url: { ...parsed, fragment: fragment.text } };
}

type Part = 'host' | 'zone' | 'other';
type Unescaped = { readonly text: string } | { readonly error: string };

function parse(text: string, ofRequest: boolean): GoUrl | string {
  if (hasControlCharacter(text)) return 'net/url: invalid control character in URL';
  if (text === '' && ofRequest) return 'empty url';
  const blank: GoUrl = { scheme: '', host: '', user: undefined, escapedPath: '', query: '', fragment: '' };
  if (text === '*') return { ...blank, escapedPath: '*' };
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = (/^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '').toLowerCase();
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf('?');
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const url: GoUrl = { ...blank, scheme, query: mark < 0 ? '' : afterScheme.slice(mark + 1) };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return url;
    if (ofRequest) return 'invalid URI for request';
    if (rest.split('/', 1)[0]?.includes(':') === true) return 'first path segment in URL cannot contain colon';
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!ofRequest && !rest.startsWith('///')));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const path = slash < 0 ? '' : rest.slice(slash);
  const authority = hasAuthority
    ? parseAuthority(scheme, rest.slice(2, slash < 0 ? undefined : slash))
    : { host: '', user: undefined };
  if (typeof authority === 'string') return authority;
  const unescaped = unescape(path, 'other');
  return 'error' in unescaped
    ? unescaped.error
    : { ...url, ...authority, escapedPath: isEscapedPath(path) ? path : escapePath(unescaped.text) };
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'host' | 'user'> | string {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if ('error' in host) return host.error;
  if (at < 0) return { host: host.text, user: undefined };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo';
  const colon = user.indexOf(':');
  const parts = (colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)]).map((part) =>
    unescape(part, 'other'),
  );
  const escaped: string[] = [];
  for (const part of parts) {
    if ('error' in part) return part.error;
    escaped.push(escapeUser(part.text));
  }
  return { host: host.text, user: escaped.join(':') };
}

function parseHost(scheme: string, host: string): Unescaped {
  const open = host.lastIndexOf('[');
  if (open > 0) return { error: 'invalid IP-literal' };
  if (open === 0) return parseIpLiteral(host);
  const colon = host.indexOf(':');
  if (colon >= 0) {
    const strict = scheme === 'http' || scheme === 'https';
    const port = host.slice(strict ? colon : host.lastIndexOf(':'));
    if (!isOptionalPort(port)) return { error: `invalid port ${quote(port)} after host` };
  }
  return unescape(host, 'host');
}

function parseIpLiteral(host: string): Unescaped {
  const close = host.lastIndexOf(']');
  if (close < 0) return { error: "missing ']' in host" };
  const port = host.slice(close + 1);
  if (!isOptionalPort(port)) return { error: `invalid port ${quote(port)} after host` };
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const name = unescape(zone < 0 ? inside : inside.slice(0, zone), 'host');
  const scope = zone < 0 ? { text: '' } : unescape(inside.slice(zone), 'zone');
  if ('error' in name) return name;
  if ('error' in scope) return scope;
  const address = parseIp(name.text);
  if (address === undefined)
    return { error: `invalid host: ParseAddr(${quote(name.text + scope.text)}): unable to parse IP` };
  return address.family === 4 && !address.mapped
    ? { error: 'invalid IP-literal' }
    : { text: `[${name.text}${scope.text}]${port}` };
}

function isOptionalPort(port: string): boolean {
  return port === '' || /^:[0-9]*$/.test(port);
}

/** Resolves `%41`. In a host only bytes outside ASCII may be written so, and nothing that would need to be. */
function unescape(text: string, part: Part): Unescaped {
  let escaped = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character === '%') {
      const sequence = text.slice(i, i + 3);
      if (!/^%[0-9a-fA-F]{2}$/.test(sequence) || isForbiddenEscape(sequence, part))
        return { error: `invalid URL escape ${quote(sequence)}` };
      escaped = true;
      i += 2;
    } else if (part !== 'other' && character < '\x80' && !hostCharacter.test(character)) {
      return { error: `invalid character ${quote(character)} in host name` };
    }
  }
  return { text: escaped ? unescapeBytes(text) : text };
}

const hostCharacter = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;

function isForbiddenEscape(sequence: string, part: Part): boolean {
  if (part === 'other' || sequence === '%25') return false;
  const code = Number.parseInt(sequence.slice(1), 16);
  if (part === 'host') return code < 0x80;
  return code !== 0x20 && (code >= 0x80 || !hostCharacter.test(String.fromCharCode(code)));
}

function unescapeBytes(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    new TextDecoder().decode(Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))),
  );
}

/** Whether a path has only characters that may stand in one. */
function isEscapedPath(path: string): boolean {
  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%]*$/.test(path);
}

function escapePath(path: string): string {
  return escapeAll(path, /[^A-Za-z0-9\-_.~$&+,/:;=@]/gu);
}

function escapeUser(text: string): string {
  return escapeAll(text, /[^A-Za-z0-9\-_.~$&+,;=]/gu);
}

function escapeAll(text: string, special: RegExp): string {
  return text.replace(special, (character) =>
    [...new TextEncoder().encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
