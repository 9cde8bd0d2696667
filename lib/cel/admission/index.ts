// Expressions about requests: of webhooks' match conditions and of admission policies.
export { CostBudget, CostBudgetError, conditionsCostMax, expressionCostMax, policyCostMax } from './cost-budget.js';
export { kindTypes, shapeTypes } from './kind-types.js';
export { checkTypeNames, jsonOf } from './mutation-types.js';
export type {
  AdmissionProgram,
  ExpressionPlace,
  ExpressionUse,
  ObjectTypes,
  PolicyCompiler,
  PolicyExpressions,
  PolicyFrame,
} from './policy-compiler.js';
export { admissionExpressionCheck, compilationProblem, policyCompiler } from './policy-compiler.js';
export type { VariableScope } from './policy-variables.js';
export { VariableValues, emptyScope } from './policy-variables.js';
