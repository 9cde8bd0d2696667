// Expressions that say which requests a webhook is asked about at all. As apiserver/pkg/authorization/cel/matcher.go.
import { aggregateText, errorText } from '../../core/index.js';
import type { SubjectAccessReviewSpec } from '../../core/types/index.js';
import type { CompiledExpression, ExpressionEnvironment } from '../authentication/expressions.js';
import { builtinType } from '../review-call.js';
import { specForExpressions } from './access-review.js';

/** What match conditions are compiled in: `request` is the spec of the SubjectAccessReview in v1. */
export function matchConditionEnvironment(): ExpressionEnvironment {
  return { variables: { request: builtinType('authorization/v1.SubjectAccessReviewSpec') }, result: 'bool' };
}

/** Whether a request is meant: no if any condition is false; else what went wrong, if anything did; else yes. */
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
