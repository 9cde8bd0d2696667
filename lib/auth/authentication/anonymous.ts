// Requests without credentials are nobody's. Not an authenticator of its own but what stands behind all others: wrong
// credentials never become none. As apiserver/pkg/authentication/request/anonymous/anonymous.go.
import { firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator } from '../authenticator.js';
import { allUnauthenticated, anonymousUser } from '../system-users.js';
import { unionAuthenticator } from './union.js';

/** Who may be nobody. */
export interface AnonymousOptions {
  /** The only paths for which that is allowed, whole and as they are sent; all unless said otherwise. */
  readonly paths?: readonly string[];
}

/** Asks the authenticators; whom none of them knows and none refused is `system:anonymous`. */
export function orAnonymous(authenticators: readonly Authenticator[], { paths }: AnonymousOptions = {}): Authenticator {
  const known = unionAuthenticator(authenticators);
  const allowed = paths && new Set(paths);
  return (credentials) => {
    const otherwise = allowed === undefined || allowed.has(credentials.path ?? '') ? nobody : undefined;
    const found = firstOf(known(credentials), undefined);
    return found instanceof Promise ? found.then((user) => user ?? otherwise) : [found ?? otherwise];
  };
}

const nobody: Authenticated = Object.freeze({
  user: Object.freeze({ username: anonymousUser, groups: Object.freeze([allUnauthenticated]) }),
});
