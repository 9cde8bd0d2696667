// The limits of what expressions may cost while they are evaluated, in the units of CEL.
// As apiserver/pkg/apis/cel/config.go.

/** The most that one expression, or one variable, may cost. */
export const expressionCostMax = 1_000_000;

/** The most that all expressions of a policy may cost for one binding and parameter. */
export const policyCostMax = 10_000_000;

/** The most that all match conditions of a webhook or a policy may cost. */
export const conditionsCostMax = 2_500_000;

/** The expressions of one evaluation cost too much together: it ends. */
export class CostBudgetError extends Error {
  override readonly name = 'CostBudgetError';

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** What is left for the expressions of one evaluation. */
export class CostBudget {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Takes the cost of an expression. Throws CostBudgetError where that is more than is left. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new CostBudgetError();
  }
}
