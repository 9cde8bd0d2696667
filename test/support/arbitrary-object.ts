/**
 * Random objects of any type of the schema, for property tests. What it makes is complete, as a server would hold it
 * after decoding: fields that are always printed or have a default are there, zero values that are never printed are
 * not, quantities, times and base64 are canonical. Decoding such an object gives the same object.
 *
 * Lists and maps are absent or have one or two members: an empty one and none are the same to protobuf.
 */
import type { JsonObject, JsonValue } from '../../lib/core/objects/json.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import type { Field, ListShape, ScalarShape, Shape, StructType } from '../../lib/core/schema/type.js';
import { resourceText } from '../../lib/core/scheme/resources.generated.js';
import { fc } from './properties.js';

export interface ArbitraryObjectOptions {
  /** The apiVersion and kind to give the object; none by default, as inside of other objects. */
  readonly typeMeta?: { readonly apiVersion: string; readonly kind: string };
  /** How many optional structures may be nested, four by default. */
  readonly depth?: number;
}

/** Objects of a type. */
export function arbitraryObject(
  type: StructType,
  { typeMeta, depth = 4 }: ArbitraryObjectOptions = {},
): fc.Arbitrary<JsonObject> {
  const object = structure(type, depth);
  return typeMeta === undefined
    ? object
    : object.map((fields) => ({ apiVersion: typeMeta.apiVersion, kind: typeMeta.kind, ...fields }));
}

function structure(type: StructType, depth: number): fc.Arbitrary<JsonObject> {
  const fields = [...type.fields.values()].filter(({ tags }) => tags.length > 0);
  return fc.tuple(...fields.map((field) => optional(field, type, depth))).map((values) => {
    const entries = fields.map(({ name }, i) => [name, values[i]] as const);
    return Object.fromEntries(entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined));
  });
}

/** A field's value, or undefined where it may be absent: mostly, or objects would fill pages. */
function optional(field: Field, type: StructType, depth: number): fc.Arbitrary<JsonValue | undefined> {
  if (type.completions.some((each) => each.field === field)) return value(field, depth);
  if (depth === 0 && nests(field.shape)) return fc.constant(undefined);
  return fc.nat(3).chain((dice) => (dice === 0 ? value(field, depth) : fc.constant(undefined)));
}

function value(field: Field, depth: number): fc.Arbitrary<JsonValue> {
  if (field.shape.kind === 'list') return list(field.shape, depth, field);
  const any = anyOf(field.shape, depth);
  // A zero that is not printed is no value; and where there is a default it would be replaced.
  return field.presence === 'value' ? any.filter((each) => each !== '' && each !== 0 && each !== false) : any;
}

function nests(shape: Shape): boolean {
  switch (shape.kind) {
    case 'list':
      return nests(shape.items);
    case 'map':
      return nests(shape.values);
    case 'union':
      return true;
    default:
      return shape.kind === 'struct';
  }
}

function anyOf(shape: Shape, depth: number): fc.Arbitrary<JsonValue> {
  switch (shape.kind) {
    case 'struct':
      return structure(shape, Math.max(depth - 1, 0));
    case 'list':
      return list(shape, depth);
    case 'map':
      return fc.dictionary(
        fc.oneof(fc.constantFrom('app', 'a.b/c', 'true', '12', 'cpu'), text(8)),
        anyOf(shape.values, depth),
        { minKeys: 1, maxKeys: 2, noNullPrototype: true },
      );
    case 'union':
      return fc.oneof(...shape.options.map((option) => anyOf(option.shape, Math.max(depth - 1, 0))));
    default:
      return leaf(shape);
  }
}

/** The members of a set and those of a keyed list differ, as every valid object has it. */
function list(shape: ListShape, depth: number, field?: Field): fc.Arbitrary<JsonValue> {
  const bounds = { minLength: 1, maxLength: 2 };
  const items = anyOf(shape.items, depth);
  if (field?.listType !== 'map' && field?.listType !== 'set') return fc.array(items, bounds);
  return fc.uniqueArray(items, {
    ...bounds,
    selector: (item) =>
      JSON.stringify(field.listType === 'set' ? item : field.mapKeys.map((key) => (item as JsonObject)[key])),
  });
}

function leaf(shape: ScalarShape): fc.Arbitrary<JsonValue> {
  switch (shape.kind) {
    case 'string':
      return shape.values === undefined ? text(12) : fc.constantFrom(...shape.values);
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer();
    case 'int64':
      return fc.oneof(fc.integer(), fc.maxSafeInteger());
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number));
    case 'bytes':
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
    case 'quantity':
      return quantity;
    case 'int-or-string':
      return fc.oneof(fc.integer(), fc.constantFrom('http', '25%', '80', ''), text(6));
    case 'time':
      return fc.integer().map((seconds) => `${isoSeconds(seconds)}Z`);
    case 'micro-time':
      return fc
        .tuple(fc.integer(), fc.nat(999_999))
        .map(([seconds, micros]) => `${isoSeconds(seconds)}.${String(micros).padStart(6, '0')}Z`);
    case 'raw':
      return fc.dictionary(text(6), json, { maxKeys: 3, noNullPrototype: true });
    case 'json':
      return json.filter((any) => any !== null);
  }
}

/** Words of every day, words that YAML would take for something else, and anything else that UTF-8 can say. */
function text(maxLength: number): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      '',
      'nginx',
      'kube-system',
      'nginx:1.27',
      'a b',
      'true',
      'null',
      '012',
      '1e3',
      '~',
      '- x',
      '# x',
      'a: b',
      'two\nlines',
      ' padded ',
      'ünïcode 🎈',
    ),
    fc.string({ maxLength }),
    fc.string({ unit: 'binary', maxLength }),
  );
}

/** Small numbers that no larger suffix could say. */
const quantity: fc.Arbitrary<string> = fc.oneof(
  fc.constant('0'),
  fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'Gi'))
    .map(([number, suffix]) => `${number}${suffix}`),
);

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.integer(),
    text(6),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(text(4), tie('any'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).any;

function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: StructType;
}

/** Every kind that some resource or subresource takes or answers with, once each. */
export function servedKinds(): readonly ServedKind[] {
  const sections = resourceText
    .trim()
    .split(/^@/m)
    .filter((section) => section !== '')
    .map((section) => section.trim().split('\n'));
  const packages = new Map(sections.map(([head = '']) => head.split(' ') as [apiVersion: string, goPackage: string]));
  const kinds = new Map<string, ServedKind>();
  for (const [head = '', ...resources] of sections) {
    for (const line of resources) {
      const named = line.split(' ')[1] ?? '';
      const dot = named.lastIndexOf('.');
      const apiVersion = dot < 0 ? (head.split(' ')[0] ?? '') : named.slice(0, dot);
      const kind = named.slice(dot + 1);
      const type = builtinSchema.struct(`${packages.get(apiVersion) ?? ''}.${kind}`);
      if (type === undefined) throw new Error(`no schema for ${apiVersion} ${kind}`);
      kinds.set(`${apiVersion} ${kind}`, { apiVersion, kind, type });
    }
  }
  return [...kinds.values()];
}
