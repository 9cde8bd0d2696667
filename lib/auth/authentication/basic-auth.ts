// Users by name and password, as the `--basic-auth-file` that Kubernetes had until v1.18. A name nobody has takes as
// long to refuse as a wrong password.
import { decodeBase64 } from '../../core/index.js';
import type { Authenticated, Authenticator } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';
import { isSameSecret } from './constant-time.js';
import { parseCredentialsFile } from './credentials-file.js';

/**
 * Knows users by the names and passwords of a file; of several lines for one name the last counts. Throws
 * CredentialsFileError.
 */
export function basicAuth(text: string): Authenticator {
  const users = new Map(
    parseCredentialsFile(text, 'password').map(({ secret, user }) => [
      user.username,
      { secret, identity: { user } satisfies Authenticated },
    ]),
  );
  return (credentials) => {
    const pair = basicCredentials(credentials.header('authorization'));
    if (pair === undefined) return [undefined];
    const known = users.get(pair.name);
    const isRight = isSameSecret(known?.secret ?? pair.password, pair.password);
    if (known === undefined || !isRight) throw new AuthenticationError('invalid username/password combination');
    return [known.identity];
  };
}

/** Name and password of an Authorization header; undefined where it holds something else. As Go's Request.BasicAuth. */
export function basicCredentials(
  header: string | undefined,
): { readonly name: string; readonly password: string } | undefined {
  if (header?.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const pair = decoded(header.slice(scheme.length));
  const colon = pair?.indexOf(':') ?? -1;
  return pair === undefined || colon < 0 ? undefined : { name: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

const scheme = 'basic ';

function decoded(text: string): string | undefined {
  try {
    return new TextDecoder().decode(decodeBase64(text));
  } catch {
    return undefined;
  }
}
