// Custom resources without a server: pruning, defaults, decoding, validation with Kubernetes' messages, names and
// conditions of definitions, paths of columns.
import { Ajv } from 'ajv';
import t from 'tap';
import {
  acceptNames,
  customKinds,
  decodeValue,
  establishedState,
  fieldErrorText,
  isDefinitionConditionTrue,
  judgeSchemas,
  nestedInteger,
  nestedText,
  setNested,
  withDefinitionCondition,
} from '../../lib/core/index.js';
import type { ApiObject, Frozen, JsonObject, KindOptions, WriteContext } from '../../lib/core/index.js';
import { jsonPath } from '../../lib/core/objects/json-path.js';
import type { CustomResourceDefinition } from '../../lib/core/types/index.js';
import { fc, runs } from '../support/properties.js';

type Schema = NonNullable<
  NonNullable<CustomResourceDefinition['spec']['versions'][number]['schema']>['openAPIV3Schema']
>;

function definitionOf(schema: Schema, more: Partial<CustomResourceDefinition['spec']> = {}): CustomResourceDefinition {
  return {
    metadata: { name: 'widgets.example.com', uid: 'u1' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...more,
    },
  };
}

function kindOf(schema: Schema, more: Partial<CustomResourceDefinition['spec']['versions'][number]> = {}): KindOptions {
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }];
  const [kind] = customKinds(definitionOf(schema, { versions }));
  if (kind === undefined) throw new Error('no kind');
  return kind;
}

/** The object as a server holds it after decoding a request. */
function decoded(schema: Schema, spec: unknown): { readonly object: JsonObject; readonly problems: readonly string[] } {
  const kind = kindOf(schema);
  const { object, problems } = decodeValue(kind.type(), { kind: 'Widget', apiVersion: 'example.com/v1', spec });
  kind.setDefaults?.(object);
  return { object: object as JsonObject, problems };
}

const inSpec = (spec: Schema): Schema => ({ type: 'object', properties: { spec } });
const context = {} as WriteContext;

function errorsOf(schema: Schema, spec: unknown, old?: unknown): readonly string[] {
  const { strategy } = kindOf(schema);
  const objectOf = (value: unknown): Frozen<ApiObject> =>
    ({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name: 'w' }, spec: value }) as Frozen<ApiObject>;
  const errors =
    old === undefined
      ? strategy?.validate?.(objectOf(spec), context)
      : strategy?.validateUpdate?.(objectOf(spec), objectOf(old), context);
  return (errors ?? []).map(fieldErrorText);
}

t.test('unknown fields are removed and reported with their paths', async (t) => {
  const schema = inSpec({
    type: 'object',
    properties: {
      a: { type: 'string' },
      list: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { y: { type: 'integer' } } } },
      open: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object', properties: { z: { type: 'integer' } } } },
      },
    },
  });
  const { object, problems } = decoded(schema, {
    a: 'x',
    b: 1,
    list: [{ x: 1, w: 2 }],
    map: { k: { y: 1, v: 2 } },
    open: { any: { thing: 1 }, known: { z: 1, q: 2 } },
    ['__proto__']: 1,
  });
  t.strictSame(object.spec, {
    a: 'x',
    list: [{ x: 1 }],
    map: { k: { y: 1 } },
    open: { any: { thing: 1 }, known: { z: 1 } },
  });
  t.strictSame(problems, [
    'unknown field "spec.__proto__"',
    'unknown field "spec.b"',
    'unknown field "spec.list[0].w"',
    'unknown field "spec.map.k.v"',
    'unknown field "spec.open.known.q"',
  ]);
});

t.test('metadata is decoded by its type, also inside of embedded resources', async (t) => {
  const type = kindOf({
    type: 'object',
    properties: {
      inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  }).type();
  const { object, problems } = decodeValue(type, {
    metadata: { name: 'w', odd: 1, creationTimestamp: null },
    inner: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', odd: 2 }, spec: { x: 1 } },
  });
  t.match(object, { metadata: { name: 'w' }, inner: { metadata: { name: 'p' }, spec: { x: 1 } } });
  t.strictSame(problems, ['unknown field "metadata.odd"', 'unknown field "inner.metadata.odd"']);
  t.throws(() => decodeValue(type, { metadata: { name: 1 } }), {
    message: 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  });
  t.throws(() => decodeValue(type, { inner: { kind: 3 } }), {
    message: 'inner.kind: Invalid value: 3: must be a string',
  });
  const deep: Record<string, unknown> = {};
  let last = deep;
  for (let depth = 0; depth < 2000; depth += 1) last = last.a = {} as Record<string, unknown>;
  t.throws(() => decodeValue(type, { inner: deep }), { message: 'exceeded max depth' });
});

t.test('defaults fill in what is absent, and null where the schema allows none', async (t) => {
  const schema = inSpec({
    type: 'object',
    properties: {
      size: { type: 'integer', default: 3 },
      nullable: { type: 'string', nullable: true, default: 'd' },
      plain: { type: 'string' },
      parts: { type: 'array', items: { type: 'object', properties: { weight: { type: 'number', default: 1.5 } } } },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { k: { type: 'string', default: 'v' } } },
      },
      nested: { type: 'object', default: {}, properties: { on: { type: 'boolean', default: true } } },
    },
  });
  t.strictSame(
    decoded(schema, { size: null, nullable: null, plain: null, parts: [{}, { weight: 2 }], map: { a: {} } }).object
      .spec,
    {
      size: 3,
      nullable: null,
      parts: [{ weight: 1.5 }, { weight: 2 }],
      map: { a: { k: 'v' } },
      nested: { on: true },
    },
  );
  t.strictSame(decoded(schema, undefined).object.spec, undefined, 'no default makes up an object');
});

t.test('violations have the messages of Kubernetes', async (t) => {
  const cases: readonly (readonly [schema: Schema, value: unknown, errors: readonly string[]])[] = [
    [{ type: 'string' }, 1, ['spec: Invalid value: "integer": spec in body must be of type string: "integer"']],
    [
      { type: 'integer' },
      1.5,
      [
        'spec: Invalid value: "number": spec in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      ],
    ],
    [{ type: 'integer' }, null, ['spec: Invalid value: "null": spec in body must be of type integer: "null"']],
    [{ type: 'boolean' }, 'x', ['spec: Invalid value: "string": spec in body must be of type boolean: "string"']],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    [{ 'x-kubernetes-int-or-string': true }, '50%', []],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [{ type: 'string', maxLength: 2 }, 'abc', ['spec: Too long: may not be more than 2 bytes']],
    [{ type: 'string', minLength: 2 }, 'a', ['spec: Invalid value: "a": spec in body should be at least 2 chars long']],
    [{ type: 'string', pattern: '^a+$' }, 'b', ['spec: Invalid value: "b": spec in body should match \'^a+$\'']],
    [
      { type: 'string', format: 'date-time' },
      'now',
      ['spec: Invalid value: "now": spec in body must be of type date-time: "now"'],
    ],
    [{ type: 'string', format: 'no-such-format' }, 'anything', []],
    [
      { type: 'integer', maximum: 5, exclusiveMaximum: true },
      5,
      ['spec: Invalid value: 5: spec in body should be less than 5'],
    ],
    [{ type: 'integer', multipleOf: 3 }, 5, ['spec: Invalid value: 5: spec in body should be a multiple of 3']],
    [
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      ['spec: Too many: 2: must have at most 1 item'],
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [],
      ['spec: Invalid value: 0: spec in body should have at least 1 items'],
    ],
    [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, {}, ['spec.a: Required value']],
    [
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'b', 'a', 'a'],
      ['spec[2]: Duplicate value: "a"'],
    ],
    [
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      },
      [{ k: 'a' }, { k: 'a' }],
      ['spec[1]: Duplicate value: {"k":"a"}'],
    ],
    [
      { type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 3 }] },
      4,
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        'spec: Invalid value: 4: spec in body should be greater than or equal to 5',
      ],
    ],
    [
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'x y' },
      [
        'spec.apiVersion: Required value',
        "spec.kind: Invalid value: \"x y\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
  ];
  for (const [schema, value, errors] of cases)
    t.strictSame(errorsOf(inSpec(schema), value), errors, JSON.stringify([schema, value]));
});

t.test('an update may keep what is wrong, but not change it', async (t) => {
  const schema = inSpec({
    type: 'object',
    properties: {
      color: { type: 'string', enum: ['red'] },
      size: { type: 'integer', maximum: 5 },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, size: { type: 'integer', maximum: 5 } },
        },
      },
      plain: { type: 'array', items: { type: 'integer', maximum: 5 } },
    },
  });
  const old = { color: 'blue', size: 1, parts: [{ name: 'a', size: 9 }], plain: [9] };
  t.strictSame(errorsOf(schema, { ...old, size: 2 }, old), []);
  t.strictSame(errorsOf(schema, { ...old, parts: [{ name: 'b' }, { name: 'a', size: 9 }] }, old), []);
  t.strictSame(errorsOf(schema, { ...old, plain: [9, 1] }, old), [
    'spec.plain[0]: Invalid value: 9: spec.plain[0] in body should be less than or equal to 5',
  ]);
  t.strictSame(errorsOf(schema, { ...old, color: 'green' }, old), [
    'spec.color: Unsupported value: "green": supported values: "red"',
  ]);
});

t.test('names are accepted one by one, and conflicts are named', async (t) => {
  const first: CustomResourceDefinition = {
    ...definitionOf({ type: 'object' }),
    status: {
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['w'],
      },
    },
  };
  const second = definitionOf(
    { type: 'object' },
    {
      names: { plural: 'gadgets', singular: 'widget', kind: 'Gadget', listKind: 'GadgetList', shortNames: ['w', 'g'] },
    },
  );
  second.metadata = { name: 'gadgets.example.com' };
  const fresh = acceptNames(second, [second], 0);
  t.match(fresh?.conditions, [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    { type: 'Established', status: 'False', reason: 'Installing' },
  ]);
  const refused = acceptNames(second, [first, second], 0);
  t.match(refused?.conditions, [
    { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"w" is already in use' },
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ]);
  t.strictSame(refused?.acceptedNames, { plural: 'gadgets', kind: 'Gadget', listKind: 'GadgetList' });
  const accepted = { ...second, status: fresh } as CustomResourceDefinition;
  t.equal(acceptNames(accepted, [first, accepted], 0), undefined, 'accepted names stay');
});

t.test('conditions keep the time of their last transition', async (t) => {
  const once = withDefinitionCondition(undefined, establishedState, 1000);
  const again = withDefinitionCondition(once, { ...establishedState, message: 'other' }, 9000);
  t.match(again.conditions, [{ message: 'other', lastTransitionTime: '1970-01-01T00:00:01Z' }]);
  const changed = withDefinitionCondition(again, { ...establishedState, status: 'False' }, 9000);
  t.match(changed.conditions, [{ status: 'False', lastTransitionTime: '1970-01-01T00:00:09Z' }]);
  const definition = definitionOf({ type: 'object' }, { group: 'x.k8s.io', preserveUnknownFields: true });
  const judged = judgeSchemas(definition, 0);
  t.match(judged?.conditions, [
    {
      type: 'NonStructuralSchema',
      status: 'True',
      message: 'spec.preserveUnknownFields: Invalid value: true: must be false',
    },
    { type: 'KubernetesAPIApprovalPolicyConformant', status: 'False', reason: 'MissingAnnotation' },
  ]);
  t.notOk(isDefinitionConditionTrue(definition, 'Established'));
});

t.test('paths of columns find values as kubectl does', async (t) => {
  const object = {
    spec: { a: 1, 'x.y': 2, list: [{ n: 'p', v: 1 }, { n: 'q', v: 2 }, { n: 'r' }] },
    metadata: { labels: { 'a/b': 'l' } },
  };
  const cases: readonly (readonly [path: string, values: readonly unknown[]])[] = [
    ['.spec.a', [1]],
    ['.spec.x\\.y', [2]],
    [".spec['x.y']", [2]],
    [".metadata.labels['a/b']", ['l']],
    ['.spec.none.deep', []],
    ['.spec.list[0].n', ['p']],
    ['.spec.list[-1].n', ['r']],
    ['.spec.list[*].n', ['p', 'q', 'r']],
    ['.spec.list[0:2].v', [1, 2]],
    ['.spec.list[0,2].n', ['p', 'r']],
    ['.spec.list[9].n', []],
    ['.spec.list[?(@.n=="q")].v', [2]],
    ["$.spec.list[?(@.n=='q')].v", [2]],
    ['.spec.list[?(@.v>1)].n', ['q']],
    ['.spec.list[?(@.v)].n', ['p', 'q']],
    ['..v', [1, 2]],
    ['.spec.a[0]', []],
  ];
  for (const [path, values] of cases) t.strictSame(jsonPath(path)(object), values, path);
  for (const path of ['.spec[', '.spec.list[x]', 'spec}', '.spec.list[?(@.n=<"q")]'])
    t.throws(() => jsonPath(path), path);
});

t.test('nested fields are read and set as a scale needs them', async (t) => {
  const object = { spec: { n: 3, text: 'x' } };
  t.strictSame(nestedInteger(object, '.spec.n'), { value: 3 });
  t.strictSame(nestedInteger(object, '.status.n'), { value: undefined });
  t.strictSame(nestedInteger(object, '.spec.text'), {
    error: '.spec.text accessor error: x is of the type string, expected int64',
  });
  t.strictSame(nestedText(object, '.spec.n.m'), {
    error: '.spec.n accessor error: 3 is of the type int64, expected map[string]interface{}',
  });
  const target: Record<string, unknown> = { spec: object.spec };
  t.equal(setNested(target, '.spec.n', 5), undefined);
  t.strictSame([target, object.spec.n], [{ spec: { n: 5, text: 'x' } }, 3], 'what is shared is not changed');
  t.equal(setNested(target, '.spec.n.m', 5), 'value cannot be set because .spec.n is not a map[string]interface{}');
});

/** Schemas of the subset that JSON Schema and structural schemas share, and values that often fit them. */
const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 0, max: 4 }) }, { requiredKeys: ['type'] }),
    fc.record(
      {
        type: fc.constant('integer'),
        minimum: fc.integer({ min: -3, max: 0 }),
        maximum: fc.integer({ min: 0, max: 3 }),
      },
      { requiredKeys: ['type'] },
    ),
    fc.constant<Schema>({ type: 'boolean' }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.integer({ min: 0, max: 3 }) }),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
        required: fc.subarray(['a', 'b', 'c']),
      })
      .map(({ properties, required }): Schema => ({
        type: 'object',
        properties,
        ...(required.length > 0 && { required }),
      })),
    tie('schema').map((values): Schema => ({ type: 'object', additionalProperties: values })),
  ),
})).schema;
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 6 }),
    fc.integer({ min: -5, max: 5 }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

t.test('pruning twice is pruning once, and defaults stay after pruning', async (t) => {
  const check = fc.property(schemas, values, values, (inner, value, filling) => {
    const schema = inSpec({ type: 'object', properties: { x: { ...inner, default: filling as never } } });
    const { object } = decoded(schema, { x: value, y: 1 });
    const again = decoded(schema, object.spec);
    t.strictSame(again.object.spec, object.spec);
    t.strictSame(again.problems, []);
    t.notOk(Object.hasOwn(object.spec as object, 'y'));
    t.ok(Object.hasOwn(decoded(schema, {}).object.spec as object, 'x'), 'the default is there');
  });
  fc.assert(check, { numRuns: runs(1000) });
});

t.test('the validator accepts what ajv accepts, and nothing else', async (t) => {
  let valid = 0;
  let invalid = 0;
  const check = fc.property(schemas, values, (schema, value) => {
    const isValid = new Ajv({ strict: false }).validate(schema, value);
    if (isValid) valid += 1;
    else invalid += 1;
    t.equal(errorsOf(inSpec(schema), value).length === 0, isValid, JSON.stringify([schema, value]));
  });
  fc.assert(check, { numRuns: runs(2000) });
  t.ok(valid > 5 && invalid > 5, `${valid} valid and ${invalid} invalid values were drawn`);
});
