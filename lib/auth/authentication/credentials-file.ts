// Credentials files: those of `--token-auth-file`, and of the `--basic-auth-file` that Kubernetes had until v1.18. CSV,
// one user per line: `secret,user,uid,"group1,group2"`. Errors name the line. As
// apiserver/pkg/authentication/token/tokenfile/tokenfile.go.
import type { UserInfo } from '../../core/types/index.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';
import { isSameSecret } from './constant-time.js';

/** One line of a credentials file. */
export interface CredentialsEntry {
  /** A token or a password. */
  readonly secret: string;
  readonly user: UserInfo & { readonly username: string; readonly groups: string[] };
}

/** Thrown for an invalid credentials file; the message names the line. */
export class CredentialsFileError extends Error {
  override readonly name = 'CredentialsFileError';
}

/**
 * Authenticates the tokens of a token file. Every token of the same length is compared in constant time, and the loop
 * does not stop at a match, so the duration reveals nothing about the tokens. Throws CredentialsFileError.
 */
export function tokenFile(text: string): TokenAuthenticator {
  const byLength = new Map<number, TokenEntry[]>();
  for (const { secret, user } of parseTokenFile(text)) {
    const entries = byLength.get(secret.length) ?? [];
    entries.push({ secret, authenticated: { user } });
    byLength.set(secret.length, entries);
  }
  return (token) => {
    let authenticated: Authenticated | undefined;
    for (const entry of byLength.get(token.length) ?? [])
      if (isSameSecret(entry.secret, token)) ({ authenticated } = entry);
    return [authenticated];
  };
}

interface TokenEntry {
  readonly secret: string;
  readonly authenticated: Authenticated;
}

/**
 * Parses a token file. Of several lines with the same token the last is used; lines without a token are dropped. Throws
 * CredentialsFileError.
 */
export function parseTokenFile(text: string): readonly CredentialsEntry[] {
  const entries = new Map(parseCredentialsFile(text, 'token').map((entry) => [entry.secret, entry]));
  entries.delete('');
  return [...entries.values()];
}

/** Parses a credentials file; `column` is the name of its first column in errors. Throws CredentialsFileError. */
export function parseCredentialsFile(text: string, column: 'token' | 'password'): readonly CredentialsEntry[] {
  return parseCsv(text.replace(/^\ufeff/, '')).map(({ line, fields }) => {
    if (fields.length < 3)
      throw new CredentialsFileError(
        `line ${line}: at least 3 columns are needed (${column}, user name, user uid), found ${fields.length}`,
      );
    const [first = '', username = '', uid = '', groups] = fields;
    return { secret: first, user: { username, uid, groups: groups === undefined ? [] : groups.split(',') } };
  });
}

interface Row {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Parses CSV as Go's encoding/csv: quoted fields may contain commas, doubled quotes and newlines; skips empty lines.
 */
function parseCsv(text: string): readonly Row[] {
  const rows: Row[] = [];
  let fields: string[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const startLine = line;
    const isQuoted = text[at] === '"';
    const end = isQuoted ? quotedEnd(text, at, line) : bareEnd(text, at, line);
    const raw = text.slice(at, end);
    line += raw.split('\n').length - 1;
    fields.push(isQuoted ? raw.slice(1, -1).replaceAll('""', '"') : raw.replace(/\r$/, ''));
    at = text[end] === '\r' ? end + 1 : end;
    if (text[at] === ',') {
      at++;
      // A comma at the end of the text is followed by one more, empty field.
      if (at < text.length) continue;
      fields.push('');
    } else if (at < text.length && text[at] !== '\n') {
      throw new CredentialsFileError(`line ${line}: something follows a closing quote`);
    }
    at++;
    line++;
    if (fields.length > 1 || fields[0] !== '') rows.push({ line: startLine, fields });
    fields = [];
  }
  return rows;
}

function quotedEnd(text: string, from: number, line: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at + 1;
    at++;
  }
  throw new CredentialsFileError(`line ${line}: a quote is not closed`);
}

function bareEnd(text: string, from: number, line: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '"') at++;
  if (text[at] === '"')
    throw new CredentialsFileError(`line ${line}: a quote inside of a field that does not begin with one`);
  return at;
}
