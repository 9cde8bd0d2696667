// Validation of a label selector of an object (spec.selector, namespaceSelector …), field by field.
// As apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateLabelSelector. Kinds decide themselves whether a
// selector may be absent or empty: here both are fine.
import { collect, visitUntilFull } from '../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { validateLabels } from '../objects/meta-validation.js';
import type { Frozen } from '../objects/meta.js';
import { isLabelValue, isQualifiedName } from '../objects/names.js';
import type { LabelSelector, LabelSelectorRequirement } from '../types/meta-v1.generated.js';
import { printedWord } from './printed-values.js';

/** What may pass although it is wrong. */
export interface LabelSelectorValidationOptions {
  /** Values that no label can have: for updates of objects that already held such values. */
  readonly allowInvalidValues?: boolean;
  /** Unknown operators are accepted, because the caller reports them. */
  readonly allowUnknownOperators?: boolean;
}

/** Validates a selector; nothing is wrong with an absent one. */
export function validateLabelSelector(
  selector: Frozen<LabelSelector> | undefined,
  path: FieldPath,
  options: LabelSelectorValidationOptions = {},
): readonly FieldError[] {
  if (selector === undefined) return [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const expressions = path.child('matchExpressions');
  return [
    ...validateLabels(matchLabels, path.child('matchLabels')),
    ...collect(matchExpressions, (requirement, index) =>
      validateLabelRequirement(requirement, expressions.index(index), options),
    ),
  ];
}

/** Returns whether the selector already holds a value that no label can have. As LabelSelectorHasInvalidLabelValue. */
export function hasInvalidLabelValue(selector: Frozen<LabelSelector> | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => isLabelValue(value).length > 0),
  );
}

/** The key of a label. As ValidateLabelName. */
export function validateLabelName(name: string, path: FieldPath): readonly FieldError[] {
  return isQualifiedName(name).map((wrong) => fieldInvalid(path, name, wrong));
}

/** Validates one requirement. As ValidateLabelSelectorRequirement. */
export function validateLabelRequirement(
  requirement: Frozen<LabelSelectorRequirement>,
  path: FieldPath,
  options: LabelSelectorValidationOptions,
): readonly FieldError[] {
  const { key, values = [] } = requirement;
  // The type promises one of four; the objects are users'.
  const operator: string = requirement.operator;
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(fieldRequired(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        fieldForbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else if (options.allowUnknownOperators !== true) {
    errors.push(fieldInvalid(path.child('operator'), printedWord(operator), 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(key, path.child('key')));
  if (options.allowInvalidValues === true) return errors;
  visitUntilFull(values, errors, (value, index) => {
    for (const wrong of isLabelValue(value)) errors.push(fieldInvalid(path.child('values').index(index), value, wrong));
  });
  return errors;
}
