// Label selectors as objects write them (spec.selector, namespaceSelector …): matchLabels and matchExpressions, ANDed,
// turned into the Selector that matches. An absent selector matches nothing, an empty one everything.
// As apimachinery/pkg/apis/meta/v1/helpers.go, LabelSelectorAsSelector.
import { quote } from '../go/format.js';
import type { LabelSelector, LabelSelectorRequirement } from '../types/meta-v1.generated.js';
import type { LabelOperator, LabelRequirement } from './label-requirement.js';
import { labelRequirement } from './label-requirement.js';
import type { Selector } from './label-selector.js';
import { nothing, selectorOf } from './label-selector.js';
import type { Frozen } from './meta.js';
import { ParseError, isParseError } from './parse-error.js';

/** Converts and checks a metav1.LabelSelector. Throws ParseError at the first requirement that is wrong. */
export function selectorFromStructured(selector: Frozen<LabelSelector> | null | undefined): Selector {
  if (selector === null || selector === undefined) return nothing;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  // In key order, so that the error does not depend on how the object was built.
  const keys = Object.keys(matchLabels).sort();
  return selectorOf([
    ...keys.map((key) => labelRequirement(key, '=', [matchLabels[key] ?? ''])),
    ...matchExpressions.map(fromExpression),
  ]);
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function fromExpression(expression: Frozen<LabelSelectorRequirement>): LabelRequirement {
  const operator = operators.get(expression.operator);
  // The type promises an operator; the objects are users'.
  if (operator === undefined) {
    const given: unknown = expression.operator;
    throw new ParseError(`${quote(typeof given === 'string' ? given : '')} is not a valid label selector operator`);
  }
  return labelRequirement(expression.key, operator, expression.values ?? []);
}

/**
 * Returns the selector of a stored object; `nothing` where it is absent or cannot be parsed, so that one object that
 * passed validation by mistake does not stop a controller or the scheduler.
 */
export function readableSelector(selector: Frozen<LabelSelector> | undefined): Selector {
  return readable(() => selectorFromStructured(selector));
}

/** Returns the selector that `make` returns; `nothing` if it throws ParseError. */
export function readable(make: () => Selector): Selector {
  try {
    return make();
  } catch (error) {
    if (!isParseError(error)) throw error;
    return nothing;
  }
}

/** Returns a selector as Go's protobuf code prints it, for messages. */
export function printStructuredSelector({ matchLabels = {}, matchExpressions = [] }: Frozen<LabelSelector>): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key] ?? ''},`)
    .join('');
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
