// Selectors of devices for dynamic resource allocation: boolean expressions about the variable `device`, which has a
// driver, attributes and capacities by domain and name. A domain without any is an empty map. As
// dynamic-resource-allocation/cel.
import { fieldInvalid } from '../core/index.js';
import type { ExpressionCheck } from '../core/index.js';
import { boolType, dynType, mapType, stringType } from './cel-type.js';
import type { CelType, ObjectType } from './cel-type.js';
import { MapValue } from './cel-value.js';
import type { CelValue } from './cel-value.js';
import { literalType } from './check/literal-type.js';
import { printType } from './check/type-names.js';
import type { Environment } from './environment.js';
import { baseEnvironment } from './libraries/environments.js';
import { quantityType } from './libraries/quantities.js';
import { EvaluationError } from './library.js';
import type { Library } from './library.js';
import { MacroError } from './macro.js';

/** The value of `device`. */
export type DeviceValue = Readonly<Record<'driver' | 'attributes' | 'capacity' | 'allowMultipleAllocations', CelValue>>;

/** A compiled selector, or why it does not compile. */
export type CompiledSelector = { readonly matches: (device: DeviceValue) => boolean } | { readonly error: string };

/** Returns a compiler of selectors; `matches` throws EvaluationError where the evaluation fails or costs too much. */
export function deviceSelectors(): (expression: string) => CompiledSelector {
  const environment = baseEnvironment().extend({ libraries: [bindings], variables: { device: deviceType } });
  return (expression) => compileSelector(environment, expression);
}

function compileSelector(environment: Environment, expression: string): CompiledSelector {
  const compilation = environment.compile(expression);
  if (!compilation.ok) return { error: `compilation failed: ${compilation.message}` };
  const compiled = compilation.expression;
  if (compiled.type.kind !== 'bool' && compiled.type.kind !== 'dyn')
    return { error: `must evaluate to bool or the unknown type, not ${printType(compiled.type)}` };
  return {
    matches: (device) => {
      const outcome = compiled.evaluate({ device }, { budget: selectorCostMax });
      if (!outcome.ok) throw outcome.error;
      if (typeof outcome.value === 'boolean') return outcome.value;
      const found = printType(literalType(outcome.value));
      throw new EvaluationError(
        `CEL result of type ${found} could not be converted to bool: unsupported native conversion from ${found} to 'bool'`,
      );
    },
  };
}

/** Returns the check of selectors of devices. Expressions of other uses go to `others`. */
export function deviceExpressionCheck(others: ExpressionCheck): ExpressionCheck {
  const compile = deviceSelectors();
  return (given) => {
    if (given.kind !== 'device') return others(given);
    const compiled = compile(given.expression);
    return 'error' in compiled ? [fieldInvalid(given.path, given.expression, compiled.error)] : [];
  };
}

/** Values by domain and name, in which every domain exists. */
export class DeviceDomains extends MapValue {
  readonly #domains: Readonly<Record<string, CelValue>>;

  constructor(domains: Readonly<Record<string, CelValue>>) {
    super();
    this.#domains = domains;
  }

  get size(): number {
    return Object.keys(this.#domains).length;
  }

  has(domain: CelValue): boolean {
    return typeof domain === 'string' && Object.hasOwn(this.#domains, domain);
  }

  get(domain: CelValue): CelValue | undefined {
    if (typeof domain !== 'string') return undefined;
    return Object.hasOwn(this.#domains, domain) ? this.#domains[domain] : {};
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#domains);
  }
}

/** The cost of one evaluation at most. */
const selectorCostMax = 1_000_000;

const deviceFields: ReadonlyMap<string, { readonly type: CelType }> = new Map([
  ['driver', { type: stringType }],
  ['attributes', { type: mapType(stringType, mapType(stringType, dynType)) }],
  ['capacity', { type: mapType(stringType, mapType(stringType, quantityType)) }],
  ['allowMultipleAllocations', { type: boolType }],
]);

const deviceType: ObjectType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  field: (name) => deviceFields.get(name),
  fieldNames: [...deviceFields.keys()],
};

/** `cel.bind(name, value, body)`, which only selectors of devices may use. */
const bindings: Library = {
  name: 'bindings',
  macros: [
    {
      name: 'cel.bind',
      isMember: false,
      argumentCount: 3,
      expand(_, [variable, value, body], make) {
        if (variable === undefined || value === undefined || body === undefined) return undefined;
        if (variable.kind !== 'name')
          throw new MacroError(variable.at, 'cel.bind() variable names must be simple identifiers');
        return make.bind(variable.name, value, body);
      },
    },
  ],
};
