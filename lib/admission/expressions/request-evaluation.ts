// The evaluation of expressions about one request: of the match conditions of a webhook, or of all expressions of a
// policy for one binding and parameter. Variables of the policy are evaluated once, decisions of the authorizer are
// awaited, and costs are counted against budgets.
import { VariableValues, compilationProblem, expressionCostMax } from '../../cel/admission/index.js';
import { evaluateWithDecisions } from '../../cel/index.js';
import type { AdmissionProgram, CostBudget, VariableScope } from '../../cel/admission/index.js';
import type { CelValue, Evaluation, Variables } from '../../cel/index.js';

/** The value of an expression, or why it has none. */
export type ExpressionOutcome =
  { readonly ok: true; readonly value: CelValue } | { readonly ok: false; readonly error: string };

/** Evaluates expressions about one request. */
export class RequestEvaluation {
  readonly #scope: VariableScope;
  #variables: Variables;
  #values: VariableValues;

  constructor(variables: Variables, scope: VariableScope) {
    this.#scope = scope;
    this.#variables = variables;
    this.#values = new VariableValues(scope, () => this.#variables);
  }

  /**
   * Replaces the values of variables, such as `object` after a mutation. Variables of the policy are evaluated anew.
   */
  replace(variables: Variables): void {
    this.#variables = { ...this.#variables, ...variables };
    this.#values = new VariableValues(this.#scope, () => this.#variables);
  }

  /** Evaluates an expression. Rejects with CostBudgetError where the budget does not suffice. */
  async evaluate({ compilation }: AdmissionProgram, budget: CostBudget): Promise<ExpressionOutcome> {
    if (!compilation.ok) return { ok: false, error: `compilation error: ${compilationProblem(compilation)}` };
    const { expression } = compilation;
    const values = this.#values;
    const variables = { ...this.#variables, variables: values };
    const evaluation = await evaluateWithDecisions((): Evaluation => {
      // An attempt that was abandoned costs nothing.
      values.takeCost();
      return expression.evaluate(variables, { budget: expressionCostMax });
    });
    budget.spend(evaluation.cost + values.takeCost());
    return evaluation.ok ? { ok: true, value: evaluation.value } : { ok: false, error: evaluation.error.message };
  }
}
