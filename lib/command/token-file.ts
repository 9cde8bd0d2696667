// The file of `--token-auth-file`: a line for each token, `token,user,uid,"group1,group2"`, as Kubernetes reads it
// (apiserver/pkg/authentication/token/tokenfile). Errors name the line.
import type { Authenticator } from '../auth/index.js';
import type { UserInfo } from '../core/types/index.js';

/** One line. */
export interface TokenEntry {
  readonly token: string;
  readonly user: UserInfo & { readonly username: string; readonly groups: string[] };
}

/** A file that makes no sense. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** Reads the text of such a file. Of lines with the same token the last one counts. Throws TokenFileError. */
export function parseTokenFile(text: string): readonly TokenEntry[] {
  const entries = new Map<string, TokenEntry>();
  for (const { line, fields } of parseCsv(text.replace(/^\ufeff/, ''))) {
    if (fields.length < 3) throw new TokenFileError(`line ${line}: at least 3 columns are needed (token, user name, user uid), found ${fields.length}`);
    const [token = '', username = '', uid = '', groups] = fields;
    if (token === '') continue;
    entries.set(token, { token, user: { username, uid, groups: groups === undefined ? [] : groups.split(',') } });
  }
  return [...entries.values()];
}

/** Knows users by their bearer token, also by one that a WebSocket carries as its protocol. */
export function tokenAuthenticator(entries: readonly TokenEntry[]): Authenticator {
  const users = new Map(entries.map(({ token, user }) => [token, { user: { ...user, groups: [...user.groups, 'system:authenticated'] } }]));
  return (credentials) => {
    const [, bearer] = /^bearer +([^ ]+) *$/i.exec(credentials.header('authorization') ?? '') ?? [];
    const token = bearer ?? socketToken(credentials.header('sec-websocket-protocol'));
    return [token === undefined ? undefined : users.get(token)];
  };
}

/** Knows users by a certificate that the server's own authority signed. */
export const certificateAuthenticator: Authenticator = ({ certificate }) => {
  if (certificate?.verified !== true || certificate.commonName === '') return [undefined];
  return [{ user: { username: certificate.commonName, groups: [...certificate.organizations, 'system:authenticated'] } }];
};

/**
 * A browser cannot set headers on a WebSocket: the token comes as one of the protocols it offers, and counts only beside
 * another one (as apiserver/pkg/authentication/request/websocket/protocol.go).
 */
function socketToken(header: string | undefined): string | undefined {
  const offered = header?.split(',').map((each) => each.trim()) ?? [];
  const carrier = offered.find((each) => each.startsWith(socketPrefix));
  if (carrier === undefined || offered.length < 2) return undefined;
  return Buffer.from(carrier.slice(socketPrefix.length), 'base64url').toString('utf8');
}

const socketPrefix = 'base64url.bearer.authorization.k8s.io.';

interface Row {
  readonly line: number;
  readonly fields: readonly string[];
}

/** As Go's encoding/csv: fields in quotes may hold commas, quotes written twice, and line ends; empty lines do not count. */
function parseCsv(text: string): readonly Row[] {
  const rows: Row[] = [];
  let fields: string[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const started = line;
    const quoted = text[at] === '"';
    const end = quoted ? quotedEnd(text, at, line) : bareEnd(text, at, line);
    const raw = text.slice(at, end);
    line += raw.split('\n').length - 1;
    fields.push(quoted ? raw.slice(1, -1).replaceAll('""', '"') : raw.replace(/\r$/, ''));
    at = text[end] === '\r' ? end + 1 : end;
    if (text[at] === ',') {
      at++;
      // A comma at the very end is followed by one more, empty field.
      if (at < text.length) continue;
      fields.push('');
    } else if (at < text.length && text[at] !== '\n') {
      throw new TokenFileError(`line ${line}: something follows a closing quote`);
    }
    at++;
    line++;
    if (fields.length > 1 || fields[0] !== '') rows.push({ line: started, fields });
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
  throw new TokenFileError(`line ${line}: a quote is not closed`);
}

function bareEnd(text: string, from: number, line: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '"') at++;
  if (text[at] === '"') throw new TokenFileError(`line ${line}: a quote inside of a field that does not begin with one`);
  return at;
}
