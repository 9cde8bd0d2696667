// Matches one rule with one request. As pkg/apis/rbac/v1/evaluation_helpers.go. `*` matches every verb, group, or
// resource with its subresources; `*/scale` matches that subresource of every resource; `pods/*` matches only itself.
// Resource names restrict a rule to these objects, so such a rule never allows create.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import type { AccessAttributes } from '../authorizer.js';

/** Returns true if the rule allows the request. */
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

/** Returns the patterns that match a resource or its subresource. */
export function resourcePatterns(resource: string, subresource: string): readonly string[] {
  return subresource === '' ? [resource, '*'] : [`${resource}/${subresource}`, `*/${subresource}`, '*'];
}

/** Returns true if the path equals the pattern, or begins with it where the pattern ends in `*`. */
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
