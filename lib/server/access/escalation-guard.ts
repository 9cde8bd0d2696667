// Prevents privilege escalation. A user who writes a role needs all permissions that it grants, a user who binds a role
// all permissions of that role, by RBAC; or the verb `escalate` on the role, or `bind` on the bound role. Members of
// system:masters pass. Writes that change only owner references, finalizers and managed fields grant nothing and pass.
// As pkg/registry/rbac/escalation_check.go and pkg/registry/rbac/*/policybased.
import { printMissingRules, printTexts, rbacGroup, systemMasters, uncoveredRules } from '../../auth/index.js';
import type { Authorizer, RbacRules } from '../../auth/index.js';
import {
  aggregateText,
  badRequest,
  deepEqual,
  forbidden,
  isPathSegment,
  notFound,
  quote,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { ClusterRole, PolicyRule, RoleBinding, RoleRef } from '../../core/types/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { Exchange } from '../pipeline.js';
import { decide } from './access-steps.js';
import type { WriteGuard } from '../writes/kind-behaviour.js';

/** The guard of roles and bindings, for all four kinds. */
export function escalationGuard(rbac: RbacRules, authorizer: Authorizer): WriteGuard {
  return {
    async check(object, old, exchange) {
      if (exchange.user.groups?.includes(systemMasters) === true) return;
      if (old !== undefined && grantsNothingNew(object, old)) return;
      // The decoder made it one of the four kinds.
      if (isBinding(object)) return checkBinding(object, exchange, rbac, authorizer);
      return checkRole(object as ClusterRole, old as Frozen<ClusterRole> | undefined, exchange, rbac, authorizer);
    },
  };
}

async function checkRole(
  role: ClusterRole,
  old: Frozen<ClusterRole> | undefined,
  exchange: Exchange,
  rbac: RbacRules,
  authorizer: Authorizer,
): Promise<void> {
  const { group, resource, namespace, name } = exchange.request.info;
  if (await mayUse('escalate', { group, resource, namespace, name }, exchange, authorizer)) return;
  await checkGrant(role.rules ?? [], role, exchange, rbac);
  if (!aggregates(role) && !aggregates(old)) return;
  // The aggregated rules may be any.
  const { rules } = await rbac.rulesFor(exchange.user, namespace);
  if (uncoveredRules(rules, everything).length > 0)
    throw forbidden(refOf(role, exchange), 'must have cluster-admin privileges to use the aggregationRule');
}

async function checkBinding(
  binding: RoleBinding,
  exchange: Exchange,
  rbac: RbacRules,
  authorizer: Authorizer,
): Promise<void> {
  const { roleRef } = binding;
  const { namespace } = exchange.request.info;
  const resource = roleResources.get(roleRef.kind);
  if (resource === undefined) throw unclassifiedError(`unsupported role reference kind: ${quote(roleRef.kind)}`);
  if (
    await mayUse(
      'bind',
      { group: roleRef.apiGroup ?? '', resource, namespace, name: roleRef.name },
      exchange,
      authorizer,
    )
  )
    return;
  await checkGrant(await rulesOf(roleRef, exchange, rbac), binding, exchange, rbac);
}

const roleResources: ReadonlyMap<string, string> = new Map([
  ['Role', 'roles'],
  ['ClusterRole', 'clusterroles'],
]);

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

async function mayUse(verb: string, target: Target, { user }: Exchange, authorizer: Authorizer): Promise<boolean> {
  const { decision } = await decide(authorizer, {
    user,
    verb,
    isResource: true,
    path: '',
    version: '*',
    subresource: '',
    ...target,
  });
  return decision === 'allow';
}

/** Rejects with ApiError 403 where the user does not hold all of the rules. */
async function checkGrant(
  granted: readonly Frozen<PolicyRule>[],
  object: ApiObject,
  exchange: Exchange,
  rbac: RbacRules,
): Promise<void> {
  const { user, request } = exchange;
  const { rules, missing } = await rbac.rulesFor(user, request.info.namespace);
  const uncovered = uncoveredRules(rules, granted);
  if (uncovered.length === 0) return;
  const problems = missing.map(({ name }) => missingRole(name, exchange).message);
  const detail = problems.length === 0 ? '' : `; resolution errors: [${aggregateText(problems)}]`;
  const subject = `user ${quote(user.username ?? '')} (groups=${printTexts(user.groups ?? [])})`;
  throw forbidden(
    refOf(object, exchange),
    `${subject} is attempting to grant RBAC permissions not currently held:\n${printMissingRules(uncovered)}${detail}`,
  );
}

/** The rules of a role that is to be bound. Throws ApiError 400 and 404. */
async function rulesOf(ref: RoleRef, exchange: Exchange, rbac: RbacRules): Promise<readonly Frozen<PolicyRule>[]> {
  const { namespace } = exchange.request.info;
  if (ref.kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  if (ref.name === '') throw badRequest('Name parameter required.');
  const problems = isPathSegment(ref.name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(ref.name)}: ${problems.join(';')}`);
  const rules = await rbac.rulesOf(ref, namespace);
  if (rules === undefined) throw missingRole(ref.name, exchange);
  return rules;
}

/** Kubernetes names the resource of the request here, not that of the missing role. */
function missingRole(name: string, { request }: Exchange): Error {
  return notFound({ group: rbacGroup, resource: request.info.resource, name });
}

function refOf(
  { metadata }: ApiObject,
  { request }: Exchange,
): { readonly group: string; readonly resource: string; readonly name: string } {
  return { group: rbacGroup, resource: request.info.resource, name: metadata?.name ?? '' };
}

function isBinding(object: ApiObject): object is RoleBinding {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';
}

function aggregates(role: Frozen<ClusterRole> | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Whether two objects differ at most in owner references, finalizers and managed fields. */
function grantsNothingNew(object: ApiObject, old: StoredObject): boolean {
  return deepEqual(withoutOwnership(object), withoutOwnership(old));
}

function withoutOwnership(object: Frozen<ApiObject>): unknown {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _fields,
    selfLink: _link,
    ...metadata
  } = object.metadata ?? {};
  return { ...object, metadata };
}
