// Files of credentials, those of `--token-auth-file` and of the `--basic-auth-file` of older Kubernetes: a line for
// each,
// `secret,user,uid,"group1,group2"`, as apiserver/pkg/authentication/token/tokenfile reads them. Errors name the line.
import type { UserInfo } from '../../core/types/index.js';

/** One line. */
export interface CredentialsEntry {
  /** A token or a password. */
  readonly secret: string;
  readonly user: UserInfo & { readonly username: string; readonly groups: string[] };
}

/** A file that makes no sense. */
export class CredentialsFileError extends Error {
  override readonly name = 'CredentialsFileError';
}

/** Reads the text of such a file; `secret` is what its first column is called. Throws CredentialsFileError. */
export function parseCredentialsFile(text: string, secret: 'token' | 'password'): readonly CredentialsEntry[] {
  return parseCsv(text.replace(/^\ufeff/, '')).map(({ line, fields }) => {
    if (fields.length < 3)
      throw new CredentialsFileError(
        `line ${line}: at least 3 columns are needed (${secret}, user name, user uid), found ${fields.length}`,
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
 * As Go's encoding/csv: fields in quotes may hold commas, quotes written twice, and line ends; empty lines do not
 * count.
 */
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
      throw new CredentialsFileError(`line ${line}: something follows a closing quote`);
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
  throw new CredentialsFileError(`line ${line}: a quote is not closed`);
}

function bareEnd(text: string, from: number, line: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '"') at++;
  if (text[at] === '"')
    throw new CredentialsFileError(`line ${line}: a quote inside of a field that does not begin with one`);
  return at;
}
