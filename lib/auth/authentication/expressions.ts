// The seam for CEL. Configurations of authentication and authorization may hold expressions: mappings and rules of JWT
// authenticators, match conditions of webhooks. They are compiled once, when the configuration is loaded, by the
// compiler that a host plugs in; a configuration that needs one where there is none is refused, never half obeyed.
// As apiserver/pkg/authentication/cel and apiserver/pkg/authorization/cel.
import { fieldInternal, fieldInvalid, fieldRequired } from '../../core/index.js';
import type { FieldError, FieldPath, Shape } from '../../core/index.js';

/** Compiles expressions. */
export interface ExpressionCompiler {
  /** Throws `ExpressionError` when the source does not compile, or cannot be of the type demanded. */
  compile(source: string, environment: ExpressionEnvironment): CompiledExpression;
}

/** What an expression may refer to, and what it must be. */
export interface ExpressionEnvironment {
  /** The variables by name. A shape of kind `json` may be anything. */
  readonly variables: Readonly<Record<string, Shape>>;
  /** `any` where only the value itself can show whether it fits: then whoever evaluates checks it. */
  readonly result: 'bool' | 'any';
}

/** An expression ready to be evaluated, any number of times. */
export interface CompiledExpression {
  readonly source: string;
  /**
   * The value: JSON, integers perhaps as bigint. `variables` has JSON values under the names declared. Throws
   * `ExpressionError` when evaluation fails or costs too much.
   */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
  /**
   * Whether the source names this field anywhere: `selects('claims', 'email')` of `claims.email` and `claims.?email`.
   */
  selects(variable: string, ...path: readonly string[]): boolean;
}

/**
 * What is wrong: with the source (`Invalid`, or `Required` where it is missing), its evaluation, or the compiler
 * (`Internal`).
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly reason: 'Required' | 'Invalid' | 'Internal';

  constructor(message: string, reason: 'Required' | 'Invalid' | 'Internal' = 'Invalid', options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The compiler of a host that brought none. */
export const noExpressions: ExpressionCompiler = {
  compile() {
    throw new ExpressionError('expressions need a compiler, and none is plugged in');
  },
};

/** Compiles; failures are the field's. */
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
