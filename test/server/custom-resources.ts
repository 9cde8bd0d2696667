// Custom resources through the whole server: from the definition to its deletion.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { firstValueFrom, toArray } from 'rxjs';
import { crd, inProcessClient } from '../../lib/client/index.js';
import type { Client, ResourceClient } from '../../lib/client/index.js';
import { parseCommandLine } from '../../lib/command/index.js';
import { printTypes } from '../../lib/command/types.js';
import { parseYaml } from '../../lib/core/index.js';
import type { Frozen, JsonObject } from '../../lib/core/index.js';
import type { CustomResourceDefinition } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/public.js';
import type { ApiServer, ServerOptions } from '../../lib/server/public.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';

type Spec = CustomResourceDefinition['spec'];
type Version = Spec['versions'][number];
type Schema = NonNullable<NonNullable<Version['schema']>['openAPIV3Schema']>;

const widgetSchema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['color'],
      properties: {
        color: { type: 'string', enum: ['red', 'blue'] },
        size: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
        replicas: { type: 'integer' },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' }, phase: { type: 'string' } } },
  },
};

function versionOf(name: string, more: Partial<Version> = {}): Version {
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: widgetSchema }, ...more };
}

function definitionOf(plural = 'widgets', more: Partial<Spec> = {}): CustomResourceDefinition {
  const singular = plural.replace(/s$/, '');
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular, kind: singular.charAt(0).toUpperCase() + singular.slice(1) },
      versions: [versionOf('v1')],
      ...more,
    },
  };
}

interface Scene {
  readonly server: ApiServer;
  readonly client: Client;
  readonly store: Store;
  call(path: string, init?: RequestInit): Promise<{ code: number; body: JsonObject; warnings: string | null }>;
  /** Creates a definition and waits until it is established. */
  define(definition: CustomResourceDefinition): Promise<void>;
  readonly definitions: ResourceClient<CustomResourceDefinition>;
  widgets(version?: string): ResourceClient;
}

function open(t: Test, options: Partial<ServerOptions> = {}): Scene {
  const store = options.store ?? memoryStore();
  const server = createServer({ ...options, store });
  t.teardown(() => server.close());
  const client = inProcessClient(server.handler);
  const ask = fetchHandler(server);
  const definitions = client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return {
    server,
    client,
    store,
    definitions,
    async call(path, init) {
      const response = await ask(new Request(`http://server${path}`, init));
      const text = await response.text();
      const body = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text };
      return { code: response.status, body, warnings: response.headers.get('Warning') };
    },
    async define(definition) {
      await definitions.create(definition);
      await definitions.waitFor(definition.metadata?.name ?? '', isEstablished);
    },
    widgets: (version = 'v1') =>
      client
        .resource({
          group: 'example.com',
          version,
          kind: 'Widget',
          resource: 'widgets',
          namespaced: true,
        })
        .in('default'),
  };
}

function isEstablished(definition: Frozen<CustomResourceDefinition> | undefined): boolean {
  return (
    definition?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
  );
}

const base = '/apis/example.com/v1/namespaces/default/widgets';

function sent(method: string, body: unknown, type = 'application/json'): RequestInit {
  return { method, headers: { 'content-type': type }, body: JSON.stringify(body) };
}

t.test('a definition is accepted, established, served, and in discovery and OpenAPI at once', async (t) => {
  const { define, call, definitions } = open(t);
  t.equal((await call(base)).code, 404);
  const names = { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] };
  await define(definitionOf('widgets', { names }));
  t.match((await definitions.get('widgets.example.com')).status, {
    acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    storedVersions: ['v1'],
    conditions: [{ type: 'NamesAccepted' }, { type: 'Established', reason: 'InitialNamesAccepted' }],
  });
  const list = await call(base);
  t.match(list, { code: 200, body: { kind: 'WidgetList', apiVersion: 'example.com/v1', metadata: { continue: '' } } });
  t.match((await call('/apis/example.com/v1')).body.resources, [
    { name: 'widgets', singularName: 'widget', shortNames: ['wd'], categories: ['all'] },
  ]);
  const openapi = await call('/openapi/v3/apis/example.com/v1');
  t.match(openapi.body.components, {
    schemas: { 'com.example.v1.Widget': { properties: { spec: { type: 'object' } } } },
  });
  t.match(
    ((await call('/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com')).body.metadata as JsonObject).labels,
    { 'kube-aggregator.kubernetes.io/automanaged': 'true' },
  );
});

t.test('objects are pruned, defaulted, validated and counted by generation', async (t) => {
  const { define, call } = open(t);
  await define(definitionOf());
  const made = await call(base, sent('POST', { metadata: { name: 'a' }, spec: { color: 'red', extra: 1 } }));
  t.match(made, {
    code: 201,
    body: { metadata: { generation: 1 }, spec: { color: 'red', size: 3, extra: undefined } },
  });
  const strict = await call(
    `${base}?fieldValidation=Strict`,
    sent('POST', { metadata: { name: 'b' }, spec: { color: 'red', extra: 1 } }),
  );
  t.match(strict, { code: 400, body: { message: /strict decoding error: unknown field "spec.extra"/ } });
  const wrong = await call(base, sent('POST', { metadata: { name: 'b' }, spec: { color: 'green', size: 10 } }));
  t.equal(
    wrong.body.message,
    'Widget.example.com "b" is invalid: [spec.color: Unsupported value: "green": supported values: "red", "blue", spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9]',
  );
  const patched = await call(`${base}/a`, sent('PATCH', { spec: { size: 4 } }, 'application/merge-patch+json'));
  t.match(patched, { code: 200, body: { metadata: { generation: 2 }, spec: { size: 4 } } });
  const relabelled = await call(
    `${base}/a`,
    sent('PATCH', { metadata: { labels: { x: 'y' } } }, 'application/merge-patch+json'),
  );
  t.match(relabelled.body.metadata, { generation: 2, labels: { x: 'y' } });
  t.equal((await call(`${base}/a`, sent('PATCH', {}, 'application/strategic-merge-patch+json'))).code, 415);
});

t.test('status and scale are written apart from the rest', async (t) => {
  const { define, call } = open(t);
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' };
  await define(definitionOf('widgets', { versions: [versionOf('v1', { subresources: { status: {}, scale } })] }));
  await call(base, sent('POST', { metadata: { name: 'a' }, spec: { color: 'red' }, status: { phase: 'x' } }));
  t.equal((await call(`${base}/a`)).body.status, undefined, 'a new object has no status');
  t.match(await call(`${base}/a/scale`), {
    code: 500,
    body: { message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist' },
  });
  const status = { spec: { color: 'blue' }, status: { ready: 2 }, metadata: { labels: { no: 'no' } } };
  const written = await call(`${base}/a/status`, sent('PATCH', status, 'application/merge-patch+json'));
  t.match(written.body, {
    spec: { color: 'red' },
    status: { ready: 2 },
    metadata: { generation: 1, labels: undefined },
  });
  await call(`${base}/a/scale`, sent('PATCH', { spec: { replicas: 5 } }, 'application/merge-patch+json'));
  t.match((await call(`${base}/a/scale`)).body, { kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 2 } });
  t.match((await call(`${base}/a`)).body, { spec: { replicas: 5 }, metadata: { generation: 2 } });
});

t.test('printer columns and selectable fields follow the version', async (t) => {
  const { define, call } = open(t);
  const columns = [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
  ];
  const version = versionOf('v1', {
    additionalPrinterColumns: columns,
    selectableFields: [{ jsonPath: '.spec.color' }],
  });
  const other = versionOf('v2', { schema: { openAPIV3Schema: { ...widgetSchema, description: 'Other.' } } });
  await define(definitionOf('widgets', { versions: [version, other] }));
  for (const [name, color] of [
    ['a', 'red'],
    ['b', 'blue'],
  ])
    await call(base, sent('POST', { metadata: { name }, spec: { color } }));
  const accept = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
  t.match((await call(`${base}?fieldSelector=spec.color%3Dblue`, accept)).body, {
    columnDefinitions: [{ name: 'Name' }, { name: 'Color' }, { name: 'Ready', priority: 1 }],
    rows: [{ cells: ['b', 'blue', null] }],
  });
  const path = base.replace('v1', 'v2');
  t.match((await call(path, accept)).body.columnDefinitions, [{ name: 'Name' }, { name: 'Age', type: 'date' }]);
  t.equal((await call(`${path}?fieldSelector=spec.color%3Dblue`)).code, 400);
});

t.test('a webhook of this process converts between versions', async (t) => {
  const reviews: JsonObject[] = [];
  const convert = (review: JsonObject): object => {
    reviews.push(review);
    const { uid, objects, desiredAPIVersion } = review.request as {
      uid: string;
      objects: JsonObject[];
      desiredAPIVersion: string;
    };
    const isV2 = desiredAPIVersion.endsWith('v2');
    const convertedObjects = objects.map(({ spec, ...object }) => {
      const given = spec as { color?: string; hue?: string };
      return { ...object, apiVersion: desiredAPIVersion, spec: isV2 ? { hue: given.color } : { color: given.hue } };
    });
    const response = { uid, result: { status: 'Success' }, convertedObjects };
    return { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response };
  };
  const { define, widgets, definitions } = open(t, { conversionWebhooks: { functions: { convert } } });
  const v2: Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { hue: { type: 'string' } } } },
  };
  await define(
    definitionOf('widgets', {
      versions: [versionOf('v1'), versionOf('v2', { schema: { openAPIV3Schema: v2 } })],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'process://convert' } },
      },
    }),
  );
  await widgets('v1').create({ metadata: { name: 'a' }, spec: { color: 'red' } });
  t.equal(reviews.length, 0, 'the storage version needs no conversion');
  t.match(await widgets('v2').get('a'), { apiVersion: 'example.com/v2', spec: { hue: 'red' } });
  await widgets('v2').create({ metadata: { name: 'b' }, spec: { hue: 'blue' } });
  t.match(await widgets('v1').get('b'), { apiVersion: 'example.com/v1', spec: { color: 'blue' } });
  await widgets('v2').modify('a', (object) => ({ ...object, spec: { hue: 'blue' } }));
  t.match(await widgets('v1').get('a'), { spec: { color: 'blue' }, metadata: { generation: 2 } });
  t.equal((await widgets('v2').list()).items.length, 2);
  // The storage version changes: what is stored in the old one is converted when it is read.
  await definitions.modify('widgets.example.com', (definition) => ({
    ...definition,
    spec: {
      ...definition.spec,
      versions: definition.spec.versions.map((each) => ({ ...each, storage: each.name === 'v2' })),
    },
  }));
  t.match(await widgets('v1').get('a'), { spec: { color: 'blue' } });
  t.strictSame((await definitions.get('widgets.example.com')).status?.storedVersions, ['v1', 'v2']);
});

t.test('a webhook that fails or answers wrongly fails the request', async (t) => {
  let answer: (review: JsonObject) => object = () => ({});
  const { define, widgets } = open(t, { conversionWebhooks: { functions: { convert: (review) => answer(review) } } });
  await define(
    definitionOf('widgets', {
      versions: [versionOf('v1'), versionOf('v2')],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'process://convert' } },
      },
    }),
  );
  const start = 'conversion webhook for example.com/v2, Kind=Widget ';
  const respond = (response: object): void => {
    answer = ({ request }) => ({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: { uid: (request as JsonObject).uid, ...response },
    });
  };
  const create = (): Promise<unknown> => widgets('v2').create({ metadata: { name: 'a' }, spec: { color: 'red' } });
  await t.rejects(create(), {
    message: `${start}failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
  });
  respond({ result: { status: 'Failure', message: 'no colors today' } });
  await t.rejects(create(), { message: `${start}failed: no colors today` });
  respond({ result: { status: 'Success' }, convertedObjects: [] });
  await t.rejects(create(), { message: `${start}returned 0 objects, expected 1` });
  respond({
    result: { status: 'Success' },
    convertedObjects: [{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'other' } }],
  });
  await t.rejects(create(), { message: `${start}returned invalid object: must have the same name: a != other` });
});

t.test('a changed schema ends watches and applies to stored objects', async (t) => {
  const { define, widgets, definitions } = open(t);
  await define(definitionOf());
  await widgets().create({ metadata: { name: 'a' }, spec: { color: 'red' } });
  const watched = firstValueFrom(widgets().watch().pipe(toArray()), { defaultValue: [] });
  await definitions.modify('widgets.example.com', (definition) => ({
    ...definition,
    metadata: { ...definition.metadata, labels: { x: 'y' } },
  }));
  await definitions.modify('widgets.example.com', (definition) => {
    const { spec } = structuredClone(definition) as CustomResourceDefinition;
    const schema = spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec;
    if (schema?.properties === undefined) throw new Error('no schema');
    schema.properties.shape = { type: 'string', default: 'round' };
    delete schema.properties.size;
    return { ...definition, spec };
  });
  t.match(await watched, [{ type: 'ADDED' }], 'the watch completes');
  t.strictSame((await widgets().get('a')).spec, { color: 'red', shape: 'round' });
});

t.test('a deleted definition takes its objects with it, and may come again', async (t) => {
  const { define, widgets, definitions, call } = open(t);
  await define(definitionOf());
  await widgets().create({ metadata: { name: 'a' }, spec: { color: 'red' } });
  await widgets().create({ metadata: { name: 'held', finalizers: ['example.com/f'] }, spec: { color: 'red' } });
  const deleted = await call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com', {
    method: 'DELETE',
  });
  t.match(deleted.body, {
    metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    status: { conditions: [{}, {}, { type: 'Terminating', reason: 'InstanceDeletionPending' }] },
  });
  await widgets().waitFor('held', (object) => object?.metadata.deletionTimestamp !== undefined);
  t.equal(await widgets().find('a'), undefined);
  await t.rejects(widgets().create({ metadata: { name: 'late' }, spec: { color: 'red' } }), {
    message:
      'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  });
  await widgets().modify('held', (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
  await definitions.waitFor('widgets.example.com', (definition) => definition === undefined);
  t.equal((await call(base)).code, 404);
  await define(definitionOf());
  t.strictSame((await widgets().list()).items, []);
});

t.test('a server that starts later, or beside another, serves the same definitions', async (t) => {
  const store = memoryStore();
  const first = open(t, { store });
  await first.define(definitionOf());
  await first.widgets().create({ metadata: { name: 'a' }, spec: { color: 'red' } });
  const second = open(t, { store });
  t.match(await second.widgets().get('a'), { spec: { color: 'red', size: 3 } }, 'with the first request');
  await second.define(definitionOf('gadgets'));
  const gadgets = (scene: Scene): Promise<{ readonly code: number }> =>
    scene.call('/apis/example.com/v1/namespaces/default/gadgets');
  await first.definitions.waitFor('gadgets.example.com', isEstablished);
  t.equal((await gadgets(first)).code, 200);
  await first.definitions.delete('gadgets.example.com');
  await second.definitions.waitFor('gadgets.example.com', (definition) => definition === undefined);
  t.equal((await gadgets(second)).code, 404);
});

t.test('names of kinds that exist already are not served twice', async (t) => {
  const { define, server, call } = open(t);
  await define(
    definitionOf('leases', {
      group: 'coordination.k8s.io',
      names: { plural: 'leases', kind: 'Lease' },
    }),
  ).catch(() => undefined);
  t.equal((await call('/apis/coordination.k8s.io/v1/leases')).code, 200);
  t.ok(server.kinds.current.resource({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' }));
});

t.test('kinds that come, change and go leave nothing behind', async (t) => {
  const { definitions, widgets, server } = open(t);
  const before = server.kinds.current.groups.length;
  for (let round = 0; round < 5; round += 1) {
    await definitions.create(definitionOf());
    await definitions.waitFor('widgets.example.com', isEstablished);
    await widgets().create({ metadata: { name: 'a' }, spec: { color: 'red' } });
    await definitions.modify('widgets.example.com', (definition) => ({
      ...definition,
      spec: { ...definition.spec, versions: [versionOf('v1'), versionOf(`v1beta${round + 1}`)] },
    }));
    await widgets(`v1beta${round + 1}`).list();
    await definitions.delete('widgets.example.com');
    await definitions.waitFor('widgets.example.com', (definition) => definition === undefined);
  }
  t.equal(server.kinds.current.groups.length, before);
  const [scheme] = [server.kinds.current];
  t.equal(scheme.recognizes({ group: 'example.com', version: 'v1', kind: 'Widget' }), false);
});

t.test('many definitions are cheap, and those that are not used compile nothing', async (t) => {
  const { definitions, call } = open(t);
  const count = 60;
  for (let index = 0; index < count; index += 1) {
    const name = `thing${index}s`;
    await definitions.create(definitionOf(name));
  }
  await definitions.waitFor(`thing${count - 1}s.example.com`, isEstablished);
  const { body } = await call('/apis/example.com/v1');
  t.equal((body.resources as unknown[]).length, count);
});

t.test('rules in CEL hold for created and updated objects', async (t) => {
  const { define, call } = open(t);
  const spec: Schema = { ...widgetSchema.properties?.spec, 'x-kubernetes-validations': [{ rule: 'self.size != 7' }] };
  const schema: Schema = { ...widgetSchema, properties: { ...widgetSchema.properties, spec } };
  const definition = definitionOf('widgets', { versions: [versionOf('v1', { schema: { openAPIV3Schema: schema } })] });
  await define(definition);
  const path = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (size: number): object => ({ metadata: { name: 'a' }, spec: { color: 'red', size } });
  const refused = await call(path, sent('POST', widget(7)));
  t.equal(refused.code, 422);
  t.match(refused.body, { message: /spec: Invalid value: failed rule: self.size != 7$/ });
  t.equal((await call(path, sent('POST', widget(6)))).code, 201);
});

t.test('a definition of more than a thousand lines serves, validates and types its objects', async (t) => {
  const file = join(import.meta.dirname, '../support/harbour-crd.yaml');
  const text = await readFile(file, 'utf8');
  t.ok(text.split('\n').length >= 1000);
  const { value } = await parseYaml(text);
  const { define, call } = open(t);
  await define(value as unknown as CustomResourceDefinition);
  const path = '/apis/sea.example.com/v1/namespaces/default/harbours';
  const metadata = { name: 'a' };
  const made = await call(
    path,
    sent('POST', { metadata, spec: { region: 'north', berths: [{ name: 'one', power: {} }], lights: { x: 1 } } }),
  );
  t.match(made, {
    code: 201,
    body: {
      spec: {
        pilots: 2,
        berths: [{ length: 50, power: { available: false, connections: 0 } }],
        lights: { enabled: true, staff: 1, x: undefined },
        cranes: { enabled: true },
      },
    },
  });
  const wrong = await call(
    path,
    sent('POST', {
      metadata: { name: 'b' },
      spec: {
        region: 'inland',
        pilots: 41,
        maxDraught: 'deep',
        berths: [{ name: 'one' }, { name: 'one' }],
        radio: { email: 'nowhere', maxWait: '1x' },
      },
    }),
  );
  const { causes } = wrong.body.details as { causes: { field: string; message: string }[] };
  t.strictSame(
    causes.map(({ field, message }) => `${field}: ${message}`),
    [
      'spec.maxDraught: Invalid value: "deep": spec.maxDraught in body should match \'^[0-9]+(m|ft)?$\'',
      'spec.radio.email: Invalid value: "nowhere": spec.radio.email in body must be of type email: "nowhere"',
      'spec.radio.maxWait: Invalid value: "1x": spec.radio.maxWait in body must be of type duration: "1x"',
      'spec.berths[1]: Duplicate value: {"name":"one"}',
    ],
  );
  const types = await printTypes(['harbours.yaml'], { readFile: () => Promise.resolve(text) });
  t.match(types, /export interface HarbourSpecBerths \{\n {2}\/\*\* The name of the berth/);
  t.match(types, /region: "north" \| "east"/);
  t.match(types, /maxDraught\?: number \| string;/);
});

t.test('files without definitions are refused, and so are flags', async (t) => {
  await t.rejects(printTypes(['a.yaml'], { readFile: () => Promise.resolve('kind: Pod') }), {
    message: 'a.yaml holds no CustomResourceDefinition',
  });
  t.throws(() => parseCommandLine(['types']), { message: /needs the name of a file/ });
  t.throws(() => parseCommandLine(['types', '--x']), { message: /unknown flag/ });
  t.strictSame(parseCommandLine(['types', 'a', 'b']), { command: 'types', files: ['a', 'b'] });
});

t.test('a kind of a schema literal is installed, changed and used', async (t) => {
  const { client, definitions } = open(t);
  const names = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const small = crd({
    ...names,
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 3 } } } },
    },
  });
  const large = crd({
    ...names,
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 5 } } } },
    },
  });
  const widgets = (await small.install(client)).in('default');
  await t.rejects(widgets.create({ metadata: { name: 'a' }, spec: { size: 4 } }), {
    message: /less than or equal to 3/,
  });
  await large.install(client);
  await large.install(client);
  t.equal(
    (await definitions.get('widgets.example.com')).metadata.generation,
    2,
    'the same definition is not written again',
  );
  await widgets.create({ metadata: { name: 'a' }, spec: { size: 4 } });
});
