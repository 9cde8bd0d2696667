// API aggregation: group-versions of other servers, in process and over HTTPS, and what hostile servers do to this one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createServer as createHttpsServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { firstValueFrom } from 'rxjs';
import { administrator } from '../../lib/auth/index.js';
import { requestHeader } from '../../lib/auth/node/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { isApiError, systemClock, virtualClock } from '../../lib/core/index.js';
import type { ApiRequest, Clock, Handler } from '../../lib/core/index.js';
import type { APIService } from '../../lib/core/types/index.js';
import { createAuthority } from '../../lib/pki/index.js';
import type { CertificateAuthority } from '../../lib/pki/index.js';
import { createKinds, createServer, defineKind, fetchHandler } from '../../lib/server/public.js';
import type { AggregationOptions, ApiServer, ServerOptions } from '../../lib/server/public.js';
import { listen } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { nodeProxyTransport } from '../../lib/webhook/node/index.js';
import { kubectlMissing, kubectls } from '../support/kubectl.js';

const fruit = await defineKind({
  group: 'fruits.example.com',
  version: 'v1',
  kind: 'Fruit',
  shortNames: ['fr'],
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } } },
});

/** A server that serves fruits. */
function orchard(t: Test, options: Partial<ServerOptions> = {}): ApiServer {
  const kinds = createKinds();
  kinds.add(fruit);
  const server = createServer({ store: memoryStore(), kinds, ...options });
  t.teardown(() => server.close());
  return server;
}

/** A server that aggregates others. */
function aggregator(t: Test, aggregation: AggregationOptions, clock?: Clock): { server: ApiServer; client: Client } {
  const server = createServer({ store: memoryStore(), aggregation, ...(clock && { clock }) });
  t.teardown(() => server.close());
  return { server, client: inProcessClient(server.handler) };
}

function registration(spec: Partial<NonNullable<APIService['spec']>> = {}): APIService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.fruits.example.com' },
    spec: {
      group: 'fruits.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace: 'default', name: 'orchard' },
      ...spec,
    },
  };
}

const apiServices = (client: Client) => client.kind('apiregistration.k8s.io/v1', 'APIService');
const fruitsOf = (client: Client) =>
  client.resource({ group: 'fruits.example.com', version: 'v1', kind: 'Fruit', resource: 'fruits', namespaced: true });

/** Resolves with the status code of an ApiError. */
async function failureCode(call: Promise<unknown>): Promise<number | undefined> {
  const error = await call.catch((failure: unknown) => failure);
  return isApiError(error) ? error.status.code : undefined;
}

/** Resolves with the message of the condition, once its reason is one of those. */
async function untilReason(client: Client, ...reasons: readonly string[]): Promise<string> {
  const found = await apiServices(client).waitFor('v1.fruits.example.com', (found) =>
    (found?.status?.conditions ?? []).some(({ reason = '' }) => reasons.includes(reason)),
  );
  return found?.status?.conditions?.[0]?.message ?? '';
}

t.test('a handler of the process serves a group-version', async (t) => {
  const backend = orchard(t);
  const requests: ApiRequest[] = [];
  const spy: Handler = (request) => {
    requests.push(request);
    return backend.handler(request);
  };
  const { server, client } = aggregator(t, { handlers: { 'default/orchard': spy } });
  await apiServices(client).create(registration({ insecureSkipTLSVerify: true }));
  t.equal(await untilReason(client, 'Passed'), 'all checks passed');

  const fruits = fruitsOf(client).in('default');
  const watching = firstValueFrom(fruits.watch(), { defaultValue: undefined });
  await fruits.create({ metadata: { name: 'apple' }, spec: { color: 'red' } });
  t.match(await watching, { type: 'ADDED', object: { metadata: { name: 'apple' } } }, 'watches pass through');
  t.equal((await fruits.list()).items.length, 1);
  t.equal((await fruitsOf(inProcessClient(backend.handler)).in('default').get('apple')).metadata.name, 'apple');

  const fetch = fetchHandler(server);
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new Request(`http://server${path}`, { headers }));
  const { groups } = (await (await get('/apis')).json()) as { groups: { name: string }[] };
  const names = groups.map(({ name }) => name);
  t.ok(
    names.indexOf('fruits.example.com') > names.indexOf('storagemigration.k8s.io'),
    'groups are in order of priority',
  );
  t.equal(((await (await get('/apis/fruits.example.com')).json()) as { kind: string }).kind, 'APIGroup');
  const list = (await (await get('/apis/fruits.example.com/v1')).json()) as { resources: { name: string }[] };
  t.same(
    list.resources.map(({ name }) => name),
    ['fruits'],
  );
  const { mapper, failed } = await client.discover({ fresh: true });
  t.equal(mapper.argument('fr')[0]?.resource, 'fruits', 'aggregated discovery has its short names');
  t.same(failed, []);
  const index = (await (await get('/openapi/v3')).json()) as { paths: Record<string, unknown> };
  t.ok('apis/fruits.example.com/v1' in index.paths);
  t.match(await (await get('/openapi/v3/apis/fruits.example.com/v1')).text(), /"Fruit"/);
  const v2 = (await (await get('/openapi/v2')).json()) as { paths: object; definitions: object };
  t.ok('/apis/fruits.example.com/v1/fruits' in v2.paths);
  t.ok(Object.keys(v2.definitions).some((name) => name.endsWith('.Fruit')));

  requests.length = 0;
  await get('/apis/fruits.example.com/v1/fruits', {
    Authorization: 'Bearer secret',
    'X-Remote-User': 'mallory',
    'X-Other': 'kept',
  });
  const [request] = requests;
  t.equal(request?.header('authorization'), undefined);
  t.same(
    (request?.headersWith?.('') ?? []).map(([name]) => name).filter((name) => /^(auth|x-|imp)/.test(name)),
    ['x-other'],
    'credentials of the caller are removed',
  );
  t.equal(request?.user?.username, administrator.username);

  await apiServices(client).delete('v1.fruits.example.com');
  t.equal(await failureCode(fruits.list()), 404);
  t.equal((await get('/apis/fruits.example.com/v1')).status, 404);
});

t.test('an APIService that becomes local again is served by this server', async (t) => {
  const { client } = aggregator(t, { handlers: { 'default/orchard': orchard(t).handler } });
  await apiServices(client).create(registration());
  await untilReason(client, 'Passed');
  const { service: _service, ...local } = registration().spec ?? { groupPriorityMinimum: 1, versionPriority: 1 };
  await apiServices(client).modify('v1.fruits.example.com', (found) => ({ ...found, spec: local }));
  t.equal(await untilReason(client, 'Local'), 'Local APIServices are always available');
  t.equal(await failureCode(fruitsOf(client).list()), 404);
});

t.test('kinds that the host adds and removes have an APIService', async (t) => {
  const { server, client } = aggregator(t, {});
  await server.started();
  server.kinds.add(fruit);
  const found = await apiServices(client).waitFor('v1.fruits.example.com', (each) => each !== undefined);
  t.equal(found.metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'], 'onstart');
  server.kinds.remove(fruit);
  await apiServices(client).waitFor('v1.fruits.example.com', (each) => each === undefined);
  t.equal(await apiServices(client).find('v1.fruits.example.com'), undefined);
});

t.test('the condition follows the service, its port and its endpoints', async (t) => {
  const { client } = aggregator(t, {});
  await apiServices(client).create(registration());
  t.equal(await untilReason(client, 'ServiceNotFound'), 'service/orchard in "default" is not present');
  const services = client.kind('v1', 'Service').in('default');
  await services.create({ metadata: { name: 'orchard' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  t.equal(await untilReason(client, 'ServicePortError'), 'service/orchard in "default" is not listening on port 443');
  await services.modify('orchard', (found) => ({
    ...found,
    spec: { ...found.spec, ports: [{ name: 'https', port: 443 }] },
  }));
  t.equal(
    await untilReason(client, 'EndpointsNotFound'),
    'cannot find endpointslices for service/orchard in "default"',
  );
  const slices = client.kind('discovery.k8s.io/v1', 'EndpointSlice').in('default');
  const slice = {
    metadata: { name: 'orchard-1', labels: { 'kubernetes.io/service-name': 'orchard' } },
    addressType: 'IPv4' as const,
    ports: [{ name: 'https', port: 6443 }],
  };
  await slices.create({ ...slice, endpoints: [] });
  t.equal(
    await untilReason(client, 'MissingEndpoints'),
    'endpointslices for service/orchard in "default" have no addresses with port name "https"',
  );
  await slices.modify('orchard-1', (found) => ({ ...found, endpoints: [{ addresses: ['10.1.2.3'] }] }));
  t.match(
    await untilReason(client, 'FailedDiscoveryCheck'),
    /^failing or missing response from https:\/\/10\.1\.2\.3:6443\/apis\/fruits\.example\.com\/v1: Get "https:.*no transport/,
  );
});

t.test('a server that stops responding is refused, and its resources stay in discovery as stale', async (t) => {
  const clock = virtualClock();
  const backend = orchard(t);
  let isDown = false;
  const flaky: Handler = (request) => (isDown ? new Promise(() => undefined) : backend.handler(request));
  const { server, client } = aggregator(t, { handlers: { 'default/orchard': flaky } }, clock);
  await apiServices(client).create(registration());
  await clock.settled();
  await untilReason(client, 'Passed');
  isDown = true;
  await clock.advance('36s');
  t.equal(
    await untilReason(client, 'FailedDiscoveryCheck'),
    'failing or missing response from process://default/orchard/apis/fruits.example.com/v1: ' +
      'Get "process://default/orchard/apis/fruits.example.com/v1": context deadline exceeded',
  );
  const response = await fetchHandler(server)(new Request('http://server/apis/fruits.example.com/v1/fruits'));
  t.equal(response.status, 503);
  t.equal(await response.text(), 'service unavailable\n');
  t.match(response.headers.get('content-type'), /^text\/plain/);
  t.equal(await failureCode(fruitsOf(client).list()), 503);
  const { failed } = await client.discover({ fresh: true });
  t.same(failed, [{ group: 'fruits.example.com', version: 'v1' }]);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const document = await fetchHandler(server)(new Request('http://server/apis', { headers: { accept } }));
  t.match(await document.text(), /"version":"v1","resources":\[\{"resource":"fruits"[^\]]*.*"freshness":"Stale"/);
  isDown = false;
  await clock.advance('31s');
  await untilReason(client, 'Passed');
});

const kubectl = kubectls().at(-1);

t.test('kubectl works with an aggregated group', { skip: kubectl === undefined && kubectlMissing }, async (t) => {
  const { server, client } = aggregator(t, { handlers: { 'default/orchard': orchard(t).handler } });
  await apiServices(client).create(registration());
  await untilReason(client, 'Passed');
  const listening = await listen(server);
  t.teardown(() => listening.close());
  const home = t.testdir({
    'apple.json': JSON.stringify({ apiVersion: 'fruits.example.com/v1', kind: 'Fruit', metadata: { name: 'apple' } }),
  });
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(kubectl?.path ?? '', [`--server=${listening.url}`, ...args], {
      env: { HOME: home, KUBECONFIG: `${home}/none` },
    });
    return stdout;
  };
  t.equal(await run('apply', '-f', `${home}/apple.json`), 'fruit.fruits.example.com/apple created\n');
  t.match(await run('get', 'fr', '-o', 'name'), 'fruit.fruits.example.com/apple');
  t.match(await run('get', 'apiservices', 'v1.fruits.example.com'), /default\/orchard +True/);
  t.match(await run('explain', 'fruits.spec'), /color/);
});

/** Certificates of a backend and of the front proxy, from authorities of their own. */
function authorities(): { serving: CertificateAuthority; proxy: CertificateAuthority } {
  const now = systemClock().now();
  return { serving: createAuthority({ now }), proxy: createAuthority({ now, name: 'front-proxy-ca' }) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** An aggregator that reaches every service at a port of this machine. */
function networked(t: Test, port: number, proxy?: CertificateAuthority): { server: ApiServer; client: Client } {
  const node = nodeProxyTransport(proxy && { certificate: proxy.issueClientCertificate('front-proxy-client', []) });
  t.teardown(() => node.close());
  return aggregator(t, {
    transport: node.transport,
    services: () => Promise.resolve({ host: '127.0.0.1', port }),
  });
}

async function createService(client: Client): Promise<void> {
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ metadata: { name: 'orchard' }, spec: { ports: [{ port: 443 }] } });
  await client
    .kind('discovery.k8s.io/v1', 'EndpointSlice')
    .in('default')
    .create({
      metadata: { name: 'orchard-1', labels: { 'kubernetes.io/service-name': 'orchard' } },
      addressType: 'IPv4',
      ports: [{ port: 6443 }],
      endpoints: [{ addresses: ['10.1.2.3'] }],
    });
}

t.test('a server over HTTPS receives the user in the headers of a front proxy', async (t) => {
  const { serving, proxy } = authorities();
  const backend = orchard(t, {
    authenticators: [
      requestHeader({
        authorities: proxy.certificate,
        usernameHeaders: ['X-Remote-User'],
        groupHeaders: ['X-Remote-Group'],
        extraPrefixes: ['X-Remote-Extra-'],
        clock: systemClock(),
      }),
    ],
    authorizers: [({ user }) => [{ decision: user.username === 'mallory' ? 'deny' : 'allow', reason: '' }]],
  });
  const listening = await listen(backend, {
    tls: { ...serving.issueServerCertificate(['orchard.default.svc']), clientAuthorities: proxy.certificate },
  });
  t.teardown(() => listening.close());
  const { server, client } = networked(t, listening.port, proxy);
  await createService(client);
  await apiServices(client).create(registration({ caBundle: base64(serving.certificate) }));
  t.equal(await untilReason(client, 'Passed', 'FailedDiscoveryCheck'), 'all checks passed');

  const fruits = fruitsOf(client).in('default');
  const watching = firstValueFrom(fruits.watch(), { defaultValue: undefined });
  await fruits.create({ metadata: { name: 'pear' }, spec: { color: 'green' } });
  t.match(await watching, { type: 'ADDED', object: { metadata: { name: 'pear' } } }, 'a client in process watches');
  await fruits.patch('pear', { merge: { spec: { color: 'yellow' } } });
  t.equal((await fruits.get('pear')).metadata.name, 'pear');
  t.equal(await failureCode(fruits.get('plum')), 404);
  const mallory = fruitsOf(inProcessClient(server.handler, { user: { username: 'mallory' } }));
  t.equal(await failureCode(mallory.list()), 403, 'the user is that of the request');
  const fetch = fetchHandler(server);
  const response = await fetch(new Request('http://server/apis/fruits.example.com/v1/fruits?limit=1'));
  t.equal(response.status, 200);
  t.equal(((await response.json()) as { kind: string }).kind, 'FruitList');
  const stream = await fetch(new Request('http://server/apis/fruits.example.com/v1/fruits?watch=true'));
  const reader = stream.body?.getReader();
  const first: { readonly value?: Uint8Array | undefined } | undefined = await reader?.read();
  t.match(new TextDecoder().decode(first?.value), /"type":"ADDED"/);
  await reader?.cancel();
  const v2 = await fetch(new Request('http://server/openapi/v2'));
  t.match(await v2.text(), /\/apis\/fruits\.example\.com\/v1\/fruits/);
});

t.test('what is sent to a server over HTTPS', async (t) => {
  const seen: { method: string; url: string; headers: Record<string, string | string[] | undefined> }[] = [];
  const { port } = await hostileServer(t, ({ method = '', url = '', headers }, response) => {
    seen.push({ method, url, headers });
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', resources: [] }));
  });
  const { server, client } = networked(t, port);
  await createService(client);
  await apiServices(client).create(registration({ insecureSkipTLSVerify: true }));
  await untilReason(client, 'Passed');
  seen.length = 0;
  const path = '/apis/fruits.example.com/v1/namespaces/%2e%2e/fruits/../a%2Fb?x=1';
  const as = {
    username: 'system:serviceaccount:a:b',
    uid: '7',
    groups: ['one', 'two'],
    extra: { 'example.com/Ω': ['1', '2'] },
  };
  await server.handler({
    info: {
      verb: 'delete',
      isResource: true,
      path,
      group: 'fruits.example.com',
      version: 'v1',
      namespace: '..',
      resource: 'fruits',
      subresource: '',
      name: 'x',
    },
    user: as,
    uri: path,
    auditId: 'audit',
    header: () => undefined,
    headersWith: () => [
      ['authorization', 'Bearer secret'],
      ['x-remote-group', 'system:masters'],
      ['connection', 'upgrade'],
      ['accept-encoding', 'gzip'],
      ['x-other', 'kept'],
    ],
    options: () => ({}),
    body: () => undefined,
    negotiate: () => ({ mediaType: 'application/json', pretty: false }),
  });
  const [request] = seen;
  t.equal(request?.method, 'DELETE');
  t.equal(request?.url, path, 'the path is sent as it was authorized');
  const { headers = {} } = request ?? {};
  t.match(headers, {
    host: 'orchard.default.svc:443',
    'x-remote-user': 'system:serviceaccount:a:b',
    'x-remote-uid': '7',
    'x-remote-group': 'one, two',
    'x-remote-extra-example.com%2f%ce%a9': '1, 2',
    'x-other': 'kept',
    'audit-id': 'audit',
  });
  t.equal(headers.authorization, undefined);
  t.equal(headers['accept-encoding'], undefined);
});

/** A server over HTTPS with a certificate of its own authority. */
async function hostileServer(
  t: Test,
  listener: RequestListener,
  hosts: readonly string[] = ['orchard.default.svc'],
): Promise<{ port: number; certificate: string }> {
  const authority = createAuthority({ now: systemClock().now() });
  const { key, certificate } = authority.issueServerCertificate(hosts);
  const server = createHttpsServer({ key, cert: certificate }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, certificate: authority.certificate };
}

/** Passes discovery, and then does what the test wants. */
function afterDiscovery(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url !== '/apis/fruits.example.com/v1') {
      listener(request, response);
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', resources: [] }));
  };
}

t.test('hostile servers', async (t) => {
  const attacked = async (t: Test, listener: RequestListener): Promise<(path: string) => Promise<Response>> => {
    const { port } = await hostileServer(t, afterDiscovery(listener));
    const { server, client } = networked(t, port);
    await createService(client);
    await apiServices(client).create(registration({ insecureSkipTLSVerify: true }));
    await untilReason(client, 'Passed');
    const fetch = fetchHandler(server);
    return (path) => fetch(new Request(`http://server${path}`));
  };
  const fruitsPath = '/apis/fruits.example.com/v1/fruits';

  t.test('redirects are refused', async (t) => {
    const get = await attacked(t, (_request, response) => {
      response.writeHead(302, { Location: 'https://127.0.0.1:1/stolen' });
      response.end();
    });
    for (const query of ['', '?watch=1']) {
      const response = await get(`${fruitsPath}${query}`);
      t.equal(response.status, 502);
      t.equal(await response.text(), 'the backend attempted to redirect this request, which is not permitted');
    }
  });

  t.test('a response that breaks off is unavailable', async (t) => {
    const get = await attacked(t, (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half');
      response.destroy();
    });
    t.equal((await get(fruitsPath)).status, 503);
  });

  t.test('a response that is too long is unavailable', async (t) => {
    const piece = Buffer.alloc(1024 * 1024);
    const get = await attacked(t, (_request, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', pour);
      pour();
    });
    const response = await get(fruitsPath);
    t.equal(response.status, 503);
    t.match(await response.text(), /longer than 67108864 bytes/);
  });

  t.test('schemas that are nonsense are left out', async (t) => {
    const get = await attacked(t, (request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(request.url === '/openapi/v3' ? '{"paths":{"api/v1":{"serverRelativeURL":"/evil"}}}' : '[[[[');
    });
    const index = (await (await get('/openapi/v3')).json()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    t.match(index.paths['api/v1']?.serverRelativeURL, /^\/openapi\/v3\/api\/v1\?hash=/, 'other paths cannot be taken');
    t.equal((await get('/openapi/v2')).status, 200);
  });
});

t.test('certificates of servers are verified', async (t) => {
  const ok: RequestListener = (_request, response) => void response.end('{}');
  const check = async (t: Test, spec: Partial<NonNullable<APIService['spec']>>, port: number): Promise<string> => {
    const { client } = networked(t, port);
    await createService(client);
    await apiServices(client).create(registration(spec));
    return untilReason(client, 'Passed', 'FailedDiscoveryCheck');
  };
  const right = await hostileServer(t, ok);
  t.match(await check(t, {}, right.port), /x509: certificate signed by unknown authority/);
  t.match(await check(t, { caBundle: base64(right.certificate) }, right.port), 'all checks passed');
  const other = await hostileServer(t, ok, ['other.default.svc']);
  t.match(
    await check(t, { caBundle: base64(other.certificate) }, other.port),
    /certificate is valid for other\.default\.svc, not orchard\.default\.svc/,
  );
  t.match(await check(t, { insecureSkipTLSVerify: true }, other.port), 'all checks passed');
});
