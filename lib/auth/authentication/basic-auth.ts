// HTTP basic authentication with a password file, as the `--basic-auth-file` that Kubernetes had until v1.18. An
// unknown name takes as long to reject as a wrong password.
import { decodeBase64 } from '../../core/index.js';
import type { Authenticated, Authenticator } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';
import { isSameSecret } from './constant-time.js';
import { parseCredentialsFile } from './credentials-file.js';

/** Authenticates the users of a password file; the last line of a name is used. Throws CredentialsFileError. */
export function basicAuth(text: string): Authenticator {
  const users = new Map(
    parseCredentialsFile(text, 'password').map(({ secret, user }) => [
      user.username,
      { secret, authenticated: { user } satisfies Authenticated },
    ]),
  );
  return (credentials) => {
    const pair = basicCredentials(credentials.header('authorization'));
    if (pair === undefined) return [undefined];
    const entry = users.get(pair.name);
    const isSame = isSameSecret(entry?.secret ?? pair.password, pair.password);
    if (entry === undefined || !isSame) throw new AuthenticationError('invalid username/password combination');
    return [entry.authenticated];
  };
}

/** Returns name and password of an Authorization header; undefined for other schemes. As Go's Request.BasicAuth. */
export function basicCredentials(
  header: string | undefined,
): { readonly name: string; readonly password: string } | undefined {
  if (header?.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const pair = decodeText(header.slice(scheme.length));
  const colon = pair?.indexOf(':') ?? -1;
  return pair === undefined || colon < 0 ? undefined : { name: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

const scheme = 'basic ';

function decodeText(text: string): string | undefined {
  try {
    return new TextDecoder().decode(decodeBase64(text));
  } catch {
    return undefined;
  }
}
