// Aggregates ClusterRoles: a role with an aggregationRule gets the rules of all roles that its selectors match. The
// controller has the rights of its client and no others: the server must allow it to `escalate` on ClusterRoles, since
// it grants rules that it does not hold. Any change of a ClusterRole concerns every role that aggregates, because one
// may aggregate from another. As pkg/controller/clusterroleaggregation.
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity, ResourceClient, Stored, WriteOptions } from '../client/index.js';
import { aggregatedRules, deepEqual, namespacedName } from '../core/index.js';
import type { NamespacedName, Part } from '../core/index.js';
import type { ClusterRole } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';

/** The rules of a role were updated. */
export interface ClusterRoleAggregated {
  readonly type: 'aggregated';
  readonly role: string;
}

/** Creates the ClusterRole aggregation controller. */
export function clusterRoleAggregation({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, ClusterRoleAggregated>> {
  const writable = client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole');
  const roles = shared.kind('rbac.authorization.k8s.io/v1', 'ClusterRole').indexedBy({ aggregates });
  return controller<NamespacedName, ClusterRoleAggregated>({
    name: fieldManager,
    clock,
    steps$,
    watches: [watching(roles, () => roles.by('aggregates', 'true').map(namespacedName))],
    reconcile: async ({ name }, { emit, signal, cause }) => {
      const role = roles.get(name);
      if (role?.aggregationRule === undefined) return awaitChange;
      const rules = aggregatedRules(role, roles.list());
      if (deepEqual(rules, role.rules ?? [])) return awaitChange;
      await writeRules(writable, name, rules, { signal, cause });
      emit({ type: 'aggregated', role: name });
      return awaitChange;
    },
  });
}

const fieldManager = 'clusterrole-aggregation-controller';

function aggregates({ aggregationRule }: Stored<ClusterRole>): readonly string[] {
  return aggregationRule === undefined ? [] : ['true'];
}

/** Writes only the rules. */
function writeRules(
  roles: ResourceClient<ClusterRole>,
  name: string,
  rules: ReturnType<typeof aggregatedRules>,
  options: Pick<WriteOptions, 'signal' | 'cause'>,
): Promise<Stored<ClusterRole>> {
  // Without rules the field is absent, rather than an empty list.
  return roles.patch(name, { merge: { rules: rules.length === 0 ? null : [...rules] } }, { fieldManager, ...options });
}
