// The macros of the language: has, the loops over one and over two variables, and those of optional values.
import type { Expression, Fold } from '../expression.js';
import type { ExpressionMaker, MacroDeclaration } from '../macro.js';
import { MacroError } from '../macro.js';

/** `has(a.b)`, and the loops over one variable: all, exists, exists_one, existsOne, map, filter. */
export const standardMacros: readonly MacroDeclaration[] = [
  {
    name: 'has',
    isMember: false,
    argumentCount: 1,
    expand(_, values, make) {
      const [value] = arguments1(values);
      if (value.kind !== 'select' || value.isTest || value.isOptional)
        throw new MacroError(value.at, 'invalid argument to has() macro');
      return make.test(value.operand, value.field);
    },
  },
  predicate('all', 'all'),
  predicate('exists', 'exists'),
  predicate('exists_one', 'existsOne'),
  predicate('existsOne', 'existsOne'),
  loop('map', 2, (range, [variable, body], make) =>
    make.comprehension({ fold: 'list', range, variables: [variable], body }),
  ),
  loop('map', 3, (range, [variable, filter, body], make) =>
    make.comprehension({ fold: 'list', range, variables: [variable], filter, body }),
  ),
  loop('filter', 2, (range, [variable, filter], make) =>
    make.comprehension({ fold: 'list', range, variables: [variable], filter, body: make.name(variable) }),
  ),
];

/** The loops over two variables: index and element, or key and value. */
export const twoVariableMacros: readonly MacroDeclaration[] = [
  ...(
    [
      ['all', 'all'],
      ['exists', 'exists'],
      ['existsOne', 'existsOne'],
      ['exists_one', 'existsOne'],
      ['transformList', 'list'],
      ['transformMap', 'map'],
      ['transformMapEntry', 'entries'],
    ] as const
  ).map(([name, fold]) => pairLoop(name, fold, false)),
  pairLoop('transformList', 'list', true),
  pairLoop('transformMap', 'map', true),
  pairLoop('transformMapEntry', 'entries', true),
];

/** optMap and optFlatMap. */
export const optionalMacros: readonly MacroDeclaration[] = [
  optionalMacro('optMap', false),
  optionalMacro('optFlatMap', true),
];

function predicate(name: string, fold: Fold): MacroDeclaration {
  return {
    name,
    isMember: true,
    argumentCount: 2,
    expand(range, values, make) {
      const [variable, body] = arguments2(values);
      const variables = [loopVariable(variable, 'argument must be a simple name')] as const;
      return range && make.comprehension({ fold, range, variables, body });
    },
  };
}

function loop<Count extends 2 | 3>(
  name: string,
  argumentCount: Count,
  expand: (
    range: Expression,
    values: Count extends 2 ? readonly [string, Expression] : readonly [string, Expression, Expression],
    make: ExpressionMaker,
  ) => Expression,
): MacroDeclaration {
  return {
    name,
    isMember: true,
    argumentCount,
    expand(range, [first, ...rest], make) {
      if (first === undefined || range === undefined) return undefined;
      const values = [loopVariable(first, 'argument is not an identifier'), ...rest];
      return expand(range, values as unknown as Parameters<typeof expand>[1], make);
    },
  };
}

function pairLoop(name: string, fold: Fold, hasFilter: boolean): MacroDeclaration {
  return {
    name,
    isMember: true,
    argumentCount: hasFilter ? 4 : 3,
    expand(range, values, make) {
      const [first, second, third, fourth] = values;
      if (range === undefined || first === undefined || second === undefined || third === undefined) return undefined;
      const variables = [
        loopVariable(first, 'argument must be a simple name'),
        loopVariable(second, 'argument must be a simple name'),
      ] as const;
      if (variables[0] === variables[1]) throw new MacroError(second.at, `duplicate variable name: ${variables[1]}`);
      return fourth === undefined
        ? make.comprehension({ fold, range, variables, body: third })
        : make.comprehension({ fold, range, variables, filter: third, body: fourth });
    },
  };
}

function optionalMacro(name: string, isFlat: boolean): MacroDeclaration {
  return {
    name,
    isMember: true,
    argumentCount: 2,
    expand(target, values, make) {
      const [variable, body] = arguments2(values);
      if (variable.kind !== 'name')
        throw new MacroError(variable.at, `${name}() variable name must be a simple identifier`);
      return target && make.optionalMap(target, variable.name, body, isFlat);
    },
  };
}

function loopVariable(value: Expression, refusal: string): string {
  if (value.kind !== 'name' || value.name.startsWith('.')) throw new MacroError(value.at, refusal);
  if (value.name === '__result__') throw new MacroError(value.at, 'iteration variable overwrites accumulator variable');
  return value.name;
}

function arguments1(values: readonly Expression[]): readonly [Expression] {
  return values as unknown as readonly [Expression];
}

function arguments2(values: readonly Expression[]): readonly [Expression, Expression] {
  return values as unknown as readonly [Expression, Expression];
}
