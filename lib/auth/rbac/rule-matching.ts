// One rule against one request. As pkg/apis/rbac/v1/evaluation_helpers.go.
//
// `*` stands for every verb, group, or resource with its subresources; `*/scale` for that subresource of everything;
// `pods/*` stands for nothing but itself. Names in a rule narrow it to these objects, so it never allows to create.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import type { AccessAttributes } from '../authorizer.js';

/** Whether a rule allows a request. */
export function ruleAllows(rule: Frozen<PolicyRule>, attributes: AccessAttributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!hasOrAll(verbs, attributes.verb)) return false;
  if (!attributes.isResource) return nonResourceURLs.some((pattern) => urlMatches(pattern, attributes.path));
  return (
    hasOrAll(apiGroups, attributes.group) &&
    resourcePatterns(attributes.resource, attributes.subresource).some((pattern) => resources.includes(pattern)) &&
    (resourceNames.length === 0 || resourceNames.includes(attributes.name))
  );
}

/** What rules may write to mean a resource, or its subresource. */
export function resourcePatterns(resource: string, subresource: string): readonly string[] {
  return subresource === '' ? [resource, '*'] : [`${resource}/${subresource}`, `*/${subresource}`, '*'];
}

/** Whether a path is meant: word for word, or by its beginning where the pattern ends in `*`. */
export function urlMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern)));
}

function hasOrAll(values: readonly string[], value: string): boolean {
  return values.includes(value) || values.includes('*');
}

function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end -= 1;
  return pattern.slice(0, end);
}
