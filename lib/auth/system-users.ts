// User and group names with a meaning in Kubernetes: service accounts, nodes, and the `system:` groups. As
// apiserver/pkg/authentication/serviceaccount/util.go and authentication/user/user.go.
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../core/index.js';
import type { Frozen, NamespacedName } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** The group of all authenticated users. */
export const allAuthenticated = 'system:authenticated';
/** The group of anonymous requests. */
export const allUnauthenticated = 'system:unauthenticated';
/** The user of anonymous requests. */
export const anonymousUser = 'system:anonymous';
/** The group that is allowed everything. */
export const systemMasters = 'system:masters';
/** The group of all nodes. */
export const systemNodes = 'system:nodes';

/** The user of all requests in a server without authenticators. */
export const administrator: Frozen<UserInfo> = Object.freeze({
  username: 'system:admin',
  groups: Object.freeze(['system:masters', 'system:authenticated']),
});

/** Returns the namespace and name of the service account of a user name; undefined for other users. */
export function serviceAccountOf(username: string): NamespacedName | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(serviceAccountPrefix.length).split(':');
  const isWhole =
    rest.length === 0 && nameIsDnsLabel(namespace, false).length === 0 && nameIsDnsSubdomain(name, false).length === 0;
  return isWhole ? { namespace, name } : undefined;
}

/** Returns the groups of a service account of the namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Returns the node name of a user name; undefined for other users. */
export function nodeOf(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

const serviceAccountPrefix = 'system:serviceaccount:';
const nodePrefix = 'system:node:';
