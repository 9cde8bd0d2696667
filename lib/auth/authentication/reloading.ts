// An authenticator that is replaced while the server runs, for instance whenever the file changes that it was made
// from.
import type { Observable } from 'rxjs';
import { firstOf } from '../../core/index.js';
import type { Authenticator, TokenAuthenticator } from '../authenticator.js';
import { latestValue } from '../latest.js';

/** Asks the newest of the stream, from the first question until `closed$`; see `latestValue` for failures. */
export function reloadingAuthenticator(source$: Observable<Authenticator>, closed$: Observable<void>): Authenticator {
  const newest = latestValue(source$, closed$);
  return (credentials) => {
    const authenticator = newest();
    return authenticator instanceof Promise
      ? authenticator.then((known) => firstOf(known(credentials), undefined))
      : authenticator(credentials);
  };
}

/** Asks the newest of the stream, from the first question until `closed$`; see `latestValue` for failures. */
export function reloadingTokenAuthenticator(
  source$: Observable<TokenAuthenticator>,
  closed$: Observable<void>,
): TokenAuthenticator {
  const newest = latestValue(source$, closed$);
  return (token, audiences) => {
    const authenticator = newest();
    return authenticator instanceof Promise
      ? authenticator.then((known) => firstOf(known(token, audiences), undefined))
      : authenticator(token, audiences);
  };
}
