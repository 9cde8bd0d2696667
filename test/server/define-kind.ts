// Kinds of a host that are defined by a JSON Schema, through the whole server.
import t from 'tap';
import type { Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import type { JsonObject } from '../../lib/core/index.js';
import { createServer, defineKind, fetchHandler } from '../../lib/server/public.js';
import type { ApiServer, DefinedKind } from '../../lib/server/public.js';
import { memoryStore } from '../../lib/storage/index.js';

const schema: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['color'],
      additionalProperties: false,
      properties: {
        color: { type: 'string', enum: ['red', 'blue'], description: 'The colour of the widget.' },
        size: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
        replicas: { type: 'integer' },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 2 },
        parts: { type: 'array', items: { type: 'object', properties: { weight: { type: 'number', default: 1.5 } } } },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};
const widget: DefinedKind = {
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'Widget',
  schema,
  shortNames: ['wd'],
  categories: ['all'],
  subresources: ['status', 'scale'],
  printerColumns: [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
  ],
  selectableFields: ['.spec.color'],
};

interface Scene {
  readonly server: ApiServer;
  call(path: string, init?: RequestInit): Promise<{ readonly code: number; readonly body: JsonObject }>;
}

async function open(t: Test, more: Partial<DefinedKind> = {}): Promise<Scene> {
  const server = createServer({ store: memoryStore() });
  t.teardown(() => server.close());
  server.kinds.add(await defineKind({ ...widget, ...more }));
  const ask = fetchHandler(server);
  return {
    server,
    async call(path, init) {
      const response = await ask(new Request(`http://server${path}`, init));
      return { code: response.status, body: (await response.json()) as JsonObject };
    },
  };
}

const base = '/apis/example.com/v1alpha1/namespaces/default/widgets';

function sent(method: string, body: unknown, type = 'application/json'): RequestInit {
  return { method, headers: { 'content-type': type }, body: JSON.stringify(body) };
}

t.test('an object is defaulted, stored, selected and printed', async (t) => {
  const { call } = await open(t);
  const made = await call(base, sent('POST', { metadata: { name: 'one' }, spec: { color: 'red', parts: [{}] } }));
  t.equal(made.code, 201);
  t.match(made.body, {
    kind: 'Widget',
    apiVersion: 'example.com/v1alpha1',
    metadata: { name: 'one', generation: 1 },
    spec: { color: 'red', size: 3, parts: [{ weight: 1.5 }] },
  });
  await call(base, sent('POST', { metadata: { name: 'two' }, spec: { color: 'blue' } }));
  const blue = await call(`${base}?fieldSelector=spec.color%3Dblue`);
  t.match(blue.body.items, [{ metadata: { name: 'two' } }]);
  t.equal((await call(`${base}?fieldSelector=spec.size%3D3`)).code, 400);
  const table = await call(base, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  t.match(table.body, {
    columnDefinitions: [{ name: 'Name' }, { name: 'Color' }, { name: 'Size', priority: 1 }],
    rows: [{ cells: ['one', 'red', 3] }, { cells: ['two', 'blue', 3] }],
  });
});

t.test('violations of the schema are causes of a 422', async (t) => {
  const { call } = await open(t);
  const spec = { color: 'green', size: 10, name: 'UPPER1', tags: ['a', 'a', 'b'], extra: 1 };
  const { code, body } = await call(base, sent('POST', { metadata: { name: 'bad' }, spec }));
  t.equal(code, 422);
  const { causes } = body.details as { causes: { field: string; message: string; reason: string }[] };
  t.strictSame(causes.map(({ field, message }) => `${field}: ${message}`).sort(), [
    'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    'spec.extra: Forbidden: unknown field',
    'spec.name: Invalid value: "UPPER1": spec.name in body should match \'^[a-z]+$\'',
    'spec.name: Too long: may not be more than 5 characters',
    'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
    'spec.tags: Too many: 3: must have at most 2 items',
    'spec.tags[1]: Duplicate value: "a"',
  ]);
  const wrong = await call(base, sent('POST', { metadata: { name: 'bad' }, spec: { size: 'x' } }));
  t.equal(
    wrong.body.message,
    'Widget.example.com "bad" is invalid: [spec.color: Required value, spec.size: Invalid value: "x": spec.size in body must be of type integer: "string"]',
  );
  t.equal((await call(base, sent('POST', { metadata: { name: 'bad' } }))).code, 422, 'a required part is missing');
});

t.test('status and scale are written apart from the rest', async (t) => {
  const { call } = await open(t);
  const status = { replicas: 2 };
  const made = await call(
    base,
    sent('POST', { metadata: { name: 'one' }, spec: { color: 'red', replicas: 1 }, status }),
  );
  t.equal(made.body.status, undefined, 'a new object has no status');
  const merge = 'application/merge-patch+json';
  const after = await call(`${base}/one/status`, sent('PATCH', { spec: { color: 'blue' }, status }, merge));
  t.match(after.body, { spec: { color: 'red' }, status, metadata: { generation: 1 } });
  t.match((await call(`${base}/one/scale`)).body, { kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 2 } });
  t.match((await call(`${base}/one/scale`, sent('PATCH', { spec: { replicas: 4 } }, merge))).body, {
    spec: { replicas: 4 },
  });
  t.match((await call(`${base}/one`)).body, { spec: { replicas: 4 }, metadata: { generation: 2 } });
});

t.test('the kind is discovered and explained', async (t) => {
  const { server, call } = await open(t);
  const { mapper } = await inProcessClient(server.handler).discover();
  t.equal(mapper.argument('wd')[0]?.resource, 'widgets');
  const resources = (await call('/apis/example.com/v1alpha1')).body.resources as { name: string }[];
  t.strictSame(
    resources.map(({ name }) => name),
    ['widgets', 'widgets/status', 'widgets/scale'],
  );
  for (const [path, place] of [
    ['/openapi/v3/apis/example.com/v1alpha1', 'components'],
    ['/openapi/v2', 'definitions'],
  ] as const) {
    const { body } = await call(path);
    const schemas = (place === 'components' ? (body.components as JsonObject).schemas : body.definitions) as JsonObject;
    t.match(schemas['com.example.v1alpha1.Widget'], {
      properties: { spec: { properties: { color: { type: 'string', description: 'The colour of the widget.' } } } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1alpha1', kind: 'Widget' }],
    });
  }
  const protobuf = { accept: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
  t.equal((await fetchHandler(server)(new Request('http://server/openapi/v2', { headers: protobuf }))).status, 200);
});

t.test('a cluster-wide kind, and definitions that make no sense', async (t) => {
  const { call } = await open(t, { scope: 'Cluster', plural: 'widgetry', subresources: [] });
  const made = await call(
    '/apis/example.com/v1alpha1/widgetry',
    sent('POST', { metadata: { name: 'one' }, spec: { color: 'red' }, status: { replicas: 1 } }),
  );
  t.match(made.body, { status: { replicas: 1 } }, 'without the subresource, status is a field as any other');
  await t.rejects(defineKind({ ...widget, schema: { type: 'nothing' } }), { message: /not a JSON Schema/ });
  await t.rejects(defineKind({ ...widget, selectableFields: ['.spec[*].x'] }), { message: /not a simple path/ });
});
