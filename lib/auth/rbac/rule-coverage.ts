// Who grants permissions must have them. Rules that would be granted are broken down to single permissions, and each of
// these has to be covered by one rule of the owner; what is not is told, verbs put together again.
// As component-helpers/auth/rbac/validation/policy_comparator.go and pkg/registry/rbac/validation/policy_compact.go.
//
// A small rule can break down to more permissions than fit in memory. Beyond a bound what is left of it counts as not
// covered and is told as it stands.
import { quote } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import { IndexedRules, coveringPatterns } from './indexed-rules.js';
import type { Permission } from './indexed-rules.js';

/** The parts of `granted` that `owned` does not cover, each of one permission. Empty where everything is covered. */
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

/** Rules about one resource, or one object of it, as one rule with all their verbs; the others as they are. */
export function compactRules(rules: readonly Frozen<PolicyRule>[]): readonly Frozen<PolicyRule>[] {
  const others: Frozen<PolicyRule>[] = [];
  const merged: Frozen<PolicyRule>[] = [];
  // By group, resource and name: joined to one key, long texts would be copied for every rule that has them.
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

/** A rule as Kubernetes' refusals print it. */
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

/** A list of texts as `%q` prints it. */
export function printTexts(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/**
 * Missing rules as lines, sorted, each once. A hostile role could make the answer many times as large as itself: it is
 * cut.
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

/** How many permissions are looked at one by one. */
const permissionsMax = 100_000;
/** How many characters of missing rules are told. */
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
