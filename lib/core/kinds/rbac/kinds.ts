// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { clusterRole } from './cluster-role.js';
import { bindingDefaults, clusterRoleBinding, roleBinding } from './role-binding.js';
import { role } from './role.js';

/** The strategy of each kind of the group. */
export const rbacKinds: Readonly<Record<string, KindParticulars>> = {
  'rbac.authorization.k8s.io/v1/Role': { strategy: role },
  'rbac.authorization.k8s.io/v1/ClusterRole': { strategy: clusterRole },
  'rbac.authorization.k8s.io/v1/RoleBinding': { setDefaults: bindingDefaults, strategy: roleBinding },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': { setDefaults: bindingDefaults, strategy: clusterRoleBinding },
};
