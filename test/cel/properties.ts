// Laws that hold for all values: arithmetic is that of integers with a range, failures are absorbed in any order, and
// an estimate contains the cost.
import t from 'tap';
import { Uint, int, intType, listType, stringType } from '../../lib/cel/index.js';
import type { CelValue } from '../../lib/cel/index.js';
import { language, valueOf } from '../support/cel.js';
import { fc, runs } from '../support/properties.js';

const int64 = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -20n, max: 20n }));
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 20n }));

const operations: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

t.test('arithmetic of ints is that of integers, or fails outside of 64 bits', async () => {
  fc.assert(
    fc.property(int64, int64, fc.constantFrom(...Object.keys(operations)), (a, b, operator) => {
      const found = valueOf(`a ${operator} b`, { a: int(a), b: int(b) });
      if (b === 0n && '/%'.includes(operator)) return String(found).endsWith('by zero');
      const exact = operations[operator]?.(a, b) ?? 0n;
      if (operator === '%' && a === -(2n ** 63n) && b === -1n) return found === 'integer overflow';
      return exact >= -(2n ** 63n) && exact < 2n ** 63n ? found === int(exact) : found === 'integer overflow';
    }),
    { numRuns: runs(3000) },
  );
});

t.test('arithmetic of uints is that of natural numbers, or fails outside of 64 bits', async () => {
  fc.assert(
    fc.property(uint64, uint64, fc.constantFrom(...Object.keys(operations)), (a, b, operator) => {
      const found = valueOf(`a ${operator} b`, { a: new Uint(a), b: new Uint(b) });
      if (b === 0n && '/%'.includes(operator)) return String(found).endsWith('by zero');
      const exact = operations[operator]?.(a, b) ?? 0n;
      if (exact < 0n || exact >= 2n ** 64n) return found === 'unsigned integer overflow';
      return found instanceof Uint && found.value === exact;
    }),
    { numRuns: runs(3000) },
  );
});

t.test('order and equality of integers of both types are those of their values', async () => {
  fc.assert(
    fc.property(int64, uint64, (a, b) => {
      const variables = { a: int(a), b: new Uint(b) };
      return (
        valueOf('a < b', variables) === a < b &&
        valueOf('a >= b', variables) === a >= b &&
        valueOf('a == b', variables) === (a === b)
      );
    }),
    { numRuns: runs(1000) },
  );
});

t.test('failures of && and || are absorbed in either order, and so are those of all and exists', async () => {
  const operand = fc.constantFrom<string>('true', 'false', '(1 / 0 == 1)');
  fc.assert(
    fc.property(
      fc.array(operand, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('&&', '||'),
      (operands, operator) => {
        const result = valueOf(operands.join(` ${operator} `));
        const reversed = valueOf([...operands].reverse().join(` ${operator} `));
        const decisive = operator === '||';
        const expected = operands.includes(String(decisive))
          ? decisive
          : operands.some((text) => text.startsWith('('))
            ? 'division by zero'
            : !decisive;
        const list = operands.map((text) => (text === 'true' ? 1 : text === 'false' ? -1 : 0));
        // 1 / x fails for 0, and has the sign of x otherwise.
        const looped = valueOf(`list.${decisive ? 'exists' : 'all'}(x, 1 / x > 0)`, { list });
        return result === expected && reversed === expected && looped === expected;
      },
    ),
    { numRuns: runs(1000) },
  );
});

t.test('an estimate from the sizes of the values contains the cost', async () => {
  const environment = language.extend({ variables: { list: listType(intType), text: stringType } });
  const expressions = [
    'list.all(x, x > 0)',
    'list.exists(x, list.exists(y, x == y + 1))',
    'list.map(x, x * 2).filter(y, y > 2).size() > 1',
    'text + text == text || text.contains("ab")',
    'list.exists_one(x, x == 1) ? text.startsWith("a") : text.matches("a+b")',
    'size(list) > 2 && list[0] in list',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...expressions),
      fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 12 }),
      fc.string({ maxLength: 60 }),
      (expression, list: readonly CelValue[], text) => {
        const compilation = environment.compile(expression);
        if (!compilation.ok) return false;
        const { cost } = compilation.expression.evaluate({ list, text });
        const sizes: Readonly<Record<string, number>> = { list: list.length, text: Array.from(text).length };
        const { min, max } = compilation.expression.estimateCost(([name = '', ...rest], type) => {
          const size = rest.length === 0 ? sizes[name] : undefined;
          return size === undefined ? undefined : { type, size: { min: size, max: size } };
        });
        // A loop that is decided early costs less than the least estimate, which is for all elements.
        return cost <= max && min <= max;
      },
    ),
    { numRuns: runs(1000) },
  );
});

t.test('compiling never throws, whatever the text', async () => {
  const piece = fc.constantFrom(
    ...'( ) [ ] { } . , ? : + - * / % < > = ! & | "a" 1 1u 1.5 x y has all in true null @ \\ é'.split(' '),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const compilation = language.compile(pieces.join(''));
      return compilation.ok || compilation.message !== '';
    }),
    { numRuns: runs(3000) },
  );
});
