// The default roles and bindings of RBAC, complete as they read back. `admin`, `edit` and `view` include the rules that
// they aggregate, so that they work before, and without, the aggregating controller.
import { aggregatedRules, deepFreeze } from '../../../core/index.js';
import type { Frozen, ObjectMeta } from '../../../core/index.js';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../../core/types/index.js';
import { aggregatingRoles, clusterRoleBindings, clusterRoles, aggregatedRoles } from './cluster-roles.js';
import { controllerRoles } from './controller-roles.js';
import { namespacePolicies } from './namespace-roles.js';
import { readBindings, readRoles } from './policy-notation.js';
import type { NotedBinding, NotedRole } from './policy-notation.js';

/** A role or a binding, of either kind. */
export type PolicyObject = Frozen<ClusterRole> | Frozen<ClusterRoleBinding> | Frozen<Role> | Frozen<RoleBinding>;

/** The policy of a new cluster: ClusterRoles, their bindings, then Roles and RoleBindings. Parsed once per process. */
export function policyObjects(): readonly PolicyObject[] {
  return (known ??= deepFreeze(readPolicy()));
}

let known: readonly PolicyObject[] | undefined;

function readPolicy(): readonly PolicyObject[] {
  const controllers = readRoles(controllerRoles);
  return [
    ...withAggregatedRules([
      ...readRoles(clusterRoles).map(clusterRole),
      ...controllers.map((role) => clusterRole(ofController(role))),
    ]),
    ...readBindings(clusterRoleBindings).map(clusterRoleBinding),
    ...controllers.map((role) => clusterRoleBinding(controllerBinding(role))),
    ...namespacePolicies.flatMap(({ namespace, roles }) =>
      readRoles(roles).map(({ name, rules }): Role => ({
        apiVersion,
        kind: 'Role',
        metadata: metadataOf(name, { namespace }),
        rules,
      })),
    ),
    ...namespacePolicies.flatMap(({ namespace, bindings }) =>
      readBindings(bindings).map((binding) => roleBinding(binding, namespace)),
    ),
  ];
}

const apiVersion = 'rbac.authorization.k8s.io/v1';

function metadataOf(name: string, rest: ObjectMeta = {}): ObjectMeta {
  return {
    name,
    ...rest,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...rest.labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

function clusterRole({ name, rules }: NotedRole): ClusterRole {
  const [gatheredBy, gathers] = [aggregatedRoles.get(name), aggregatingRoles.get(name)];
  return {
    apiVersion,
    kind: 'ClusterRole',
    metadata: metadataOf(name, gatheredBy === undefined ? {} : { labels: { [gatheredBy]: 'true' } }),
    rules,
    ...(gathers !== undefined && {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [gathers]: 'true' } }] },
    }),
  };
}

/** Adds aggregated rules in order: `edit` includes `view`, and `admin` includes `edit`. */
function withAggregatedRules(roles: ClusterRole[]): readonly ClusterRole[] {
  for (const name of aggregatingRoles.keys()) {
    const index = roles.findIndex(({ metadata }) => metadata?.name === name);
    const role = roles[index];
    if (role !== undefined) roles[index] = { ...role, rules: [...aggregatedRules(role, roles)] };
  }
  return roles;
}

function clusterRoleBinding({ name, role, subjects }: NotedBinding): ClusterRoleBinding {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: metadataOf(name),
    ...(subjects.length > 0 && { subjects }),
    roleRef,
  };
}

function roleBinding({ name, role, subjects }: NotedBinding, namespace: string): RoleBinding {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role };
  return { apiVersion, kind: 'RoleBinding', metadata: metadataOf(name, { namespace }), subjects, roleRef };
}

function ofController({ name, rules }: NotedRole): NotedRole {
  return { name: `system:controller:${name}`, rules };
}

function controllerBinding({ name }: NotedRole): NotedBinding {
  const role = `system:controller:${name}`;
  return { name: role, role, subjects: [{ kind: 'ServiceAccount', name, namespace: 'kube-system' }] };
}
