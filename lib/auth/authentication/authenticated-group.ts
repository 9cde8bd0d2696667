// Everybody who proved who they are belongs to `system:authenticated`. Stands around all authenticators but the last
// resort, anonymity. As apiserver/pkg/authentication/group/authenticated_group_adder.go.
import { firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator } from '../authenticator.js';
import { allAuthenticated, allUnauthenticated, anonymousUser } from '../system-users.js';

/** Adds the group to whom the authenticator knows. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators answer again and again with the same value: so does this one.
  const added = new WeakMap<Authenticated, Authenticated>();
  const add = (found: Authenticated | undefined): Authenticated | undefined => {
    if (found === undefined) return undefined;
    const known = added.get(found) ?? withGroup(found);
    added.set(found, known);
    return known;
  };
  return (credentials) => {
    const found = firstOf(authenticator(credentials), undefined);
    return found instanceof Promise ? found.then(add) : [add(found)];
  };
}

function withGroup(found: Authenticated): Authenticated {
  const { user } = found;
  const { groups = [] } = user;
  if (user.username === anonymousUser || groups.includes(allAuthenticated) || groups.includes(allUnauthenticated))
    return found;
  return { ...found, user: { ...user, groups: [...groups, allAuthenticated] } };
}
