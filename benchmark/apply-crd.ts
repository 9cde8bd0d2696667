// The figures of server-side apply, managed fields and custom resources, in one run:
// `node --expose-gc scripts/run.mjs benchmark/apply-crd.ts [apply|definitions|schema]`. Kept in RESULTS.md. Rows of CEL
// rules belong to `measurements` below, as a function of their own.
import { InProcessRequest, FieldOwnership, builtinSchema, decodeValue, objectApplyTypes } from '../lib/core/index.js';
import type { ApiObject, RequestInfo } from '../lib/core/index.js';
import type { CustomResourceDefinition } from '../lib/core/types/index.js';
import { inProcessClient } from '../lib/client/index.js';
import { createServer } from '../lib/server/index.js';
import { memoryStore } from '../lib/storage/index.js';
import { compare, heapOf, perSecondAwaited, report } from './measure.js';
import type { Row } from './measure.js';
import { samplePod } from './sample-pod.js';

const only = process.argv[2] ?? '';
const measurements: Readonly<Record<string, () => Promise<Row[]>>> = {
  ownership: () => Promise.resolve(measureOwnership()),
  apply: measureApply,
  definitions: measureDefinitions,
  schema: measureSchema,
};

/** The share of managed fields in the create of a pod of 2.7 KB. */
function measureOwnership(): Row[] {
  const type = builtinSchema.struct('core/v1.Pod');
  if (type === undefined) throw new Error('no type');
  const typeOf = objectApplyTypes();
  const ownership = new FieldOwnership({ typeIn: () => typeOf(type), convert: (object) => object });
  const object = decodeValue(type, samplePod).object as ApiObject;
  const writer = { manager: 'bench', subresource: '', apiVersion: 'v1', time: '2026-01-01T00:00:00Z' };
  const [timing] = compare([{ name: 'create', run: () => ownership.update({ ...writer, old: undefined, object }) }]);
  return [{ name: 'managed fields of a pod create', value: timing?.microseconds ?? 0, unit: 'µs', goal: '≤ 15' }];
}

/** Applies of a pod template of 2.5 KB beside updates of the same object, in turns. */
async function measureApply(): Promise<Row[]> {
  const server = createServer({ store: memoryStore() });
  const info = (verb: string, name: string): RequestInfo => ({
    verb,
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace: 'default',
    resource: 'podtemplates',
    subresource: '',
    name,
  });
  const config = (name: string, value: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name, labels: { value } },
    ...{ template: { metadata: { labels: samplePod.metadata?.labels }, spec: samplePod.spec } },
  });
  const send = async (verb: string, name: string, object: ApiObject, patchType?: string): Promise<void> => {
    const body = { object, ...(patchType !== undefined && { patchType }) };
    const options = { fieldManager: 'bench' };
    await server.handler(new InProcessRequest({ info: info(verb, verb === 'create' ? '' : name), options, body }));
  };
  const apply = (name: string, value: string): Promise<void> =>
    send('patch', name, config(name, value), 'application/apply-patch+yaml');
  await apply('same', '0');
  await apply('other', '0');
  await send('create', 'updated', config('updated', '0'));
  let round = 0;
  const [unchanged = 0, changed = 0, updated = 0] = await perSecondAwaited(
    [
      () => apply('same', '0'),
      () => apply('other', `${(round += 1)}`),
      () => send('update', 'updated', config('updated', `${(round += 1)}`)),
    ],
    { rounds: 12, calls: 1000 },
  );
  await server.close();
  return [
    { name: 'apply, unchanged', value: unchanged, unit: '/s' },
    { name: 'apply, changed', value: changed, unit: '/s' },
    { name: 'update', value: updated, unit: '/s' },
    { name: 'apply unchanged, as a multiple of update', value: updated / unchanged, unit: '×', goal: '≤ 2.5' },
    { name: 'apply changed, as a multiple of update', value: updated / changed, unit: '×', goal: '≤ 2.5' },
  ];
}

const definitionCount = 500;

/** 500 definitions in a server that starts, and one request for an object of one of them. */
async function measureDefinitions(): Promise<Row[]> {
  const rows: Row[] = [];
  const store = memoryStore();
  const first = createServer({ store });
  const client = inProcessClient(first.handler);
  const definitions = client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  await first.started();
  const empty = await timed(() => client.discover({ fresh: true }));
  const installing = await timed(async () => {
    for (let at = 0; at < definitionCount; at += 1) await definitions.create(definitionOf(at, smallSchema));
    for (let at = 0; at < definitionCount; at += 1)
      await definitions.waitFor(nameOf(at), (found) =>
        (found?.status?.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True'),
      );
  });
  rows.push({ name: `${definitionCount} definitions, created and established`, value: installing, unit: 'ms' });
  rows.push({
    name: 'discovery of all groups, after a change',
    value: await timed(() => client.discover({ fresh: true })),
    unit: 'ms',
  });
  rows.push({ name: 'discovery without custom resources', value: empty, unit: 'ms' });
  await first.close();
  const starts: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    starts.push(await timed(() => startAndClose(store)));
    bare.push(await timed(() => startAndClose(memoryStore())));
  }
  const cost = ((Math.min(...starts) - Math.min(...bare)) * 1000) / definitionCount;
  rows.push({
    name: 'start of a server, for each unused definition',
    value: Math.max(0, cost),
    unit: 'µs',
  });
  const servers: { close(): Promise<void> }[] = [];
  const heap = await heapOf(async () => {
    const server = createServer({ store });
    servers.push(server);
    await server.started();
    return server;
  });
  for (const bytes of heap)
    rows.push({
      name: 'memory of a server, for each unused definition',
      value: bytes / definitionCount / 1024,
      unit: 'KiB',
    });
  for (const server of servers) await server.close();
  await store.close();
  return rows;
}

async function startAndClose(store: Parameters<typeof createServer>[0]['store']): Promise<void> {
  const server = createServer({ store });
  await server.started();
  await server.close();
}

/** The first write of a kind whose schema has a thousand lines: it compiles the schema. */
async function measureSchema(): Promise<Row[]> {
  const schema = longSchema();
  const lines = JSON.stringify(schema, undefined, 1).split('\n').length;
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const server = createServer({ store: memoryStore() });
    const client = inProcessClient(server.handler);
    await client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition').create(definitionOf(round, schema));
    const things = client.resource({
      group: groupOf(round),
      version: 'v1',
      kind: `Thing${round}`,
      resource: `thing${round}s`,
      namespaced: true,
    });
    await client
      .kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
      .waitFor(nameOf(round), (found) => found?.status?.acceptedNames !== undefined);
    times.push(await timed(() => things.in('default').create({ metadata: { name: 'a' }, spec: {} })));
    await server.close();
  }
  return [{ name: `first create with a schema of ${lines} lines`, value: Math.min(...times), unit: 'ms' }];
}

/** Returns the milliseconds of processor time that a call takes, because others use the machine too. */
async function timed(call: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const start = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

type Schema = NonNullable<
  NonNullable<CustomResourceDefinition['spec']['versions'][number]['schema']>['openAPIV3Schema']
>;

const smallSchema: Schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } } },
};

/** A schema of about a thousand lines: nested objects, lists and maps. */
function longSchema(): Schema {
  const leaf = (at: number): Schema => ({ type: 'string', maxLength: 10 + at, pattern: '^[a-z]*$' });
  const group = (at: number): Schema => ({
    type: 'object',
    properties: {
      name: leaf(at),
      mode: { type: 'string', enum: ['a', 'b', 'c'], default: 'a' },
      items: { type: 'array', items: { type: 'object', properties: { key: leaf(at), value: { type: 'integer' } } } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  });
  const groups = Array.from({ length: 22 }, (_, at): [string, Schema] => [`group${at}`, group(at)]);
  return {
    type: 'object',
    properties: { spec: { type: 'object', properties: Object.fromEntries(groups) } },
  };
}

/** Twenty definitions have a group in common, as those of an operator. */
function groupOf(at: number): string {
  return `bench${Math.floor(at / 20)}.example.com`;
}

function nameOf(at: number): string {
  return `thing${at}s.${groupOf(at)}`;
}

function definitionOf(at: number, openAPIV3Schema: Schema): CustomResourceDefinition {
  return {
    metadata: { name: nameOf(at) },
    spec: {
      group: groupOf(at),
      scope: 'Namespaced',
      names: { plural: `thing${at}s`, singular: `thing${at}`, kind: `Thing${at}`, listKind: `Thing${at}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const rows: Row[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (only === '' || only === name) rows.push(...(await measure()));
}
const isMet = report('Server-side apply and custom resources', rows);
console.log(isMet ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
