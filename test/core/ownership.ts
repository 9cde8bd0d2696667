// Field ownership: sets of fields in the form of FieldsV1, and the laws that every sequence of applies and updates
// keeps. The table holds what a real Kubernetes v1.36 writes; sequences were compared with its field manager.
import t from 'tap';
import {
  builtinSchema,
  deepEqual,
  isDeepFrozen,
  objectApplyTypes,
  parseFieldSet,
  structuralApplyType,
} from '../../lib/core/index.js';
import type { ApiObject, ApplyType, FieldSet, Frozen, JsonObject, JsonValue } from '../../lib/core/index.js';
import { checkFields } from '../../lib/core/ownership/check-fields.js';
import { capUpdaters, ownerKey } from '../../lib/core/ownership/field-owners.js';
import type { FieldOwner } from '../../lib/core/ownership/field-owners.js';
import { fieldsOf } from '../../lib/core/ownership/fields-of.js';
import { mergeFields } from '../../lib/core/ownership/merge-fields.js';
import { ownableFields } from '../../lib/core/ownership/ownership.js';
import {
  differenceOf,
  includedFields,
  intersectionOf,
  isEmptySet,
  isMemberNode,
  pathsOf,
  recursiveDifferenceOf,
  unionOf,
} from '../../lib/core/ownership/field-set.js';
import { compareElements, printElement } from '../../lib/core/ownership/path-element.js';
import { reconcileFields, removeFields } from '../../lib/core/ownership/remove-fields.js';
import { fc, runs } from '../support/properties.js';
import { TrackedObject, appliedKinds, applySequences } from '../support/random-applies.js';

const typeOf = objectApplyTypes();

function typeNamed(name: string): ApplyType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return typeOf(type).type;
}

const service = typeNamed('core/v1.Service');
const deployment = typeNamed('apps/v1.Deployment');

void t.test('a configuration owns exactly the fields that it sets', (test) => {
  const table: readonly (readonly [ApplyType, JsonObject, JsonObject])[] = [
    [service, { spec: { type: 'ClusterIP' } }, { 'f:spec': { 'f:type': {} } }],
    [
      service,
      { spec: { ports: [{ port: 80, name: 'a' }] } },
      {
        'f:spec': {
          'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
        },
      },
    ],
    [service, { spec: { selector: { b: '1', a: '2' } } }, { 'f:spec': { 'f:selector': {} } }],
    [service, { metadata: { labels: {} } }, { 'f:metadata': { 'f:labels': {} } }],
    [service, { metadata: { labels: null } }, { 'f:metadata': { 'f:labels': {} } }],
    [service, { metadata: { labels: { b: '', a: '' } } }, { 'f:metadata': { 'f:labels': { 'f:a': {}, 'f:b': {} } } }],
    [
      service,
      { metadata: { finalizers: ['b/b', 'a/<a>'] } },
      { 'f:metadata': { 'f:finalizers': { 'v:"a/\\u003ca\\u003e"': {}, 'v:"b/b"': {} } } },
    ],
    [service, { spec: { externalIPs: [] } }, { 'f:spec': { 'f:externalIPs': {} } }],
    [service, { spec: { ports: [] } }, {}],
    [
      deployment,
      { spec: { template: { spec: { containers: [{ name: 'c', args: ['x'] }] } } } },
      {
        'f:spec': {
          'f:template': {
            'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:args': {}, 'f:name': {} } } },
          },
        },
      },
    ],
    [deployment, { spec: { selector: { matchLabels: { a: 'b' } } } }, { 'f:spec': { 'f:selector': {} } }],
  ];
  for (const [type, config, fields] of table)
    test.equal(JSON.stringify(fieldsOf(config, type)), JSON.stringify(fields), JSON.stringify(config));
  test.end();
});

void t.test('elements are ordered and printed as Kubernetes does', (test) => {
  const ordered = [
    'f:A',
    'f:a',
    'f:ab',
    'f:\uffee',
    'f:\u{10000}',
    'k:{"a":1}',
    'k:{"a":1,"b":1}',
    'k:{"a":"1"}',
    'v:1',
    'v:10',
    'v:"a"',
    'v:true',
    'i:2',
    'i:10',
  ];
  test.strictSame([...ordered].reverse().sort(compareElements), ordered);
  test.strictSame(['f:a.b', 'k:{"name":"c","port":80}', 'v:"x"', 'v:true', 'i:3'].map(printElement), [
    '.a.b',
    '[name="c",port=80]',
    '[="x"]',
    '[=true]',
    '[3]',
  ]);
  test.end();
});

void t.test('sets are read in any order, and only where they are valid', (test) => {
  const sent = {
    'v:2': {},
    'f:b': { 'f:x': {}, '.': {} },
    'f:a': { '.': {} },
    'k:{"b":1,"a":2}': {},
    'r:future': {},
    'i:07': {},
  };
  const read = parseFieldSet(sent);
  test.equal(JSON.stringify(read), '{"f:a":{},"f:b":{".":{},"f:x":{}},"k:{\\"a\\":2,\\"b\\":1}":{},"v:2":{},"i:7":{}}');
  test.ok(isDeepFrozen(read));
  for (const wrong of [{ x: {} }, { fa: {} }, { 'k:1': {} }, { 'v:{': {} }, { 'i:x': {} }, { 'f:a': 1 }, []])
    test.throws(() => parseFieldSet(wrong), JSON.stringify(wrong));
  test.end();
});

const element = fc.constantFrom('f:a', 'f:b', 'k:{"x":1}', 'v:1', 'i:0');
const sets: fc.Arbitrary<FieldSet> = fc
  .letrec<{ node: JsonObject }>((tie) => ({
    node: fc
      .tuple(
        fc.boolean(),
        fc.dictionary(element, fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('node')), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      )
      .map(([isMember, below]) => (isMember ? { '.': {}, ...below } : below)),
  }))
  .node.map((node) => parseFieldSet(node));

/** Paths of a set: an independent model of its operations. */
function modelOf(set: FieldSet): ReadonlySet<string> {
  return new Set(pathsOf(set));
}

void t.test('set operations agree with those on lists of paths, and keep sets canonical', (test) => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const [left, right] = [modelOf(a), modelOf(b)];
      const results: readonly (readonly [FieldSet, (path: string) => boolean])[] = [
        [unionOf(a, b), (path) => left.has(path) || right.has(path)],
        [intersectionOf(a, b), (path) => left.has(path) && right.has(path)],
        [differenceOf(a, b), (path) => left.has(path) && !right.has(path)],
        [recursiveDifferenceOf(a, b), (path) => left.has(path) && ![...right].some((each) => isAtOrBelow(path, each))],
      ];
      for (const [result, has] of results) {
        test.strictSame([...modelOf(result)].sort(), [...new Set([...left, ...right])].filter(has).sort());
        test.equal(JSON.stringify(parseFieldSet(result)), JSON.stringify(result));
        test.ok(isDeepFrozen(result));
      }
      test.equal(unionOf(a, a), a);
      test.equal(differenceOf(a, parseFieldSet({})), a);
    }),
    { numRuns: runs(1000) },
  );
  test.end();
});

function isAtOrBelow(path: string, other: string): boolean {
  return path === other || (path.startsWith(other) && /^[.[]/.test(path.slice(other.length)));
}

void t.test('every sequence of applies and updates keeps the laws of ownership', (test) => {
  let conflicts = 0;
  let removals = 0;
  fc.assert(
    fc.property(applySequences, ({ kind, steps }) => {
      const type = typeNamed(kind.type);
      const tracked = new TrackedObject(kind);
      for (const step of steps) {
        const before = tracked.object;
        const { object, conflict } = tracked.run(step);
        if (conflict !== undefined) {
          conflicts++;
          test.equal(object, before);
          test.notOk(step.isForced);
          continue;
        }
        if (object === undefined) throw new Error('no object');
        test.ok(ownersAreCanonical(object));
        // Without any owner nothing is tracked until the next apply.
        if (object.metadata?.managedFields !== undefined)
          test.strictSame(unownedLeaves(object, type), [], 'every set field has an owner');
        if (step.op !== 'apply') continue;
        const config = withoutZeros(step.config);
        const repeated = mergeFields(object, config, type);
        test.equal(repeated, object, 'the object has all values of the configuration');
        const given = differenceOf(appliedFields(before, step.manager), appliedFields(object, step.manager));
        const left = intersectionOf(fieldsOf(withoutZeros(object), type), unownedBy(given, object));
        if (!isEmptySet(given)) removals++;
        test.strictSame(leavesOf(left), {}, 'what is no longer applied goes, unless it is owned elsewhere');
        // Objects have no empty maps and lists, so a configuration that has some changes them each time.
        if (deepEqual(config, step.config))
          test.strictSame(tracked.run(step).object, object, 'applying twice is applying once');
      }
    }),
    { numRuns: runs(2000) },
  );
  test.ok(conflicts > 0 && removals > 0);
  test.end();
});

function ownersAreCanonical({ metadata }: Frozen<ApiObject>): boolean {
  const entries = metadata?.managedFields ?? [];
  const keys = entries.map(({ manager = '', operation = '' }) => `${operation}/${manager}`);
  return (
    new Set(keys).size === keys.length &&
    entries.every(({ fieldsV1 }) => JSON.stringify(parseFieldSet(fieldsV1 as JsonValue)) === JSON.stringify(fieldsV1))
  );
}

function ownedFields(
  { metadata }: Frozen<ApiObject>,
  isOwner: (manager: string, operation: string) => boolean,
): FieldSet {
  return (metadata?.managedFields ?? [])
    .filter(({ manager = '', operation = '' }) => isOwner(manager, operation))
    .reduce<FieldSet>((all, { fieldsV1 }) => unionOf(all, parseFieldSet(fieldsV1)), {});
}

function appliedFields(object: Frozen<ApiObject> | undefined, applier: string): FieldSet {
  return object === undefined
    ? {}
    : ownedFields(object, (manager, operation) => manager === applier && operation === 'Apply');
}

/** Fields of a set that no manager of the object owns, nor anything below them. */
function unownedBy(set: FieldSet, object: Frozen<ApiObject>): FieldSet {
  const owned = ownedFields(object, () => true);
  return differenceOf(set, unionOf(owned, parentsOf(owned)));
}

/** Every node on the way to a member. */
function parentsOf(set: FieldSet): FieldSet {
  const all = (node: FieldSet): JsonObject =>
    Object.fromEntries([
      ['.', {}],
      ...Object.entries(node)
        .filter(([key]) => key !== '.')
        .map(([key, below]) => [key, isEmptySet(below) ? {} : all(below)] as const),
    ]);
  return parseFieldSet(all(set));
}

/** Members without members below them. */
function leavesOf(set: FieldSet): FieldSet {
  return parseFieldSet(
    Object.fromEntries(
      Object.entries(set).flatMap(([key, node]): [string, JsonValue][] => {
        if (key === '.') return [];
        if (isEmptySet(node)) return [[key, {}]];
        const below = leavesOf(node);
        return isEmptySet(below) ? [] : [[key, below]];
      }),
    ),
  );
}

/** Leaves that hold a value other than what Go prints for unset fields. */
function unownedLeaves(object: Frozen<ApiObject>, type: ApplyType): readonly string[] {
  const set = leavesOf(ownableFields(fieldsOf(withoutZeros(object), type)));
  return pathsOf(
    differenceOf(
      set,
      ownedFields(object, () => true),
    ),
  );
}

function withoutZeros(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutZeros(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .map(([name, member]) => [name, withoutZeros(member)] as const)
      .filter(([, member]) => !(member === '' || member === 0 || member === false || isEmptyObject(member))),
  );
}

function isEmptyObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

void t.test('items of a configuration keep its order, and others their place', (test) => {
  const list = (...names: readonly string[]): JsonObject => ({
    spec: { template: { spec: { containers: names.map((name) => ({ name })) } } },
  });
  const table: readonly (readonly [string, string, string])[] = [
    ['a b c', 'c a', 'b c a'],
    ['a b', 'x y', 'a b x y'],
    ['a b c', 'b', 'a b c'],
    ['a b c d', 'd b', 'a c d b'],
    ['a', 'b a c', 'b a c'],
  ];
  for (const [live, config, merged] of table)
    test.strictSame(
      mergeFields(list(...live.split(' ')), list(...config.split(' ')), deployment),
      list(...merged.split(' ')),
      `${live} + ${config}`,
    );
  test.end();
});

void t.test('a configuration of another type is refused in the words of Kubernetes', (test) => {
  const containers = (...items: readonly JsonValue[]): JsonObject => ({
    spec: { template: { spec: { containers: items } } },
  });
  const table: readonly (readonly [JsonObject, string])[] = [
    [{ bogus: 1 }, '.bogus: field not declared in schema'],
    [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ spec: { paused: 'yes' } }, '.spec.paused: expected boolean, got &{yes}'],
    [{ spec: [] }, '.spec: expected map, got &{[]}'],
    [{ metadata: { name: 1 } }, '.metadata.name: expected string, got &value.valueUnstructured{Value:1}'],
    [{ spec: { template: { spec: { containers: 'x' } } } }, '.spec.template.spec.containers: expected list, got &{x}'],
    [containers({ name: 'c' }, { name: 'c' }), '.spec.template.spec.containers: duplicate entries for key [name="c"]'],
    [
      containers(null),
      '.spec.template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [{ metadata: { finalizers: ['a', 'a'] } }, '.metadata.finalizers: duplicate entries for key [="a"]'],
    [
      { spec: { replicas: true, paused: 1 } },
      'errors:\n  .spec.replicas: expected numeric (int or float), got bool\n  .spec.paused: expected boolean, got &{1}',
    ],
  ];
  for (const [config, message] of table) test.throws(() => checkFields(config, deployment), { message });
  test.end();
});

void t.test('schemas of custom resources say how their fields are shared', (test) => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          groups: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name', 'zone'],
            items: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                zone: { type: 'string', default: 'z' },
                hosts: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
              },
            },
          },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          list: { type: 'array', items: { type: 'integer' } },
        },
      },
    },
  };
  const type = structuralApplyType(schema, { members: { metadata: typeNamed('meta/v1.ObjectMeta') } });
  const config = {
    metadata: { labels: { a: 'b' } },
    spec: { groups: [{ name: 'g', hosts: ['h'] }], whole: { a: 'b' }, free: { x: { y: [1] } }, list: [1] },
  };
  test.strictSame(fieldsOf(config, type), {
    'f:metadata': { 'f:labels': { 'f:a': {} } },
    'f:spec': {
      'f:free': { 'f:x': { '.': {}, 'f:y': {} } },
      'f:groups': { 'k:{"name":"g","zone":"z"}': { '.': {}, 'f:hosts': { 'v:"h"': {} }, 'f:name': {} } },
      'f:list': {},
      'f:whole': {},
    },
  });
  test.throws(() => checkFields({ spec: { other: 1 } }, type), {
    message: '.spec.other: field not declared in schema',
  });
  checkFields({ spec: { free: { anything: [] } } }, type);
  const granular = parseFieldSet({ 'f:spec': { 'f:whole': { 'f:a': {} }, 'f:list': { 'i:0': {} } } });
  test.strictSame(
    reconcileFields(granular, type),
    { 'f:spec': { 'f:list': {}, 'f:whole': {} } },
    'parts of what became atomic are the whole',
  );
  test.end();
});

void t.test('fields are removed with what is below them, and containers stay', (test) => {
  const value = {
    metadata: { labels: { a: '1' } },
    spec: { ports: [{ port: 80, name: 'a' }, { port: 81 }], type: 'x' },
  };
  const removed = (set: JsonObject): JsonValue | undefined => removeFields(value, parseFieldSet(set), service);
  test.strictSame(removed({ 'f:metadata': { 'f:labels': { 'f:a': {} } } }), { ...value, metadata: { labels: {} } });
  test.strictSame(removed({ 'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': {} } } }), {
    ...value,
    spec: { ports: [{ port: 81 }], type: 'x' },
  });
  test.strictSame(removed({ 'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:name': {} } } } }), {
    ...value,
    spec: { ports: [{ port: 80 }, { port: 81 }], type: 'x' },
  });
  const set = parseFieldSet({ 'f:spec': { '.': {}, 'f:ports': { 'k:{"port":80}': { 'f:name': {} } }, 'f:type': {} } });
  test.strictSame(includedFields(set, [['spec', 'ports', '*', 'name']]), {
    'f:spec': { '.': {}, 'f:ports': { 'k:{"port":80}': { 'f:name': {} } } },
  });
  test.end();
});

void t.test('at most ten updaters are kept, the oldest under one name', (test) => {
  const owner = (index: number): FieldOwner => ({
    manager: `u${index}`,
    operation: 'Update',
    apiVersion: index % 2 === 0 ? 'v1' : 'v2',
    subresource: '',
    time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    fields: parseFieldSet({ [`f:${index}`]: {} }),
  });
  const owners = new Map(Array.from({ length: 14 }, (_, index) => [ownerKey(owner(index)), owner(index)]));
  const capped = [...capUpdaters(owners).values()];
  test.equal(capped.length, 10);
  const joined = capped.filter(({ manager }) => manager === 'ancient-changes');
  test.strictSame(joined.map(({ apiVersion, fields }) => [apiVersion, Object.keys(fields)]).sort(), [
    ['v1', ['f:0', 'f:2', 'f:4']],
    ['v2', ['f:1', 'f:3', 'f:5']],
  ]);
  test.ok(isMemberNode(parseFieldSet({})) && appliedKinds.length > 2);
  test.end();
});
