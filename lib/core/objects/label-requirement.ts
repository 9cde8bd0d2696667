// One term of a label selector: a key, an operator and the values it is held against. Immutable, valid by construction
// (only `selectorFromLabels` skips validation, as Kubernetes does), values in byte order so that long lists are
// searched by halving. Rules and messages as apimachinery/pkg/labels/selector.go, NewRequirement and Requirement.
import { fieldErrorsText, fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import type { FieldPath } from '../errors/field-path.js';
import { int64Of } from '../go/strconv.js';
import { isLabelValue, isQualifiedName } from './names.js';
import { ParseError } from './parse-error.js';

/** Operators by Kubernetes' names; `!` is "does not exist". */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'gt' | 'lt' | 'exists' | '!';

/** A term of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted; empty for `exists` and `!`, one for all others but `in` and `notin`. */
  readonly values: readonly string[];
}

/** The labels of an object; only own properties count, so that a label may be called `constructor`. */
export type Labels = Readonly<Record<string, string>>;

/** A checked requirement. Throws ParseError with all that is wrong. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[] = [],
): LabelRequirement {
  const errors = [
    ...labelKeyErrors(fieldPath('key'), key),
    ...countErrors(operator, values),
    ...valueErrors(key, operator, values),
  ];
  if (errors.length > 0) throw new ParseError(fieldErrorsText(errors));
  return Object.freeze({ key, operator, values: Object.freeze(values.toSorted()) });
}

/** Validates a label key, as one field error. */
export function labelKeyErrors(path: FieldPath, key: string): FieldError[] {
  const problems = isQualifiedName(key);
  return problems.length === 0 ? [] : [fieldInvalid(path, key, problems.join('; '))];
}

/** Returns whether labels satisfy the requirement. `!=` and `notin` are satisfied by labels without the key. */
export function matchesRequirement(requirement: LabelRequirement, labels: Labels | undefined): boolean {
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return hasOneOf(requirement, labels);
    case '!=':
    case 'notin':
      return !hasOneOf(requirement, labels);
    case 'exists':
      return labels !== undefined && Object.hasOwn(labels, requirement.key);
    case '!':
      return labels === undefined || !Object.hasOwn(labels, requirement.key);
    case 'gt':
    case 'lt':
      return labels !== undefined && Object.hasOwn(labels, requirement.key) && isBeyond(requirement, labels);
  }
}

/** The requirement as text that parses to the same requirement. */
export function printLabelRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values.join()}`;
    case 'lt':
      return `${key}<${values.join()}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${values.join()}`;
  }
}

function countErrors(operator: LabelOperator, values: readonly string[]): FieldError[] {
  const problem = countProblem(operator, values.length);
  // An empty list of values is a nil slice in Go, and prints as null.
  return problem === '' ? [] : [fieldInvalid(fieldPath('values'), values.length === 0 ? null : values, problem)];
}

function countProblem(operator: LabelOperator, count: number): string {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : '';
    case '=':
    case '==':
    case '!=':
      return count === 1 ? '' : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? '' : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? '' : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function valueErrors(key: string, operator: LabelOperator, values: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'gt' || operator === 'lt') {
    for (const [index, value] of values.entries()) {
      if (int64Of(value) !== undefined) continue;
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(fieldInvalid(fieldPath('values').index(index), value, detail));
    }
  }
  for (const [index, value] of values.entries()) {
    const problems = isLabelValue(value);
    if (problems.length === 0) continue;
    errors.push(fieldInvalid(fieldPath('values').index(index).key(key), value, problems.join('; ')));
  }
  return errors;
}

/**
 * Compares before it checks that the label is an own property: most objects differ, and the check costs as much.
 */
function hasOneOf({ key, values }: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels?.[key];
  return value !== undefined && includes(values, value) && labels !== undefined && Object.hasOwn(labels, key);
}

/** Above this many values halving beats scanning. */
const scanMax = 8;

function includes(sorted: readonly string[], value: string): boolean {
  if (sorted.length === 1) return sorted[0] === value;
  if (sorted.length <= scanMax) return sorted.includes(value);
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}

function isBeyond({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = int64Of(labels[key] ?? '');
  const bound = int64Of(values[0] ?? '');
  if (value === undefined || bound === undefined) return false;
  return operator === 'gt' ? value > bound : value < bound;
}
