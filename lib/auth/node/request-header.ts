// Users whom a front proxy vouches for: it proves itself by a certificate of an authority for proxies, and says in
// headers who is asking. Without that proof nobody reads the headers. As
// apiserver/pkg/authentication/request/headerrequest/requestheader.go behind request/x509's Verifier.
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator, Credentials } from '../authenticator.js';
import { certificatesOf } from './certificate.js';
import type { TrustOptions } from './certificate-chain.js';
import { certificateJudge } from './certificate-chain.js';

/** Which proxies are believed, and where they say who it is. The conventional headers are in brackets. */
export interface RequestHeaderOptions extends TrustOptions {
  /** Common names that a proxy's certificate may have; any without them. */
  readonly allowedNames?: readonly string[];
  /** The first that says something counts (X-Remote-User). */
  readonly usernameHeaders: readonly string[];
  /** The first that says something counts (X-Remote-Uid). */
  readonly uidHeaders?: readonly string[];
  /** All count (X-Remote-Group). */
  readonly groupHeaders?: readonly string[];
  /** What stands behind such a prefix is a key of the user's extra (X-Remote-Extra-). */
  readonly extraPrefixes?: readonly string[];
  /**
   * Authorities that are trusted for users: where they share a certificate with those for proxies, `allowedNames` must
   * be given.
   */
  readonly clientAuthorities?: string;
}

/**
 * Believes proxies. Throws ParseError where authorities cannot be read, RangeError where any user could be a proxy or a
 * header has no name.
 */
export function requestHeader(options: RequestHeaderOptions): Authenticator {
  const { allowedNames = [], authorities, clientAuthorities } = options;
  if (allowedNames.length === 0 && clientAuthorities !== undefined && overlap(authorities, clientAuthorities)) {
    throw new RangeError(
      'authorities of proxies and of clients overlap: allowedNames must be given, or every client could speak for every user',
    );
  }
  const judge = certificateJudge(options);
  const names = [options.usernameHeaders, options.uidHeaders, options.groupHeaders, options.extraPrefixes].map((each) =>
    (each ?? []).map(headerName),
  );
  const [usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraPrefixes = []] = names;
  return (credentials) => {
    if (credentials.certificate === undefined) return nobody;
    const { certificate, problem } = judge(credentials.certificate);
    if (problem !== undefined) throw new AuthenticationError(problem);
    if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) {
      throw new AuthenticationError(`x509: subject with cn=${certificate.commonName} is not in the allowed list`);
    }
    const username = firstValue(credentials, usernameHeaders);
    if (username === '') return nobody;
    const uid = firstValue(credentials, uidHeaders);
    const groups = groupHeaders.flatMap((name) => valuesOf(credentials, name)).filter((group) => group !== '');
    return [{ user: { username, ...(uid !== '' && { uid }), groups, extra: extraOf(credentials, extraPrefixes) } }];
  };
}

const nobody = [undefined] as const;

function overlap(one: string, other: string): boolean {
  const known = new Set(certificatesOf(one).map(({ raw }) => Buffer.from(raw).toString('base64')));
  return certificatesOf(other).some(({ raw }) => known.has(Buffer.from(raw).toString('base64')));
}

function headerName(text: string): string {
  const name = text.trim().toLowerCase();
  if (name === '') throw new RangeError(`empty header ${JSON.stringify(text)}`);
  return name;
}

function firstValue(credentials: Credentials, names: readonly string[]): string {
  for (const name of names) {
    const [value = ''] = valuesOf(credentials, name);
    if (value !== '') return value;
  }
  return '';
}

/**
 * Each value that was sent. Values of one name are never joined: what a proxy added must not become part of what a
 * client sent.
 */
function valuesOf(credentials: Credentials, name: string): readonly string[] {
  return (credentials.headersWith?.(name) ?? []).flatMap(([each, value]) => (each === name ? [value] : []));
}

function extraOf(credentials: Credentials, prefixes: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const [name, value] of credentials.headersWith?.(prefix) ?? []) {
      const key = unescaped(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  // Defines what it adds, so that a key named __proto__ is only a key.
  return Object.fromEntries(extra);
}

/** What is not escaped as it should be is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
