// The rules of Roles and ClusterRoles: verbs on resources, or verbs on URLs.
// As pkg/apis/rbac/validation/validation.go, ValidatePolicyRule.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { PolicyRule } from '../../types/rbac-v1.generated.js';
import type { Loose } from '../loose.js';

/** Validates the rules of a role; URLs have no namespace. */
export function validatePolicyRules(
  rules: readonly Loose<PolicyRule>[] | undefined,
  namespaced: boolean,
): readonly FieldError[] {
  return collect(rules ?? [], (rule, index) => validateRule(rule, namespaced, fieldPath('rules').index(index)));
}

function validateRule(rule: Loose<PolicyRule>, namespaced: boolean, path: FieldPath): readonly FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors =
    verbs.length === 0 ? [fieldRequired(path.child('verbs'), 'verbs must contain at least one value')] : [];
  if (nonResourceURLs.length > 0) {
    const at = path.child('nonResourceURLs');
    if (namespaced)
      errors.push(fieldInvalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      errors.push(
        fieldInvalid(at, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(fieldRequired(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(fieldRequired(path.child('resources'), 'resource rules must supply at least one resource'));
  return errors;
}
