// Limits that are a count or a share: maxUnavailable, maxSurge, minAvailable. As
// pkg/apis/apps/validation/validation.go, ValidatePositiveIntOrPercent, IsNotMoreThan100Percent and
// getIntOrPercentValue. Also for disruption budgets.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { IntOrString } from '../../objects/int-or-string.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import { isValidPercent } from '../../objects/names.js';
import { printedWord } from '../printed-values.js';

/** A count of zero or more, or a well-formed percentage of any size. */
export function validateIntOrPercent(value: IntOrString, path: FieldPath): readonly FieldError[] {
  if (typeof value === 'number') return validateNonNegative(value, path);
  return isValidPercent(value).map((wrong) => fieldInvalid(path, printedWord(value), wrong));
}

/** A share may not be more than the whole; what is no percentage is not this function's matter. */
export function validateAtMostWhole(value: IntOrString, path: FieldPath): readonly FieldError[] {
  const percentage = percentageOf(value);
  if (percentage === undefined || percentage <= 100) return [];
  return [fieldInvalid(path, printedWord(String(value)), 'must not be greater than 100%')];
}

/** The number before the sign, or the number a text spells, else zero: enough to tell nothing from something. */
export function intOrPercentValue(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return percentageOf(value) ?? (/^[-+]?[0-9]+$/.test(value) ? Number(value) : 0);
}

function percentageOf(value: IntOrString): number | undefined {
  return typeof value === 'string' && isValidPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}
