// Which resource a rule of a webhook, a policy or a binding matches for a sort of write: that of the request, or, with
// the match policy Equivalent, another version of it. What it results in depends on nothing but the resource,
// subresource, operation, scope and kind of the write, so indexes keep it.
// As apiserver/pkg/admission/plugin/webhook/generic/webhook.go, ShouldCallHook, and predicates/rules/rules.go.
import { sameGroupVersionKind, sameGroupVersionResource } from '../core/index.js';
import type {
  Frozen,
  GroupVersionKind,
  GroupVersionResource,
  ReviewedWrite,
  Scheme,
  ServedKind,
} from '../core/index.js';
import type { NamedRuleWithOperations } from '../core/types/index.js';

/** A resource that a rule matched. */
export interface RuleMatch {
  /** The resource of the request, or an equivalent one. */
  readonly resource: GroupVersionResource;
  /** The kind of that resource; undefined where it is that of the request. */
  readonly kind: GroupVersionKind | undefined;
  /** The names of objects that the rule is limited to; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Rules, and how they are read. */
export interface MatchedRules {
  /** Rules of webhooks have no resource names. */
  readonly rules: readonly Frozen<NamedRuleWithOperations>[];
  readonly matchesEquivalent: boolean;
}

/**
 * Returns what the rules match of a sort of write, best first: the request's own resource, then equivalents. Ends with
 * the first match that is not limited to names, because no later one can count.
 */
export function ruleMatches(
  { rules, matchesEquivalent }: MatchedRules,
  review: ReviewedWrite,
  scheme: Scheme,
): readonly RuleMatch[] {
  const matches: RuleMatch[] = [];
  for (const rule of rules) {
    if (!matchesRule(rule, review, review.resource)) continue;
    const names = namesOf(rule);
    matches.push({ resource: review.resource, kind: undefined, names });
    if (names === undefined) return matches;
  }
  const served = matchesEquivalent ? scheme.resource(review.resource) : undefined;
  if (served === undefined) return matches;
  // Bodies of other kinds, such as Scale, have one version, whatever the version of the resource.
  const isOfResource = sameGroupVersionKind(served, review.kind);
  const equivalents = equivalentsOf(scheme, served);
  for (const rule of rules) {
    for (const { group, version, kind, resource } of equivalents) {
      const other = { group, version, resource: resource.plural };
      const hasSubresource =
        review.subresource === '' || resource.subresources.some(({ name }) => name === review.subresource);
      if (!hasSubresource || sameGroupVersionResource(other, review.resource)) continue;
      if (!matchesRule(rule, review, other)) continue;
      const names = namesOf(rule);
      matches.push({ resource: other, kind: isOfResource ? { group, version, kind } : undefined, names });
      if (names === undefined) return matches;
    }
  }
  return matches;
}

/**
 * Returns whether a resource is exempt from webhooks and policies that the API defines: they must not be able to
 * prevent their own removal.
 */
export function isExemptResource({ group, resource }: GroupVersionResource): boolean {
  return group === 'admissionregistration.k8s.io' && exemptResources.has(resource);
}

const exemptResources: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

function namesOf({ resourceNames = [] }: Frozen<NamedRuleWithOperations>): ReadonlySet<string> | undefined {
  return resourceNames.length === 0 ? undefined : new Set(resourceNames);
}

/** The endpoints of the other versions of a kind: those with the same hub. */
function equivalentsOf(scheme: Scheme, { hub }: ServedKind): readonly ServedKind[] {
  return scheme.groups.flatMap(({ name: group, versions }) =>
    versions.flatMap((version) =>
      scheme.resourcesOf({ group, version }).filter((other) => sameGroupVersionKind(other.hub, hub)),
    ),
  );
}

function matchesRule(
  rule: Frozen<NamedRuleWithOperations>,
  { operation, namespace, subresource }: ReviewedWrite,
  gvr: GroupVersionResource,
): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*' } = rule;
  return (
    matchesScope(scope, namespace, gvr) &&
    operations.some((each) => each === '*' || each === operation) &&
    apiGroups.some((each) => each === '*' || each === gvr.group) &&
    apiVersions.some((each) => each === '*' || each === gvr.version) &&
    resources.some((each) => {
      const slash = each.indexOf('/');
      const [resource, sub] = slash < 0 ? [each, ''] : [each.slice(0, slash), each.slice(slash + 1)];
      return (resource === '*' || resource === gvr.resource) && (sub === '*' || sub === subresource);
    })
  );
}

/** Namespaces are cluster-scoped, although their requests have a namespace. */
function matchesScope(scope: string, namespace: string, { group, resource }: GroupVersionResource): boolean {
  if (scope === '*') return true;
  const isCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return scope === 'Cluster' ? isCluster : !isCluster;
}
