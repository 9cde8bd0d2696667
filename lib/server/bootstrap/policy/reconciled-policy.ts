// Reconciles a default role or binding with an existing one: missing rules and subjects are added, additional ones
// stay, and an annotation disables reconciliation. Objects that need no change are returned as they are. As
// component-helpers/auth/rbac/reconciliation.
import { uncoveredRules } from '../../../auth/index.js';
import { deepEqual } from '../../../core/index.js';
import type { ApiObject, Frozen, ObjectMeta } from '../../../core/index.js';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RoleBinding } from '../../../core/types/index.js';

/** Returns a role with all expected rules. */
export function reconciledRole(existing: Frozen<ClusterRole>, expected: Frozen<ClusterRole>): Frozen<ClusterRole> {
  if (isProtected(existing)) return existing;
  // The rules of an aggregating role belong to the controller.
  const missing = uncoveredRules(
    existing.rules ?? [],
    expected.aggregationRule === undefined ? (expected.rules ?? []) : [],
  );
  const { aggregationRule, ...rest } = existing;
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  const missingSelectors = (expected.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (wanted) => !selectors.some((selector) => deepEqual(selector, wanted)),
  );
  return unlessSame(existing, {
    ...rest,
    metadata: reconciledMetadata(existing, expected),
    ...(missing.length > 0 && { rules: [...(existing.rules ?? []), ...missing] as Frozen<PolicyRule>[] }),
    ...(expected.aggregationRule !== undefined && {
      aggregationRule: { ...aggregationRule, clusterRoleSelectors: [...selectors, ...missingSelectors] },
    }),
  });
}

/** Returns a binding with all expected subjects; undefined where it binds another role and must be replaced. */
export function reconciledBinding<T extends RoleBinding | ClusterRoleBinding>(
  existing: Frozen<T>,
  expected: Frozen<T>,
): Frozen<T> | undefined {
  if (isProtected(existing)) return existing;
  if (!deepEqual(existing.roleRef, expected.roleRef)) return undefined;
  const { subjects = [] } = existing;
  const missing = (expected.subjects ?? []).filter((wanted) => !subjects.some((subject) => deepEqual(subject, wanted)));
  return unlessSame(existing, {
    ...existing,
    metadata: reconciledMetadata(existing, expected),
    ...(missing.length > 0 && { subjects: [...subjects, ...missing] }),
  });
}

function isProtected({ metadata }: Frozen<ApiObject>): boolean {
  return metadata?.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] === 'false';
}

/** Adds missing labels and annotations; existing values stay. */
function reconciledMetadata(
  { metadata: existing = {} }: Frozen<ApiObject>,
  { metadata: expected = {} }: Frozen<ApiObject>,
): Frozen<ObjectMeta> {
  return {
    ...existing,
    labels: { ...expected.labels, ...existing.labels },
    annotations: { ...expected.annotations, ...existing.annotations },
  };
}

function unlessSame<T extends Frozen<ApiObject>>(existing: T, reconciled: T): T {
  return deepEqual(existing, reconciled) ? existing : reconciled;
}
