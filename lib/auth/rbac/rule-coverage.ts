// Prevention of privilege escalation: a user who grants rules must have them. The granted rules are broken down to
// single permissions, each of which must be covered by one rule of the user. Missing ones are printed with their verbs
// joined. As component-helpers/auth/rbac/validation/policy_comparator.go and
// pkg/registry/rbac/validation/policy_compact.go. A small rule can break down to more permissions than fit in memory:
// beyond a limit, the rest counts as missing and is printed as written.
import { quote } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import { IndexedRules, coveringPatterns } from './indexed-rules.js';
import type { Permission } from './indexed-rules.js';

/** Returns the parts of `granted` that `owned` does not cover, one permission each; empty if all are covered. */
export function uncoveredRules(
  owned: readonly Frozen<PolicyRule>[],
  granted: readonly Frozen<PolicyRule>[],
): readonly Frozen<PolicyRule>[] {
  const owner = new IndexedRules(owned);
  const uncovered: Frozen<PolicyRule>[] = [];
  let left = permissionsMax;
  for (const rule of granted) {
    if (permissionCount(rule) > left) {
      uncovered.push(rule);
      continue;
    }
    for (const permission of permissionsOf(rule)) {
      left -= 1;
      if (!owner.cover(permission)) uncovered.push(ruleOf(permission));
    }
  }
  return uncovered;
}

/** Joins rules about the same resource or object into one rule with all verbs; leaves others unchanged. */
export function compactRules(rules: readonly Frozen<PolicyRule>[]): readonly Frozen<PolicyRule>[] {
  const others: Frozen<PolicyRule>[] = [];
  const merged: Frozen<PolicyRule>[] = [];
  // Nested maps by group, resource and name: a joined key would copy long strings for every rule.
  const verbsOf = new Map<string, Map<string, Map<string | undefined, string[]>>>();
  for (const rule of rules) {
    const {
      apiGroups: [group, ...groups] = [],
      resources: [resource, ...resources] = [],
      resourceNames: [name, ...names] = [],
      nonResourceURLs = [],
    } = rule;
    if (
      group === undefined ||
      resource === undefined ||
      groups.length + resources.length + names.length + nonResourceURLs.length > 0
    ) {
      others.push(rule);
      continue;
    }
    const byResource = verbsOf.get(group) ?? new Map<string, Map<string | undefined, string[]>>();
    const byName = byResource.get(resource) ?? new Map<string | undefined, string[]>();
    let verbs = byName.get(name);
    if (verbs === undefined) merged.push({ ...rule, verbs: (verbs = []) });
    for (const verb of rule.verbs) verbs.push(verb);
    verbsOf.set(group, byResource.set(resource, byName.set(name, verbs)));
  }
  return [...others, ...merged];
}

/** Prints a rule as in the error messages of Kubernetes. */
export function printRule({
  apiGroups = [],
  resources = [],
  nonResourceURLs = [],
  resourceNames = [],
  verbs,
}: Frozen<PolicyRule>): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const;
  return `{${parts.flatMap(([name, values]) => (values.length === 0 ? [] : `${name}:${printTexts(values)}`)).join(', ')}}`;
}

/** Prints a list of strings as Go's `%q` does. */
export function printTexts(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/**
 * Prints missing rules, sorted and unique. The text is truncated, because a hostile role could make it many times its
 * own size.
 */
export function printMissingRules(uncovered: readonly Frozen<PolicyRule>[]): string {
  const lines: string[] = [];
  let length = 0;
  const missing = compactRules(uncovered);
  for (const rule of missing) {
    const line = printRule(rule);
    length += line.length;
    if (lines.length > 0 && length > textMax) break;
    lines.push(line);
  }
  return (
    [...new Set(lines)].sort().join('\n') +
    (lines.length < missing.length ? `\n(and ${missing.length - lines.length} more)` : '')
  );
}

/** Maximum number of permissions that are examined one by one. */
const permissionsMax = 100_000;
/** Maximum number of characters of printed rules. */
const textMax = 1 << 20;

function permissionCount({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: Frozen<PolicyRule>): number {
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
  );
}

function* permissionsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: Frozen<PolicyRule>): Iterable<Permission> {
  const given = resources.map((resource) => ({ resource, patterns: coveringPatterns(resource) }));
  for (const group of apiGroups) {
    for (const { resource, patterns } of given) {
      for (const verb of verbs) {
        if (resourceNames.length === 0) yield { verb, group, resource, patterns };
        for (const name of resourceNames) yield { verb, group, resource, patterns, name };
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { verb, url };
}

function ruleOf(permission: Permission): PolicyRule {
  if ('url' in permission) return { verbs: [permission.verb], nonResourceURLs: [permission.url] };
  const { verb, group, resource, name } = permission;
  return {
    verbs: [verb],
    apiGroups: [group],
    resources: [resource],
    ...(name !== undefined && { resourceNames: [name] }),
  };
}
