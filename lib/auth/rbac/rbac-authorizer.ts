// RBAC as an authorizer: allows what roles allow whom bindings name, and has no opinion on everything else.
// As plugin/pkg/auth/authorizer/rbac/rbac.go.
import { aggregateText } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { NonResourceRule, ResourceRule, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';
import { printMissingRole } from './rbac-index.js';
import type { RbacRules } from './rbac-rules.js';

/** Asks roles and bindings: `authorizers: ({ rbac }) => [rbacAuthorizer(rbac())]`. */
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
