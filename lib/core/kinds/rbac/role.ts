// Roles: what may be done in a namespace. As pkg/registry/rbac/role/strategy.go.
import type { Role } from '../../types/rbac-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validatePolicyRules } from './policy-rules.js';
import { rbacName } from './rbac-name.js';

/** The strategy of Roles. */
export const role: KindStrategy<Role> = {
  nameRule: rbacName,
  validate: ({ rules }) => validatePolicyRules(rules, true),
  validateUpdate: ({ rules }) => validatePolicyRules(rules, true),
  createsOnUpdate: true,
};
