// Match conditions: CEL expressions that select the requests for which a webhook is called. As
// apiserver/pkg/authorization/cel/matcher.go.
import { aggregateText, errorText } from '../../core/index.js';
import type { SubjectAccessReviewSpec } from '../../core/types/index.js';
import type { CompiledExpression, ExpressionEnvironment } from '../authentication/expressions.js';
import { builtinType } from '../review-call.js';
import { specForExpressions } from './access-review.js';

/** The environment of match conditions: `request` is the spec of the SubjectAccessReview in v1. */
export function matchConditionEnvironment(): ExpressionEnvironment {
  return { variables: { request: builtinType('authorization/v1.SubjectAccessReviewSpec') }, result: 'bool' };
}

/** Evaluates match conditions: false if any condition is false, else the first error, else true. */
export function matchOf(
  conditions: readonly CompiledExpression[],
  spec: SubjectAccessReviewSpec,
): { readonly matches: boolean; readonly error?: string } {
  if (conditions.length === 0) return { matches: true };
  const request = specForExpressions(spec);
  const errors: string[] = [];
  for (const condition of conditions) {
    const outcome = evaluated(condition, { request });
    if (outcome === false) return { matches: false };
    if (outcome !== true) errors.push(`cel evaluation error: expression '${condition.source}' ${outcome}`);
  }
  if (errors.length === 0) return { matches: true };
  return { matches: false, error: aggregateText(errors) };
}

function evaluated(condition: CompiledExpression, variables: Readonly<Record<string, unknown>>): boolean | string {
  try {
    const value = condition.evaluate(variables);
    return typeof value === 'boolean' ? value : `eval result type should be bool but got ${typeof value}`;
  } catch (error) {
    return `resulted in error: ${errorText(error)}`;
  }
}
