// Compiles the expressions of authentication and authorization configurations by CEL, with the libraries that
// Kubernetes gives them. Results are JSON. As apiserver/pkg/authentication/cel and apiserver/pkg/authorization/cel.
import { jsonOf, shapeTypes } from '../../cel/admission/index.js';
import { baseEnvironment } from '../../cel/index.js';
import type { CelType, CelValue } from '../../cel/index.js';
import { ExpressionError } from './expressions.js';
import type { CompiledExpression, ExpressionCompiler, ExpressionEnvironment } from './expressions.js';

/** Returns a compiler of CEL: the default of configurations. */
export function celExpressions(): ExpressionCompiler {
  const base = baseEnvironment();
  const typeOf = shapeTypes();
  return {
    compile(source, environment) {
      const compilation = base.extend({ variables: variableTypes(environment, typeOf) }).compile(source);
      if (!compilation.ok) throw new ExpressionError(`compilation failed: ${compilation.message}`);
      const { expression } = compilation;
      if (environment.result === 'bool' && expression.type.kind !== 'bool')
        throw new ExpressionError('must evaluate to bool');
      return {
        source,
        evaluate: (variables) => {
          const outcome = expression.evaluate(variables as Readonly<Record<string, CelValue>>, { budget: costMax });
          if (!outcome.ok) throw new ExpressionError(outcome.error.message, 'Invalid', { cause: outcome.error });
          return jsonOf(outcome.value);
        },
        selects: (variable, ...path) => expression.selects(variable, path),
      } satisfies CompiledExpression;
    },
  };
}

/** The cost of one evaluation at most. */
const costMax = 1_000_000;

function variableTypes(
  { variables }: ExpressionEnvironment,
  typeOf: ReturnType<typeof shapeTypes>,
): Readonly<Record<string, CelType>> {
  return Object.fromEntries(Object.entries(variables).map(([name, shape]) => [name, typeOf(shape)]));
}
