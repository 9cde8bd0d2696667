// The rules of a ClusterRole that gathers those of others. For the controller that keeps such roles in step, and for
// the server, whose own roles come complete. As pkg/controller/clusterroleaggregation, syncClusterRole.
import { matchesLabels } from '../../objects/label-selector.js';
import type { Frozen } from '../../objects/meta.js';
import { selectorFromStructured } from '../../objects/structured-selector.js';
import type { ClusterRole, PolicyRule } from '../../types/rbac-v1.generated.js';

/**
 * What a role gathers: for each of its selectors the rules of the roles that match, by name; never its own, and none
 * twice. Throws ParseError where a selector cannot be read.
 */
export function aggregatedRules(
  { metadata, aggregationRule }: Frozen<ClusterRole>,
  all: readonly Frozen<ClusterRole>[],
): readonly PolicyRule[] {
  const gathered = new Set<string>();
  const rules: PolicyRule[] = [];
  for (const structured of aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromStructured(structured);
    const matching = all.filter(
      (role) => nameOf(role) !== metadata?.name && matchesLabels(selector, role.metadata?.labels ?? {}),
    );
    for (const role of matching.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
      for (const rule of role.rules ?? []) {
        const text = textOf(rule);
        if (gathered.has(text)) continue;
        gathered.add(text);
        rules.push(rule as PolicyRule);
      }
    }
  }
  return rules;
}

/** The same for equal rules only: among many, each is compared with all others at once. */
function textOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: Frozen<PolicyRule>): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

function nameOf({ metadata }: Frozen<ClusterRole>): string {
  return metadata?.name ?? '';
}
