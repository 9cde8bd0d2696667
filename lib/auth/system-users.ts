// Names that Kubernetes gives meaning: users that are ServiceAccounts or nodes, and the groups that go with them. As
// apiserver/pkg/authentication/serviceaccount/util.go and authentication/user/user.go.
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../core/index.js';
import type { Frozen, NamespacedName } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** Everybody who proved who they are. */
export const allAuthenticated = 'system:authenticated';
/** Everybody who did not. */
export const allUnauthenticated = 'system:unauthenticated';
/** Whoever did not. */
export const anonymousUser = 'system:anonymous';
/** May do everything. */
export const systemMasters = 'system:masters';
/** All nodes. */
export const systemNodes = 'system:nodes';

/** The user that requests run as until a host plugs authentication in. */
export const administrator: Frozen<UserInfo> = Object.freeze({
  username: 'system:admin',
  groups: Object.freeze(['system:masters', 'system:authenticated']),
});

/** The ServiceAccount behind a user name. */
export function serviceAccountOf(username: string): NamespacedName | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(serviceAccountPrefix.length).split(':');
  const isWhole =
    rest.length === 0 && nameIsDnsLabel(namespace, false).length === 0 && nameIsDnsSubdomain(name, false).length === 0;
  return isWhole ? { namespace, name } : undefined;
}

/** The groups of all ServiceAccounts of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The node behind a user name. */
export function nodeOf(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

const serviceAccountPrefix = 'system:serviceaccount:';
const nodePrefix = 'system:node:';
