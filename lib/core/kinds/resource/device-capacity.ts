// How much of a device there is, and in which portions it may be requested.
// As pkg/apis/resource/validation/validation.go, validateMultiAllocatableDeviceCapacity and what it calls.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { addQuantities, compareQuantities, quantityToInteger } from '../../objects/quantity-arithmetic.js';
import type { Quantity } from '../../objects/quantity-arithmetic.js';
import { parseQuantity, printQuantity } from '../../objects/quantity.js';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from '../../types/resource-v1.generated.js';
import { validateSet } from './bounded-lists.js';

type FieldErrors = readonly FieldError[];

/** A capacity; only that of a device with several users can be portioned. */
export function validateCapacity(
  { value, requestPolicy: policy }: Frozen<DeviceCapacity>,
  path: FieldPath,
  shared: boolean,
): FieldErrors {
  if (policy === undefined) return [];
  const at = path.child('requestPolicy');
  return shared
    ? validatePolicy(policy, parseQuantity(value), at)
    : [fieldForbidden(at, 'allowMultipleAllocations must be true')];
}

function validatePolicy(
  { default: standard, validValues = [], validRange }: Frozen<CapacityRequestPolicy>,
  capacity: Quantity,
  path: FieldPath,
): FieldErrors {
  if (validValues.length > 0 && validRange !== undefined) {
    return [
      fieldForbidden(
        path,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  }
  if (validValues.length === 0 && validRange === undefined) return [];
  const used = validRange === undefined ? 'validValues' : 'validRange';
  if (standard === undefined) return [fieldRequired(path.child('default'), `required when ${used} is defined`)];
  const amounts = { standard: parseQuantity(standard), capacity };
  return validRange === undefined
    ? validateValues(validValues, amounts, path.child(used))
    : validateRange(validRange, amounts, path.child(used));
}

interface Amounts {
  /** What is requested by default. */
  readonly standard: Quantity;
  /** All there is. */
  readonly capacity: Quantity;
}

function validateValues(values: readonly string[], { standard, capacity }: Amounts, path: FieldPath): FieldErrors {
  const amounts = values.map(parseQuantity);
  const errors: FieldError[] = [];
  visitUntilFull(amounts, errors, (amount, index) => {
    const next = amounts[index + 1];
    if (next !== undefined && compareQuantities(amount, next) > 0) {
      errors.push(fieldInvalid(path.index(index + 1), printQuantity(next), 'values must be sorted in ascending order'));
    }
  });
  const valuesMax = 10;
  const items = validateSet(amounts, path, {
    itemsMax: valuesMax,
    check: (amount, at) =>
      compareQuantities(amount, capacity) > 0
        ? [fieldInvalid(at, printQuantity(amount), `option is larger than capacity value: ${printQuantity(capacity)}`)]
        : [],
    key: (amount) => String(quantityToInteger(amount)),
  });
  // Too many values are not looked at, so the default is not found among them.
  const found = amounts.length <= valuesMax && amounts.some((amount) => compareQuantities(amount, standard) === 0);
  const missing = found
    ? []
    : [fieldInvalid(path, printQuantity(standard), 'default value is not valid according to the requestPolicy')];
  return [...errors, ...items, ...missing];
}

function validateRange(
  range: Partial<Frozen<CapacityRequestPolicyRange>>,
  { standard, capacity }: Amounts,
  path: FieldPath,
): FieldErrors {
  if (range.min === undefined) return [fieldRequired(path.child('min'), 'required when validRange is defined')];
  const min = parseQuantity(range.min);
  const max = range.max === undefined ? undefined : parseQuantity(range.max);
  const errors: FieldError[] = [];
  const refuse = (field: string, amount: Quantity, sentence: string, limit: Quantity): void => {
    errors.push(fieldInvalid(path.child(field), printQuantity(amount), `${sentence}: ${printQuantity(limit)}`));
  };
  if (compareQuantities(min, capacity) > 0) refuse('min', min, 'min is larger than capacity value', capacity);
  if (compareQuantities(standard, min) < 0) refuse('min', standard, 'default is less than min', min);
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) refuse('max', min, 'min is larger than max', max);
    if (compareQuantities(max, capacity) > 0) refuse('max', max, 'max is larger than capacity value', capacity);
    if (compareQuantities(standard, max) > 0) refuse('max', standard, 'default is more than max', max);
  }
  if (range.step === undefined) return errors;
  const step = parseQuantity(range.step);
  const first = addQuantities(min, step);
  if (compareQuantities(first, capacity) > 0)
    refuse('step', step, `one step ${printQuantity(first)} is larger than capacity value`, capacity);
  for (const amount of max === undefined ? [standard] : [standard, max]) {
    if (isMultiple(amount, min, step)) continue;
    const rule = `value is not a multiple of a given step (${printQuantity(step)}) from (${printQuantity(min)})`;
    errors.push(fieldInvalid(path.child('step'), printQuantity(amount), rule));
  }
  return errors;
}

/** Kubernetes fails for a step of zero; here nothing is a multiple of it. */
function isMultiple(amount: Quantity, min: Quantity, step: Quantity): boolean {
  const width = quantityToInteger(step);
  return width !== 0n && (quantityToInteger(amount) - quantityToInteger(min)) % width === 0n;
}
