// Decorators of authenticators: anonymous requests, the group `system:authenticated`, and audiences for credentials
// that have none of their own. As apiserver/pkg/authentication/request/anonymous/anonymous.go,
// group/authenticated_group_adder.go and authenticator/audagnostic.go.
import { firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../authenticator.js';
import { allAuthenticated, allUnauthenticated, anonymousUser } from '../system-users.js';
import { unionAuthenticator } from './union.js';

/** Options of anonymous authentication. */
export interface AnonymousOptions {
  /** The only request paths for which it is allowed, compared as sent. Default: all. */
  readonly paths?: readonly string[];
}

/**
 * Authenticates requests without credentials as `system:anonymous`. Rejected credentials stay rejected: they never
 * become an anonymous request.
 */
export function orAnonymous(authenticators: readonly Authenticator[], { paths }: AnonymousOptions = {}): Authenticator {
  const authenticator = unionAuthenticator(authenticators);
  const allowedPaths = paths && new Set(paths);
  return (credentials) => {
    const fallback = allowedPaths === undefined || allowedPaths.has(credentials.path ?? '') ? anonymous : undefined;
    const found = firstOf(authenticator(credentials), undefined);
    return found instanceof Promise ? found.then((user) => user ?? fallback) : [found ?? fallback];
  };
}

const anonymous: Authenticated = Object.freeze({
  user: Object.freeze({ username: anonymousUser, groups: Object.freeze([allUnauthenticated]) }),
});

/** Adds the group `system:authenticated` to every user of the authenticator, except the anonymous user. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators return the same value for the same credentials; so does this one, for caches keyed by identity.
  const cache = new WeakMap<Authenticated, Authenticated>();
  const addGroup = (found: Authenticated | undefined): Authenticated | undefined => {
    if (found === undefined) return undefined;
    const grouped = cache.get(found) ?? withGroup(found);
    cache.set(found, grouped);
    return grouped;
  };
  return (credentials) => {
    const found = firstOf(authenticator(credentials), undefined);
    return found instanceof Promise ? found.then(addGroup) : [addGroup(found)];
  };
}

function withGroup(found: Authenticated): Authenticated {
  const { user } = found;
  const { groups = [] } = user;
  if (user.username === anonymousUser || groups.includes(allAuthenticated) || groups.includes(allUnauthenticated))
    return found;
  return { ...found, user: { ...user, groups: [...groups, allAuthenticated] } };
}

/**
 * Treats tokens that have no audience of their own (token file, bootstrap tokens, OpenID Connect) as issued for the
 * audiences of the API server. Requests for other audiences are not authenticated.
 */
export function audienceAgnosticTokens(
  authenticator: TokenAuthenticator,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  return (token, audiences) => withAudiences(apiAudiences, audiences, () => authenticator(token, audiences));
}

/** Does the same for other credentials, such as the headers of a front proxy. */
export function audienceAgnostic(authenticator: Authenticator, apiAudiences: readonly string[]): Authenticator {
  return (credentials) => withAudiences(apiAudiences, credentials.audiences, () => authenticator(credentials));
}

type Answer = ReturnType<Authenticator>;

function withAudiences(
  apiAudiences: readonly string[],
  requested: readonly string[] = [],
  authenticate: () => Answer,
): Answer {
  if (requested.length === 0) return authenticate();
  const audiences = apiAudiences.filter((each) => requested.includes(each));
  if (audiences.length === 0) return [undefined];
  const add = (found: Authenticated | undefined): Authenticated | undefined => found && { ...found, audiences };
  const found = firstOf(authenticate(), undefined);
  return found instanceof Promise ? found.then(add) : [add(found)];
}
