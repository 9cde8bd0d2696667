// The types that follow from other types: of choices, fields, loops and folds. What does not fit is reported, and its
// type is `error`, which fits everywhere, so that one mistake is reported once.
import type { CelType } from '../cel-type.js';
import { boolType, dynType, errorType, intType, listType, mapType } from '../cel-type.js';
import type { ComprehensionExpression } from '../expression.js';
import type { Source } from '../parse/source.js';
import type { TypeBindings } from './type-bindings.js';
import { printType } from './type-names.js';

/** The rules for one expression. */
export class TypeRules {
  readonly #source: Source;
  readonly #bindings: TypeBindings;
  readonly #container: string;

  constructor(source: Source, bindings: TypeBindings, container: string) {
    this.#source = source;
    this.#bindings = bindings;
    this.#container = container;
  }

  /** Reports a value that is not of the expected type. */
  expectType(at: number, expected: CelType, found: CelType): void {
    if (this.#bindings.isAssignable(expected, found)) return;
    this.#source.report(at, `expected type '${this.print(expected)}' but found '${this.print(found)}'`);
  }

  /** Returns the type of `?:`. */
  choice(at: number, condition: CelType, yes: CelType, no: CelType): CelType {
    const either = this.#bindings.fresh();
    const fits = this.#bindings.attempt(
      () =>
        this.#bindings.isAssignable(boolType, condition) &&
        this.#bindings.isAssignable(either, yes) &&
        this.#bindings.isAssignable(either, no),
    );
    if (fits) return this.#bindings.find(either);
    this.reportNoOverload(at, '_?_:_', undefined, [condition, yes, no]);
    return errorType;
  }

  /** Reports a call that no overload fits. */
  reportNoOverload(at: number, name: string, target: CelType | undefined, values: readonly CelType[]): void {
    const list = `(${values.map((type) => this.print(type)).join(', ')})`;
    const applied = target === undefined ? list : `${this.print(target)}.${list}`;
    this.#source.report(at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  /** Reports a name that is not declared. */
  reportUndeclared(at: number, name: string): void {
    this.#source.report(at, `undeclared reference to '${name}' (in container '${this.#container}')`);
  }

  /** Returns the type of a field that is not declared by an object type. */
  fieldType(at: number, owner: CelType, field: string): CelType {
    switch (owner.kind) {
      case 'dyn':
      case 'parameter':
        return dynType;
      case 'error':
        return errorType;
      case 'map':
        return owner.value;
      case 'object':
        this.#source.report(at, `undefined field '${field}'`);
        return errorType;
      default:
        this.#source.report(at, `type '${this.print(owner)}' does not support field selection`);
        return errorType;
    }
  }

  /** Returns T of `optional_type(T)`; reports what is no optional. */
  unwrapped(at: number, type: CelType): CelType {
    const found = this.#bindings.find(type);
    const inner = optionalTypeOf(found);
    if (inner !== undefined) return inner;
    if (found.kind !== 'dyn')
      this.#source.report(at, `expected type 'optional_type(${this.print(found)})' but found '${this.print(found)}'`);
    return found;
  }

  /** Returns the type of the result of a loop. */
  foldType({ at, fold, body }: ComprehensionExpression, key: CelType, type: CelType): CelType {
    switch (fold) {
      case 'all':
      case 'exists':
        this.expectType(body.at, boolType, type);
        return boolType;
      case 'existsOne':
        if (!this.#bindings.isAssignable(boolType, type))
          this.reportNoOverload(at, '_?_:_', undefined, [type, intType, intType]);
        return boolType;
      case 'list':
        return listType(type);
      case 'map':
        return mapType(key, type);
      case 'entries': {
        const result = mapType(this.#bindings.fresh(), this.#bindings.fresh());
        if (!this.#bindings.isAssignable(result, type))
          this.reportNoOverload(at, 'cel.@mapInsert', undefined, [mapType(dynType, dynType), type]);
        return result;
      }
    }
  }

  /** Returns the types of the variables of a loop. */
  rangeTypes(at: number, type: CelType, isPair: boolean): readonly [CelType, CelType] {
    const range = this.#bindings.find(type);
    switch (range.kind) {
      case 'list':
        return isPair ? [intType, range.element] : [range.element, dynType];
      case 'map':
        return [range.key, range.value];
      case 'dyn':
      case 'parameter':
        return [dynType, dynType];
      case 'error':
        return [errorType, errorType];
      default:
        this.#source.report(
          at,
          `expression of type '${this.print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  /** Returns a type as issues name it. */
  print(type: CelType): string {
    return printType(this.#bindings.resolve(type, false));
  }
}

/** Returns T of `optional_type(T)`, undefined for other types. */
export function optionalTypeOf(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}
