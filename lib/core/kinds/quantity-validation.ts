// Rules for amounts of resources. Quantities are decoded, so their texts are canonical and parse.
// As pkg/apis/core/validation/validation.go: ValidateNonnegativeQuantity, ValidatePositiveQuantityValue,
// ValidateResourceQuantityValue.
import { fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { quantitySign, quantityToMilli } from '../objects/quantity-arithmetic.js';
import { parseQuantity } from '../objects/quantity.js';
import { isIntegerResource } from './resource-names.js';

/** Zero or more. */
export function validateNonNegativeQuantity(value: string, path: FieldPath): readonly FieldError[] {
  return quantitySign(parseQuantity(value)) < 0
    ? [fieldInvalid(path, value, 'must be greater than or equal to 0')]
    : [];
}

/** More than zero. */
export function validatePositiveQuantity(value: string, path: FieldPath): readonly FieldError[] {
  return quantitySign(parseQuantity(value)) <= 0 ? [fieldInvalid(path, value, 'must be greater than zero')] : [];
}

/** Zero or more, and whole where the resource is counted. */
export function validateResourceQuantity(resource: string, value: string, path: FieldPath): readonly FieldError[] {
  const errors = validateNonNegativeQuantity(value, path);
  if (!isIntegerResource(resource) || quantityToMilli(parseQuantity(value)) % 1000n === 0n) return errors;
  return [...errors, fieldInvalid(path, value, 'must be an integer')];
}
