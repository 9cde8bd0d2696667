// Rules of custom resource definitions as a unit: what they see of an object, what they report, and when they are
// refused. The expected texts are those of a v1.36 API server.
import t from 'tap';
import { baseEnvironment, ruleCompiler, schemaExpressionCheck } from '../../lib/cel/index.js';
import { fieldErrorText, fieldPath } from '../../lib/core/index.js';
import type { ApiObject, CustomSchema } from '../../lib/core/index.js';
import { RuleCosts } from '../../lib/core/kinds/apiextensions/rule-costs.js';

const compile = ruleCompiler(baseEnvironment());

interface Findings {
  readonly errors: readonly string[];
  readonly tolerated: readonly string[];
}

function validate(spec: CustomSchema, value: unknown, old?: unknown): Findings {
  const validator = compile({ type: 'object', properties: { spec } });
  const objectOf = (content: unknown): ApiObject => ({ apiVersion: 'g/v1', kind: 'K', spec: content }) as ApiObject;
  const found = validator?.(objectOf(value), old === undefined ? undefined : objectOf(old));
  return {
    errors: (found?.errors ?? []).map(fieldErrorText).sort(),
    tolerated: (found?.tolerated ?? []).map(fieldErrorText).sort(),
  };
}

const errorsOf = (spec: CustomSchema, value: unknown, old?: unknown): readonly string[] =>
  validate(spec, value, old).errors;

const ruled = (schema: CustomSchema, ...rules: readonly string[]): CustomSchema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});
const integer: CustomSchema = { type: 'integer' };
const string: CustomSchema = { type: 'string' };
const object = (properties: Readonly<Record<string, CustomSchema>>): CustomSchema => ({ type: 'object', properties });

t.test('a schema without rules has no validator', (t) => {
  t.equal(compile({ type: 'object', properties: { spec: integer } }), undefined);
  t.end();
});

t.test('errors print scalars and omit objects and lists', (t) => {
  const schema = object({
    s: ruled(string, "self == 'a'"),
    n: ruled({ type: 'number' }, 'self == 1.0'),
    l: ruled({ type: 'array', items: integer }, 'self.size() == 1'),
    o: ruled(object({ a: integer }), 'self.a == 1'),
    d: ruled({ type: 'string', format: 'date' }, "self == timestamp('2020-01-01T00:00:00Z')"),
    b: ruled({ type: 'string', format: 'byte' }, "self == b'ab'"),
    x: ruled({ 'x-kubernetes-int-or-string': true }, 'self == 1'),
  });
  t.same(errorsOf(schema, { s: 'b', n: 2, l: [], o: { a: 2 }, d: '2021-01-01', b: 'YWM=', x: '1' }), [
    `spec.b: Invalid value: "YWM=": failed rule: self == b'ab'`,
    `spec.d: Invalid value: "2021-01-01": failed rule: self == timestamp('2020-01-01T00:00:00Z')`,
    'spec.l: Invalid value: failed rule: self.size() == 1',
    'spec.n: Invalid value: 2: failed rule: self == 1.0',
    'spec.o: Invalid value: failed rule: self.a == 1',
    `spec.s: Invalid value: "b": failed rule: self == 'a'`,
    'spec.x: Invalid value: "1": failed rule: self == 1',
  ]);
  t.same(errorsOf(schema, { s: 'a', n: 1, l: [1], o: { a: 1 }, d: '2020-01-01', b: 'YWI=', x: 1 }), []);
  t.end();
});

t.test('a rule that fails names the type of the value and the rule', (t) => {
  const schema = object({
    i: ruled(integer, '1/(self - self) == 1'),
    m: ruled({ type: 'object', additionalProperties: string }, "self['zz'] == ''"),
    x: ruled({ 'x-kubernetes-int-or-string': true }, 'self.foo == 1'),
  });
  t.same(errorsOf(schema, { i: 2, m: {}, x: '1' }), [
    'spec.i: Invalid value: "integer": division by zero evaluating rule: 1/(self - self) == 1',
    `spec.m: Invalid value: "object": no such key: zz evaluating rule: self['zz'] == ''`,
    'spec.x: Invalid value: "": no such key: foo evaluating rule: self.foo == 1',
  ]);
  t.end();
});

t.test('names of properties are escaped', (t) => {
  const schema = ruled(
    object({ 'a-b': integer, in: integer, 'c.d': integer, e__f: integer }),
    'self.a__dash__b == 2 && self.__in__ == 3 && self.c__dot__d == 4 && self.e__underscores__f == 5',
  );
  t.same(errorsOf(schema, { 'a-b': 2, in: 3, 'c.d': 4, e__f: 5 }), []);
  t.end();
});

t.test('null values are absent, and rules do not run on them', (t) => {
  const nullable = ruled({ type: 'string', nullable: true }, "self == 'a'");
  t.same(errorsOf(ruled(object({ s: nullable }), '!has(self.s)'), { s: null }), []);
  t.same(errorsOf({ type: 'array', items: nullable }, ['a', null, 'b']), [
    `spec[2]: Invalid value: "b": failed rule: self == 'a'`,
  ]);
  t.end();
});

t.test('sets compare without order and concatenate without duplicates', (t) => {
  const set: CustomSchema = { type: 'array', items: string, 'x-kubernetes-list-type': 'set' };
  const schema = ruled(object({ a: set, b: set }), 'self.a == self.b', '(self.a + self.b).size() == 3');
  t.same(errorsOf(schema, { a: ['1', '2'], b: ['2', '3'] }), ['spec: Invalid value: failed rule: self.a == self.b']);
  t.same(errorsOf(ruled(object({ a: set, b: set }), 'self.a == self.b'), { a: ['1', '2'], b: ['2', '1'] }), []);
  t.end();
});

t.test('transition rules run where the old value is found', (t) => {
  const item = ruled(object({ k: string, v: integer }), 'self.v >= oldSelf.v', 'self.v < 100');
  const list: CustomSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: item,
  };
  const now = [
    { k: 'b', v: 1 },
    { k: 'a', v: 5 },
    { k: 'c', v: 200 },
    { k: 'n', v: 300 },
  ];
  const before = [
    { k: 'a', v: 6 },
    { k: 'b', v: 1 },
    { k: 'c', v: 200 },
  ];
  t.same(validate(object({ l: list }), { l: now }, { l: before }), {
    errors: [
      'spec.l[1]: Invalid value: failed rule: self.v >= oldSelf.v',
      'spec.l[3]: Invalid value: failed rule: self.v < 100',
    ],
    tolerated: ['spec.l[2]: Invalid value: failed rule: self.v < 100'],
  });
  t.same(errorsOf(object({ l: list }), { l: [{ k: 'a', v: 1 }] }), [], 'and not on create');
  t.end();
});

t.test('expressions of messages are trimmed and replaced where they fail', (t) => {
  const messages = [
    { messageExpression: 'string(self.b)', message: 'mm' },
    { messageExpression: 'string(self.b)' },
    { messageExpression: "'a\\nb'", message: 'fallback' },
    { messageExpression: "'  '" },
    { messageExpression: "' x '" },
  ];
  const schema: CustomSchema = {
    ...object({ a: integer, b: integer }),
    'x-kubernetes-validations': messages.map((each) => ({ rule: ' self.a == 1 ', ...each })),
  };
  t.same(errorsOf(schema, { a: 2 }), [
    'spec: Invalid value: failed rule: self.a == 1',
    'spec: Invalid value: failed rule: self.a == 1',
    'spec: Invalid value: fallback',
    'spec: Invalid value: mm',
    'spec: Invalid value: x',
  ]);
  t.end();
});

t.test('a rule that costs too much ends the validation', (t) => {
  const rule = 'self.l.all(x, self.l.all(y, y >= 0))';
  const schema = ruled(object({ l: { type: 'array', items: integer } }), rule, 'false');
  t.same(errorsOf(schema, { l: Array.from({ length: 2000 }, (_, i) => i) }), [
    `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
  ]);
  t.end();
});

t.test('rules of definitions are refused by what they mean and by what they cost', (t) => {
  const check = schemaExpressionCheck(() => []);
  const problems = (schema: CustomSchema, isBounded = true): readonly string[] => {
    const costs = new RuleCosts();
    const path = fieldPath('schema');
    const given = { kind: 'schema', schema, path, stored: new Set<string>(), unchanged: false, costs } as const;
    const valuesMax = isBounded ? 1 : undefined;
    const errors = check({ ...given, isResource: false, valuesMax, uncorrelatable: undefined });
    return [...errors, ...costs.validate(path)].map(fieldErrorText);
  };
  const list = (maxItems: number): CustomSchema => object({ l: { type: 'array', items: integer, maxItems } });
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
  const rule = 'self.l.all(x, x > 1)';
  t.same(problems(ruled(list(1_000_000), rule)), []);
  t.same(problems(ruled(list(3_000_000), rule)), [
    `schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.5x ${advice}`,
  ]);
  t.same(problems(ruled(list(1000), rule), false).length, 3, 'an unbounded number of values counts');
  t.match(problems(ruled(object({ a: integer }), 'self.a')), [
    /"Rule":"self.a".*: cel expression must evaluate to a bool$/,
  ]);
  t.match(problems(ruled(object({ a: integer }), 'self.b == 1')), [
    /compilation failed: ERROR: <input>:1:5: undefined field 'b'/,
  ]);
  t.end();
});
