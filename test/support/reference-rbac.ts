// A reference implementation of RBAC: every binding, every subject and every rule in order, without an index. The index
// must give the same results; they share no code.
import type { AccessAttributes, Decision } from '../../lib/auth/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  UserInfo,
  rbacV1,
} from '../../lib/core/types/index.js';

/** All roles and bindings. */
export interface Rbac {
  readonly roles: readonly Role[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

/** Whether a rule allows a request. */
export function referenceRuleAllows(
  rule: Frozen<PolicyRule>,
  { isResource, verb, path, group, resource, subresource, name }: AccessAttributes,
): boolean {
  if (!rule.verbs.some((each) => each === '*' || each === verb)) return false;
  if (!isResource) {
    return (rule.nonResourceURLs ?? []).some(
      (each) => each === '*' || each === path || (each.endsWith('*') && path.startsWith(each.replace(/\*+$/, ''))),
    );
  }
  const asked = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    (rule.apiGroups ?? []).some((each) => each === '*' || each === group) &&
    (rule.resources ?? []).some(
      (each) => each === '*' || each === asked || (subresource !== '' && each === `*/${subresource}`),
    ) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(name))
  );
}

/** What RBAC decides; of several bindings the first by name is reported. */
export function referenceDecision(rbac: Rbac, attributes: AccessAttributes): Decision {
  const problems: string[] = [];
  for (const { binding, subject } of bindingsOf(rbac, attributes.user, attributes.namespace)) {
    const rules = roleOf(rbac, binding);
    const { roleRef, metadata: { name = '', namespace = '' } = {} } = binding;
    if (rules === undefined)
      problems.push(`${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found`);
    else if (rules.some((rule) => referenceRuleAllows(rule, attributes))) {
      const source = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
      const whom =
        subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
      return {
        decision: 'allow',
        reason: `RBAC: allowed by ${source} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${whom}"`,
      };
    }
  }
  const reported = [...new Set(problems)];
  if (reported.length === 0) return { decision: 'noOpinion', reason: '' };
  return {
    decision: 'noOpinion',
    reason: `RBAC: ${reported.length === 1 ? reported.join() : `[${reported.join(', ')}]`}`,
  };
}

/** All rules of a user, in order. */
export function referenceRules(rbac: Rbac, user: Frozen<UserInfo>, namespace: string): readonly PolicyRule[] {
  return bindingsOf(rbac, user, namespace).flatMap(({ binding }) => roleOf(rbac, binding) ?? []);
}

/** Whether what an owner has covers a rule: each of its permissions is covered by one rule of the owner. */
export function referenceCovers(
  owned: readonly PolicyRule[],
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): boolean {
  const resourcesCovered = apiGroups.every((group) =>
    resources.every((resource) =>
      verbs.every((verb) =>
        (resourceNames.length === 0 ? [undefined] : resourceNames).every((name) =>
          owned.some(
            (owner) =>
              owner.verbs.some((each) => each === '*' || each === verb) &&
              (owner.apiGroups ?? []).some((each) => each === '*' || each === group) &&
              (owner.resources ?? []).some(
                (each) =>
                  each === '*' ||
                  each === resource ||
                  (resource.includes('/') && each === `*/${resource.split('/').slice(1).join('/')}`),
              ) &&
              ((owner.resourceNames ?? []).length === 0 ||
                (name !== undefined && owner.resourceNames?.includes(name) === true)),
          ),
        ),
      ),
    ),
  );
  const urlsCovered = nonResourceURLs.every((url) =>
    verbs.every((verb) =>
      owned.some(
        (owner) =>
          owner.verbs.some((each) => each === '*' || each === verb) &&
          (owner.resourceNames ?? []).length === 0 &&
          (owner.nonResourceURLs ?? []).some(
            (each) => each === url || (each.endsWith('*') && url.startsWith(each.replace(/\*+$/, ''))),
          ),
      ),
    ),
  );
  return resourcesCovered && urlsCovered;
}

interface Applying {
  readonly binding: RoleBinding | ClusterRoleBinding;
  readonly subject: rbacV1.Subject;
}

function bindingsOf(
  { clusterRoleBindings, roleBindings }: Rbac,
  user: Frozen<UserInfo>,
  namespace: string,
): readonly Applying[] {
  const local = namespace === '' ? [] : roleBindings.filter(({ metadata }) => metadata?.namespace === namespace);
  return [...byName(clusterRoleBindings), ...byName(local)].flatMap((binding) => {
    const subject = binding.subjects?.find((each) => isUser(each, user, binding.metadata?.namespace ?? ''));
    return subject === undefined ? [] : [{ binding, subject }];
  });
}

function byName<T extends RoleBinding | ClusterRoleBinding>(bindings: readonly T[]): readonly T[] {
  return [...bindings].sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}

function isUser(
  { kind, name, namespace = '' }: rbacV1.Subject,
  { username, groups = [] }: Frozen<UserInfo>,
  home: string,
): boolean {
  if (kind === 'User') return username === name;
  if (kind === 'Group') return groups.includes(name);
  const where = namespace === '' ? home : namespace;
  return where !== '' && username === `system:serviceaccount:${where}:${name}`;
}

function roleOf(
  { roles, clusterRoles }: Rbac,
  { roleRef, metadata }: RoleBinding | ClusterRoleBinding,
): readonly PolicyRule[] | undefined {
  const role =
    roleRef.kind === 'ClusterRole'
      ? clusterRoles.find((each) => each.metadata?.name === roleRef.name)
      : roles.find(
          (each) => each.metadata?.name === roleRef.name && each.metadata.namespace === (metadata?.namespace ?? ''),
        );
  return role && (role.rules ?? []);
}
