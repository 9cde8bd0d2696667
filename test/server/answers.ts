// Responses that clients of Kubernetes rely on, each compared with what a kube-apiserver v1.36 sends.
import t from 'tap';
import type { Test } from 'tap';
import { random, systemRandom, virtualClock } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { MemoryStore } from '../../lib/storage/index.js';

interface Call {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
}

interface Response {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

interface World {
  readonly server: ApiServer;
  readonly store: MemoryStore;
  readonly clock: ReturnType<typeof virtualClock>;
  send(method: string, path: string, call?: Call): Promise<Response>;
}

function world(t: Test): World {
  const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random('answers') });
  const fetch = fetchHandler(server, { clock, random: random('wire') });
  t.teardown(() => server.close());
  return {
    server,
    store,
    clock,
    async send(method, path, { body, type = 'application/json', accept } = {}) {
      const response = await fetch(
        new Request(`http://server${path}`, {
          method,
          headers: { ...(body !== undefined && { 'content-type': type }), ...(accept !== undefined && { accept }) },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { text };
      return { code: response.status, body: parsed as Response['body'], headers: response.headers };
    },
  };
}

const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

t.test('a patch of status is defaulted by what the rest of the object is', async (t) => {
  const { send } = world(t);
  const services = '/api/v1/namespaces/default/services';
  const patches: readonly (readonly [string, unknown])[] = [
    [merge, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }],
    [strategic, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }],
    [jsonPatch, [{ op: 'add', path: '/status', value: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }]],
  ];
  for (const [index, [type, body]] of patches.entries()) {
    const name = `s${index}`;
    await send('POST', services, {
      body: { metadata: { name }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
    });
    const { code, body: patched } = await send('PATCH', `${services}/${name}/status`, { body, type });
    t.match(
      { code, patched },
      { code: 200, patched: { status: { loadBalancer: { ingress: [{ ipMode: 'VIP' }] } } } },
      type,
    );
  }
  const definition = {
    metadata: { name: 'foos.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  t.equal((await send('POST', definitions, { body: definition })).code, 201);
  const { code, body } = await send('PATCH', `${definitions}/foos.example.org/status`, {
    body: { status: { storedVersions: null } },
    type: merge,
  });
  t.match({ code, body }, { code: 200, body: { status: { storedVersions: ['v1'] } } });
  const node = { metadata: { name: 'n' } };
  t.equal((await send('POST', '/api/v1/nodes', { body: node })).code, 201);
  const capacity = { status: { capacity: { cpu: '2' } } };
  const status = await send('PATCH', '/api/v1/nodes/n/status', { body: capacity, type: merge });
  t.match(status.body, { status: { allocatable: { cpu: '2' } } });
});

t.test('what has no table is not acceptable as one, before the object is read', async (t) => {
  const { send } = world(t);
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await send('POST', '/api/v1/namespaces/default/pods', { body: pod });
  const review = { spec: { user: 'a', resourceAttributes: { verb: 'get', resource: 'pods' } } };
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
    ['POST', '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', {}],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {}],
    ['POST', '/api/v1/namespaces/default/pods/p/eviction', { metadata: { name: 'p' } }],
    ['POST', '/api/v1/namespaces/default/pods/p/binding', { target: { name: 'n' } }],
    ['POST', '/api/v1/namespaces/default/bindings', { metadata: { name: 'p' }, target: { name: 'n' } }],
    ['GET', '/api/v1/namespaces/default/pods/p/log'],
    ['GET', '/api/v1/namespaces/default/pods/absent/log'],
  ];
  for (const [method, path, body] of calls) {
    const { code, body: status } = await send(method, path, { ...(body !== undefined && { body }), accept: table });
    t.match(
      { code, status },
      {
        code: 406,
        status: {
          reason: 'NotAcceptable',
          message:
            'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
        },
      },
      path,
    );
  }
  t.match(await send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body: review, accept: partial }), {
    code: 201,
    body: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', spec: undefined },
  });
  t.match(await send('GET', '/api/v1/namespaces/default/pods/p/log', { accept: partial }), {
    code: 500,
    body: { message: 'object does not implement the Object interfaces' },
  });
  t.equal((await send('GET', '/api/v1/namespaces/default/pods/absent/log', { accept: partial })).code, 404);
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const names = ({ body }: Response): unknown[] =>
  (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
const tokenOf = (token: unknown): string => Buffer.from(JSON.stringify(token)).toString('base64url');

t.test('a list that is continued after a compaction expires with a token that goes on inconsistently', async (t) => {
  const { send, store, server } = world(t);
  for (const name of ['a', 'b', 'c']) await send('POST', configMaps, { body: { metadata: { name } } });
  const first = await send('GET', `${configMaps}?limit=1`);
  t.same(names(first), ['a']);
  await send('POST', configMaps, { body: { metadata: { name: 'bb' } } });
  const newest = await store.revision();
  await store.compact(newest);
  server.compacted(newest);
  const { continue: token } = first.body.metadata as { continue: string };
  const expired = await send('GET', `${configMaps}?limit=1&continue=${token}`);
  t.match(expired, { code: 410, body: { reason: 'Expired', message: /too old to display a consistent list result/ } });
  const { continue: fresh } = expired.body.metadata as { continue: string };
  t.match(JSON.parse(Buffer.from(fresh, 'base64url').toString()), { rv: -1, start: 'a\0' });
  const rest = await send('GET', `${configMaps}?limit=5&continue=${fresh}`);
  t.same(names(rest), ['b', 'bb', 'c'], 'an object that was created meanwhile is listed');
});

t.test("continue tokens that no server issued are refused in Kubernetes' words", async (t) => {
  const { send } = world(t);
  for (const name of ['c1', 'c2']) await send('POST', configMaps, { body: { metadata: { name } } });
  const v = 'meta.k8s.io/v1';
  const refusals: readonly (readonly [string, string])[] = [
    ['abc!', 'illegal base64 data at input byte 3'],
    [tokenOf([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [tokenOf(5), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [tokenOf(null), 'server does not recognize this encoded version '],
    [tokenOf({ v: 'x', rv: 1, start: 'x' }), 'server does not recognize this encoded version x'],
    [
      tokenOf({ v: 5, rv: 1, start: 'x' }),
      'json: cannot unmarshal number into Go struct field continueToken.v of type string',
    ],
    [
      tokenOf({ v, rv: '1', start: 'x' }),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      tokenOf({ v, rv: 1.5, start: 'x' }),
      'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    ],
    [tokenOf({ v, rv: 0, start: 'x' }), `incorrect encoded start resourceVersion (version ${v})`],
    [tokenOf({ v, rv: 1 }), `encoded start key empty (version ${v})`],
    [tokenOf({ v, rv: 1, start: '../x' }), '../x'],
    [tokenOf({ v, rv: 1, start: 'a/../b' }), 'a/../b'],
    [tokenOf({ v, rv: 1, start: 'a//b' }), 'a//b'],
    [tokenOf({ v, rv: 1, start: 'a'.repeat(5000) }), 'encoded start key too long'],
  ];
  for (const [token, detail] of refusals) {
    t.match(
      await send('GET', `${configMaps}?limit=2&continue=${token}`),
      { code: 400, body: { message: `invalid continue token: continue key is not valid: ${detail}` } },
      detail,
    );
  }
  t.same(names(await send('GET', `${configMaps}?continue=${tokenOf({ v, rv: -1, start: '/c1\0' })}`)), ['c2']);
  // Whatever a token contains, the response is a page or a refusal, never a failure of the server.
  const draws = random('tokens');
  for (let round = 0; round < 300; round++) {
    const start = draws.string('a/.\0\ud800\u{fffd}c1', 1 + draws.integer(12));
    const rv = draws.pick([-1, 1, 3, 2 ** 53, 1e300, -5]);
    const { code } = await send('GET', `${configMaps}?limit=2&continue=${tokenOf({ v, rv, start })}`);
    t.ok([200, 400, 410, 504].includes(code), `${code} for ${JSON.stringify({ rv, start })}`);
  }
});

t.test('only the storage refuses a resourceVersion on create: a dry run returns it', async (t) => {
  const { send } = world(t);
  const create = (resourceVersion: string, query = ''): Promise<Response> =>
    send('POST', configMaps + query, { body: { metadata: { name: `rv${resourceVersion}`, resourceVersion } } });
  t.match(await create('5', '?dryRun=All'), { code: 201, body: { metadata: { resourceVersion: '5' } } });
  t.match(await create('5'), {
    code: 500,
    body: { message: 'resourceVersion should not be set on objects to be created' },
  });
  for (const text of ['0', 'abc']) {
    const { code, body } = await create(text);
    t.match({ code, body }, { code: 201, body: { metadata: { resourceVersion: /^[1-9][0-9]*$/ } } }, text);
  }
});

t.test('each request has an audit id of its own that does not follow from the one before', async (t) => {
  const { server } = world(t);
  const fetch = fetchHandler(server, { random: systemRandom() });
  const ids = new Set<string>();
  const prefixes = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const id = (await fetch(new Request('http://server/version'))).headers.get('audit-id') ?? '';
    t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    ids.add(id);
    prefixes.add(id.slice(0, 8));
  }
  t.equal(ids.size, 20);
  t.ok(prefixes.size > 10, 'the first digits differ too');
});
