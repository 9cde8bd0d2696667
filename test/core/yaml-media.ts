// YAML as Kubernetes reads and prints it, and the negotiation of media types. The tables hold answers of Kubernetes
// v1.36 itself.
import t from 'tap';
import {
  allowsObjectTransform,
  isAggregatedDiscovery,
  isStreamable,
  mediaTypes,
  negotiate,
  parseAccept,
  parseMediaType,
} from '../../lib/core/codec/media-type.js';
import { parseYaml, parseYamlDocuments } from '../../lib/core/codec/yaml/parse-yaml.js';
import { printYaml } from '../../lib/core/codec/yaml/print-yaml.js';
import { deepEqual } from '../../lib/core/objects/json.js';
import type { JsonObject, JsonValue } from '../../lib/core/objects/json.js';
import { arbitraryObject, servedKinds } from '../support/arbitrary-object.js';
import { fc, runs } from '../support/properties.js';

const valueOf = async (text: string): Promise<JsonValue> => (await parseYaml(text)).value;
const refused = (message: string | RegExp): { name: string; message: string | RegExp } => ({
  name: 'DecodeError',
  message,
});

t.test('plain words mean what they mean to go-yaml', async (t) => {
  const meanings: readonly (readonly [meaning: JsonValue, ...words: string[]])[] = [
    [true, 'y', 'Y', 'yes', 'On', 'True', 'TRUE', '!!bool yes'],
    [false, 'n', 'N', 'no', 'off', 'False'],
    [null, '~', 'null', 'Null', 'NULL', '', '# only a comment', '!!null ""'],
    [7, '0o7', '07', '0b111', '0B111', '+7', '7.', '0x7', '00_7', '!!int "7"', '!!float 7'],
    [8, '010', '08', '0O10'],
    [1000, '1_000', '1e3', '1E+3', '1__0_00', '1.e3'],
    [-5, '-0b101', '-5', '-0x5', '-5_'],
    [0.5, '.5', '+.5', '5e-1', '0.5'],
    [18446744073709552000, '18446744073709551616'],
  ];
  for (const [meaning, ...words] of meanings) for (const word of words) t.equal(await valueOf(word), meaning, word);
  const strings = [
    '12:30',
    '190:20:30',
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2001-12-14 21:59:43.10',
    '0x',
    '0o',
    '1e',
    '1e999',
    '.5e999',
    '_1',
    '.',
    '..',
    '--',
    'tRUE',
    'nO',
    '<<',
    '=',
    'a:b',
  ];
  for (const word of strings) t.equal(await valueOf(word), word);
  t.equal(await valueOf('!!str 12'), '12');
  t.equal(await valueOf('! 12'), '12');
  t.equal(await valueOf('!mine 12'), '12');
  t.equal(await valueOf("'12'"), '12');
  t.equal(await valueOf('!!binary aGVsbG8='), 'hello');
  t.equal(await valueOf('|\n  12\n'), '12\n');
  t.equal(await valueOf('!!timestamp 2001-01-01'), '2001-01-01');
});

t.test('keys of any type become strings', async (t) => {
  t.strictSame(await valueOf('1: a\n2.5: b\nyes: c\n0x10: d\n1e3: e\n.inf: f\n2026-01-01: g'), {
    1: 'a',
    '2.5': 'b',
    true: 'c',
    16: 'd',
    1000: 'e',
    '.inf': 'f',
    '2026-01-01': 'g',
  });
  t.strictSame(
    await valueOf('100000000.5: x\n1.1: w\n0.00001: z'),
    { '1e+08': 'x', '1.1': 'w', '1e-05': 'z' },
    'floats in single precision',
  );
  await t.rejects(parseYaml('~: d'), refused('unsupported map key of type: %!s(<nil>), key: <nil>, value: "d"'));
  await t.rejects(parseYaml('{[a]: b}'), refused(/^yaml: invalid map key: /));
});

t.test('collections in block and flow style', async (t) => {
  t.strictSame(await valueOf('a:\n- b\n-\n- - c\n  - {d: e, f: , g}\n'), {
    a: ['b', null, ['c', { d: 'e', f: null, g: null }]],
  });
  t.strictSame(await valueOf('- !!set {a}\n- !!omap [b: 1]\n- !!map {c: 1}'), [{ a: null }, [{ b: 1 }], { c: 1 }]);
  t.strictSame(await valueOf('? a\n: b\n? c'), { a: 'b', c: null });
});

t.test('merge keys and aliases are copied out as go-yaml does', async (t) => {
  t.strictSame(await valueOf('a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: {q: 3, <<: *x}'), {
    a: { p: 1, q: 2 },
    b: { p: 1, q: 3 },
    c: { p: 1, q: 2 },
  });
  t.strictSame(await valueOf('a: &x {p: 1}\nb: &y {p: 2, r: 1}\nc: {<<: [*x, *y], z: 1}'), {
    a: { p: 1 },
    b: { p: 2, r: 1 },
    c: { p: 1, r: 1, z: 1 },
  });
  t.strictSame(await valueOf('a: {"<<": 1}'), { a: { '<<': 1 } });
  t.strictSame(
    await valueOf('a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x\n*x : f'),
    { a: 1, b: [1], c: 2, d: [1], e: 2, 2: 'f' },
    'an alias means the anchor before it',
  );
  for (const text of ['a: {<<: 1}', 'a: {<<: [1]}', 'x: &x 1\na: {<<: *x}'])
    await t.rejects(parseYaml(text), refused('yaml: map merge requires map or sequence of maps as the value'));
  await t.rejects(parseYaml('a: *x'), refused("yaml: unknown anchor 'x' referenced"));
  await t.rejects(parseYaml('a: &a {b: *a}'), refused("yaml: anchor 'a' value contains itself"));
  await t.rejects(parseYaml('a: &a {<<: *a}'), refused("yaml: anchor 'a' value contains itself"));
});

t.test('a document that unfolds beyond measure is refused', async (t) => {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const bomb = levels
    .map(
      (name, i) =>
        `${name}: &${name} [${i === 0 ? 'x' : Array.from({ length: 9 }, () => `*${levels[i - 1] ?? ''}`).join(', ')}]`,
    )
    .join('\n');
  await t.rejects(parseYaml(bomb), refused('yaml: document contains excessive aliasing'));
  await t.rejects(parseYaml(`${bomb}\nz: {<<: {k: *i}}`), refused('yaml: document contains excessive aliasing'));
  t.strictSame(
    ((await valueOf(`a: &a [1]\nb: [${'*a, '.repeat(2000)}]`)) as { b: unknown[] }).b.length,
    2000,
    'an honest one is not',
  );
});

t.test('keys that occur twice are reported in the words of Kubernetes, and the last one counts', async (t) => {
  t.strictSame(await parseYaml('a: 1\na: 2'), {
    value: { a: 2 },
    problems: ['yaml: unmarshal errors:\n  line 2: key "a" already set in map'],
  });
  t.strictSame((await parseYaml('a: {b: 1, b: 2}\nc: 1\nc: 2\ntrue: 1\nyes: 2')).problems, [
    'yaml: unmarshal errors:\n  line 1: key "b" already set in map\n  line 3: key "c" already set in map\n  line 5: key true already set in map',
  ]);
  t.strictSame((await parseYaml('a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}')).problems, [
    'yaml: unmarshal errors:\n  line 1: key "q" already set in map',
  ]);
  t.strictSame((await parseYaml('1: a\n"1": b')).problems, []);
  t.strictSame(
    await parseYaml('{"a": {"b": 1,\n"b": 2}}'),
    { value: { a: { b: 2 } }, problems: ['yaml: unmarshal errors:\n  line 2: key "b" already set in map'] },
    'also in JSON',
  );
});

t.test('what is no YAML is refused with the line where it stops being so', async (t) => {
  const faults: readonly (readonly [text: string, message: string | RegExp])[] = [
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a:\n\tb: 1', 'yaml: line 2: found character that cannot start any token'],
    ['\ta: 1', 'yaml: found character that cannot start any token'],
    ['@x', 'yaml: found character that cannot start any token'],
    ['"\\q"', 'yaml: found unknown escape character'],
    ['a: [1', /^yaml: line 1: /],
    ['- a\nb: c', /^yaml: line 2: /],
    ['a: "x', /^yaml: line 1: /],
    ['%FOO\n---\na', 'yaml: found unknown directive name'],
    ['%YAML 1.2\n---\na', 'yaml: found incompatible YAML document'],
    ['a: \x00', 'yaml: control characters are not allowed'],
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['a: -.Inf', 'json: unsupported value: -Inf'],
    ['a: .nan', 'json: unsupported value: NaN'],
    ['!!int abc', 'yaml: cannot decode !!str `abc` as a !!int'],
    ['!!binary "*"', 'yaml: !!binary value contains invalid base64 data'],
  ];
  for (const [text, message] of faults) await t.rejects(parseYaml(text), refused(message), text);
});

t.test('the first document is the body, all of them are a file of manifests', async (t) => {
  t.strictSame(await valueOf('a: 1\n---\nb: ['), { a: 1 }, 'what follows is not looked at');
  t.strictSame(await valueOf('%YAML 1.1\n---\na: 1\n...\n'), { a: 1 });
  t.strictSame(
    (await parseYamlDocuments('# nothing\n---\na: 1\n---\n---\nb: &x 2\n...\n---\nc: 3\n')).map(({ value }) => value),
    [{ a: 1 }, { b: 2 }, { c: 3 }],
  );
  t.strictSame(
    (await parseYamlDocuments(' {"a": 1}\n')).map(({ value }) => value),
    [{ a: 1 }],
  );
  await t.rejects(
    parseYamlDocuments('a: &x 1\n---\nb: *x'),
    refused("yaml: unknown anchor 'x' referenced"),
    'anchors end with their document',
  );
});

t.test('limits are kept before the work is done', async (t) => {
  await t.rejects(
    parseYaml('a: 12345', { lengthMax: 7 }),
    refused('yaml: document of 8 characters exceeds the limit of 7'),
  );
  await t.rejects(
    parseYamlDocuments('a\n---\nb\n---\nc', { documentsMax: 2 }),
    refused('yaml: stream has more than 2 documents'),
  );
  t.strictSame(await valueOf('[[[[1]]]]'), [[[[1]]]]);
  await t.rejects(parseYaml('[[[[1]]]]', { depthMax: 3 }), refused('yaml: exceeded max depth of 3'));
  for (const deep of ['['.repeat(5000), '- '.repeat(5000), '{a: '.repeat(5000), '? '.repeat(5000), '- ? '.repeat(2000)])
    await t.rejects(parseYaml(deep), refused('yaml: exceeded max depth of 200'), deep.slice(0, 8));
});

t.test('a key may have any name, and none reaches a prototype', async (t) => {
  for (const text of [
    '__proto__: {polluted: true}\nconstructor: 1',
    '<<: {__proto__: {polluted: true}}\nconstructor: 1',
  ]) {
    const value = (await valueOf(text)) as JsonObject;
    t.strictSame(Object.keys(value).sort(), ['__proto__', 'constructor']);
    t.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

t.test('no text crashes the parser', async (t) => {
  const pieces = fc.constantFrom(
    'a',
    ': ',
    '- ',
    '\n',
    '  ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '&a',
    '*a',
    '!',
    '!!int ',
    '|',
    '>',
    '#',
    '?',
    '%',
    '---\n',
    '<<: ',
    '\t',
    '\\',
    '0x',
    '\r\n',
    '...',
    'é',
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 25 }).map((all) => all.join('')),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (source) => {
      const outcome = await parseYaml(source).catch((error: unknown) => error);
      return !(outcome instanceof Error) || outcome.name === 'DecodeError';
    }),
    { numRuns: runs(1500) },
  );
  t.pass();
});

t.test('values are printed as kubectl prints them', async (t) => {
  const printed = (value: JsonValue, text: string): unknown => t.equal(printYaml(value), text);
  printed(
    { b: 1, a: { d: [], c: {} }, list: ['x', { k: 'v', j: null }, ['y', 'z']] },
    'a:\n  c: {}\n  d: []\nb: 1\nlist:\n- x\n- j: null\n  k: v\n- - "y"\n  - z\n',
  );
  printed(
    ['', ' a', 'a ', 'true', '1', '~', '12:30', '2026-01-01', '2026-13-01'],
    '- ""\n- \' a\'\n- \'a \'\n- "true"\n- "1"\n- "~"\n- "12:30"\n- "2026-01-01"\n- 2026-13-01\n',
  );
  printed(
    ['# a', 'a #b', 'a#b', 'a: b', 'a:b', '- a', '-a', "it's", "'", '---', 'a\tb', 'é', '🎈', '<<'],
    "- '# a'\n- 'a #b'\n- a#b\n- 'a: b'\n- a:b\n- '- a'\n- -a\n- it's\n- ''''\n- '---'\n- \"a\\tb\"\n- é\n- \"\\U0001F388\"\n- \"<<\"\n",
  );
  printed(
    { one: 'a\nb', two: 'a\nb\n', three: 'a\n\n', four: ' a\nb', five: 'a \nb', six: '\n' },
    'five: "a \\nb"\nfour: |2-\n   a\n  b\none: |-\n  a\n  b\nsix: |2+\n\nthree: |+\n  a\n\ntwo: |\n  a\n  b\n',
  );
  printed(
    { item10: 1, item2: 1, item02: 1, _a: 1, Z: 1, a: 1, '1': 1 },
    '_a: 1\n"1": 1\nZ: 1\na: 1\nitem2: 1\nitem02: 1\nitem10: 1\n',
  );
  printed(
    [0, -1, 1.5, 1e20, 1e21, 1234567.5, 0.00001, 9007199254740991, -0],
    '- 0\n- -1\n- 1.5\n- 1e+20\n- 1e+21\n- 1.2345675e+06\n- 1e-05\n- 9007199254740991\n- 0\n',
  );
  printed({ text: `${'word '.repeat(30)}end` }, `text: ${'word '.repeat(15)}word\n  ${'word '.repeat(14)}end\n`);
  printed(
    { ['k'.repeat(129)]: { a: 1 }, ['two\nlines']: [1] },
    `? ${'k'.repeat(129)}\n: a: 1\n? |-\n  two\n  lines\n: - 1\n`,
  );
  printed(null, 'null\n');
  t.throws(() => printYaml(JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as JsonValue), RangeError);
});

t.test('every served kind survives the way to YAML and back', async (t) => {
  for (const { apiVersion, kind, type } of servedKinds()) {
    await fc.assert(
      fc.asyncProperty(arbitraryObject(type, { typeMeta: { apiVersion, kind } }), async (object) => {
        const yaml = await parseYaml(printYaml(object));
        const json = await parseYaml(JSON.stringify(object));
        return deepEqual(yaml, { value: object, problems: [] }) && deepEqual(json, yaml);
      }),
      { numRuns: runs(3) },
    );
  }
  t.pass();
});

t.test('every JSON value survives the way to YAML and back', async (t) => {
  const word = fc.constantFrom(
    'a',
    'the',
    '- ',
    '# ',
    ': ',
    'true',
    '12',
    '~',
    '  ',
    '\n',
    ' \n',
    '"',
    "'",
    '\\',
    '\t',
    'é',
    '🎈',
    '{',
    '[',
    '&x',
    '*y',
    '!z',
    '|',
    '%',
    '?',
    '---',
    '<<',
    'long-long-long-long-long-long-word',
    '\u2028',
    '\ufeff',
    '\r',
    '\0',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 6 }).map((all) => all.join('')),
    fc.array(word, { maxLength: 40 }).map((all) => all.join(' ')),
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      text,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (any) => deepEqual(await valueOf(printYaml(any)), any)),
    { numRuns: runs(500) },
  );
  t.pass();
});

t.test('a content type is read as RFC 9110 writes it', async (t) => {
  const read = (header: string): unknown => {
    const parsed = parseMediaType(header);
    return parsed && [parsed.name, Object.fromEntries(parsed.parameters)];
  };
  t.strictSame(read('application/json'), ['application/json', {}]);
  t.strictSame(read(' Application/JSON ; Charset=UTF-8 ;'), ['application/json', { charset: 'UTF-8' }]);
  t.strictSame(read('a/b; x="q;,\\"\\\\"'), ['a/b', { x: 'q;,"\\' }]);
  for (const wrong of ['', 'json', 'a/b/c', 'a b/c', 'a/b; x', 'a/b; x=1; x=2', 'a/b; x="1', 'a/b; =1', 'a/b; x=1 2'])
    t.equal(read(wrong), undefined, wrong);
});

const objects = { mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf], allows: allowsObjectTransform };

t.test('the form of an answer is chosen as Kubernetes chooses it', async (t) => {
  const chosen = (accept: string | undefined): unknown => {
    const { mediaType, transform, stream, pretty } = negotiate(accept, objects) ?? {};
    return [
      mediaType,
      transform && `${transform.group}/${transform.version} ${transform.kind}`,
      stream,
      pretty === true ? 'pretty' : undefined,
    ]
      .filter((each) => each !== undefined)
      .join(' ');
  };
  const table: readonly (readonly [accept: string | undefined, answer: string])[] = [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['*', 'application/json'],
    ['application/*;q=0.2', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/vnd.kubernetes.protobuf'],
    ['application/json;q=0.5, application/yaml;q=0.9', 'application/yaml'],
    ['application/json;q=0, text/html', 'application/json'],
    ['*/*, application/yaml;q=0.1', 'application/yaml'],
    ['text/html', ''],
    ['nonsense', ''],
    [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      'application/json meta.k8s.io/v1 Table',
    ],
    ['application/json;as=Table;v=v2;g=meta.k8s.io, application/json', 'application/json'],
    ['application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1', ''],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'application/vnd.kubernetes.protobuf meta.k8s.io/v1 PartialObjectMetadata',
    ],
    [
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json meta.k8s.io/v1 PartialObjectMetadataList',
    ],
    ['application/json;as=Table', ''],
    ['application/json;stream=watch', 'application/json watch'],
    ['application/yaml;stream=watch', ''],
    ['application/json;stream=other', ''],
    ['application/json;pretty=1', 'application/json pretty'],
    ['application/json;profile=nopeer;charset=utf-8;sv=v1', 'application/json'],
    ['application/json;sv=v2', ''],
  ];
  for (const [accept, answer] of table) t.equal(chosen(accept), answer, accept ?? 'no header');
  t.equal(negotiate('', { ...objects, mediaTypes: [] }), undefined);
  t.strictSame(objects.mediaTypes.map(isStreamable), [true, false, true]);
});

t.test('aggregated discovery is for those who name it', async (t) => {
  const offer = {
    mediaTypes: [mediaTypes.json],
    allows: (_: string, transform: Parameters<typeof isAggregatedDiscovery>[0]) => isAggregatedDiscovery(transform),
  };
  t.match(
    negotiate(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,application/json',
      offer,
    ),
    { mediaType: 'application/json', transform: { version: 'v2' } },
  );
  t.equal(negotiate('application/json', offer), undefined);
  t.equal(negotiate('application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList', offer), undefined);
});

t.test('no header crashes the negotiation, and a long one is cut', async (t) => {
  const piece = fc.constantFrom(
    'application/json',
    '*/*',
    ';',
    ',',
    'q=0.5',
    '"',
    '\\',
    '=',
    ' ',
    'as=Table',
    'a',
    '/',
  );
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(header, (text) => [parseMediaType(text), parseAccept(text), negotiate(text, objects)].length === 3),
    { numRuns: runs(1000) },
  );
  t.ok(parseAccept('a/b,'.repeat(1_000_000)).length <= 64);
});
