// Label selectors as text and as objects, and field selectors: what they match, how they print, what they refuse.
// The messages are those of Kubernetes v1.36, to the letter.
import t from 'tap';
import { deepEqual, isDeepFrozen } from '../../lib/core/objects/json.js';
import {
  escapeFieldValue,
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
  requiresExact,
  transformFieldSelector,
} from '../../lib/core/objects/field-selector.js';
import type { FieldSelector } from '../../lib/core/objects/field-selector.js';
import { labelRequirement } from '../../lib/core/objects/label-requirement.js';
import type { LabelOperator } from '../../lib/core/objects/label-requirement.js';
import {
  everything,
  exactMatches,
  matchesLabels,
  nothing,
  parseLabelSelector,
  printLabelSelector,
  selectorFromLabels,
  selectorOf,
} from '../../lib/core/objects/label-selector.js';
import { ParseError } from '../../lib/core/objects/parse-error.js';
import { selectorLengthMax, selectorTermsMax } from '../../lib/core/objects/selector-bounds.js';
import { selectorFromStructured } from '../../lib/core/objects/structured-selector.js';
import type { LabelSelector } from '../../lib/core/types/meta-v1.generated.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const nameSyntax =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueSyntax =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const prefixSyntax =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const notAnInteger = "for 'Gt', 'Lt' operators, the value must be an integer";
const operators = 'in, notin, =, ==, !=, gt, lt';

/** The message a call refuses with, or undefined. Anything but a ParseError is a defect. */
function refusal(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return error.message;
  }
}

t.test('label selectors print in one canonical form', async (t) => {
  // Text, canonical text if different, and whether labels {a: b} match.
  const table: [text: string, printed: string, matches: boolean][] = [
    ['', '', true],
    ['a', 'a', true],
    ['!a', '!a', false],
    ['a=b', 'a=b', true],
    ['a==b', 'a==b', true],
    ['a!=b', 'a!=b', false],
    ['b!=b', 'b!=b', true],
    ['a=', 'a=', false],
    ['a =', 'a=', false],
    ['a=,b', 'a=,b', false],
    ['a = ,b', 'a=,b', false],
    ['a!=', 'a!=', true],
    ['a in (b)', 'a in (b)', true],
    ['a in(b)', 'a in (b)', true],
    ['a in (b,c,a,b)', 'a in (a,b,c)', true],
    ['a in ()', 'a in ()', false],
    ['a in (,)', 'a in ()', false],
    ['a in (b,)', 'a in (,b)', true],
    ['a in (b,,c)', 'a in (,b,c)', true],
    ['a notin (c,b)', 'a notin (b,c)', false],
    ['a notin ()', 'a notin ()', true],
    ['c notin (b)', 'c notin (b)', true],
    ['a > 5', 'a>5', false],
    ['a<05', 'a<05', false],
    ['in', 'in', false],
    ['in in (in)', 'in in (in)', false],
    ['notin notin (notin,in)', 'notin notin (in,notin)', true],
    ['in=notin', 'in=notin', false],
    ['!in,!notin', '!in,!notin', true],
    ['\ta\r\n=\nb ', 'a=b', true],
    ['b!=1,a=b', 'a=b,b!=1', true],
    ['a=b,a!=c,a', 'a=b,a!=c,a', true],
    ['x.io/a=b', 'x.io/a=b', false],
    ['a..b=c', 'a..b=c', false],
    ['\0', '', true],
    ['a,\0b', 'a,b', false],
    ['a in (b\0)', 'a in (b)', true],
  ];
  for (const [text, printed, matches] of table) {
    const selector = parseLabelSelector(text);
    t.equal(printLabelSelector(selector), printed, JSON.stringify(text));
    t.equal(matchesLabels(selector, { a: 'b' }), matches, `${JSON.stringify(text)} matches`);
    t.equal(isDeepFrozen(selector), true);
  }
});

t.test('label selectors are refused in the words of Kubernetes', async (t) => {
  const found = (token: string, expected: string): string => `found '${token}', expected: ${expected}`;
  const table: [text: string, message: string][] = [
    // Between requirements.
    ['=b', found('=', "!, identifier, or 'end of string'")],
    ['==b', found('==', "!, identifier, or 'end of string'")],
    ['!=b', found('!=', "!, identifier, or 'end of string'")],
    [',', found(',', "!, identifier, or 'end of string'")],
    ['(a)', found('(', "!, identifier, or 'end of string'")],
    ['a,', found('', "identifier after ','")],
    ['a,,b', found(',', "identifier after ','")],
    ['a=b c', found('c', "',' or 'end of string'")],
    ['a=b=c', found('=', "',' or 'end of string'")],
    ['a in (b))', found(')', "',' or 'end of string'")],
    ['a in (b)c', found('c', "',' or 'end of string'")],
    ['a=in in', found('in', "',' or 'end of string'")],
    ['!a=b', found('=', "',' or 'end of string'")],
    ['!a in (b)', found('in', "',' or 'end of string'")],
    ['!in (a)', found('(', "',' or 'end of string'")],
    ['a=b\0c', found('c', "',' or 'end of string'")],
    // Within one.
    ['!', `unable to parse requirement: ${found('', 'identifier')}`],
    ['!!a', `unable to parse requirement: ${found('!', 'identifier')}`],
    ['!,', `unable to parse requirement: ${found(',', 'identifier')}`],
    ['a===b', `unable to parse requirement: ${found('=', 'identifier')}`],
    ['a=(', `unable to parse requirement: ${found('(', 'identifier')}`],
    ['a=>5', `unable to parse requirement: ${found('>', 'identifier')}`],
    ['a b', `unable to parse requirement: ${found('b', operators)}`],
    ['a gt 5', `unable to parse requirement: ${found('gt', operators)}`],
    ['a!', `unable to parse requirement: ${found('!', operators)}`],
    ['a(', `unable to parse requirement: ${found('(', operators)}`],
    ['in (a)', `unable to parse requirement: ${found('(', operators)}`],
    ['a=b,c d', `unable to parse requirement: ${found('d', operators)}`],
    ['a\0b', `unable to parse requirement: ${found('b', operators)}`],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a notin ,b', "unable to parse requirement: found ',' expected: '('"],
    ['a in (', `unable to parse requirement: ${found('', "',', ')' or identifier")}`],
    ['a in ((b)', `unable to parse requirement: ${found('(', "',', ')' or identifier")}`],
    ['a in (=)', `unable to parse requirement: ${found('=', "',', ')' or identifier")}`],
    ['a in (b', `unable to parse requirement: ${found('', "',' or ')'")}`],
    ['a in (b c)', `unable to parse requirement: ${found('c', "',' or ')'")}`],
    ['a in (b,', `unable to parse requirement: ${found('', "',', or identifier")}`],
    ['a in (,=)', `unable to parse requirement: ${found('=', "',', or identifier")}`],
    // Keys and values.
    ['_a=b', `unable to parse requirement: <nil>: Invalid value: "_a": name part ${nameSyntax}`],
    [
      'a/=b',
      `unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; name part ${nameSyntax}`,
    ],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    ['A/b', `unable to parse requirement: <nil>: Invalid value: "A/b": ${prefixSyntax}`],
    [
      'a/b/c',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${nameSyntax} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    [
      'x'.repeat(64),
      `unable to parse requirement: <nil>: Invalid value: "${'x'.repeat(64)}": name part must be no more than 63 bytes`,
    ],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
    ['a=-b', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${valueSyntax}`],
    ['a="b"', `unable to parse requirement: values[0][a]: Invalid value: "\\"b\\"": ${valueSyntax}`],
    ['a=\x01', `unable to parse requirement: values[0][a]: Invalid value: "\\x01": ${valueSyntax}`],
    ['a=\u00a0b', `unable to parse requirement: values[0][a]: Invalid value: "\\u00a0b": ${valueSyntax}`],
    ['a=😀', `unable to parse requirement: values[0][a]: Invalid value: "😀": ${valueSyntax}`],
    [
      'a in (é,-x,ok)',
      `unable to parse requirement: [values[0][a]: Invalid value: "-x": ${valueSyntax}, values[2][a]: Invalid value: "é": ${valueSyntax}]`,
    ],
    ['a>', `unable to parse requirement: values[0]: Invalid value: "": ${notAnInteger}`],
    ['a<1.5', `unable to parse requirement: values[0]: Invalid value: "1.5": ${notAnInteger}`],
    [
      'a>9223372036854775808',
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ${notAnInteger}`,
    ],
    ['a>-5', `unable to parse requirement: values[0][a]: Invalid value: "-5": ${valueSyntax}`],
    [
      'a>-x',
      `unable to parse requirement: [values[0]: Invalid value: "-x": ${notAnInteger}, values[0][a]: Invalid value: "-x": ${valueSyntax}]`,
    ],
  ];
  for (const [text, message] of table)
    t.equal(
      refusal(() => parseLabelSelector(text)),
      message,
      JSON.stringify(text),
    );
});

t.test('requirements made in code are checked as parsed ones are', async (t) => {
  const values = 'values: Invalid value:';
  t.equal(
    refusal(() => labelRequirement('a', '=', ['b', 'c'])),
    `${values} ["b","c"]: exact-match compatibility requires one single value`,
  );
  t.equal(
    refusal(() => labelRequirement('a', 'gt')),
    `${values} null: for 'Gt', 'Lt' operators, exactly one value is required`,
  );
  t.strictSame(labelRequirement('a', 'in', ['c', 'b']), { key: 'a', operator: 'in', values: ['b', 'c'] });
});

/** One term as the properties below see it: values of `in` in any order, with repetitions. */
interface Term {
  key: string;
  operator: LabelOperator;
  values: string[];
}

// Names that are keywords here or lent by Object.prototype there.
const labelKeys = fc.constantFrom('a', 'b', 'in', 'notin', 'constructor', 'toString', 'valueOf', 'x.io/a', 'A_b.c-d');
const labelValues = fc.oneof(
  fc.constantFrom('', 'b', 'in', 'notin', '5', '05', '7', '-3', '+6', 'constructor', '9223372036854775807'),
  fc.stringMatching(/^[a-z0-9]{1,3}$/),
);
const validValues = labelValues.filter((value) => !/^[+-]/.test(value));
const integers = fc.constantFrom('5', '006', '0', '9223372036854775807', '00000000000000000000000005');
const terms: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ key: labelKeys, operator: fc.constantFrom('exists', '!'), values: fc.constant<string[]>([]) }),
  fc.record({
    key: labelKeys,
    operator: fc.constantFrom('=', '==', '!='),
    values: validValues.map((value) => [value]),
  }),
  fc.record({ key: labelKeys, operator: fc.constantFrom('gt', 'lt'), values: integers.map((value) => [value]) }),
  fc.record({
    key: labelKeys,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.array(validValues, { minLength: 1, maxLength: 14 }),
  }),
);
const labelSets = fc.option(
  fc
    .array(fc.tuple(fc.oneof(labelKeys, fc.constant('__proto__')), labelValues), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
  { nil: undefined },
);
const blanks = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

function write({ key, operator, values }: Term, blank: string): string {
  const symbol = { gt: '>', lt: '<' }[operator as string] ?? operator;
  if (operator === 'exists') return `${blank}${key}${blank}`;
  if (operator === '!') return `${blank}!${blank}${key}${blank}`;
  if (operator === 'in' || operator === 'notin') {
    return `${blank}${key} ${operator}${blank}(${blank}${values.join(`${blank},${blank}`)}${blank})`;
  }
  return `${blank}${key}${blank}${symbol}${blank}${values.join()}${blank}`;
}

/** What a term means, from its definition. */
function holds({ key, operator, values }: Term, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(key);
  if (operator === '!') return value === undefined;
  if (operator === '!=' || operator === 'notin') return value === undefined || !new Set(values).has(value);
  if (value === undefined) return false;
  if (operator === 'exists') return true;
  if (operator !== 'gt' && operator !== 'lt') return new Set(values).has(value);
  if (!/^[+-]?\d+$/.test(value)) return false;
  const difference = BigInt(value.replace('+', '')) - BigInt(values.join());
  return operator === 'gt' ? difference > 0n : difference < 0n;
}

t.test('a selector matches what its terms mean, and its text parses to itself', async (t) => {
  let matched = 0;
  fc.assert(
    fc.property(fc.array(terms, { maxLength: 4 }), labelSets, blanks, (written, labels, blank) => {
      const selector = parseLabelSelector(written.map((term) => write(term, blank)).join(','));
      const present = new Map(Object.entries(labels ?? {}));
      const expected = written.every((term) => holds(term, present));
      if (matchesLabels(selector, labels) !== expected) throw new Error('matches otherwise');
      if (expected && written.length > 0) matched++;

      const again = parseLabelSelector(printLabelSelector(selector));
      if (JSON.stringify(again) !== JSON.stringify(selector)) throw new Error(`prints ${printLabelSelector(selector)}`);
      const inCode = selectorOf(written.map(({ key, operator, values }) => labelRequirement(key, operator, values)));
      if (matchesLabels(inCode, labels) !== expected) throw new Error('made in code, matches otherwise');

      for (const [key, value] of exactMatches(selector)) {
        if (expected && present.get(key) !== value) throw new Error(`${key}=${value} is not required`);
      }
    }),
    { numRuns: runs(3000) },
  );
  t.ok(matched >= seenAtLeast(200), 'both answers were seen often');
});

t.test('any text is either a selector or refused', async () => {
  const tokens = ['a', 'in', 'notin', '(', ')', ',', '=', '!', '>', '<', ' ', '5', '\0', 'é', '/', '_'];
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...tokens), { maxLength: 12 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      refusal(() => {
        const selector = parseLabelSelector(text);
        const again = parseLabelSelector(printLabelSelector(selector));
        if (JSON.stringify(again) !== JSON.stringify(selector)) throw new Error('does not print as itself');
      });
    }),
    { numRuns: runs(2000) },
  );
});

t.test('integers are compared as 64-bit integers, and what is none does not match', async (t) => {
  const above = parseLabelSelector('a>5');
  const below = parseLabelSelector('a<9223372036854775807');
  const table: [value: string, above: boolean, below: boolean][] = [
    ['5', false, true],
    ['6', true, true],
    ['+6', true, true],
    ['-6', false, true],
    ['9223372036854775806', true, true],
    ['9223372036854775807', true, false],
    ['9223372036854775808', false, false],
    ['-9223372036854775808', false, true],
    ['-9223372036854775809', false, false],
    [`${'0'.repeat(100_000)}6`, true, true],
    ['6'.repeat(100_000), false, false],
    ['6.0', false, false],
    ['1e3', false, false],
    ['0x10', false, false],
    ['1_0', false, false],
    [' 6', false, false],
    ['', false, false],
  ];
  for (const [value, isAbove, isBelow] of table) {
    t.equal(matchesLabels(above, { a: value }), isAbove, `${value.slice(0, 30)} > 5`);
    t.equal(matchesLabels(below, { a: value }), isBelow, `${value.slice(0, 30)} < max`);
  }
});

t.test('everything and nothing', async (t) => {
  for (const labels of [undefined, {}, { a: 'b' }]) {
    t.equal(matchesLabels(everything, labels), true);
    t.equal(matchesLabels(nothing, labels), false);
  }
  t.equal(parseLabelSelector(' '), everything);
  t.equal(printLabelSelector(nothing), '');
  t.equal(exactMatches(nothing).size, 0);
});

t.test('only own labels count', async (t) => {
  const inherited = Object.create({ a: 'b' }) as Record<string, string>;
  for (const text of ['a', 'a=b', 'a in (b,c)', 'constructor', 'toString=x', 'a>0']) {
    t.equal(matchesLabels(parseLabelSelector(text), inherited), false, text);
  }
  for (const text of ['!a', 'a!=b', '!constructor', 'toString notin (x)']) {
    t.equal(matchesLabels(parseLabelSelector(text), inherited), true, text);
  }
  const hostile = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
  const selector = selectorFromLabels(hostile);
  t.equal(printLabelSelector(selector), '__proto__=x,constructor=y');
  t.equal(matchesLabels(selector, hostile), true);
  t.equal(matchesLabels(selector, {}), false);
  t.equal(matchesLabels(selectorFromLabels(undefined), {}), true);
});

t.test('a selector returns the labels that a match must have, for an index', async (t) => {
  const exact = exactMatches(parseLabelSelector('a=1,a=2,b==3,c in (4),d in (5,6),e!=7,f,!g,h>8,constructor=9'));
  t.strictSame(
    [...exact],
    [
      ['a', '1'],
      ['b', '3'],
      ['c', '4'],
      ['constructor', '9'],
    ],
  );
});

t.test('selectors in objects become the same selectors', async (t) => {
  t.equal(selectorFromStructured(null), nothing);
  t.equal(selectorFromStructured(undefined), nothing);
  for (const empty of [{}, { matchLabels: {} }, { matchExpressions: [] }]) {
    t.equal(selectorFromStructured(empty), everything);
  }
  const accepted: [selector: LabelSelector, printed: string][] = [
    [{ matchLabels: { b: '1', a: '2' } }, 'a=2,b=1'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'a', 'b'] }] }, 'a in (a,b,b)'],
    [
      { matchLabels: { b: 'b' }, matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
      'a notin (b),b=b',
    ],
    [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a=b,a'],
    [
      {
        matchExpressions: [
          { key: 'z', operator: 'Exists' },
          { key: 'a', operator: 'DoesNotExist' },
        ],
      },
      '!a,z',
    ],
    [{ matchLabels: { constructor: 'x' } }, 'constructor=x'],
  ];
  for (const [selector, printed] of accepted) {
    t.equal(printLabelSelector(selectorFromStructured(selector)), printed);
    t.equal(isDeepFrozen(selectorFromStructured(selector)), true);
  }
});

t.test('selectors in objects are refused in the words of Kubernetes', async (t) => {
  const table: [json: string, message: string][] = [
    ['{"key":"a","operator":"Foo"}', '"Foo" is not a valid label selector operator'],
    ['{"key":"a","operator":"in","values":["b"]}', '"in" is not a valid label selector operator'],
    ['{"key":"a","operator":"Gt","values":["5"]}', '"Gt" is not a valid label selector operator'],
    ['{"key":"a","operator":"F\\"o"}', '"F\\"o" is not a valid label selector operator'],
    ['{"key":"a","operator":"toString"}', '"toString" is not a valid label selector operator'],
    ['{"key":"a"}', '"" is not a valid label selector operator'],
    [
      '{"key":"a","operator":"In"}',
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      '{"key":"a","operator":"NotIn","values":[]}',
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      '{"key":"a","operator":"Exists","values":["x"]}',
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [
      '{"key":"a","operator":"DoesNotExist","values":["<","y"]}',
      `[values: Invalid value: ["\\u003c","y"]: values set must be empty for exists and does not exist, values[0][a]: Invalid value: "<": ${valueSyntax}]`,
    ],
    ['{"key":"","operator":"Exists"}', `key: Invalid value: "": name part must be non-empty; name part ${nameSyntax}`],
    [
      '{"key":"-a","operator":"In","values":["_c","ok","-b"]}',
      `[key: Invalid value: "-a": name part ${nameSyntax}, values[0][-a]: Invalid value: "_c": ${valueSyntax}, values[2][-a]: Invalid value: "-b": ${valueSyntax}]`,
    ],
  ];
  for (const [json, message] of table) {
    const selector = JSON.parse(`{"matchExpressions":[${json}]}`) as LabelSelector;
    t.equal(
      refusal(() => selectorFromStructured(selector)),
      message,
      json,
    );
  }
  const badLabels = (json: string) =>
    refusal(() => selectorFromStructured({ matchLabels: JSON.parse(json) as Record<string, string> }));
  t.equal(badLabels('{"z":"-","a":"_"}'), `values[0][a]: Invalid value: "_": ${valueSyntax}`, 'the first key in order');
  t.equal(badLabels('{"__proto__":"x"}'), `key: Invalid value: "__proto__": name part ${nameSyntax}`);
});

t.test('field selectors print in one canonical form', async (t) => {
  // Text, canonical text, and whether an object with a=b matches.
  const table: [text: string, printed: string, matches: boolean][] = [
    ['', '', true],
    ['a=b', 'a=b', true],
    ['a==b', 'a=b', true],
    ['a!=b', 'a!=b', false],
    ['a=', 'a=', false],
    ['c=', 'c=', true],
    ['c!=', 'c!=', false],
    ['=b', '=b', false],
    ['==b', '=b', false],
    ['=', '', true],
    ['==', '', true],
    ['!=', '', true],
    ['a=b,=', 'a=b', true],
    [',,a=b,', 'a=b', true],
    ['c=d,a=b', 'a=b,c=d', false],
    ['a=b,a!=b', 'a!=b,a=b', false],
    ['a=b, c=', ' c=,a=b', true],
    ['a=b\\,c', 'a=b\\,c', false],
    ['a=b\\=c', 'a=b\\=c', false],
    ['a=b\\\\,c=', 'a=b\\\\,c=', false],
    ['a\\,b=c', 'a\\,b=c', false],
    ['a\\=b', 'a\\=b', false],
    ['a!b=c', 'a!b=c', false],
    ['a=!b', 'a=!b', false],
    ['__proto__=x', '__proto__=x', false],
  ];
  for (const [text, printed, matches] of table) {
    const selector = parseFieldSelector(text);
    t.equal(printFieldSelector(selector), printed, text);
    t.equal(
      matchesFields(selector, (field) => (field === 'a' ? 'b' : undefined)),
      matches,
      `${text} matches`,
    );
    t.equal(isDeepFrozen(selector), true);
  }
});

t.test('field selectors are refused in the words of Kubernetes', async (t) => {
  const table: [text: string, message: string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a>b', "invalid selector: 'a>b'; can't understand 'a>b'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['z,y', "invalid selector: 'z,y'; can't understand 'y'"],
    ['z=1=2,a', "invalid selector: 'z=1=2,a'; can't understand 'a'"],
    ['\\', "invalid selector: '\\'; can't understand '\\'"],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a!==b', 'invalid field selector: unescaped character in value: 61'],
    ['b=1=2,a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ];
  for (const [text, message] of table)
    t.equal(
      refusal(() => parseFieldSelector(text)),
      message,
      text,
    );
});

t.test('any value survives being written into a field selector', async () => {
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('\\', ',', '=', '!', 'a')).map((parts) => parts.join('')),
  );
  const operator = fc.constantFrom('=', '==', '!=');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b.c', 'd'), operator, values), { maxLength: 4 }), (written) => {
      const text = written.map(([field, symbol, value]) => `${field}${symbol}${escapeFieldValue(value)}`).join(',');
      const selector = parseFieldSelector(text);
      const expected = written
        .map(([field, symbol, value]) => `${field} ${symbol === '!=' ? '!=' : '='} ${value}`)
        .sort();
      const read = ({ requirements }: FieldSelector): string[] =>
        requirements.map((term) => `${term.field} ${term.operator} ${term.value}`).sort();
      // `==` may sort differently from the `=` it is printed as, so only the terms are the same, not their order.
      if (!deepEqual(read(selector), expected)) throw new Error(`read as ${read(selector).join()}`);
      if (!deepEqual(read(parseFieldSelector(printFieldSelector(selector))), expected))
        throw new Error('prints otherwise');
    }),
    { numRuns: runs(1000) },
  );
});

t.test('a kind renames, drops or refuses fields', async (t) => {
  const selector = parseFieldSelector('spec.host=n1,metadata.name!=a,unused=');
  const renamed = transformFieldSelector(selector, (field, value) => {
    if (field === 'unused') return { field: '', value: '' };
    return { field: field === 'spec.host' ? 'spec.nodeName' : field, value };
  });
  t.equal(printFieldSelector(renamed), 'metadata.name!=a,spec.nodeName=n1');
  t.equal(requiresExact(renamed, 'spec.nodeName'), 'n1');
  t.equal(requiresExact(renamed, 'spec.host'), undefined);
  t.equal(requiresExact(renamed, 'metadata.name'), undefined, 'an inequality requires no value');
  t.equal(requiresExact(parseFieldSelector('a='), 'a'), '', 'the empty value is a value');
  const unsupported = new ParseError('field label not supported: spec.host');
  t.throws(
    () =>
      transformFieldSelector(selector, (field, value) => {
        if (field === 'spec.host') throw unsupported;
        return { field, value };
      }),
    unsupported,
  );
});

t.test('selectors are bounded', async (t) => {
  const tooLong = `selector too long: may not be more than ${selectorLengthMax} characters`;
  const tooMany = `selector too long: may not have more than ${selectorTermsMax} terms`;
  const longText = `a in (${'b,'.repeat(selectorLengthMax / 2)})`;
  t.equal(
    refusal(() => parseLabelSelector(longText)),
    tooLong,
  );
  t.equal(
    refusal(() => parseFieldSelector(`a=${'b'.repeat(selectorLengthMax)}`)),
    tooLong,
  );
  t.equal(
    refusal(() =>
      parseLabelSelector(
        Array(selectorTermsMax + 1)
          .fill('a')
          .join(),
      ),
    ),
    tooMany,
  );
  t.equal(
    refusal(() =>
      parseFieldSelector(
        Array(selectorTermsMax + 1)
          .fill('a=b')
          .join(),
      ),
    ),
    tooMany,
  );
  const labels = Object.fromEntries(Array.from({ length: selectorTermsMax + 1 }, (_, index) => [`k${index}`, 'v']));
  t.equal(
    refusal(() => selectorFromStructured({ matchLabels: labels })),
    tooMany,
  );
  t.equal(parseLabelSelector(Array(selectorTermsMax).fill('a').join()).requirements.length, selectorTermsMax);
  const values = Array.from({ length: 9000 }, (_, index) => `v${index}`);
  const wide = parseLabelSelector(`a in (${values.join()})`);
  t.ok(values.every((value) => matchesLabels(wide, { a: value })));
  t.notOk(matchesLabels(wide, { a: 'v9000' }));
  t.notOk(matchesLabels(wide, { a: 'zz' }));
});
