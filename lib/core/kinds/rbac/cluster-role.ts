// ClusterRoles: what may be done anywhere, listed or gathered from other ClusterRoles by their labels.
// As pkg/registry/rbac/clusterrole/strategy.go and pkg/apis/rbac/validation, ValidateClusterRole.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath, fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { ClusterRole } from '../../types/rbac-v1.generated.js';
import { readSelector } from '../apps/template-validation.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { validatePolicyRules } from './policy-rules.js';
import { rbacName } from './rbac-name.js';

/** The strategy of ClusterRoles. */
export const clusterRole: KindStrategy<ClusterRole> = {
  nameRule: rbacName,
  validate: (object) => validateClusterRole(object, false),
  validateUpdate: (object, old) => validateClusterRole(object, hasInvalidSelector(old)),
  createsOnUpdate: true,
};

function validateClusterRole(
  { rules, aggregationRule }: Frozen<ClusterRole>,
  allowInvalidValues: boolean,
): readonly FieldError[] {
  const errors = validatePolicyRules(rules, false);
  if (aggregationRule === undefined) return errors;
  const { clusterRoleSelectors = [] } = aggregationRule;
  const path = fieldPath('aggregationRule', 'clusterRoleSelectors');
  if (clusterRoleSelectors.length === 0) {
    return [...errors, fieldRequired(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return [
    ...errors,
    ...collect(clusterRoleSelectors, (selector, index) => [
      ...validateLabelSelector(selector, path.index(index), { allowInvalidValues }),
      // What is printed is the selector that could not be made.
      ...(readSelector(selector) === undefined
        ? [fieldInvalid(path.index(index), null, 'invalid label selector.')]
        : []),
    ]),
  ];
}

function hasInvalidSelector({ aggregationRule }: Frozen<ClusterRole>): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).some(
    (selector) => validateLabelSelector(selector, FieldPath.nil).length > 0,
  );
}
