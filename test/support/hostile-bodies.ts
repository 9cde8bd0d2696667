// Bodies that no honest client sends: objects of any kind, well formed at first, then bent as text or as bytes. Bending
// text rather than values makes what values cannot be: keys twice, numbers beyond any range, halves of characters.
import { encodeObject } from '../../lib/core/codec/protobuf/envelope.js';
import { printYaml } from '../../lib/core/codec/yaml/print-yaml.js';
import type { JsonObject, JsonValue } from '../../lib/core/objects/json.js';
import type { Field, Shape, StructType } from '../../lib/core/schema/type.js';
import type { Random } from '../../lib/core/time/random.js';

const utf8 = new TextEncoder();

/** What a field may be filled with that is no honest value of any type. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '/',
  '%',
  '%00',
  '\u0000',
  '\uFFFD',
  '\u202E',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '-1',
  '0',
  '00',
  '1e3',
  '9'.repeat(40),
  '18446744073709551616',
  '9223372036854775807',
  'NaN',
  'Infinity',
  'null',
  'true',
  'a'.repeat(64),
  'a'.repeat(254),
  'a.'.repeat(130),
  'A_b',
  '-a',
  'a-',
  'é',
  '😀',
  '\n',
  'a\tb',
  '*',
  '$(PATH)',
  '${HOME}',
  '{{.}}',
  '0.0.0.0',
  '::',
  '1.2.3.4/33',
  '300.1.1.1',
  'http://[',
  'file:///etc/passwd',
  '1970-01-01T00:00:00Z',
  '9999-99-99T99:99:99Z',
  '1Ei',
  '1e999',
  '-1m',
  '0.0000000000000000000001',
  '(a+)+$',
  '((((((((((a))))))))))',
];

/** Members for the front of any JSON object. */
const hostileMembers: readonly string[] = [
  '"__proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"":""',
  '"\\u0000":1',
  '"$patch":"replace"',
  '"$patch":"delete"',
  '"$patch":"nonsense"',
  '"$retainKeys":["a"]',
  '"$retainKeys":3',
  '"name":1',
  '"name":null',
  '"kind":"Nonsense"',
  '"apiVersion":"v9"',
  '"apiVersion":"a/b/c"',
  '"metadata":null',
  '"metadata":[]',
  '"metadata":{"name":"a","name":"b"}',
  '"spec":null',
  '"status":[]',
  '"$setElementOrder/containers":[{"name":"zz"}]',
  '"$deleteFromPrimitiveList/finalizers":["x"]',
  '"toString":null',
  '"finalizers":["x","x"]',
  '"ownerReferences":[{"uid":""}]',
  '"managedFields":[{"fieldsV1":{"f:a":{}}}]',
  '"resourceVersion":"abc"',
  '"uid":"u"',
  '"generateName":"' + 'g'.repeat(300) + '"',
  '"deletionTimestamp":"2026-01-01T00:00:00Z"',
];

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Values for the place of any other. */
const hostileValues: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '2147483648',
  '-2147483649',
  '9223372036854775808',
  '1' + '0'.repeat(400),
  'NaN',
  'Infinity',
  '0x10',
  '01',
  '1.',
  '""',
  '"\\ud800"',
  '"\\x"',
  '"\u0001"',
  "'a'",
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[{}]',
  '[1,"a",null,{}]',
  '{"a":null}',
  '{"a":1,"a":2}',
  '{"__proto__":null}',
  deep('[', ']', 50),
  deep('{"a":', '}', 50),
  'undefined',
  ',',
  '/**/1',
  '"' + 's'.repeat(5000) + '"',
  '["' + 'x","'.repeat(200) + '"]',
];

/** Documents that are hostile as a whole. The long ones are made when they are asked for. */
const documents: readonly (() => string)[] = [
  () => '',
  () => ' ',
  () => 'null',
  () => '[]',
  () => '0',
  () => '"a"',
  () => '{',
  () => '}',
  () => '{}{}',
  () => '{}]',
  () => '\uFEFF{}',
  () => '\u0000',
  () => '<xml/>',
  () => 'k8s\u0000',
  () => '{"kind":"List","apiVersion":"v1","items":[{}]}',
  () => '{"kind":"Status","apiVersion":"v1","code":500}',
  () => '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"x"}}',
  () => '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Nonsense","gracePeriodSeconds":-5}',
  () => deep('[', ']', 20_000),
  () => deep('{"a":', '}', 20_000),
  () => '['.repeat(100_000),
  () => '{"metadata":'.repeat(30_000),
  () => `{"a":"${'x'.repeat(1_000_000)}"}`,
  () => `[${'0,'.repeat(100_000)}0]`,
  () => `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
];

const yamlDocuments: readonly (() => string)[] = [
  () =>
    `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefghi', (name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join()}]\n`).join('')}`,
  () => 'a: &a\n  b: *a\n',
  () => '*missing',
  () => '&a',
  () => '? [a, b]\n: c\n',
  () => '? {a: 1}\n: c\n',
  () => '<<: {a: 1}\nb: 2\n',
  () => '<<: [1, 2]\n',
  () => '!!binary aGk=\n',
  () => '!!js/function "function(){}"\n',
  () => '!<tag:x> a\n',
  () => 'a: 1\na: 2\n',
  () => '---\na: 1\n---\nb: 2\n',
  () => '\ta: 1',
  () => 'a: 1\n b: 2',
  () => '- a\nb: c',
  () => '%YAML 9.9\n---\na',
  () => '%TAG ! x\n',
  () => '"\\ud800"',
  () => 'a: |\n  x\n y',
  () => 'a: >9\n b',
  () => '__proto__:\n  polluted: true\n',
  () => '__proto__: &a {polluted: true}\nb:\n  <<: *a\n',
  () => Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
  () => '- '.repeat(20_000),
  () => '['.repeat(20_000),
  () => '{a: '.repeat(5_000),
  () => `a: ${'&x '.repeat(1000)}`,
  () => `? ${'? '.repeat(5_000)}`,
  () => '1: 2\ntrue: 3\nnull: 4\n~: 5\n',
  () => 'a: .nan\nb: .inf\nc: 0o17\nd: 1_000\ne: 1:20\nf: 2001-01-01\n',
  () => `a: "${'\\\n'.repeat(10_000)}"`,
  () => `${'#'.repeat(50_000)}\n`,
  () => `a: ${'"'.repeat(10_001)}`,
  () => `a: ${"'".repeat(10_001)}`,
];

const patchPointers: readonly string[] = [
  '',
  '/',
  '/metadata',
  '/metadata/labels/a',
  '/metadata/annotations/a~1b',
  '/metadata/name',
  '/metadata/resourceVersion',
  '/spec',
  '/spec/containers/0',
  '/spec/containers/-',
  '/spec/containers/-1',
  '/spec/containers/01',
  '/spec/containers/99999999999',
  '/__proto__/polluted',
  '/constructor/prototype/polluted',
  '/metadata/__proto__/polluted',
  '/metadata/labels/__proto__',
  '/~2',
  '/~',
  'metadata',
  '/a/b/c/d',
  '/kind',
  '/apiVersion',
  '/data/k',
  '/data',
  '/metadata/finalizers/-',
  '/length',
  `/${'a/'.repeat(2_000)}`,
];

/** The media types of bodies, with what is none. */
export const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
/** The media types of patches. */
export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

/** A body, and what the request shall say it is. */
export interface HostileBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Makes an object of a type, mostly of honest values. */
export function someObject(draw: Random, type: StructType, depth = 5): JsonObject {
  const fields: [string, JsonValue][] = [];
  for (const field of type.fields.values()) {
    if (draw.next() < (field.required ? 0.9 : depth > 3 ? 0.35 : 0.15))
      fields.push([field.name, valueOf(draw, field, depth)]);
  }
  return Object.fromEntries(fields);
}

function valueOf(draw: Random, { shape, default: honest }: Pick<Field, 'shape' | 'default'>, depth: number): JsonValue {
  return honest !== undefined && draw.next() < 0.5 ? honest : ofShape(draw, shape, depth);
}

function ofShape(draw: Random, shape: Shape, depth: number): JsonValue {
  switch (shape.kind) {
    case 'struct':
      return depth <= 0 ? {} : someObject(draw, shape, depth - 1);
    case 'list':
      return depth <= 0 ? [] : Array.from({ length: draw.integer(3) }, () => ofShape(draw, shape.items, depth - 1));
    case 'map':
      return depth <= 0
        ? {}
        : Object.fromEntries(
            Array.from({ length: draw.integer(3) }, () => [
              draw.pick(['a', 'cpu', 'memory', 'a.b/c', '', 'A B']),
              ofShape(draw, shape.values, depth - 1),
            ]),
          );
    case 'union':
      return ofShape(draw, draw.pick(shape.options).shape, depth - 1);
    case 'bool':
      return draw.next() < 0.5;
    case 'int32':
    case 'int64':
    case 'double':
      return draw.pick([0, 1, 2, 80, -1, 100, 65_536, 2_147_483_647]);
    case 'int-or-string':
      return draw.pick([0, 80, -1, '25%', 'http', '101%', '']);
    case 'quantity':
      return draw.pick(['1', '100m', '1Gi', '0', '-1', '1.5', '1e3', '1000000000000Ei']);
    case 'bytes':
      return draw.pick(['', 'aGk=', 'a', '!!', 'AAAA']);
    case 'time':
    case 'micro-time':
      return draw.pick(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456Z', '0001-01-01T00:00:00Z', null]);
    case 'raw':
    case 'json':
      return draw.pick<JsonValue>([{}, { kind: 'X', apiVersion: 'y/v1' }, 1, 'a', [1], null]);
    case 'string':
      return draw.next() < 0.3
        ? draw.pick(hostileTexts)
        : draw.pick(shape.values ?? ['a', 'b', 'example.com/a', 'default', '10.0.0.1', 'TCP', 'x'.repeat(63)]);
  }
}

/** A body for a write of an object, bent as often as not. */
export function hostileBody(draw: Random, type: StructType, object: JsonObject): HostileBody {
  const contentType = draw.pick(bodyTypes);
  const dice = draw.next();
  if (contentType === 'application/vnd.kubernetes.protobuf')
    return {
      contentType,
      bytes: dice < 0.2 ? envelope(draw, type, object) : bentBytes(draw, envelope(draw, type, object)),
    };
  if (dice < 0.02) return { contentType, bytes: utf8.encode(draw.pick(documents)()) };
  if (contentType === 'application/yaml' && dice < 0.15)
    return { contentType, bytes: utf8.encode(draw.pick(yamlDocuments)()) };
  const text = contentType === 'application/yaml' && draw.next() < 0.5 ? printYaml(object) : JSON.stringify(object);
  return { contentType, bytes: bent(draw, text) };
}

/** The body of a patch. */
export function hostilePatch(draw: Random, object: JsonObject): HostileBody {
  const contentType = draw.pick(patchTypes);
  if (draw.next() < 0.03) return { contentType, bytes: utf8.encode(draw.pick([...documents, ...yamlDocuments])()) };
  if (contentType === 'application/json-patch+json')
    return {
      contentType,
      bytes: bent(draw, JSON.stringify(Array.from({ length: draw.integer(4) }, () => operation(draw)))),
    };
  const names = Object.keys(object).filter(
    (name) => contentType === 'application/apply-patch+yaml' || draw.next() < 0.4 || name === 'spec',
  );
  return {
    contentType,
    bytes: bent(draw, JSON.stringify(Object.fromEntries(names.map((name) => [name, object[name]])))),
  };
}

function operation(draw: Random): JsonObject {
  const op = draw.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'ADD', '', 'nonsense']);
  return {
    op,
    path: draw.pick(patchPointers),
    ...(draw.next() < 0.3 && { from: draw.pick(patchPointers) }),
    ...(draw.next() < 0.7 && {
      value: draw.pick<JsonValue>(['a', 1, null, {}, [], { a: 'b' }, true, 'x'.repeat(1000)]),
    }),
  };
}

function envelope(draw: Random, type: StructType, object: JsonObject): Uint8Array {
  try {
    return encodeObject(type, draw.next() < 0.1 ? { ...object, kind: draw.pick(hostileTexts) } : object);
  } catch {
    // A value that has no place in the message.
    return Uint8Array.of(0x6b, 0x38, 0x73, 0, draw.integer(256), draw.integer(256));
  }
}

/** Bends a text in none to three places, then sometimes its bytes. */
export function bent(draw: Random, text: string): Uint8Array {
  let result = text;
  for (let times = draw.integer(4); times > 0; times--) result = bentText(draw, result);
  const bytes = utf8.encode(result);
  return draw.next() < 0.07 ? bentBytes(draw, bytes) : bytes;
}

function bentText(draw: Random, text: string): string {
  const dice = draw.next();
  if (dice < 0.35) return insertedAfter(draw, text, '{', () => `${draw.pick(hostileMembers)},`);
  if (dice < 0.75)
    return replacedValue(
      draw,
      text,
      draw.next() < 0.4 ? JSON.stringify(draw.pick(hostileTexts)) : draw.pick(hostileValues),
    );
  if (dice < 0.85) return insertedAfter(draw, text, '[', () => `${draw.pick(hostileValues)},`);
  if (dice < 0.9) return text.slice(0, draw.integer(text.length + 1));
  const at = draw.integer(text.length + 1);
  return (
    text.slice(0, at) +
    draw.pick([
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '\n',
      '\t',
      '\u0000',
      '#',
      '&a ',
      '*a ',
      '!!x ',
      '- ',
      '|',
      '<<: ',
    ]) +
    text.slice(at)
  );
}

function insertedAfter(draw: Random, text: string, mark: string, inserted: () => string): string {
  const at = text.indexOf(mark, draw.integer(text.length + 1));
  return at < 0 ? text : text.slice(0, at + 1) + inserted() + text.slice(at + 1);
}

/** Replaces the scalar after some colon. */
function replacedValue(draw: Random, text: string, value: string): string {
  const at = text.indexOf(':', draw.integer(text.length + 1));
  if (at < 0) return text;
  const end = /^\s*(?:"[^"]*"|[-\w.]+|\{\}|\[\])/.exec(text.slice(at + 1, at + 200))?.[0].length ?? 0;
  return text.slice(0, at + 1) + value + (end === 0 ? ',"x":' : '') + text.slice(at + 1 + end);
}

/** Cuts bytes short, flips some, and puts in some that mean lengths without end, groups or halves of characters. */
export function bentBytes(draw: Random, bytes: Uint8Array): Uint8Array {
  if (draw.next() < 0.3) return bytes.slice(0, draw.integer(bytes.length + 1));
  const result = [...bytes.subarray(0, 65_536)];
  for (let times = 1 + draw.integer(4); times > 0; times--) {
    const at = draw.integer(result.length + 1);
    if (draw.next() < 0.6 && at < result.length) result[at] = draw.integer(256);
    else result.splice(at, draw.integer(3), ...draw.pick(hostileBytes));
  }
  return Uint8Array.from(result);
}

const hostileBytes: readonly (readonly number[])[] = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0xef, 0xbb, 0xbf],
  [0, 0, 0],
  [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
  Array.from({ length: 300 }, () => 0x0b),
  [0x0c],
  [0x0f],
  [0x00],
  [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01],
];
