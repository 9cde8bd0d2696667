// The match conditions of webhooks: compiled once per webhook, evaluated for each write that its rules match.
import { emptyScope, policyCompiler } from '../../cel/admission/index.js';
import type { AdmissionProgram } from '../../cel/admission/index.js';
import type { ServerTools } from '../../auth/index.js';
import type { ReviewedWrite } from '../../core/index.js';
import { accessDecisions } from './access-checks.js';
import type { MatchOutcome } from './match-outcome.js';
import { matchOutcome } from './match-outcome.js';
import { RequestEvaluation } from './request-evaluation.js';
import { requestVariables } from './request-variables.js';

/** Compiles the conditions of a webhook. Returns the evaluation of them for a write. */
export type ConditionCompiler = (expressions: readonly string[]) => (review: ReviewedWrite) => Promise<MatchOutcome>;

/** Creates the compiler of a server. */
export function conditionCompiler({ authorizer }: Pick<ServerTools, 'authorizer'>): ConditionCompiler {
  const compiler = policyCompiler();
  const scope = emptyScope();
  return (expressions) => {
    const programs = expressions.map((text): AdmissionProgram => ({
      text,
      compilation: compiler.compile('matchCondition', text, { hasParams: false, scope }),
    }));
    return (review) => {
      const variables = requestVariables(review, { decisions: accessDecisions(authorizer, review) });
      return matchOutcome(programs, new RequestEvaluation(variables, scope));
    };
  };
}
