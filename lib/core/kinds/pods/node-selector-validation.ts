// Selectors of nodes by label and by field: what pods, volumes and runtime classes use to say where they belong.
// As pkg/apis/core/validation/validation.go, ValidateNodeSelector and the functions on the way.
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain, isLabelValue } from '../../objects/names.js';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PreferredSchedulingTerm,
} from '../../types/core-v1.generated.js';
import { validateLabelName } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { each, noErrors, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** What passes although it is wrong. */
export interface NodeSelectorOptions {
  /** Values that no label can have. */
  readonly allowInvalidValues?: boolean;
}

/** A selector: at least one term. */
export function validateNodeSelector(
  selector: Frozen<NodeSelector>,
  path: FieldPath,
  options: NodeSelectorOptions = {},
): FieldErrors {
  // The type promises terms; the objects are users'.
  const loose: Partial<Frozen<NodeSelector>> = selector;
  const terms = loose.nodeSelectorTerms ?? [];
  const at = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [fieldRequired(at, 'must have at least one node selector term')];
  return each(terms, at, (term, termPath) => validateNodeSelectorTerm(term, termPath, options));
}

/** Preferences with weights; values are never checked, for they do no harm. */
export function validatePreferredSchedulingTerms(
  terms: readonly Frozen<PreferredSchedulingTerm>[] | undefined,
  path: FieldPath,
): FieldErrors {
  return each(terms, path, ({ weight, preference }, at) => [
    ...validateWeight(weight, at.child('weight')),
    ...validateNodeSelectorTerm(preference, at.child('preference'), { allowInvalidValues: true }),
  ]);
}

/** The weight of a preference. */
export function validateWeight(weight: number, path: FieldPath): FieldErrors {
  return weight > 0 && weight <= 100 ? noErrors : [fieldInvalid(path, weight, 'must be in the range 1-100')];
}

/** Returns whether a selector holds values that no label can have. */
export function hasInvalidNodeLabelValue(selector: Partial<Frozen<NodeSelector>> | undefined): boolean {
  return (selector?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) => values.some((value) => isLabelValue(value).length > 0)),
  );
}

function validateNodeSelectorTerm(
  term: Frozen<NodeSelectorTerm>,
  path: FieldPath,
  options: NodeSelectorOptions,
): FieldErrors {
  return [
    ...each(term.matchExpressions, path.child('matchExpressions'), (requirement, at) =>
      validateExpression(requirement, at, options),
    ),
    ...each(term.matchFields, path.child('matchFields'), validateField),
  ];
}

function validateExpression(
  requirement: Frozen<NodeSelectorRequirement>,
  path: FieldPath,
  options: NodeSelectorOptions,
): FieldErrors {
  const { key, values = [] } = requirement;
  return [
    ...validateOperator(requirement.operator, values.length, path),
    ...validateLabelName(key, path.child('key')),
    ...(options.allowInvalidValues === true
      ? noErrors
      : each(values, path.child('values'), (value, at) => ruled(value, isLabelValue, at))),
  ];
}

function validateOperator(operator: string, valueCount: number, path: FieldPath): FieldErrors {
  const values = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return valueCount > 0
        ? noErrors
        : [fieldRequired(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return valueCount === 0
        ? noErrors
        : [fieldForbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return valueCount === 1
        ? noErrors
        : [fieldRequired(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldInvalid(path.child('operator'), printedWord(operator), 'not a valid selector operator')];
  }
}

/** The only field is the node's name. */
function validateField({ key, operator, values = [] }: Frozen<NodeSelectorRequirement>, path: FieldPath): FieldErrors {
  const known: string = operator;
  const wrongOperator =
    known !== 'In' && known !== 'NotIn'
      ? [fieldInvalid(path.child('operator'), printedWord(known), 'not a valid selector operator')]
      : values.length === 1
        ? noErrors
        : [
            fieldRequired(
              path.child('values'),
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
          ];
  if (key !== 'metadata.name')
    return [...wrongOperator, fieldInvalid(path.child('key'), key, 'not a valid field selector key')];
  return [...wrongOperator, ...each(values, path.child('values'), (value, at) => ruled(value, isDns1123Subdomain, at))];
}
