// The contract of macros: calls that are rewritten while an expression is parsed.
import type { CelValue } from './cel-value.js';
import type {
  BindExpression,
  CallExpression,
  ComprehensionExpression,
  Expression,
  ListExpression,
  LiteralExpression,
  NameExpression,
  OptionalMapExpression,
  SelectExpression,
} from './expression.js';

/** A call that is replaced by another expression. */
export interface MacroDeclaration {
  /** The called name: `all`, `cel.bind`. */
  readonly name: string;
  /** Whether it is called on a target: `list.all(x, p)`. */
  readonly isMember: boolean;
  readonly argumentCount: number;
  /** Returns the replacement; undefined to leave the call as it is; throws `MacroError` at a mistake. */
  expand(target: Expression | undefined, values: readonly Expression[], make: ExpressionMaker): Expression | undefined;
}

/** A mistake in the arguments of a macro. */
export class MacroError extends Error {
  override readonly name = 'MacroError';
  /** The place of the mistake in the text. */
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Makes expressions at the place of the macro's call. */
export interface ExpressionMaker {
  /** The place of the call. */
  readonly at: number;
  literal(value: CelValue): LiteralExpression;
  name(name: string): NameExpression;
  select(operand: Expression, field: string): SelectExpression;
  /** A test whether a field is present: `has(operand.field)`. */
  test(operand: Expression, field: string): SelectExpression;
  call(name: string, ...values: readonly Expression[]): CallExpression;
  memberCall(target: Expression, name: string, ...values: readonly Expression[]): CallExpression;
  list(...elements: readonly Expression[]): ListExpression;
  comprehension(
    parts: Pick<ComprehensionExpression, 'fold' | 'range' | 'variables' | 'body'> & { readonly filter?: Expression },
  ): ComprehensionExpression;
  bind(name: string, value: Expression, body: Expression): BindExpression;
  optionalMap(target: Expression, name: string, body: Expression, isFlat: boolean): OptionalMapExpression;
}

/** Returns an expression maker for a place. */
export function expressionMaker(at: number): ExpressionMaker {
  const select = (operand: Expression, field: string, isTest: boolean): SelectExpression => ({
    kind: 'select',
    at,
    operand,
    field,
    isTest,
    isOptional: false,
  });
  return {
    at,
    literal: (value) => ({ kind: 'literal', at, value }),
    name: (name) => ({ kind: 'name', at, name }),
    select: (operand, field) => select(operand, field, false),
    test: (operand, field) => select(operand, field, true),
    call: (name, ...values) => ({ kind: 'call', at, name, target: undefined, values }),
    memberCall: (target, name, ...values) => ({ kind: 'call', at, name, target, values }),
    list: (...elements) => ({
      kind: 'list',
      at,
      elements: elements.map((value) => ({ value, isOptional: false })),
    }),
    comprehension: ({ fold, range, variables, body, filter }) => ({
      kind: 'comprehension',
      at,
      fold,
      range,
      variables,
      filter,
      body,
    }),
    bind: (name, value, body) => ({ kind: 'bind', at, name, value, body }),
    optionalMap: (target, name, body, isFlat) => ({ kind: 'optionalMap', at, target, name, body, isFlat }),
  };
}
