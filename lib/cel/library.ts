// The contract of libraries: functions, macros, constants and types that an environment offers to expressions. The
// standard functions of CEL and the libraries of Kubernetes are declared by it, and so can be those of a host.
import type { CelType } from './cel-type.js';
import type { CelValue } from './cel-value.js';
import type { Expression } from './expression.js';
import type { MacroDeclaration } from './macro.js';

/** A set of declarations that is added to an environment as a whole. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly MacroDeclaration[];
  /** Variables with a fixed value, such as the names of types: `net.IP`. */
  readonly constants?: Readonly<Record<string, { readonly type: CelType; readonly value: CelValue }>>;
}

/** A function by its name in expressions, which may be qualified: `sets.contains`. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /**
   * Checks the arguments of a call beyond their types, such as a pattern that is a literal. The target is the first.
   * Called when the whole expression has its types.
   */
  validate?(values: readonly Expression[], facts: CallFacts): void;
}

/** What `validate` of a function may use. */
export interface CallFacts {
  /** Returns the type of an expression inside of the call. */
  typeOf(expression: Expression): CelType;
  /** Reports an issue at an expression. */
  report(expression: Expression, message: string): void;
}

/** One signature of a function. */
export interface Overload {
  /** Unique in an environment, as Kubernetes names it: `string_char_at_int`. */
  readonly id: string;
  /** Whether it is called on its first argument: `text.charAt(1)`. The first parameter is the type of the target. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /**
   * Evaluates a call. The arguments have the types of the parameters (the evaluator has checked those of dyn). Throws
   * `EvaluationError` where the call fails. Not called with errors: the evaluator propagates them.
   */
  evaluate(...values: readonly CelValue[]): CelValue;
  /**
   * The cost of one call beyond that of its arguments, from its arguments and its result (undefined if it failed).
   * Default 1.
   */
  cost?(values: readonly CelValue[], result: CelValue | undefined): number;
  /** The range of the cost before evaluation, and of the size of the result. Default cost 1 and an unknown size. */
  estimate?(values: readonly ValueEstimate[]): CallEstimate;
}

/** A closed range of natural numbers; `max` may be Infinity. */
export interface EstimateRange {
  readonly min: number;
  readonly max: number;
}

/** What is known of a value before evaluation. */
export interface ValueEstimate {
  readonly type: CelType;
  /** Length of a string, bytes or list, or number of entries of a map; { 0, Infinity } where unknown. */
  readonly size: EstimateRange;
  /** The size of the elements of a list, of the keys and values of a map. */
  readonly element?: ValueEstimate;
  /** The value of a literal. */
  readonly literal?: CelValue;
}

/** What is known of a call before evaluation. */
export interface CallEstimate {
  readonly cost: EstimateRange;
  readonly resultSize?: EstimateRange;
}

/** A failure of evaluation: division by zero, missing key, overflow. A value inside of expressions, thrown by calls. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}
