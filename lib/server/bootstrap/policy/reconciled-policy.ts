// What becomes of a role or binding that a server expects when it starts and finds as somebody left it: what is missing
// is added, what is more stays, and an annotation keeps the server's hands off it altogether. Objects that need no
// change are answered as they are. As component-helpers/auth/rbac/reconciliation.
import { uncoveredRules } from '../../../auth/index.js';
import { deepEqual } from '../../../core/index.js';
import type { ApiObject, Frozen, ObjectMeta } from '../../../core/index.js';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RoleBinding } from '../../../core/types/index.js';

/** A role of either kind with all that is expected of it. */
export function reconciledRole(existing: Frozen<ClusterRole>, expected: Frozen<ClusterRole>): Frozen<ClusterRole> {
  if (isProtected(existing)) return existing;
  // The rules of a role that gathers are the controller's.
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

/** A binding of either kind with all that is expected of it; undefined where it binds another role and has to go. */
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

/** What is there already is not overruled. */
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
