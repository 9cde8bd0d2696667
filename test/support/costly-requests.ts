// A corpus of requests that are as costly as a client can make them within the limit of a body: every list and map of
// every kind filled with empty, identical, distinct and invalid items, long texts, deep nesting, patches and selectors.
// It is derived from the schema, so a new kind or field joins by itself. A type that several kinds share, such as
// PodSpec, is filled once. Used by benchmark/costly-requests.ts (3 MiB) and test/server/costly.ts (small bodies).
import { builtinScheme } from '../../lib/core/index.js';
import type { JsonValue, Shape, StructType } from '../../lib/core/index.js';

/** One request of the corpus. `body` is made when needed: all of them together take gigabytes. */
export interface CostlyRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  /** Objects that must exist before, by path of their collection. */
  readonly needs?: () => readonly (readonly [path: string, object: JsonValue])[];
  readonly body?: () => string;
}

/** How the items of a list are filled. */
type Filling = 'empty' | 'identical' | 'distinct' | 'invalid';

const fillings: readonly Filling[] = ['empty', 'identical', 'distinct', 'invalid'];

/** All requests, each with a body of at most `bytes`. */
export function costlyRequests(bytes: number): readonly CostlyRequest[] {
  return [...filledFields(bytes), ...longTexts(bytes), ...nestings(bytes), ...patches(bytes), ...selectors(bytes)];
}

/** A list or map of a type, and the way to it from the root. */
interface Place {
  readonly steps: readonly (string | number)[];
  readonly shape: Shape;
}

function filledFields(bytes: number): readonly CostlyRequest[] {
  const requests: CostlyRequest[] = [];
  const seen = new Set<string>();
  const scheme = builtinScheme();
  for (const { name: group, versions } of scheme.groups) {
    for (const version of versions) {
      for (const { kind, plural, namespaced, verbs, type } of servedKinds(group, version)) {
        if (!verbs.includes('create')) continue;
        const apiVersion = group === '' ? version : `${group}/${version}`;
        const path = collection(apiVersion, plural, namespaced);
        for (const { steps, shape } of places(type, seen)) {
          for (const filling of fillings)
            requests.push({
              name: `${kind} ${steps.join('.')} ${filling}`,
              method: 'POST',
              path,
              body: () => filled({ apiVersion, kind, metadata: { name: 'costly' } }, steps, shape, filling, bytes),
            });
        }
      }
    }
  }
  return requests;
}

interface Served {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly type: StructType;
}

function servedKinds(group: string, version: string): readonly Served[] {
  return builtinScheme()
    .resourcesOf({ group, version })
    .map(({ kind, resource }) => {
      const { plural, namespaced, verbs } = resource;
      return { kind, plural, namespaced, verbs, type: builtinScheme().typeOf({ group, version, kind }) };
    });
}

function collection(apiVersion: string, plural: string, namespaced: boolean): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/default/${plural}` : `${root}/${plural}`;
}

/** The lists and maps of a type that no earlier kind had, at most ten levels deep. */
function places(type: StructType, seen: Set<string>): readonly Place[] {
  const found: Place[] = [];
  const walk = (shape: Shape, steps: readonly (string | number)[], isNew: boolean): void => {
    if (steps.length > 16) return;
    if (shape.kind === 'list') {
      if (isNew) found.push({ steps, shape });
      walk(shape.items, [...steps, 0], false);
    } else if (shape.kind === 'map') {
      if (isNew) found.push({ steps, shape });
      walk(shape.values, [...steps, 'key'], false);
    } else if (shape.kind === 'struct') {
      for (const [name, { shape: inner }] of shape.fields) {
        const id = `${shape.name}.${name}`;
        if (seen.has(id)) continue;
        seen.add(id);
        walk(inner, [...steps, name], true);
      }
    }
  };
  walk(type, [], false);
  return found;
}

/** The text of an object with one list or map of about `bytes`. */
function filled(
  root: JsonValue,
  steps: readonly (string | number)[],
  shape: Shape,
  filling: Filling,
  bytes: number,
): string {
  const marker = '@filled@';
  const text = JSON.stringify(withValue(root, steps, marker));
  const isMap = shape.kind === 'map';
  const items = shape.kind === 'list' ? shape.items : shape.kind === 'map' ? shape.values : shape;
  const parts: string[] = [];
  let size = text.length + 2;
  for (let index = 0; ; index++) {
    const value = JSON.stringify(item(items, filling, index, 0));
    const part = isMap ? `${JSON.stringify(filling === 'invalid' ? `!${index}` : `k${index}`)}:${value}` : value;
    size += part.length + 1;
    if (size > bytes) break;
    parts.push(part);
  }
  const joined = parts.join(',');
  return text.replace(`"${marker}"`, () => (isMap ? `{${joined}}` : `[${joined}]`));
}

function withValue(root: JsonValue, [step, ...rest]: readonly (string | number)[], value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (typeof step === 'number') return [withValue({}, rest, value)];
  const object = root as Readonly<Record<string, JsonValue>>;
  return { ...object, [step]: withValue(object[step] ?? {}, rest, value) };
}

/** One item: empty, or with all plain fields, and with those of structures two levels down. */
function item(shape: Shape, filling: Filling, index: number, depth: number): JsonValue {
  switch (shape.kind) {
    case 'struct': {
      if (filling === 'empty' || depth > 1) return {};
      const members: Record<string, JsonValue> = {};
      for (const [name, { shape: inner }] of shape.fields) {
        if (inner.kind === 'list' || inner.kind === 'map' || inner.kind === 'union') continue;
        if (inner.kind === 'struct' && depth > 0) continue;
        members[name] = item(inner, filling, index, depth + 1);
      }
      return members;
    }
    case 'list':
      return filling === 'empty' ? [] : [item(shape.items, filling, index, depth + 1)];
    case 'map':
      return filling === 'empty' ? {} : { key: item(shape.values, filling, index, depth + 1) };
    case 'union':
    case 'raw':
    case 'json':
      return {};
    case 'bool':
      return filling !== 'empty';
    case 'int32':
    case 'int64':
    case 'double':
      return { empty: 0, identical: 80, distinct: (index % 60_000) + 1, invalid: -1 }[filling];
    case 'time':
    case 'micro-time':
      return '2026-01-01T00:00:00Z';
    case 'quantity':
      return { empty: '0', identical: '1', distinct: `${index}`, invalid: '-1500m' }[filling];
    case 'bytes':
      return 'YWJj';
    case 'int-or-string':
      return filling === 'invalid' ? '_!' : 80;
    case 'string':
      return { empty: '', identical: 'a', distinct: `a${index}`, invalid: '_!' }[filling];
  }
}

const pods = '/api/v1/namespaces/default/pods';
const maps = '/api/v1/namespaces/default/configmaps';

function longTexts(bytes: number): readonly CostlyRequest[] {
  const long = (character: string): string => character.repeat(bytes - 1000);
  const pod = (spec: JsonValue, metadata: JsonValue = { name: 'costly' }): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const container = (fields: object): JsonValue => ({ containers: [{ name: 'a', image: 'b', ...fields }] });
  const texts: readonly (readonly [string, () => string])[] = [
    ['name', () => pod(container({}), { name: long('a') })],
    ['name of dots', () => pod(container({}), { name: long('a.').slice(0, bytes - 1000) })],
    ['name of dashes', () => pod(container({}), { name: long('-') })],
    ['label value', () => pod(container({}), { name: 'costly', labels: { a: long('-') } })],
    ['label key', () => pod(container({}), { name: 'costly', labels: { [long('a')]: 'a' } })],
    ['annotation', () => pod(container({}), { name: 'costly', annotations: { a: long('"').slice(0, bytes / 3) } })],
    ['finalizer', () => pod(container({}), { name: 'costly', finalizers: [long('/')] })],
    ['generateName', () => pod(container({}), { generateName: long('a') })],
    ['container name', () => pod({ containers: [{ name: long('_'), image: 'b' }] })],
    ['image', () => pod({ containers: [{ name: 'a', image: long(' ') }] })],
    [
      'mount path',
      () => pod(container({ volumeMounts: [{ name: 'v', mountPath: long('../').slice(0, bytes - 1000) }] })),
    ],
    ['variable reference', () => pod(container({ env: [{ name: 'A', value: long('$(').slice(0, bytes - 1000) }] }))],
    ['quantity', () => pod(container({ resources: { limits: { cpu: long('9') } } }))],
    ['quantity of zeros', () => pod(container({ resources: { limits: { cpu: `0.${long('0')}1` } } }))],
    ['node selector', () => pod({ containers: [], nodeSelector: { [long('/')]: '' } })],
    ['host alias', () => pod({ containers: [], hostAliases: [{ ip: long(':') }] })],
    ['address', () => pod({ containers: [], hostAliases: [{ ip: long('1.') }] })],
    ['unknown field', () => pod({ [long('x')]: 1 })],
    ['escapes', () => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${'\\u0000'.repeat(bytes / 7)}"}}`],
  ];
  return [
    ...texts.map(([name, body]) => ({ name: `long ${name}`, method: 'POST', path: pods, body })),
    {
      name: 'unknown field validated strictly',
      method: 'POST',
      path: `${pods}?fieldValidation=Strict`,
      body: () => `{"apiVersion":"v1","kind":"Pod","spec":{${'"x":1,'.repeat(bytes / 7)}"y":1}}`,
    },
    {
      name: 'many unknown fields',
      method: 'POST',
      path: `${pods}?fieldValidation=Strict`,
      body: () =>
        `{"apiVersion":"v1","kind":"Pod","spec":{${Array.from({ length: bytes / 14 }, (_, i) => `"x${i}":1`).join(',')}}}`,
    },
    ...['cron schedule', 'time zone'].map((name) => ({
      name: `long ${name}`,
      method: 'POST',
      path: '/apis/batch/v1/namespaces/default/cronjobs',
      body: () =>
        JSON.stringify({
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'costly' },
          spec: {
            schedule: name === 'time zone' ? '* * * * *' : '1,'.repeat(bytes / 2 - 500),
            ...(name === 'time zone' && { timeZone: 'a/'.repeat(bytes / 2 - 500) }),
          },
        }),
    })),
    ...patterns.map(([pattern, text]) => ({
      name: `pattern ${pattern.slice(0, 20)}`,
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: () => definition({ type: 'string', pattern, default: text.repeat((bytes - 2000) / text.length) }),
    })),
    {
      name: 'many patterns',
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: () =>
        definition({
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: bytes / 300 }, (_, i): [string, JsonValue] => [
              `p${i}`,
              { type: 'string', pattern: '(a?){900}b', default: 'a'.repeat(200) },
            ]),
          ),
        }),
    },
  ];
}

const patterns: readonly (readonly [pattern: string, text: string])[] = [
  ['(a?){900}b', 'a'],
  ['^(a+)+$', 'ab'],
  ['(x|y|a)*z', 'a'],
  [`(${'a'.repeat(500)}|b?){100}`, 'ab'],
  ['\\p{L}*\\P{L}{1,900}x', 'é'],
];

function definition(property: JsonValue): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: property } } },
        },
      ],
    },
  });
}

function nestings(bytes: number): readonly CostlyRequest[] {
  const nested = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);
  const bodies: readonly (readonly [string, string, () => string, string?])[] = [
    ['objects', pods, () => nested('{"a":', '}', bytes / 6).replace(':}', ':1}')],
    ['lists', pods, () => nested('[', ']', bytes / 2)],
    ['objects of a known field', maps, () => `{"kind":"ConfigMap","data":${nested('{"a":', '}', bytes / 6 - 10)}}`],
    ['duplicate keys', maps, () => `{"kind":"ConfigMap","data":{${'"a":"",'.repeat(bytes / 7 - 20)}"b":""}}`],
    ['YAML lists', pods, () => '- '.repeat(bytes / 2), 'application/yaml'],
    ['YAML flow lists', pods, () => nested('[', ']', bytes / 2), 'application/yaml'],
    ['YAML scalars', maps, () => 'a: b\n'.repeat(bytes / 5), 'application/yaml'],
    [
      'YAML map',
      maps,
      () => `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n${yamlMembers(bytes - 100)}`,
      'application/yaml',
    ],
    ['YAML aliases', pods, () => `a: &a [1]\nb: [${'*a,'.repeat(bytes / 3 - 20)}]`, 'application/yaml'],
    ['YAML text', maps, () => `data: "${'\\x41'.repeat(bytes / 4 - 20)}"`, 'application/yaml'],
    ['YAML comments', maps, () => '# a\n'.repeat(bytes / 4), 'application/yaml'],
  ];
  return [
    ...bodies.map(([name, path, body, type]) => ({
      name: `nested ${name}`,
      method: 'POST',
      path,
      body,
      ...(type !== undefined && { type }),
    })),
    ...[10, 100, 900].map((levels) => ({
      name: `schema of ${levels} levels`,
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: () => {
        const one = `{"type":"object","properties":{"a":`.repeat(levels) + '{"type":"string"}' + '}}'.repeat(levels);
        const count = Math.max(1, Math.floor((bytes - 1000) / (one.length + 12)));
        const members = Array.from({ length: count }, (_, i) => `"p${i}":${one}`).join(',');
        return definition('@').replace('"@"', () => `{"type":"object","properties":{${members}}}`);
      },
    })),
    ...['allOf', 'anyOf', 'oneOf'].map((word) => ({
      name: `schema of ${word}`,
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: () =>
        definition('@').replace(
          '"@"',
          () => `{"type":"string","default":"x","${word}":[${'{"minLength":9},'.repeat(bytes / 16 - 60)}{}]}`,
        ),
    })),
    {
      name: 'schema with an enum and a default',
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: () =>
        definition('@').replace(
          '"@"',
          () =>
            `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"},"default":[${Array.from({ length: bytes / 9 }, (_, i) => i).join(',')}]}`,
        ),
    },
  ];
}

function yamlMembers(bytes: number): string {
  return Array.from({ length: bytes / 14 }, (_, i) => `  k${i}: v\n`).join('');
}

function patches(bytes: number): readonly CostlyRequest[] {
  const json = 'application/json-patch+json';
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const pod = (spec: object): JsonValue => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'patched' },
    spec: { containers: [{ name: 'a', image: 'b' }], ...spec },
  });
  const map = (data: JsonValue): JsonValue => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'patched' },
    data,
  });
  const operations = (count: number, operation: (index: number) => string): string =>
    `[${Array.from({ length: count }, (_, index) => operation(index)).join(',')}]`;
  const large = (): JsonValue =>
    map(Object.fromEntries(Array.from({ length: bytes / 3 / 12 }, (_, i) => [`k${i}`, 'v'])));
  const variables = (count: number): { name: string; value: string }[] =>
    Array.from({ length: count }, (_, i) => ({ name: `v${i}`, value: 'x' }));
  const ofMap = (name: string, type: string, object: () => JsonValue, body: () => string): CostlyRequest => ({
    name: `patch ${name}`,
    method: 'PATCH',
    path: `${maps}/patched`,
    type,
    needs: () => [[maps, object()]],
    body,
  });
  const ofPod = (name: string, type: string, spec: () => object, body: () => string): CostlyRequest => ({
    name: `patch ${name}`,
    method: 'PATCH',
    path: `${pods}/patched`,
    type,
    needs: () => [[pods, pod(spec())]],
    body,
  });
  const small = (): JsonValue => map({ a: 'b' });
  const envPatch = (name: (index: number) => string): string => {
    const env = Array.from({ length: bytes / 26 - 20 }, (_, i) => `{"name":"${name(i)}","value":"y"}`);
    return `{"spec":{"containers":[{"name":"a","env":[${env.join(',')}]}]}}`;
  };
  return [
    ofMap('JSON: tests of the root', json, large, () =>
      operations(9_999, () => '{"op":"test","path":"/data/k1","value":"v"}'),
    ),
    ofMap('JSON: tests of a large value', json, large, () => {
      const value = JSON.stringify((large() as { data: JsonValue }).data);
      return operations(2, () => `{"op":"test","path":"/data","value":${value}}`);
    }),
    ofMap('JSON: copies of a large value', json, large, () =>
      operations(bytes / 60, (i) => `{"op":"copy","from":"/data","path":"/copy${i}"}`),
    ),
    ofMap('JSON: copies that double', json, small, () =>
      operations(bytes / 60, (i) => `{"op":"copy","from":"/data","path":"/data/d${i}"}`),
    ),
    ofMap('JSON: moves of a large value', json, large, () =>
      operations(
        9_998,
        (i) => `{"op":"move","from":"/data${i % 2 === 0 ? '' : '1'}","path":"/data${i % 2 === 0 ? '1' : ''}"}`,
      ),
    ),
    ofMap('JSON: adds of members', json, large, () =>
      operations(9_999, (i) => `{"op":"add","path":"/data/n${i}","value":"v"}`),
    ),
    ofMap('JSON: removals', json, large, () => operations(9_999, (i) => `{"op":"remove","path":"/data/k${i}"}`)),
    ofMap('JSON: too many operations', json, large, () =>
      operations(bytes / 45, () => '{"op":"test","path":"/data/k1","value":"v"}'),
    ),
    ofPod(
      'JSON: inserts at the front',
      json,
      () => ({}),
      () =>
        `[{"op":"add","path":"/spec/tolerations","value":[${'{},'.repeat(bytes / 6)}{}]},${operations(9_998, () => '{"op":"add","path":"/spec/tolerations/0","value":{}}').slice(1)}`,
    ),
    ofPod(
      'JSON: removals at the front',
      json,
      () => ({}),
      () =>
        `[{"op":"add","path":"/spec/tolerations","value":[${'{},'.repeat(bytes / 6)}{}]},${operations(9_998, () => '{"op":"remove","path":"/spec/tolerations/0"}').slice(1)}`,
    ),
    ofMap('JSON: long pointer', json, small, () => `[{"op":"add","path":"${'/a'.repeat(bytes / 2 - 100)}","value":1}]`),
    ofMap('merge: many members', merge, large, () => JSON.stringify({ data: (large() as { data: JsonValue }).data })),
    ofMap(
      'merge: nulls',
      merge,
      large,
      () => `{"data":{${Array.from({ length: bytes / 16 }, (_, i) => `"k${i}":null`).join(',')}}}`,
    ),
    ofMap('merge: nested', merge, small, () => '{"a":'.repeat(bytes / 6) + '1' + '}'.repeat(bytes / 6)),
    ofPod(
      'strategic: new elements',
      strategic,
      () => ({ containers: [{ name: 'a', image: 'b', env: variables(bytes / 30) }] }),
      () => envPatch((i) => `n${i}`),
    ),
    ofPod(
      'strategic: changed elements',
      strategic,
      () => ({ containers: [{ name: 'a', image: 'b', env: variables(bytes / 30) }] }),
      () => envPatch((i) => `v${i}`),
    ),
    ofPod(
      'strategic: identical elements',
      strategic,
      () => ({}),
      () => envPatch(() => 'same'),
    ),
    ofPod(
      'strategic: deleted elements',
      strategic,
      () => ({ containers: [{ name: 'a', image: 'b', env: variables(bytes / 40) }] }),
      () => {
        const env = Array.from({ length: bytes / 40 }, (_, i) => `{"$patch":"delete","name":"v${i}"}`);
        return `{"spec":{"containers":[{"name":"a","env":[${env.join(',')}]}]}}`;
      },
    ),
    ofPod(
      'strategic: order of elements',
      strategic,
      () => ({ containers: [{ name: 'a', image: 'b', env: variables(bytes / 60) }] }),
      () => {
        const order = Array.from({ length: bytes / 60 }, (_, i) => `{"name":"v${bytes - i}"}`);
        const env = Array.from({ length: bytes / 60 }, (_, i) => `{"name":"v${bytes - i}","value":""}`);
        return `{"spec":{"containers":[{"name":"a","$setElementOrder/env":[${order.join(',')}],"env":[${env.join(',')}]}]}}`;
      },
    ),
    ofPod(
      'strategic: finalizers',
      strategic,
      () => ({}),
      () => `{"metadata":{"finalizers":[${Array.from({ length: bytes / 16 }, (_, i) => `"a.b/${i}"`).join(',')}]}}`,
    ),
    ofPod(
      'strategic: deleted finalizers',
      strategic,
      () => ({}),
      () =>
        `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${Array.from({ length: bytes / 16 }, (_, i) => `"a.b/${i}"`).join(',')}]}}`,
    ),
    ofPod(
      'strategic: ownerReferences',
      strategic,
      () => ({}),
      () =>
        `{"metadata":{"ownerReferences":[${Array.from({ length: bytes / 70 }, (_, i) => `{"apiVersion":"v1","kind":"Pod","name":"a","uid":"${i}"}`).join(',')}]}}`,
    ),
    ofPod(
      'strategic: nested',
      strategic,
      () => ({}),
      () => `{"spec":${'{"affinity":'.repeat(bytes / 14)}1${'}'.repeat(bytes / 14)}}`,
    ),
    ofPod(
      'strategic: retained keys',
      strategic,
      () => ({}),
      () =>
        `{"spec":{"volumes":[{"name":"a","$retainKeys":[${Array.from({ length: bytes / 10 }, (_, i) => `"${i}"`).join(',')}]}]}}`,
    ),
  ];
}

function selectors(bytes: number): readonly CostlyRequest[] {
  // A request line is bounded by Node at 16 KiB; reviews and kinds carry selectors in their bodies.
  const length = Math.min(bytes, 15_000);
  const listed = (query: string): string => `${pods}?${query}`;
  const many = Array.from({ length: length / 6 }, (_, i) => `a${i}`);
  const expression = `{"key":"a","operator":"In","values":[${Array.from({ length: bytes / 16 }, (_, i) => `"v${i}"`).join(',')}]}`;
  return [
    { name: 'label selector of many keys', method: 'GET', path: listed(`labelSelector=${many.join(',')}`) },
    { name: 'label selector of many values', method: 'GET', path: listed(`labelSelector=a in (${many.join(',')})`) },
    { name: 'label selector of parentheses', method: 'GET', path: listed(`labelSelector=${'('.repeat(length)}`) },
    {
      name: 'field selector of many terms',
      method: 'GET',
      path: listed(`fieldSelector=${Array.from({ length: length / 18 }, () => 'metadata.name=a').join(',')}`),
    },
    {
      name: 'Table of wide objects',
      method: 'GET',
      path: '/api/v1/namespaces/default/services',
      type: 'table',
      needs: () => [
        [
          '/api/v1/namespaces/default/services',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'wide' },
            spec: {
              clusterIP: 'None',
              ports: Array.from({ length: bytes / 40 }, (_, i) => ({ name: `p${i}`, port: (i % 60_000) + 1 })),
            },
          },
        ],
      ],
    },
    {
      name: 'selector of a Deployment',
      method: 'POST',
      path: '/apis/apps/v1/namespaces/default/deployments',
      body: () =>
        `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchExpressions":[${expression}]},"template":{"metadata":{"labels":{"a":"x"}}}}}`,
    },
    {
      name: 'many expressions of a selector',
      method: 'POST',
      path: '/apis/apps/v1/namespaces/default/deployments',
      body: () =>
        `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchExpressions":[${'{"key":"a","operator":"Exists"},'.repeat(bytes / 32 - 10)}{"key":"b"}]},"template":{"metadata":{"labels":{"a":"x"}}}}}`,
    },
    {
      name: 'selector of a deletion',
      method: 'DELETE',
      path: listed(`labelSelector=${many.join(',')}`),
    },
    ...['labelSelector', 'fieldSelector'].map((selector) => ({
      name: `review with a ${selector}`,
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: (): string =>
        `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"list","resource":"pods","${selector}":{"requirements":[${'{"key":"a","operator":"In","values":["b"]},'.repeat(bytes / 42 - 10)}{"key":"b","operator":"Exists"}]}}}}`,
    })),
  ];
}
