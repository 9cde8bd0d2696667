// Expressions and values made to exhaust time, memory or the stack. Each ends by a limit or within its budget.
import t from 'tap';
import { evaluate, language } from '../support/cel.js';

const nested = (open: string, inner: string, close: string, depth: number): string =>
  open.repeat(depth) + inner + close.repeat(depth);

t.test('nesting and length of an expression are limited', async (t) => {
  const issue = (text: string): string => {
    const compilation = language.compile(text);
    return compilation.ok ? 'compiles' : (compilation.issues[0]?.message ?? '');
  };
  const tooDeep = 'expression recursion limit exceeded: 250';
  t.equal(issue(nested('(', '1', ')', 249)), 'compiles');
  t.equal(issue(nested('(', '1', ')', 250)), tooDeep);
  t.equal(issue(nested('(', '1', ')', 40_000)), tooDeep);
  t.equal(issue(nested('[', '', ']', 250)), 'compiles');
  t.equal(issue(nested('[', '', ']', 251)), tooDeep);
  t.equal(issue(`${'true ? 1 : '.repeat(249)}2`), 'compiles');
  t.equal(issue(`${'true ? 1 : '.repeat(250)}2`), tooDeep);
  t.equal(issue(nested('[1].map(x, ', '1', ')', 249)), 'compiles');
  t.equal(issue(Array.from({ length: 251 }, () => '1').join('+')), 'compiles');
  t.equal(issue(Array.from({ length: 300 }, () => '1').join('+')), 'max recursion depth exceeded');
  t.equal(issue(`{}${'.a'.repeat(300)}`), 'max recursion depth exceeded');
  t.equal(issue(Array.from({ length: 10_000 }, () => 'true').join('&&')), 'compiles');
  t.equal(issue('!'.repeat(50_000) + 'true'), 'compiles');
  t.equal(issue(`"${'a'.repeat(99_998)}"`), 'compiles');
  t.equal(issue(`"${'a'.repeat(99_999)}"`), 'expression code point size exceeds limit: size: 100001, limit 100000');
  t.match(issue('('.repeat(90_000)), tooDeep);
});

t.test('loops end at the budget, also those whose iterations cost nothing', async (t) => {
  const list = Array.from({ length: 3000 }, (_, i) => i);
  const loops = [
    'list.all(a, list.all(b, list.all(c, true)))',
    'list.map(a, list.map(b, list.map(c, 1)))',
    'list.exists_one(a, list.exists_one(b, list.exists_one(c, false)))',
    'list.filter(a, list.filter(b, list.filter(c, false) == []) == []) == []',
    'list.transformMap(a, b, list.transformMap(c, d, list))',
  ];
  for (const loop of loops) t.match(evaluate(loop, { list }), { ok: false, isOverBudget: true }, loop);
});

t.test('values cannot be made larger than the budget allows', async (t) => {
  const text = 'x'.repeat(1000);
  const doubled = nested('[0, 1].map(i, ', 'text', ').map(t, t + t)', 12);
  t.ok(evaluate(doubled, { text }).cost > 0);
  const concatenation = nested('[', 'text', '].map(t, t + t + t + t + t + t + t + t)[0]', 12);
  t.match(evaluate(concatenation, { text }), { ok: false, error: { message: 'string too large' } });
  t.match(evaluate(concatenation.replaceAll('text', '"xxxxxxxxxxxxxxxxxxxx"')), { ok: false, isOverBudget: true });
  // Joining lists costs 1 whatever their length, so it does not copy.
  const list = Array.from({ length: 100_000 }, (_, i) => i);
  const joined = evaluate(`(${Array.from({ length: 200 }, () => 'list').join(' + ')}).size()`, { list });
  t.match(joined, { ok: true, value: 20_000_000 });
  t.match(evaluate('(list + list + [7])[200000]', { list }), { ok: true, value: 7 });
});

t.test('a pattern takes linear time', async (t) => {
  const text = `${'a'.repeat(50_000)}b`;
  t.match(evaluate('text.matches("^(a+)+$")', { text }), { ok: true, value: false });
  t.match(evaluate('text.matches("(a|aa)*c")', { text }), { ok: true, value: false });
  t.equal(language.compile('"a".matches("(?=a)")').ok, false);
});
