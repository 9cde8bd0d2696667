// Short forms for the declarations of the standard library. Implementations return failures as values; the contract of
// libraries throws them, so `evaluate` of an overload wraps.
import type { CelType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { CallEstimate, FunctionDeclaration, Overload, ValueEstimate } from '../library.js';
import { EvaluationError } from '../library.js';
import { EvaluationFailure } from '../values/failure.js';

/** An implementation that returns failures instead of throwing them. */
export type StandardOperation = (...values: readonly CelValue[]) => CelValue | EvaluationFailure;

/** Costs of an overload, where they are not 1. */
export interface Costs {
  readonly cost?: (values: readonly CelValue[], result: CelValue | undefined) => number;
  readonly estimate?: (values: readonly ValueEstimate[]) => CallEstimate;
}

/** An overload with its implementation that does not throw. */
export interface StandardOverload extends Overload {
  readonly operation: StandardOperation;
}

/** Returns an overload of a function. */
export function overload(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  operation: StandardOperation,
  costs: Costs = {},
): StandardOverload {
  return {
    id,
    isMember: false,
    parameters,
    result,
    operation,
    evaluate(...values) {
      const value = operation(...values);
      if (value instanceof EvaluationFailure) throw new EvaluationError(value.message);
      return value;
    },
    ...costs,
  };
}

/** Returns an overload of a method. */
export function method(...parts: Parameters<typeof overload>): StandardOverload {
  return { ...overload(...parts), isMember: true };
}

/** Returns a function of overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}
