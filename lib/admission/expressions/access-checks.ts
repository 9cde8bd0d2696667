// The access checks of expressions, decided by the server's authorizer: for the user of the request, or for a service
// account that the expression names. Decisions are kept for one request.
import { firstOf, parseFieldSelector, parseLabelSelector, errorText } from '../../core/index.js';
import type { Frozen, ReviewedWrite } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import { serviceAccountGroups } from '../../auth/index.js';
import type { AccessAttributes, AccessSelectors, Authorizer, Decision } from '../../auth/index.js';
import { AccessDecisions } from '../../cel/index.js';
import type { AccessCheck, AccessDecision } from '../../cel/index.js';

/** Returns the decisions of a request. The authorizer is called with the first check. */
export function accessDecisions(authorizer: () => Authorizer, { user }: Pick<ReviewedWrite, 'user'>): AccessDecisions {
  return new AccessDecisions((check) => {
    const decision = firstOf<Decision>(authorizer()(attributesOf(check, user)), { decision: 'noOpinion', reason: '' });
    return decision instanceof Promise ? decision.then(accessDecision) : accessDecision(decision);
  });
}

function accessDecision({ decision, reason, error }: Decision): AccessDecision {
  return { allowed: decision === 'allow', reason, error };
}

function attributesOf(check: AccessCheck, user: Frozen<UserInfo>): AccessAttributes {
  const { serviceAccount, verb, isResource, path, group, resource, subresource, namespace, name } = check;
  const selectors = selectorsOf(check);
  return {
    user: serviceAccount === undefined ? user : userOf(serviceAccount),
    verb,
    isResource,
    path,
    group,
    version: isResource ? '*' : '',
    resource,
    subresource,
    namespace,
    name,
    ...(selectors !== undefined && { selectors }),
  };
}

function userOf({ namespace, name }: NonNullable<AccessCheck['serviceAccount']>): UserInfo {
  return { username: `system:serviceaccount:${namespace}:${name}`, groups: [...serviceAccountGroups(namespace)] };
}

/** A selector that cannot be parsed does not restrict the check. */
function selectorsOf({ fieldSelector, labelSelector }: AccessCheck): AccessSelectors | undefined {
  if (fieldSelector === undefined && labelSelector === undefined) return undefined;
  try {
    return {
      ...(fieldSelector !== undefined && { field: parseFieldSelector(fieldSelector) }),
      ...(labelSelector !== undefined && { label: parseLabelSelector(labelSelector) }),
    };
  } catch (error) {
    return { problem: errorText(error) };
  }
}
