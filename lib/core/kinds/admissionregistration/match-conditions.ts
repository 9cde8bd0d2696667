// Conditions in CEL that a request must meet before a webhook is called or a policy applies.
// As pkg/apis/admissionregistration/validation/validation.go, validateMatchConditions.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldRequired, fieldTooMany } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { MatchCondition } from '../../types/admissionregistration-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { validateLabelName } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { trimSpace } from '../../go/trim-space.js';

/** What expressions may refer to. */
export interface ConditionScope {
  readonly check: ExpressionCheck;
  readonly hasParams: boolean;
  /** Expressions the object already held. */
  readonly stored: ReadonlySet<string>;
}

/** Validates a list of conditions. */
export function validateMatchConditions(
  conditions: readonly Loose<MatchCondition>[] | undefined,
  path: FieldPath,
  scope: ConditionScope,
): readonly FieldError[] {
  if (conditions === undefined) return [];
  const errors = conditions.length > conditionsMax ? [fieldTooMany(path, conditions.length, conditionsMax)] : [];
  const seen = new Set<string>();
  visitUntilFull(conditions, errors, (condition, index) => {
    const at = path.index(index);
    const { name = '' } = condition;
    errors.push(...validateMatchCondition(condition, at, scope));
    if (seen.has(name) && name !== '') errors.push(fieldDuplicate(at.child('name'), name));
    seen.add(name);
  });
  return errors;
}

const conditionsMax = 64;

function validateMatchCondition(
  { name = '', expression = '' }: Loose<MatchCondition>,
  path: FieldPath,
  scope: ConditionScope,
): readonly FieldError[] {
  const trimmed = trimSpace(expression);
  const at = path.child('expression');
  const { check, hasParams, stored } = scope;
  return [
    ...(trimmed === ''
      ? [fieldRequired(at)]
      : check({
          kind: 'admission',
          use: 'matchCondition',
          expression: trimmed,
          path: at,
          hasParams,
          variables: [],
          stored: stored.has(trimmed),
        })),
    ...(name === '' ? [fieldRequired(path.child('name'))] : validateLabelName(name, path.child('name'))),
  ];
}
