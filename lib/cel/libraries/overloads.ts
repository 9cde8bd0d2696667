// Short forms for declaring the functions of libraries.
import type { CelType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { FunctionDeclaration, Overload } from '../library.js';

type Rest = Pick<Overload, 'cost' | 'estimate'>;

/** Declares an overload that is called on its first argument. */
export function memberOverload(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  evaluate: (...values: readonly CelValue[]) => CelValue,
  rest: Rest = {},
): Overload {
  return { id, isMember: true, parameters, result, evaluate, ...rest };
}

/** Declares an overload that is called by its name. */
export function globalOverload(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  evaluate: (...values: readonly CelValue[]) => CelValue,
  rest: Rest = {},
): Overload {
  return { id, isMember: false, parameters, result, evaluate, ...rest };
}

/** Declares a function with its overloads. */
export function declareFunction(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}
