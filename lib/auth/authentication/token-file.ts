// Users by tokens of a file, as `--token-auth-file`. A token is compared with all that are as long, in a time that says
// nothing about how nearly it was right. As apiserver/pkg/authentication/token/tokenfile/tokenfile.go.
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';
import { isSameSecret } from './constant-time.js';
import type { CredentialsEntry } from './credentials-file.js';
import { parseCredentialsFile } from './credentials-file.js';

/** Knows users by the tokens of such a file. Throws CredentialsFileError. */
export function tokenFile(text: string): TokenAuthenticator {
  const ofLength = new Map<number, Known[]>();
  for (const { secret, user } of parseTokenFile(text)) {
    const same = ofLength.get(secret.length) ?? [];
    same.push({ secret, identity: { user } });
    ofLength.set(secret.length, same);
  }
  return (token) => [found(token, ofLength.get(token.length) ?? [])];
}

/** The lines of such a file: of several with one token the last, none without a token. Throws CredentialsFileError. */
export function parseTokenFile(text: string): readonly CredentialsEntry[] {
  const entries = new Map(parseCredentialsFile(text, 'token').map((entry) => [entry.secret, entry]));
  entries.delete('');
  return [...entries.values()];
}

interface Known {
  readonly secret: string;
  readonly identity: Authenticated;
}

/** Goes on to the end also when it has found something. */
function found(token: string, entries: readonly Known[]): Authenticated | undefined {
  let identity: Authenticated | undefined;
  for (const entry of entries) if (isSameSecret(entry.secret, token)) ({ identity } = entry);
  return identity;
}
