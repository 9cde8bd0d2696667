// The RBAC authorizer, and the contract of the index of roles and bindings that it uses (`rbac-index.ts` implements
// it). Allows what the bound roles of a user allow and has no opinion on everything else. As
// plugin/pkg/auth/authorizer/rbac/rbac.go, and AuthorizationRuleResolver of pkg/registry/rbac/validation/rule.go.
import { aggregateText, quote } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { NonResourceRule, PolicyRule, ResourceRule, RoleRef, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';

/** The API group of roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** The rules that apply to a user. */
export interface RulesFound {
  /** In the order of the bindings; rules of several bindings are not de-duplicated. */
  readonly rules: readonly Frozen<PolicyRule>[];
  /** Roles that bindings refer to and that do not exist. */
  readonly missing: readonly Frozen<RoleRef>[];
}

/**
 * The roles and bindings of the server, kept current. Methods return synchronously once all of them are loaded, and
 * promises before.
 */
export interface RbacRules {
  /** Returns allow with the binding as reason, or no opinion. */
  decide(attributes: AccessAttributes): Decision | Promise<Decision>;
  /** Returns the rules of ClusterRoleBindings and, if a namespace is given, of its RoleBindings. */
  rulesFor(user: Frozen<UserInfo>, namespace: string): RulesFound | Promise<RulesFound>;
  /** Returns the current rules of the role that a binding of the namespace refers to; undefined if there is none. */
  rulesOf(ref: Frozen<RoleRef>, namespace: string): Promise<readonly Frozen<PolicyRule>[] | undefined>;
}

/** Authorizes by roles and bindings: `authorizers: ({ rbac }) => [rbacAuthorizer(rbac())]`. */
export function rbacAuthorizer(rbac: RbacRules): Authorizer {
  const authorize = (attributes: AccessAttributes): readonly Decision[] | Promise<Decision> => {
    const decision = rbac.decide(attributes);
    return decision instanceof Promise ? decision : [decision];
  };
  authorize.rules = (user: Frozen<UserInfo>, namespace: string): Promise<AccessRules> =>
    accessRules(rbac, user, namespace);
  return authorize;
}

async function accessRules(rbac: RbacRules, user: Frozen<UserInfo>, namespace: string): Promise<AccessRules> {
  const { rules, missing } = await rbac.rulesFor(user, namespace);
  const resourceRules: Frozen<ResourceRule>[] = [];
  const nonResourceRules: Frozen<NonResourceRule>[] = [];
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    if (resources.length > 0)
      resourceRules.push({
        verbs,
        ...(apiGroups.length > 0 && { apiGroups }),
        resources,
        ...(resourceNames.length > 0 && { resourceNames }),
      });
    if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs });
  }
  return {
    resourceRules,
    nonResourceRules,
    incomplete: false,
    ...(missing.length > 0 && { error: aggregateText(missing.map(printMissingRole)) }),
  };
}

/** Returns Kubernetes' error for a reference to a role that does not exist. */
export function printMissingRole({ kind, name }: Frozen<RoleRef>): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${quote(kind)}`;
  return `${kind.toLowerCase()}.${rbacGroup} ${quote(name)} not found`;
}
