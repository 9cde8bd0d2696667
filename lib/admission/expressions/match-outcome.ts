// Match conditions: expressions that a request must meet before a webhook is called or a policy applies. All of them
// are evaluated: a false one excludes the request, whatever the others result in; otherwise the first error counts.
// As apiserver/pkg/admission/plugin/webhook/matchconditions/matcher.go.
import { CostBudget, CostBudgetError, conditionsCostMax } from '../../cel/admission/index.js';
import type { AdmissionProgram } from '../../cel/admission/index.js';
import { errorText } from '../../core/index.js';
import type { RequestEvaluation } from './request-evaluation.js';

/** Whether a request meets conditions: all of them, not one of them, or one failed. */
export type MatchOutcome = 'met' | 'excluded' | { readonly error: string };

/** Evaluates match conditions. */
export async function matchOutcome(
  conditions: readonly AdmissionProgram[],
  evaluation: RequestEvaluation,
): Promise<MatchOutcome> {
  if (conditions.length === 0) return 'met';
  const budget = new CostBudget(conditionsCostMax);
  let failure: string | undefined;
  try {
    for (const condition of conditions) {
      const outcome = await evaluation.evaluate(condition, budget);
      if (outcome.ok && outcome.value === false) return 'excluded';
      if (!outcome.ok) failure ??= `expression '${condition.text}' resulted in error: ${outcome.error}`;
    }
  } catch (error) {
    if (!(error instanceof CostBudgetError)) throw error;
    return { error: errorText(error) };
  }
  return failure === undefined ? 'met' : { error: failure };
}
