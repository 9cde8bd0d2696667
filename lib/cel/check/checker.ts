// Infers the types of an expression and resolves its names and calls. One walk over the tree makes the checked tree;
// types that are inferred later (of `[]`, of type parameters) are filled in at its end. Then literals are checked:
// lists and maps are of one type, and functions may refuse arguments.
import type { CelType, TypeParameter } from '../cel-type.js';
import { boolType, dynType, errorType, listType, mapType, optionalType } from '../cel-type.js';
import { qualifiedName } from '../expression.js';
import type {
  CallExpression,
  ComprehensionExpression,
  Expression,
  ListExpression,
  MapExpression,
  NameExpression,
  OptionalMapExpression,
  SelectExpression,
  StructExpression,
} from '../expression.js';
import type { Overload } from '../library.js';
import type { Source } from '../parse/source.js';
import type { Checked } from './checked.js';
import type { Declarations, DeclaredFunction } from './declarations.js';
import { literalType } from './literal-type.js';
import { checkLiterals } from './literals.js';
import { TypeBindings } from './type-bindings.js';
import { isSameType } from './type-names.js';
import { TypeRules, optionalTypeOf } from './type-rules.js';

/** A checked expression. */
export interface CheckResult {
  readonly root: Checked;
  /** Names of the variables of the environment that it refers to. */
  readonly references: ReadonlySet<string>;
  /** How many slots its local variables need. */
  readonly frameSize: number;
}

/** Checks an expression; returns undefined where issues were reported. */
export function check(source: Source, expression: Expression, declarations: Declarations): CheckResult | undefined {
  return new Checker(source, declarations).check(expression);
}

interface Scope {
  readonly name: string;
  readonly type: CelType;
  readonly isLazy: boolean;
}

class Checker {
  readonly #source: Source;
  readonly #declarations: Declarations;
  readonly #bindings = new TypeBindings();
  readonly #rules: TypeRules;
  readonly #scopes: Scope[] = [];
  readonly #nodes: Checked[] = [];
  readonly #types = new Map<Expression, Checked>();
  readonly #calls: { readonly function: DeclaredFunction; readonly values: readonly Expression[] }[] = [];
  readonly #references = new Set<string>();
  #frameSize = 0;

  constructor(source: Source, declarations: Declarations) {
    this.#source = source;
    this.#declarations = declarations;
    this.#rules = new TypeRules(source, this.#bindings, declarations.container);
  }

  check(expression: Expression): CheckResult | undefined {
    const root = this.#visit(expression);
    for (const node of this.#nodes) node.type = this.#bindings.resolve(node.type, true);
    if (!this.#source.isBroken) {
      checkLiterals(expression, this.#calls, {
        typeOf: (inner) => this.#types.get(inner)?.type ?? errorType,
        report: (inner, message) => {
          this.#source.report(inner.at, message);
        },
      });
    }
    if (this.#source.isBroken) return undefined;
    return { root, references: this.#references, frameSize: this.#frameSize };
  }

  #visit(expression: Expression): Checked {
    const node = this.#node(expression);
    this.#nodes.push(node);
    this.#types.set(expression, node);
    return node;
  }

  #node(expression: Expression): Checked {
    const { at } = expression;
    switch (expression.kind) {
      case 'literal':
        return { kind: 'constant', at, type: literalType(expression.value), value: expression.value, isName: false };
      case 'name':
        return this.#name(expression);
      case 'select':
        return this.#resolved(expression) ?? this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'logical': {
        const operands = expression.operands.map((operand) => this.#bool(operand));
        return { kind: 'logical', at, type: boolType, operator: expression.operator, operands };
      }
      case 'conditional': {
        const condition = this.#visit(expression.condition);
        const yes = this.#visit(expression.yes);
        const no = this.#visit(expression.no);
        const type = this.#rules.choice(at, condition.type, yes.type, no.type);
        return { kind: 'conditional', at, type, condition, yes, no };
      }
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return this.#comprehension(expression);
      case 'bind': {
        const value = this.#visit(expression.value);
        const slot = this.#scopes.length;
        const body = this.#inScope([{ name: expression.name, type: value.type, isLazy: true }], () =>
          this.#visit(expression.body),
        );
        return { kind: 'bind', at, type: body.type, slot, value, body };
      }
      case 'optionalMap':
        return this.#optionalMap(expression);
    }
  }

  #failed(at: number): Checked {
    return { kind: 'constant', at, type: errorType, value: null, isName: false };
  }

  #bool(expression: Expression): Checked {
    const node = this.#visit(expression);
    this.#rules.expectType(expression.at, boolType, node.type);
    return node;
  }

  // Names

  #local(name: string): Checked | undefined {
    for (let slot = this.#scopes.length - 1; slot >= 0; slot--) {
      const scope = this.#scopes[slot];
      if (scope?.name === name) return { kind: 'local', at: 0, type: scope.type, name, slot, isLazy: scope.isLazy };
    }
    return undefined;
  }

  #name(expression: NameExpression): Checked {
    const { at, name } = expression;
    const local = this.#local(name);
    if (local !== undefined) return { ...local, at };
    const resolved = this.#resolved(expression);
    if (resolved !== undefined) return resolved;
    this.#rules.reportUndeclared(at, name);
    return this.#failed(at);
  }

  /** Resolves `a` or `a.b.c` as the name of a variable or constant. */
  #resolved(expression: NameExpression | SelectExpression): Checked | undefined {
    const { at } = expression;
    const name = qualifiedName(expression);
    if (name === undefined || this.#local(name.split('.', 1)[0] ?? '') !== undefined) return undefined;
    for (const candidate of this.#declarations.candidates(name)) {
      const declared = this.#declarations.name(candidate);
      if (declared?.kind === 'constant')
        return { kind: 'constant', at, type: declared.type, value: declared.value, isName: true };
      if (declared?.kind === 'variable') {
        this.#references.add(declared.name);
        return { kind: 'variable', at, type: declared.type, name: declared.name };
      }
    }
    return undefined;
  }

  #select(expression: SelectExpression): Checked {
    const { at, field, isTest, isOptional } = expression;
    const operand = this.#visit(expression.operand);
    const operandType = this.#bindings.find(operand.type);
    const inner = optionalTypeOf(operandType);
    const owner = inner === undefined ? operandType : this.#bindings.find(inner);
    const declaration = owner.kind === 'object' ? owner.field(field) : undefined;
    const fieldType = declaration?.type ?? this.#rules.fieldType(at, owner, field);
    const isWrapped = (inner !== undefined || isOptional) && fieldType.kind !== 'error';
    const type = isTest ? boolType : isWrapped ? optionalType(fieldType) : fieldType;
    const mode = isTest ? 'test' : isOptional ? 'optional' : 'value';
    return { kind: 'select', at, type, operand, field, mode, declaration };
  }

  // Calls

  #call(expression: CallExpression): Checked {
    const { at, name, target } = expression;
    const qualifier = target && qualifiedName(target);
    const qualified = qualifier === undefined ? undefined : this.#function(`${qualifier}.${name}`);
    if (qualified !== undefined) return this.#resolveCall(at, qualified, undefined, expression.values);
    const declared = target === undefined ? this.#function(name) : this.#declarations.function(name);
    if (declared !== undefined) return this.#resolveCall(at, declared, target, expression.values);
    if (target !== undefined) this.#visit(target);
    for (const value of expression.values) this.#visit(value);
    this.#rules.reportUndeclared(at, name);
    return this.#failed(at);
  }

  #function(name: string): DeclaredFunction | undefined {
    for (const candidate of this.#declarations.candidates(name)) {
      const declared = this.#declarations.function(candidate);
      if (declared !== undefined) return declared;
    }
    return undefined;
  }

  #resolveCall(
    at: number,
    declared: DeclaredFunction,
    target: Expression | undefined,
    rest: readonly Expression[],
  ): Checked {
    const isMember = target !== undefined;
    const expressions = isMember ? [target, ...rest] : rest;
    const values = expressions.map((value) => this.#visit(value));
    this.#calls.push({ function: declared, values: expressions });
    const fitting: Overload[] = [];
    let type: CelType | undefined;
    for (const overload of declared.overloads) {
      if (overload.isMember !== isMember || overload.parameters.length !== values.length) continue;
      const names = new Map<string, TypeParameter>();
      const fits = this.#bindings.attempt(() =>
        overload.parameters.every((parameter, i) =>
          this.#bindings.isAssignable(this.#bindings.instantiate(parameter, names), values[i]?.type ?? dynType),
        ),
      );
      if (!fits) continue;
      fitting.push(overload);
      const result = this.#bindings.resolve(this.#bindings.instantiate(overload.result, names), false);
      // Where overloads with different results fit, the result is known at run time only.
      type = type === undefined || isSameType(type, result) ? result : dynType;
    }
    if (type === undefined) {
      const types = values.map((value) => value.type);
      this.#rules.reportNoOverload(
        at,
        declared.name,
        isMember ? types[0] : undefined,
        isMember ? types.slice(1) : types,
      );
    }
    return { kind: 'call', at, type: type ?? errorType, name: declared.name, isMember, overloads: fitting, values };
  }

  // Literals

  #list({ at, elements }: ListExpression): Checked {
    let element: CelType | undefined;
    const checked = elements.map(({ value, isOptional }) => {
      const node = this.#visit(value);
      const type = isOptional ? this.#rules.unwrapped(value.at, node.type) : node.type;
      element = element === undefined ? type : this.#bindings.join(element, type);
      return { value: node, isOptional };
    });
    return { kind: 'list', at, type: listType(element ?? this.#bindings.fresh()), elements: checked };
  }

  #map({ at, entries }: MapExpression): Checked {
    let key: CelType | undefined;
    let content: CelType | undefined;
    const checked = entries.map((entry) => {
      const keyNode = this.#visit(entry.key);
      const value = this.#visit(entry.value);
      const type = entry.isOptional ? this.#rules.unwrapped(entry.value.at, value.type) : value.type;
      key = key === undefined ? keyNode.type : this.#bindings.join(key, keyNode.type);
      content = content === undefined ? type : this.#bindings.join(content, type);
      return { key: keyNode, value, isOptional: entry.isOptional };
    });
    const type = mapType(key ?? this.#bindings.fresh(), content ?? this.#bindings.fresh());
    return { kind: 'map', at, type, entries: checked };
  }

  #struct({ at, typeName, fields }: StructExpression): Checked {
    const type = this.#declarations
      .candidates(typeName)
      .map((candidate) => this.#declarations.type(candidate))
      .find((found) => found !== undefined);
    if (type === undefined) this.#rules.reportUndeclared(at, typeName);
    const checked = fields.map((field) => {
      const value = this.#visit(field.value);
      const declaration = type?.kind === 'object' ? type.field(field.name) : undefined;
      if (type !== undefined && declaration === undefined)
        this.#source.report(field.at, `undefined field '${field.name}'`);
      const given = field.isOptional ? this.#rules.unwrapped(field.value.at, value.type) : value.type;
      if (declaration !== undefined && !this.#bindings.isAssignable(declaration.type, given))
        this.#source.report(
          field.at,
          `expected type of field '${field.name}' is '${this.#rules.print(declaration.type)}' but provided type is '${this.#rules.print(given)}'`,
        );
      return { property: declaration?.property ?? field.name, value, isOptional: field.isOptional };
    });
    return { kind: 'struct', at, type: type ?? errorType, fields: checked };
  }

  // Loops and bindings

  #inScope<Result>(scopes: readonly Scope[], visit: () => Result): Result {
    for (const scope of scopes) this.#scopes.push(scope);
    this.#frameSize = Math.max(this.#frameSize, this.#scopes.length);
    const result = visit();
    this.#scopes.length -= scopes.length;
    return result;
  }

  #comprehension(expression: ComprehensionExpression): Checked {
    const { at, fold, variables } = expression;
    const range = this.#visit(expression.range);
    const [key, content] = this.#rules.rangeTypes(expression.range.at, range.type, variables.length === 2);
    const first = this.#scopes.length;
    const slots = variables.length === 2 ? ([first, first + 1] as const) : ([first] as const);
    const scopes = variables.map((name, i) => ({ name, type: i === 0 ? key : content, isLazy: false }));
    const [filter, body] = this.#inScope(scopes, () => [
      expression.filter && this.#visit(expression.filter),
      this.#visit(expression.body),
    ]);
    const result = this.#rules.foldType(expression, key, body.type);
    if (filter !== undefined) this.#rules.choice(at, filter.type, result, result);
    return { kind: 'comprehension', at, type: result, fold, range, slots, filter, body };
  }

  #optionalMap(expression: OptionalMapExpression): Checked {
    const { at, name, isFlat } = expression;
    const target = this.#visit(expression.target);
    const inner = this.#bindings.fresh();
    if (!this.#bindings.isAssignable(optionalType(inner), target.type)) {
      this.#rules.reportNoOverload(at, 'hasValue', target.type, []);
      this.#rules.reportNoOverload(at, 'value', target.type, []);
    }
    const slot = this.#scopes.length;
    const content = this.#bindings.find(target.type).kind === 'opaque' ? inner : dynType;
    const body = this.#inScope([{ name, type: content, isLazy: true }], () => this.#visit(expression.body));
    const type = isFlat
      ? this.#rules.choice(at, boolType, body.type, optionalType(this.#bindings.fresh()))
      : optionalType(body.type);
    return { kind: 'optionalMap', at, type, target, slot, body, isFlat };
  }
}
