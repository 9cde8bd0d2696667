// The selectors of an access review: a text, or a list of requirements. Parts that cannot be parsed are ignored and
// reported in the status: the review is then about more objects than it selects. As pkg/apis/authorization/validation
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

/** Validates the selectors. Unknown operators are no errors: newer clients may use them. */
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

/** Returns the selectors as far as they parse, and a message for each that does not. */
export function reviewSelectors({ fieldSelector, labelSelector }: Frozen<ResourceAttributes> = {}): {
  readonly selectors?: AccessSelectors;
  readonly ignored: readonly string[];
} {
  const field = parseSelectorForm(fieldSelector, (text) => parseFieldSelector(text).requirements, fieldRequirement);
  const label = parseSelectorForm(labelSelector, (text) => parseLabelSelector(text).requirements, labelTerm);
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

interface ParsedSelector<T> {
  readonly requirements: readonly T[];
  readonly problems: readonly string[];
}

/**
 * Parses a selector: a text as a whole, requirements one by one. `termOf` returns a string for a requirement that is
 * invalid.
 */
function parseSelectorForm<T, Term extends object>(
  selector: SelectorForm<T> | undefined,
  parse: (text: string) => readonly Term[],
  termOf: (requirement: T) => Term | string,
): ParsedSelector<Term> {
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

function ignoredOf(name: string, { requirements, problems }: ParsedSelector<unknown>): readonly string[] {
  return problems.length === 0
    ? []
    : [`spec.resourceAttributes.${name} ${requirements.length > 0 ? 'partially ' : ''}ignored due to parse error`];
}
