// Conditions of this group's kinds: each has a type, no two the same.
// As pkg/apis/flowcontrol/validation/validation.go, ValidateFlowSchemaStatus and
// ValidatePriorityLevelConfigurationStatus.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { printedWord } from '../printed-values.js';

/** Validates the types of conditions. */
export function validateConditionTypes(
  conditions: readonly { readonly type?: string }[],
  path: FieldPath,
): readonly FieldError[] {
  const seen = new Set<string>();
  return collect(conditions, ({ type = '' }, index) => {
    const at = path.index(index).child('type');
    const repeated = seen.has(type);
    seen.add(type);
    return [...(repeated ? [fieldDuplicate(at, printedWord(type))] : []), ...(type === '' ? [fieldRequired(at)] : [])];
  });
}
