// The selectors of an access review: as text, or as requirements one by one. What cannot be understood of them is left
// out, and the answer says so: it is then about more objects than were asked for. As pkg/apis/authorization/validation
// and pkg/registry/authorization/util/helpers.go.
import {
  errorText,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  isParseError,
  labelRequirement,
  parseFieldSelector,
  parseLabelSelector,
  quote,
  selectorOf,
  validateLabelRequirement,
} from '../../core/index.js';
import type {
  FieldError,
  FieldPath,
  FieldRequirement,
  Frozen,
  LabelOperator,
  LabelRequirement,
} from '../../core/index.js';
import type { FieldSelectorRequirement, LabelSelectorRequirement, ResourceAttributes } from '../../core/types/index.js';
import type { AccessSelectors } from '../../auth/index.js';

/** What is wrong with them. Operators that nobody knows are not: newer clients may. */
export function selectorErrors({
  fieldSelector,
  labelSelector,
}: Frozen<ResourceAttributes> = {}): readonly FieldError[] {
  const attributes = fieldPath('spec', 'resourceAttributes');
  return [
    ...formErrors(fieldSelector, attributes.child('fieldSelector'), fieldRequirementErrors),
    ...formErrors(labelSelector, attributes.child('labelSelector'), (requirement, path) =>
      validateLabelRequirement(requirement, path, { allowUnknownOperators: true }),
    ),
  ];
}

/** The selectors as far as they are understood, and what the answer says about the rest. */
export function reviewSelectors({ fieldSelector, labelSelector }: Frozen<ResourceAttributes> = {}): {
  readonly selectors?: AccessSelectors;
  readonly ignored: readonly string[];
} {
  const field = understood(fieldSelector, (text) => parseFieldSelector(text).requirements, fieldRequirement);
  const label = understood(labelSelector, (text) => parseLabelSelector(text).requirements, labelTerm);
  const selectors: AccessSelectors = {
    ...(field.requirements.length > 0 && { field: { requirements: field.requirements } }),
    ...(label.requirements.length > 0 && { label: selectorOf(label.requirements) }),
    ...((field.problems.length > 0 || label.problems.length > 0) && {
      problem: [...field.problems, ...label.problems].join('; '),
    }),
  };
  return {
    ...(Object.keys(selectors).length > 0 && { selectors }),
    ignored: [...ignoredOf('fieldSelector', field), ...ignoredOf('labelSelector', label)],
  };
}

interface SelectorForm<T> {
  readonly rawSelector?: string;
  readonly requirements?: readonly T[];
}

function formErrors<T>(
  selector: SelectorForm<T> | undefined,
  path: FieldPath,
  errorsOf: (requirement: T, path: FieldPath) => readonly FieldError[],
): readonly FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(
      fieldInvalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'),
    );
  if (rawSelector === '' && requirements.length === 0)
    errors.push(
      fieldRequired(
        path.child('requirements'),
        `when ${path.toString()} is specified, requirements or rawSelector is required`,
      ),
    );
  return [
    ...errors,
    ...requirements.flatMap((requirement, index) => errorsOf(requirement, path.child('requirements').index(index))),
  ];
}

function fieldRequirementErrors(
  { key, operator, values = [] }: Frozen<FieldSelectorRequirement>,
  path: FieldPath,
): readonly FieldError[] {
  const errors = key === '' ? [fieldRequired(path.child('key'), 'must be specified')] : [];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.push(fieldRequired(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    errors.push(
      fieldForbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
    );
  return errors;
}

interface Understood<T> {
  readonly requirements: readonly T[];
  readonly problems: readonly string[];
}

/** Text is understood as a whole or not at all, requirements one by one. The term is a problem where it is text. */
function understood<T, Term extends object>(
  selector: SelectorForm<T> | undefined,
  parse: (text: string) => readonly Term[],
  termOf: (requirement: T) => Term | string,
): Understood<Term> {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  const terms = requirements.map(termOf);
  if (requirements.length > 0)
    return {
      requirements: terms.filter((term) => typeof term !== 'string'),
      problems: terms.filter((term) => typeof term === 'string'),
    };
  try {
    return { requirements: parse(rawSelector), problems: [] };
  } catch (error) {
    if (isParseError(error)) return { requirements: [], problems: [error.message] };
    throw error;
  }
}

function fieldRequirement({ key, operator, values = [] }: Frozen<FieldSelectorRequirement>): FieldRequirement | string {
  const [value, ...others] = values;
  if (others.length > 0) return 'fieldSelectors do not yet support multiple values';
  if (operator === 'Exists' || operator === 'DoesNotExist') return `fieldSelectors do not yet support ${operator}`;
  if (operator !== 'In' && operator !== 'NotIn') return `${quote(operator)} is not a valid field selector operator`;
  return value === undefined
    ? 'fieldSelectors must have one value'
    : { field: key, operator: operator === 'In' ? '=' : '!=', value };
}

function labelTerm({ key, operator, values = [] }: Frozen<LabelSelectorRequirement>): LabelRequirement | string {
  const known = labelOperators.get(operator);
  if (known === undefined) return `${quote(operator)} is not a valid label selector operator`;
  try {
    return labelRequirement(key, known, values);
  } catch (error) {
    return errorText(error);
  }
}

const labelOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function ignoredOf(name: string, { requirements, problems }: Understood<unknown>): readonly string[] {
  return problems.length === 0
    ? []
    : [`spec.resourceAttributes.${name} ${requirements.length > 0 ? 'partially ' : ''}ignored due to parse error`];
}
