// The variables of a policy, `variables.x` in its expressions: each is an expression that may use those before it, is
// evaluated when it is first read, and then keeps its value for the other expressions of the same evaluation.
import { dynType } from '../cel-type.js';
import { FieldsValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CelType, ObjectType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { Compilation, Environment, Variables } from '../environment.js';
import { expressionCostMax } from './cost-budget.js';

/** The variables that expressions at one place of a policy may use: a list, last first. Immutable. */
export interface VariableScope {
  /** The type of `variables`. */
  readonly type: ObjectType;
  /** Returns a variable by name; the last of several. */
  find(name: string): CompiledVariable | undefined;
  /** Returns the scope of expressions that come after one more variable, which `environment` compiles. */
  with(name: string, expression: string, environment: Environment): VariableScope;
}

/** A variable, compiled. */
export interface CompiledVariable {
  readonly name: string;
  readonly compilation: Compilation;
}

interface Link {
  readonly variable: CompiledVariable;
  readonly before: Link | undefined;
}

/** Returns a scope without variables. */
export function emptyScope(): VariableScope {
  return scopeOf(undefined);
}

function scopeOf(last: Link | undefined): VariableScope {
  const find = (name: string): CompiledVariable | undefined => {
    for (let link = last; link !== undefined; link = link.before) if (link.variable.name === name) return link.variable;
    return undefined;
  };
  const type: ObjectType = {
    kind: 'object',
    name: 'kubernetes.variables',
    field: (name) => {
      const found = find(name);
      return found && { type: typeOf(found) };
    },
    get fieldNames() {
      const names = new Set<string>();
      for (let link = last; link !== undefined; link = link.before) names.add(link.variable.name);
      return [...names];
    },
  };
  return {
    type,
    find,
    with: (name, expression, environment) => {
      const compilation = environment.extend({ variables: { variables: type } }).compile(expression);
      return scopeOf({ variable: { name, compilation }, before: last });
    },
  };
}

/** What uses a variable that does not compile is not wrong itself. */
function typeOf({ compilation }: CompiledVariable): CelType {
  return compilation.ok ? compilation.expression.type : dynType;
}

/** The values of variables in one evaluation. */
export class VariableValues extends FieldsValue {
  readonly #scope: VariableScope;
  readonly #others: () => Variables;
  readonly #values = new Map<string, CelValue>();
  readonly #failures = new Map<string, EvaluationError>();
  #cost = 0;

  /** `others` returns the variables that their expressions may use besides `variables`. */
  constructor(scope: VariableScope, others: () => Variables) {
    super();
    this.#scope = scope;
    this.#others = others;
  }

  get type(): CelType {
    return this.#scope.type;
  }

  has(name: string): boolean {
    return this.#scope.find(name) !== undefined;
  }

  get(name: string): CelValue | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const failure = this.#failures.get(name);
    if (failure !== undefined) throw failure;
    const variable = this.#scope.find(name);
    if (variable === undefined) return undefined;
    // Two variables of one name could use each other without end.
    this.#failures.set(name, new EvaluationError(`composited variable "${name}" uses itself`));
    try {
      const value = this.#evaluate(variable);
      this.#failures.delete(name);
      this.#values.set(name, value);
      return value;
    } catch (error) {
      // What is not an error of the expression abandons the evaluation, which is repeated.
      if (error instanceof EvaluationError) this.#failures.set(name, error);
      else this.#failures.delete(name);
      throw error;
    }
  }

  equals(other: CelValue): boolean {
    return this === other;
  }

  /** Returns the cost of what was evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #evaluate({ name, compilation }: CompiledVariable): CelValue {
    if (!compilation.ok)
      throw new EvaluationError(`composited variable "${name}" fails to compile: ${compilation.message}`);
    const evaluation = compilation.expression.evaluate(
      { ...this.#others(), variables: this },
      { budget: expressionCostMax },
    );
    this.#cost += evaluation.cost;
    if (evaluation.ok) return evaluation.value;
    throw new EvaluationError(`composited variable "${name}" fails to evaluate: ${evaluation.error.message}`);
  }
}
