// The port to CEL. Authentication and authorization configurations may contain expressions: mappings and rules of JWT
// authenticators, match conditions of webhooks. They are compiled once, when a configuration is loaded, by default by
// cel-expressions.ts; a host may provide another compiler.
import { fieldInternal, fieldInvalid, fieldRequired } from '../../core/index.js';
import type { FieldError, FieldPath, Shape } from '../../core/index.js';

/** Compiles expressions. */
export interface ExpressionCompiler {
  /** Compiles a source. Throws `ExpressionError` if it does not compile or cannot have the required type. */
  compile(source: string, environment: ExpressionEnvironment): CompiledExpression;
}

/** The variables and the required result type of an expression. */
export interface ExpressionEnvironment {
  /** The variables by name. A shape of kind `json` accepts any value. */
  readonly variables: Readonly<Record<string, Shape>>;
  /** The required result type. `any` if only the value shows whether it fits; the evaluating code then checks it. */
  readonly result: 'bool' | 'any';
}

/** A compiled expression. It may be evaluated any number of times. */
export interface CompiledExpression {
  readonly source: string;
  /**
   * Evaluates the expression. `variables` has JSON values under the declared names; integers of the result may be
   * bigint. Throws `ExpressionError` if evaluation fails or exceeds its cost limit.
   */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
  /**
   * Returns true if the source selects this field: `selects('claims', 'email')` for `claims.email` and `claims.?email`.
   */
  selects(variable: string, ...path: readonly string[]): boolean;
}

/**
 * An error of an expression: of its source (`Invalid`, or `Required` if it is missing), of its evaluation, or of the
 * compiler (`Internal`).
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly reason: 'Required' | 'Invalid' | 'Internal';

  constructor(message: string, reason: 'Required' | 'Invalid' | 'Internal' = 'Invalid', options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Compiles an expression and reports failures as errors of the field. */
export function compileAt(
  compiler: ExpressionCompiler,
  source: string,
  environment: ExpressionEnvironment,
  path: FieldPath,
): { readonly compiled?: CompiledExpression; readonly errors: readonly FieldError[] } {
  try {
    return { compiled: compiler.compile(source, environment), errors: [] };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { errors: [fieldErrorOf(error, source, path)] };
  }
}

function fieldErrorOf({ reason, message }: ExpressionError, source: string, path: FieldPath): FieldError {
  switch (reason) {
    case 'Required':
      return fieldRequired(path, message);
    case 'Invalid':
      return fieldInvalid(path, source, message);
    case 'Internal':
      return fieldInternal(path, message);
  }
}
