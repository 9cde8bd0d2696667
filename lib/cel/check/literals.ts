// Checks of a checked expression that are about its literals: elements of list literals are of one type, and so are the
// keys and the values of map literals; functions check arguments that are literals, such as patterns.
import type { CelType } from '../cel-type.js';
import type { Expression } from '../expression.js';
import type { CallFacts } from '../library.js';
import type { DeclaredFunction } from './declarations.js';
import { printType } from './type-names.js';

/** Reports mistakes in literals. */
export function checkLiterals(
  root: Expression,
  calls: readonly { readonly function: DeclaredFunction; readonly values: readonly Expression[] }[],
  facts: CallFacts,
): void {
  // The arguments of a format may be of any types.
  const exempt = new Set<Expression>();
  for (const call of calls) if (call.function.name === 'format') for (const value of call.values) exempt.add(value);
  checkAggregates(root, exempt, facts);
  for (const call of calls) call.function.validate?.(call.values, facts);
}

function checkAggregates(root: Expression, exempt: ReadonlySet<Expression>, facts: CallFacts): void {
  const rest: Expression[] = [root];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.kind === 'list' && !exempt.has(next)) checkSame(next.elements, facts);
    if (next.kind === 'map' && !exempt.has(next)) {
      checkSame(
        next.entries.map(({ key }) => ({ value: key, isOptional: false })),
        facts,
      );
      checkSame(next.entries, facts);
    }
    for (const child of childrenOf(next)) rest.push(child);
  }
}

function checkSame(
  elements: readonly { readonly value: Expression; readonly isOptional: boolean }[],
  facts: CallFacts,
): void {
  const typeOf = ({ value, isOptional }: (typeof elements)[number]): CelType => {
    const type = facts.typeOf(value);
    return isOptional && type.kind === 'opaque' ? (type.parameters[0] ?? type) : type;
  };
  const [first, ...others] = elements;
  if (first === undefined || others.length === 0) return;
  const expected = printType(typeOf(first));
  for (const element of others) {
    const found = printType(typeOf(element));
    if (found !== expected) {
      facts.report(element.value, `expected type '${expected}' but found '${found}'`);
      return;
    }
  }
}

/** Returns the expressions directly inside of one. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.values : [expression.target, ...expression.values];
    case 'logical':
      return expression.operands;
    case 'conditional':
      return [expression.condition, expression.yes, expression.no];
    case 'list':
      return expression.elements.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, filter, body } = expression;
      return filter === undefined ? [range, body] : [range, filter, body];
    }
    case 'bind':
      return [expression.value, expression.body];
    case 'optionalMap':
      return [expression.target, expression.body];
  }
}
