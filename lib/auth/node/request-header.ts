// Authenticates requests of a front proxy, as `--requestheader-…`: the proxy presents a certificate of a proxy
// authority and names the user in headers. Without a verified certificate the headers are ignored. As
// apiserver/pkg/authentication/request/headerrequest/requestheader.go behind request/x509's Verifier.
import { certificateVerifier, parseCertificateBundle } from '../../pki/index.js';
import type { TrustOptions } from '../../pki/index.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator, Credentials } from '../authenticator.js';

/** The trusted proxies and their headers; conventional header names are in brackets. */
export interface RequestHeaderOptions extends TrustOptions {
  /** Common names that a proxy's certificate may have. Default: any. */
  readonly allowedNames?: readonly string[];
  /** Headers of the user name; the first non-empty one is used (X-Remote-User). */
  readonly usernameHeaders: readonly string[];
  /** Headers of the UID; the first non-empty one is used (X-Remote-Uid). */
  readonly uidHeaders?: readonly string[];
  /** Headers of groups; all values are used (X-Remote-Group). */
  readonly groupHeaders?: readonly string[];
  /** Prefixes of headers whose remaining name is a key of the user's extra (X-Remote-Extra-). */
  readonly extraPrefixes?: readonly string[];
  /**
   * Authorities of client certificates, in PEM. If they share a certificate with those of proxies, `allowedNames` is
   * required.
   */
  readonly clientAuthorities?: string;
}

/**
 * Authenticates the users that proxies name. Throws ParseError if authorities cannot be parsed, RangeError if any
 * client could act as a proxy or a header name is empty.
 */
export function requestHeader(options: RequestHeaderOptions): Authenticator {
  const { allowedNames = [], authorities, clientAuthorities } = options;
  if (
    allowedNames.length === 0 &&
    clientAuthorities !== undefined &&
    haveCommonCertificate(authorities, clientAuthorities)
  ) {
    throw new RangeError(
      'authorities of proxies and of clients overlap: allowedNames must be given, or every client could speak for every user',
    );
  }
  const verify = certificateVerifier(options);
  const names = [options.usernameHeaders, options.uidHeaders, options.groupHeaders, options.extraPrefixes].map((each) =>
    (each ?? []).map(headerName),
  );
  const [usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraPrefixes = []] = names;
  return (credentials) => {
    if (credentials.certificate === undefined) return notAuthenticated;
    const { certificate, problem } = verify(credentials.certificate);
    if (problem !== undefined) throw new AuthenticationError(problem);
    if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) {
      throw new AuthenticationError(`x509: subject with cn=${certificate.commonName} is not in the allowed list`);
    }
    const username = firstValue(credentials, usernameHeaders);
    if (username === '') return notAuthenticated;
    const uid = firstValue(credentials, uidHeaders);
    const groups = groupHeaders.flatMap((name) => valuesOf(credentials, name)).filter((group) => group !== '');
    return [{ user: { username, ...(uid !== '' && { uid }), groups, extra: extraOf(credentials, extraPrefixes) } }];
  };
}

const notAuthenticated = [undefined] as const;

function haveCommonCertificate(one: string, other: string): boolean {
  const raws = new Set(parseCertificateBundle(one).map(({ raw }) => Buffer.from(raw).toString('base64')));
  return parseCertificateBundle(other).some(({ raw }) => raws.has(Buffer.from(raw).toString('base64')));
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
 * Returns each value that was sent. Values of one name are not joined: a value that the proxy added must not become
 * part of a value that the client sent.
 */
function valuesOf(credentials: Credentials, name: string): readonly string[] {
  return (credentials.headersWith?.(name) ?? []).flatMap(([each, value]) => (each === name ? [value] : []));
}

function extraOf(credentials: Credentials, prefixes: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const [name, value] of credentials.headersWith?.(prefix) ?? []) {
      const key = unescapeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  // Object.fromEntries defines properties, so a key named __proto__ does not change the prototype.
  return Object.fromEntries(extra);
}

/** Decodes percent-escapes; returns the key unchanged if they are malformed. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
