// Credentials that do not say for whom they are: tokens of a file, bootstrap tokens, headers of a front proxy, tokens
// of OpenID Connect. They are good for the server's own audiences; whoever asks for others is told that nobody knows
// them. As apiserver/pkg/authentication/authenticator/audagnostic.go.
import { firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../authenticator.js';

/** Takes tokens that the authenticator knows for ones of these audiences. */
export function audienceAgnosticTokens(
  authenticator: TokenAuthenticator,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  return (token, audiences) => asIssuedFor(apiAudiences, audiences, () => authenticator(token, audiences));
}

/** Takes credentials that the authenticator knows for ones of these audiences. */
export function audienceAgnostic(authenticator: Authenticator, apiAudiences: readonly string[]): Authenticator {
  return (credentials) => asIssuedFor(apiAudiences, credentials.audiences, () => authenticator(credentials));
}

type Answer = ReturnType<Authenticator>;

function asIssuedFor(apiAudiences: readonly string[], wanted: readonly string[] = [], ask: () => Answer): Answer {
  if (wanted.length === 0) return ask();
  const audiences = apiAudiences.filter((each) => wanted.includes(each));
  if (audiences.length === 0) return [undefined];
  const stamped = (found: Authenticated | undefined): Authenticated | undefined => found && { ...found, audiences };
  const found = firstOf(ask(), undefined);
  return found instanceof Promise ? found.then(stamped) : [stamped(found)];
}
