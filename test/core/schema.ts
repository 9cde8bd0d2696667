// The schema and its walker: what becomes of a document from a client. Expected messages and objects are those of
// a real Kubernetes v1.36 decoder.
import t from 'tap';
import { decodeJsonBody, encodeJson, encodePrettyJson, readTypeMeta, decodeJson } from '../../lib/core/codec/json.js';
import { isDeepFrozen, deepFreeze } from '../../lib/core/objects/json.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import { compactSchema } from '../../lib/core/schema/compact-form.js';
import { decodeValue } from '../../lib/core/schema/decode.js';
import { countMembers, membersAtMost, scanJson } from '../../lib/core/go/json-scanner.js';
import type { Shape, StructType } from '../../lib/core/schema/type.js';
import { field, listOf, mapOf, scalars, structType } from '../../lib/core/schema/type.js';
import { canonicalBase64 } from '../../lib/core/go/base64.js';
import { fc, runs } from '../support/properties.js';

const struct = (name: string): StructType => {
  const found = builtinSchema.struct(name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
};
const pod = struct('core/v1.Pod');
const podText = (spec: unknown, rest: object = {}): string =>
  JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...rest, spec });
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Error && error.name === 'DecodeError') return error.message;
    throw error;
  }
  return '';
};

t.test('every built-in type parses and refers only to types that exist', async (t) => {
  const seen = new Set<Shape>();
  const visit = (shape: Shape): void => {
    if (seen.has(shape)) return;
    seen.add(shape);
    if (shape.kind === 'struct') for (const each of shape.fields.values()) visit(each.shape);
    else if (shape.kind === 'list') visit(shape.items);
    else if (shape.kind === 'map') visit(shape.values);
    else if (shape.kind === 'union') for (const option of shape.options) visit(option.shape);
  };
  let count = 0;
  for (const groupVersion of builtinSchema.groupVersions) {
    for (const name of builtinSchema.structs(groupVersion)) {
      visit(struct(name));
      count += 1;
    }
  }
  t.ok(count > 750, `${count} types`);
  t.equal(builtinSchema.struct('core/v1.Nothing'), undefined);
  t.equal(builtinSchema.struct('__proto__/v1.Pod'), undefined);
});

t.test('no two fields of a message share a protobuf number', async (t) => {
  for (const groupVersion of builtinSchema.groupVersions) {
    for (const name of builtinSchema.structs(groupVersion)) {
      const places = [...struct(name).fields.values()]
        .filter(({ tags }) => tags.length > 0)
        .map(({ tags }) => tags.join('.'));
      t.equal(new Set(places).size, places.length, name);
    }
  }
});

t.test('a type carries what apply, patch and protobuf need', async (t) => {
  const container = struct('core/v1.Container');
  t.match(container.fields.get('ports'), {
    listType: 'map',
    mapKeys: ['containerPort', 'protocol'],
    patch: { strategy: 'merge', mergeKey: 'containerPort' },
    tags: [6],
  });
  t.match(struct('core/v1.PodSpec').fields.get('volumes'), {
    patch: { strategy: 'merge', mergeKey: 'name', retainKeys: true },
  });
  t.match(struct('core/v1.Volume').fields.get('secret'), { tags: [2, 6], embedded: ['VolumeSource'] });
  t.match(struct('core/v1.PodSpec').fields.get('restartPolicy')?.shape, { values: ['Always', 'OnFailure', 'Never'] });
  t.equal(struct('meta/v1.LabelSelector').atomic, true);
  t.match(struct('meta/v1.ObjectMeta').fields.get('finalizers'), { listType: 'set', patch: { strategy: 'merge' } });
  t.equal(struct('core/v1.PodSpec').fields.get('containers')?.required, true);
  t.strictSame(
    [...container.fields.keys()].slice(0, 4),
    ['name', 'image', 'command', 'args'],
    'fields stand in the order of Kubernetes',
  );
});

t.test('a value of the wrong type is refused with the path, in the words of Go', async (t) => {
  const cases: readonly [spec: unknown, message: string, rest?: object][] = [
    [
      { containers: 'x' },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      { containers: [1] },
      'json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      { containers: [{ name: 1 }] },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      { restartPolicy: 4 },
      'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [{ priority: 1.5 }, 'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32'],
    [
      { priority: 3e10 },
      'json: cannot unmarshal number 30000000000 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { hostNetwork: 'true' },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      { volumes: [{ hostPath: 1 }] },
      'json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource',
    ],
    [
      { containers: [{ livenessProbe: { httpGet: { port: 1.5 } } }] },
      'json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
    ],
    [
      { containers: [{ resources: { limits: [] } }] },
      'json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      { containers: [{ resources: { limits: { cpu: 'zz' } } }] },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      { containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 5 } } }] }] },
      'json: cannot unmarshal number into Go struct field ConfigMapKeySelector.spec.containers.env.valueFrom.configMapKeyRef.LocalObjectReference.name of type string',
    ],
    [
      {},
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
      { metadata: { labels: { a: 1 } } },
    ],
    [{}, 'json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta', { metadata: [] }],
    [
      {},
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID',
      { metadata: { uid: 1 } },
    ],
    [
      {},
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
      { metadata: { creationTimestamp: 5 } },
    ],
    [
      {},
      'parsing time "2020" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-"',
      { metadata: { creationTimestamp: '2020' } },
    ],
  ];
  for (const [spec, message, rest] of cases)
    t.equal(
      refusal(() => decodeJson(pod, podText(spec, rest))),
      message,
    );
  t.equal(
    refusal(() => decodeValue(pod, [])),
    'json: cannot unmarshal array into Go value of type v1.Pod',
  );
  t.equal(
    refusal(() => decodeJson(struct('core/v1.Secret'), '{"data":{"a":5}}')),
    'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
  );
  const crd = struct('apiextensions/v1.CustomResourceDefinition');
  const schema = (of: unknown): string =>
    JSON.stringify({ spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: of } } } }] } });
  t.equal(
    refusal(() => decodeJson(crd, schema({ additionalProperties: 4 }))),
    'boolean or JSON schema expected',
  );
  t.equal(
    refusal(() => decodeJson(crd, schema({ items: { type: 5 } }))),
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string',
  );
});

t.test('integers that JavaScript cannot hold are refused instead of changed', async (t) => {
  const text = '{"spec":{"securityContext":{"runAsUser":9007199254740993}}}';
  t.match(
    refusal(() => decodeJson(pod, text)),
    /cannot unmarshal number .* of type int64/,
  );
});

t.test('an object comes out as a server would hold it', async (t) => {
  const { object } = decodeJson(
    pod,
    podText(
      {
        hostNetwork: false,
        nodeSelector: {},
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'a', emptyDir: {} }, null],
        containers: [{ args: [], command: [null], resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }],
      },
      { metadata: { creationTimestamp: null, labels: null } },
    ),
  );
  t.strictSame(object, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {},
    spec: {
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'a', emptyDir: {} }, { name: '' }],
      containers: [
        {
          command: [''],
          resources: { limits: { cpu: '500m', memory: '1Gi' } },
          name: '',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
    status: {},
  });
  const { object: service } = decodeJson(struct('core/v1.Service'), '{"spec":{"ports":[{"port":80}]}}');
  t.strictSame(service, {
    spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 0 }], sessionAffinity: 'None', type: 'ClusterIP' },
    metadata: {},
    status: { loadBalancer: {} },
  });
  const { object: event } = decodeJson(
    struct('core/v1.Event'),
    '{"lastTimestamp":"2026-01-02T03:04:05+01:00","eventTime":"2026-01-02T03:04:05.100000Z"}',
  );
  t.match(event, { lastTimestamp: '2026-01-02T02:04:05Z', eventTime: '2026-01-02T03:04:05.100000Z' });
});

t.test('two documents share nothing, defaults included', async (t) => {
  const decode = (): { spec: { securityContext: object; containers: object[] } } =>
    decodeJson(pod, podText({ containers: [{ name: 'a' }] })).object as never;
  const [one, other] = [decode(), decode()];
  t.not(one.spec.securityContext, other.spec.securityContext);
  t.strictSame(deepFreeze(one), other);
  t.notOk(Object.isFrozen(other.spec.securityContext));
});

t.test('what has been decoded decodes to itself', async (t) => {
  const { object } = decodeJson(
    pod,
    podText({ containers: [{ name: 'a', image: 'b', livenessProbe: { httpGet: { port: 80 } } }] }),
  );
  t.strictSame(decodeValue(pod, object).object, object);
});

t.test('the value of a caller is left as it is, that of the parser is used up', async (t) => {
  const given = deepFreeze({
    spec: { hostNetwork: false, containers: [{ name: 'a', resources: { limits: { cpu: '0.5' } } }] },
  });
  const { object } = decodeValue(pod, given);
  t.match(object, { spec: { containers: [{ resources: { limits: { cpu: '500m' } } }] } });
  t.ok(isDeepFrozen(given));
  t.notOk(Object.isFrozen(object.spec), 'the result is free to be completed');
});

t.test('unknown and duplicate fields are reported once, in document order, with their path', async (t) => {
  const text =
    '{"kind":"Pod","apiVersion":"v1","zz":1,"spec":{"zz":1,"containers":[{},{"b":{"c":1},"ports":[{"x":1}]}]},"zz":2,"metadata":{"labels":{"a":"b","a":"c"}}}';
  const problems = [
    'unknown field "zz"',
    'unknown field "spec.zz"',
    'unknown field "spec.containers[1].b"',
    'unknown field "spec.containers[1].ports[0].x"',
    'duplicate field "metadata.labels.a"',
  ];
  t.strictSame(decodeJson(pod, text).problems, problems);
  t.strictSame(decodeJsonBody(pod, text, 'Warn').warnings, problems);
  t.strictSame(decodeJsonBody(pod, text, 'Ignore').warnings, []);
  t.equal(
    refusal(() => decodeJsonBody(pod, text, 'Strict')),
    `strict decoding error: ${problems.join(', ')}`,
  );
  t.strictSame(
    decodeJson(pod, '{"spec" : {"hostname":"a", "hostname" :"b"}}').problems,
    ['duplicate field "spec.hostname"'],
    'odd spacing hides nothing',
  );
  t.strictSame(
    decodeJson(pod, '{"metadata":{"annotations":{"a":"{\\"b\\":1}","c":":"}}}').problems,
    [],
    'JSON inside a string is a string',
  );
  t.strictSame(decodeJson(pod, '{"Spec":{}}').problems, ['unknown field "Spec"'], 'names are case-sensitive');
  t.strictSame(
    decodeJson(struct('apps/v1.ControllerRevision'), '{"data":{"a":1,"a":2},"revision":1}').problems,
    [],
    'embedded JSON is kept as it is',
  );
  const many = `{${Array.from({ length: 500 }, (_, index) => `"x${index}":1`).join(',')}}`;
  t.equal(decodeJson(pod, many).problems.length, 100, 'and there is an end to it');
});

t.test('a document that is no JSON is refused in the words of Go', async (t) => {
  const cases: readonly [text: string, message: string][] = [
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['{"a":[{"b":1}}', "invalid character '}' after array element"],
    ['{"a":1 x', "invalid character 'x' after object key:value pair"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":"x\ny"}', "invalid character '\\n' in string literal"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[,]', "invalid character ',' looking for beginning of value"],
  ];
  for (const [text, message] of cases)
    t.equal(
      refusal(() => decodeJson(pod, text)),
      message,
      text,
    );
  t.equal(
    refusal(() => readTypeMeta('{"kind":5}')),
    "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
  );
  t.equal(
    refusal(() => readTypeMeta('{')),
    "couldn't get version/kind; json parse error: unexpected end of JSON input",
  );
  t.match(
    refusal(() => readTypeMeta('[]')),
    /cannot unmarshal array into Go value of type struct/,
  );
  t.strictSame(readTypeMeta('{"kind":"Pod","apiVersion":null}'), { kind: 'Pod' });
});

t.test('the scanner accepts exactly what JSON.parse accepts', async (t) => {
  const pieces = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      'true',
      'null',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      ' ',
      '\n',
      'x',
      '\\u00e9',
      '\u0001',
    ),
    { maxLength: 12 },
  );
  const accepts = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(
      fc.oneof(
        pieces.map((list) => list.join('')),
        fc.json(),
        fc.json().map((text) => text.slice(0, -1)),
      ),
      (text) => {
        t.equal(scanJson(text) === undefined, accepts(text), text);
      },
    ),
    { numRuns: runs(2000) },
  );
});

t.test('members are counted exactly, and the quick bound is never too low', async (t) => {
  const members = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Object.values(value).reduce(
          (sum: number, each) => sum + members(each),
          Array.isArray(value) ? 0 : Object.keys(value).length,
        );
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const exact = members(JSON.parse(text));
      t.equal(countMembers(text), exact);
      t.ok(membersAtMost(text) >= exact);
    }),
  );
});

t.test('hostile keys are data: no prototype is touched and nothing is lost', async (t) => {
  const config = struct('core/v1.ConfigMap');
  const text =
    '{"data":{"__proto__":"x","constructor":"y","toString":"z"},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const { object, problems } = decodeJson(config, text);
  t.equal(JSON.stringify(object.data), '{"__proto__":"x","constructor":"y","toString":"z"}');
  t.strictSame(problems, ['unknown field "__proto__"', 'unknown field "constructor"']);
  t.equal(Reflect.getPrototypeOf(object), Object.prototype);
  t.equal(({} as { polluted?: boolean }).polluted, undefined);
  const { object: copied } = decodeValue(config, JSON.parse(text));
  t.equal(
    JSON.stringify(copied.data),
    '{"__proto__":"x","constructor":"y","toString":"z"}',
    'also when the input is kept',
  );
});

t.test('random JSON never crashes the decoder and never touches a prototype', async (t) => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const names = fc.constantFrom(
    'spec',
    'metadata',
    'containers',
    'name',
    'labels',
    'volumes',
    'resources',
    'limits',
    '__proto__',
    'constructor',
    'prototype',
    'x',
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 7 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 4 })
        .map((pairs) => `{${pairs.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join(',')}}`)
        .map((text): unknown => JSON.parse(text)),
    ),
  }));
  fc.assert(
    fc.property(value, (document) => {
      refusal(() => decodeJson(pod, JSON.stringify(document)));
    }),
    { numRuns: runs(1500) },
  );
  t.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
});

t.test('nesting is bounded in typed, embedded and unknown parts alike', async (t) => {
  const deep = (open: string, close: string): string => open.repeat(50_000) + close.repeat(50_000);
  t.equal(
    refusal(() => decodeJson(pod, `{"x":${deep('[', ']')}}`)),
    'exceeded max depth',
  );
  t.equal(
    refusal(() => decodeJson(struct('apps/v1.ControllerRevision'), `{"data":${deep('[', ']')}}`)),
    'exceeded max depth',
  );
  const crd = `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}}}]}}`;
  t.equal(
    refusal(() => decodeJson(struct('apiextensions/v1.CustomResourceDefinition'), crd)),
    'exceeded max depth',
  );
  t.equal(
    refusal(() => decodeJson(pod, '['.repeat(50_000))),
    'exceeded max depth',
  );
});

t.test('bytes are kept as canonical base64 and refused where Go stumbles', async (t) => {
  const illegalAt = (text: string): string => {
    try {
      return canonicalBase64(text);
    } catch (error) {
      return error instanceof Error && error.name === 'ParseError' ? error.message : 'not refused';
    }
  };
  const faults: readonly [text: string, at: number][] = [
    ['!!', 0],
    ['YQ', 0],
    ['YQ=', 3],
    ['YQ==YQ==', 4],
    ['YWFh=', 4],
    ['Y===', 1],
  ];
  for (const [text, at] of faults) t.equal(illegalAt(text), `illegal base64 data at input byte ${at}`, text);
  t.equal(canonicalBase64('YWF\nhYR=\r\n='), 'YWFhYQ==');
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = btoa(String.fromCharCode(...bytes));
      t.equal(canonicalBase64(text), text);
    }),
    { numRuns: runs(200) },
  );
});

t.test('a host describes its own types, in code or in the compact form', async (t) => {
  const part = structType('example.com/v1.Part', () => [
    field('size', scalars.int32, { presence: 'pointer', default: 3 }),
    field('tags', mapOf(scalars.string)),
  ]);
  const widget = structType('example.com/v1.Widget', () => [field('parts', listOf(part)), field('next', widget)]);
  t.strictSame(decodeValue(widget, { parts: [{ tags: { a: 'b' } }], next: { parts: [] } }).object, {
    parts: [{ tags: { a: 'b' }, size: 3 }],
    next: {},
  });
  const compact = compactSchema({
    'example/v1': 'enum Color red|green blue\n\nstruct Widget\n1 color Color ! r ="red"\n2 sizes [int32] set',
  }).struct('example/v1.Widget');
  t.match(compact?.fields.get('color'), { required: true, default: 'red', shape: { values: ['red', 'green blue'] } });
  t.throws(() => compactSchema({ 'a/v1': 'struct A\n1 b Missing' }).struct('a/v1.A')?.fields, /unknown type Missing/);
  t.throws(() => compactSchema({ 'a/v1': 'struct A\n1 b string odd' }).struct('a/v1.A')?.fields, /unknown mark odd/);
});

t.test('JSON is spelled as Kubernetes spells it', async (t) => {
  t.equal(encodeJson({ a: '<b> & c\u2028' }), '{"a":"\\u003cb\\u003e \\u0026 c\\u2028"}\n');
  t.equal(encodeJson({ a: 'plain' }), '{"a":"plain"}\n');
  t.equal(encodePrettyJson({ a: ['<'] }), '{\n  "a": [\n    "\\u003c"\n  ]\n}');
});
