// The syntax tree of an expression, after the expansion of macros. Operators are calls of functions that are named as
// in CEL (`_+_`, `!_`, `_[_]`); `&&`, `||` and `?:` are nodes of their own, since they decide which operand is
// evaluated. Loops are folds: a `comprehension` names what it computes instead of spelling out an accumulator.
import type { CelValue } from './cel-value.js';

/** A node of the syntax tree. `at` is the place in the text, in UTF-16 units. */
export type Expression =
  | LiteralExpression
  | NameExpression
  | SelectExpression
  | CallExpression
  | LogicalExpression
  | ConditionalExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression
  | BindExpression
  | OptionalMapExpression;

/** A constant. */
export interface LiteralExpression {
  readonly kind: 'literal';
  readonly at: number;
  readonly value: CelValue;
}

/** An identifier. Starts with a dot where it is not looked up in the container. */
export interface NameExpression {
  readonly kind: 'name';
  readonly at: number;
  readonly name: string;
}

/** `operand.field`; `operand.?field` where `isOptional`; `has(operand.field)` where `isTest`. */
export interface SelectExpression {
  readonly kind: 'select';
  readonly at: number;
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
  readonly isOptional: boolean;
}

/** A call of a function or an operator, of a method where there is a target. */
export interface CallExpression {
  readonly kind: 'call';
  readonly at: number;
  readonly name: string;
  readonly target: Expression | undefined;
  readonly values: readonly Expression[];
}

/** `a && b && c` or `a || b || c`, as one node. `operatorsAt` are the places of the operators. */
export interface LogicalExpression {
  readonly kind: 'logical';
  readonly at: number;
  readonly operator: '_&&_' | '_||_';
  readonly operands: readonly Expression[];
  readonly operatorsAt: readonly number[];
}

/** `condition ? yes : no`. */
export interface ConditionalExpression {
  readonly kind: 'conditional';
  readonly at: number;
  readonly condition: Expression;
  readonly yes: Expression;
  readonly no: Expression;
}

/** `[a, ?b]`. */
export interface ListExpression {
  readonly kind: 'list';
  readonly at: number;
  readonly elements: readonly ListElement[];
}

/** An element of a list literal. */
export interface ListElement {
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `{k: v, ?k: v}`. */
export interface MapExpression {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

/** An entry of a map literal. */
export interface MapEntry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `Type{field: value}`. */
export interface StructExpression {
  readonly kind: 'struct';
  readonly at: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** A field of a struct literal. */
export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/**
 * What a comprehension computes from the elements of a range:
 * `all`, `exists`, `existsOne` a bool from predicates; `list` a list, `map` a map with the keys of the range,
 * `entries` a map from maps of new entries.
 */
export type Fold = 'all' | 'exists' | 'existsOne' | 'list' | 'map' | 'entries';

/** A loop over a list or a map. */
export interface ComprehensionExpression {
  readonly kind: 'comprehension';
  readonly at: number;
  readonly fold: Fold;
  readonly range: Expression;
  /** One variable for elements or keys, or two for index and element, or key and value. */
  readonly variables: readonly [string] | readonly [string, string];
  /** Elements for which it is false are left out. Only of `list`, `map` and `entries`. */
  readonly filter: Expression | undefined;
  readonly body: Expression;
}

/** A name for a value: `cel.bind(name, value, body)`. */
export interface BindExpression {
  readonly kind: 'bind';
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly body: Expression;
}

/** `target.optMap(name, body)`; `optFlatMap` where `isFlat`. */
export interface OptionalMapExpression {
  readonly kind: 'optionalMap';
  readonly at: number;
  readonly target: Expression;
  readonly name: string;
  readonly body: Expression;
  readonly isFlat: boolean;
}

/** Returns `a.b.c` for a chain of plain selections of a name. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'select' || expression.isTest || expression.isOptional) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand && `${operand}.${expression.field}`;
}
