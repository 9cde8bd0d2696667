// The HTTP client against servers that are slow, broken, hostile or old; and kubeconfigs. Each test checks that no
// socket, timer or listener is left.
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { EMPTY, NEVER, concat, lastValueFrom, of, take, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import t, { type Test } from 'tap';
import type { Client, HttpClientOptions, ResourceClient, Transport, TransportRequest } from '../../lib/client/index.js';
import {
  ConnectionError,
  fetchTransport,
  httpClient,
  inProcessClient,
  isConnectionError,
} from '../../lib/client/index.js';
import type { ClientTls } from '../../lib/client/node/index.js';
import {
  KubeconfigError,
  connect,
  inClusterAccess,
  loadKubeconfig,
  nodeTransport,
} from '../../lib/client/node/index.js';
import type { ApiError, JsonValue, Handler } from '../../lib/core/index.js';
import { encodeBase64, isApiError, printYaml, systemClock, virtualClock } from '../../lib/core/index.js';
import { createAuthority, kubeconfig } from '../../lib/server/node/index.js';

interface Fake {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly sockets: Set<Socket>;
}

/** A server with the responses of a test. */
async function fake(
  t: Test,
  answer: RequestListener,
  tls?: { readonly key: string; readonly cert: string; readonly ca?: string; readonly requestCert?: boolean },
): Promise<Fake> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server: Server =
    tls === undefined ? createPlainServer(listener) : createTlsServer({ ...tls, rejectUnauthorized: false }, listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, requests, sockets };
}

/** Answers with JSON. */
const json =
  (value: unknown, code = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
const text =
  (content: string, contentType = 'application/json', code = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(code, { 'Content-Type': contentType }).end(content);
  };
const all = <T>(source$: Observable<T>): Promise<T[]> => lastValueFrom(source$.pipe(toArray()), { defaultValue: [] });
const configMap = (name: string): JsonValue => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default', uid: 'u', resourceVersion: '7', creationTimestamp: '2024-01-01T00:00:00Z' },
});
const event = (type: string, object: JsonValue = configMap('a')): string => `${JSON.stringify({ type, object })}\n`;

function clientOf(t: Test, url: string, options: Partial<HttpClientOptions> = {}): Client {
  const { transport, close } = nodeTransport();
  t.teardown(close);
  return httpClient({ server: url, transport, ...options });
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing failed');
}
async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  const error = await failure(promise);
  if (!isApiError(error)) throw error;
  return error;
}
const maps = (client: Client): ResourceClient => client.resource({ apiVersion: 'v1', kind: 'ConfigMap' }).in('default');

/** Waits until a server has no connection left. */
async function emptied({ sockets }: Fake): Promise<void> {
  while (sockets.size > 0) await once([...sockets][0]!, 'close');
}

t.test('a request has method, path, query, headers and body', async (t) => {
  const seen: (readonly [string, TransportRequest])[] = [];
  const transport: Transport = async (url, request) => {
    seen.push([url, request]);
    return new Response(
      JSON.stringify(
        url.includes('?limit') || request.method === 'DELETE'
          ? { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: null }
          : configMap('a'),
      ),
      { headers: { 'Content-Type': 'application/json' } },
    );
  };
  const client = httpClient({
    server: 'https://example.com:6443/clusters/one/',
    transport,
    authorization: 'Bearer secret',
    userAgent: 'tester',
  });
  const object = { metadata: { name: 'a', namespace: 'default' } };
  await maps(client).get('a b', { resourceVersion: '0' });
  await maps(client).list({ limit: 5, labelSelector: 'a in (b,c)' });
  await maps(client).create(object, { dryRun: true, fieldManager: 'me & you', fieldValidation: 'Strict' });
  await maps(client).update({ ...object, kind: 'ConfigMap', apiVersion: 'v1' });
  await maps(client).patch('a', { json: [] });
  await maps(client).apply(object, { fieldManager: 'me', force: true });
  await client
    .kind('apps/v1', 'Deployment')
    .in('default')
    .scale.update({ metadata: { name: 'web' }, spec: { replicas: 2 } });
  await maps(client).deleteCollection({ labelSelector: 'a=b', gracePeriodSeconds: 3 });
  await client.kind('v1', 'Namespace').get('default');
  const base = 'https://example.com:6443/clusters/one/api/v1/namespaces/default/configmaps';
  const sent = (url: string, method: string, contentType?: string, body?: unknown): unknown[] => [
    url,
    method,
    contentType,
    body,
  ];
  t.strictSame(
    seen.map(([url, { method, headers, body }]) => [
      url,
      method,
      headers['Content-Type'],
      body === undefined ? undefined : (JSON.parse(body) as unknown),
    ]),
    [
      sent(`${base}/a%20b?resourceVersion=0`, 'GET'),
      sent(`${base}?limit=5&labelSelector=a%20in%20(b%2Cc)`, 'GET'),
      sent(`${base}?dryRun=All&fieldManager=me%20%26%20you&fieldValidation=Strict`, 'POST', 'application/json', {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        ...object,
      }),
      sent(`${base}/a`, 'PUT', 'application/json', { ...object, kind: 'ConfigMap', apiVersion: 'v1' }),
      sent(`${base}/a`, 'PATCH', 'application/json-patch+json', []),
      sent(`${base}/a?fieldManager=me&force=true`, 'PATCH', 'application/apply-patch+yaml', {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        ...object,
      }),
      sent(
        'https://example.com:6443/clusters/one/apis/apps/v1/namespaces/default/deployments/web/scale',
        'PUT',
        'application/json',
        { metadata: { name: 'web' }, spec: { replicas: 2 } },
      ),
      sent(`${base}?labelSelector=a%3Db`, 'DELETE', 'application/json', {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 3,
      }),
      sent('https://example.com:6443/clusters/one/api/v1/namespaces/default', 'GET'),
    ],
  );
  t.match(seen[0]?.[1].headers, { Accept: 'application/json', 'User-Agent': 'tester', Authorization: 'Bearer secret' });

  const other = client.as({
    username: 'jane',
    uid: '7',
    groups: ['a', 'b'],
    extra: { 'example.com/scope*': ['x', 'y'] },
  });
  await maps(other).get('a');
  t.match(seen.at(-1)?.[1].headers, {
    'Impersonate-User': 'jane',
    'Impersonate-Uid': '7',
    'Impersonate-Group': ['a', 'b'],
    'Impersonate-Extra-example.com%2Fscope%2A': ['x', 'y'],
  });
  t.match(await failure(client.read('version')), { message: 'no path: version' });
  for (const server of ['ftp://a', 'https://me:you@a', 'https://a?b=c', 'a'])
    t.throws(() => httpClient({ server }), TypeError);
  const strange = { group: '', version: 'v1', kind: 'A', resource: '..', namespaced: false };
  t.match((await refusal(client.resource(strange).list())).message, 'invalid path segment "..": [may not be \'..\']');
  t.match(
    (await refusal(client.resource({ ...strange, resource: '' }).list())).message,
    'invalid path segment "": [may not be empty]',
  );
});

t.test('invalid responses are ConnectionErrors that name the problem', async (t) => {
  const cases: readonly (readonly [string, RequestListener, RegExp])[] = [
    ['malformed JSON', text('{"kind":'), /^the response is not JSON$/],
    ['nothing', text(''), /^the response is not JSON$/],
    ['a page', text('<html>', 'text/html'), /^the server responded with text\/html instead of application\/json$/],
    [
      'no content type',
      (_request, response) => void response.writeHead(200).end('{}'),
      /^the server responded with no content type instead/,
    ],
    ['no object', text('[1]'), /is not an API object$/],
    ['no kind', text('{"apiVersion":"v1","metadata":{}}'), /is not an API object$/],
    ['odd metadata', text('{"kind":"ConfigMap","apiVersion":"v1","metadata":[]}'), /is not an API object$/],
    ['too much', text(`"${'x'.repeat(5_000)}"`), /^the response is longer than 4096 bytes$/],
    [
      'half of it',
      (_request, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
          .write('{', () => response.destroy()),
      /broke off: aborted$/,
    ],
    ['none at all', (request) => void request.socket.destroy(), /got no response: socket hang up$/],
  ];
  for (const [what, answer, message] of cases) {
    const server = await fake(t, answer);
    const error = await failure(maps(clientOf(t, server.url, { limits: { responseBytesMax: 4096 } })).get('a'));
    t.ok(isConnectionError(error), what);
    t.match(error.message, message, what);
  }
  const lists: readonly (readonly [JsonValue, RegExp])[] = [
    [configMap('a'), /responded with ConfigMap instead of a list$/],
    [{ kind: 'ConfigMapList', apiVersion: 'v1', items: [1] }, /is a list whose items are not objects$/],
    [{ kind: 'ConfigMapList', apiVersion: 'v1', items: 'x' }, /responded with ConfigMapList instead of a list$/],
  ];
  for (const [answer, message] of lists)
    t.match(await failure(maps(clientOf(t, (await fake(t, json(answer))).url)).list()), {
      name: 'ConnectionError',
      message,
    });
  const odd = await fake(t, json({ kind: 'Odd', apiVersion: 'v1', items: [{ metadata: { name: 'a' } }] }));
  t.match(await maps(clientOf(t, odd.url)).list(), { items: [{ metadata: { name: 'a' } }], resourceVersion: '' });
  const polluted = await fake(
    t,
    text('{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"__proto__":{"polluted":true}}'),
  );
  const object = await maps(clientOf(t, polluted.url)).get('a');
  t.equal(Object.getPrototypeOf(object), Object.prototype);
  t.equal(({} as Record<string, unknown>).polluted, undefined);
  const done = await fake(t, json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }));
  t.strictSame(await maps(clientOf(t, done.url)).deleteCollection(), { items: [], resourceVersion: '' });
  const switching = await fake(
    t,
    (request) =>
      void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n'),
  );
  t.match(await failure(maps(clientOf(t, switching.url)).get('a')), {
    name: 'ConnectionError',
    message: /got no response/,
  });
  t.match(await failure(maps(clientOf(t, 'http://127.0.0.1:1', { authorization: 'Bearer a\nb' })).get('a')), {
    name: 'ConnectionError',
    message: /Invalid character in header content/,
  });
  t.match(await failure(maps(clientOf(t, 'http://127.0.0.1:1')).get('a')), {
    name: 'ConnectionError',
    message: /got no response: connect ECONNREFUSED/,
    cause: Error,
  });
});

t.test('error responses without a Status become the ApiErrors of client-go', async (t) => {
  const cases: readonly (readonly [RequestListener, object])[] = [
    [
      text('404 page not found\n', 'text/plain', 404),
      {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource (get configmaps a)',
        details: { causes: [{ reason: 'UnexpectedServerResponse', message: '404 page not found' }] },
      },
    ],
    [
      text('', 'text/plain', 503),
      { code: 503, reason: 'ServiceUnavailable', details: { causes: [{ message: 'unknown' }] } },
    ],
    [
      text('{"half', 'application/json', 500),
      { code: 500, reason: 'InternalError', message: /an error on the server \("{\\"half"\)/ },
    ],
    [json({ some: 'thing' }, 403), { code: 403, reason: 'Forbidden' }],
    [(_request, response) => void response.writeHead(302, { Location: 'http://elsewhere/' }).end(), { code: 302 }],
    [
      json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Gone', code: 410, message: 'gone' }, 410),
      { code: 410, reason: 'Gone' },
    ],
    [
      json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', message: 'too old' }),
      { reason: 'Expired' },
    ],
  ];
  for (const [answer, status] of cases)
    t.match((await refusal(maps(clientOf(t, (await fake(t, answer)).url)).get('a'))).status, status);
  const overlong = await fake(t, text('x'.repeat(4 * 1024 * 1024), 'text/plain', 500));
  t.match(await failure(maps(clientOf(t, overlong.url)).get('a')), { name: 'ConnectionError' });
});

t.test('requests are retried if the server sends Retry-After, and only then', async (t) => {
  const clock = virtualClock();
  let answers: RequestListener[] = [];
  const server = await fake(t, (request, response) => (answers.shift() ?? json(configMap('a')))(request, response));
  const client = clientOf(t, server.url, { clock, limits: { retriesMax: 2 } });
  const busy = (code: number, retryAfter?: string): RequestListener =>
    json(
      { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'busy' },
      code,
      retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    );
  const asked = async (): Promise<void> => {
    const before = server.requests.length;
    while (server.requests.length === before || clock.pending === 0)
      await new Promise((resolve) => setImmediate(resolve));
  };

  answers = [busy(429, '3'), busy(503, '1')];
  const later = maps(client).create({ metadata: { name: 'a' } });
  await asked();
  t.equal(server.requests.length, 1);
  const again = asked();
  await clock.advance(3000);
  await again;
  await clock.advance(1000);
  t.match(await later, { metadata: { name: 'a' } });
  t.strictSame(
    server.requests.map(({ method }) => method),
    ['POST', 'POST', 'POST'],
  );

  for (const answer of [
    busy(429),
    busy(429, 'Wed, 21 Oct 2026 07:28:00 GMT'),
    busy(500),
    busy(409, '1'),
    busy(429, '3600'),
  ]) {
    answers = [answer];
    const before = server.requests.length;
    t.equal((await refusal(maps(client).get('a'))).message, 'busy');
    t.equal(server.requests.length, before + 1);
  }

  answers = Array.from({ length: 3 }, () => busy(429, '0'));
  const before = server.requests.length;
  const refused = refusal(maps(client).get('a'));
  const settled = refused.then(() => true);
  while (!(await Promise.race([settled, new Promise((resolve) => setImmediate(resolve, false))])))
    await clock.advance(1);
  t.match((await refused).status, { code: 429 });
  t.equal(server.requests.length, before + 3, 'it gives up');

  answers = [busy(429, '30')];
  const abort = new AbortController();
  const waiting = failure(maps(client).get('a', { signal: abort.signal }));
  await asked();
  abort.abort(new Error('enough'));
  t.match(await waiting, { message: 'enough' });
  t.equal(clock.pending, 0, 'no timer is left');
  answers = [text('no', 'text/plain', 429)];
  t.equal(await refusal(client.read('/version')).then(({ status }) => status.code), 429);
});

t.test('a broken watch errors with its cause and closes its connection', async (t) => {
  const streaming =
    (...parts: readonly string[]): RequestListener =>
    (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      for (const part of parts) response.write(part);
    };
  const expired = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version: 1 (2)',
    reason: 'Expired',
    code: 410,
  };
  const cases: readonly (readonly [string, RequestListener, object])[] = [
    ['ERROR', streaming(event('ADDED'), event('ERROR', expired)), { status: { reason: 'Expired', code: 410 } }],
    [
      'ERROR of nothing',
      streaming(event('ERROR', { kind: 'Status', apiVersion: 'v1', status: 'Success' })),
      { message: 'the watch sent an ERROR event without a Status' },
    ],
    ['410', json(expired, 410), { status: { reason: 'Expired' } }],
    ['an unknown type', streaming(event('RENAMED')), { message: 'the watch sent an event of an unknown type' }],
    ['no event', streaming('[1]\n'), { message: 'the watch sent a line that is not an event' }],
    ['no object', streaming('{"type":"ADDED"}\n'), { message: 'the watch sent a line that is not an event' }],
    ['no JSON', streaming('{"type":\n'), { message: 'the watch sent a line that is not JSON', cause: Error }],
    [
      'a bookmark of nothing',
      streaming(event('BOOKMARK', { kind: 'ConfigMap', metadata: {} })),
      { message: 'the watch sent a bookmark without a resourceVersion' },
    ],
    [
      'an endless line',
      streaming('{"type":"ADDED","object":{"a":"', 'x'.repeat(2_000), 'x'.repeat(2_000), 'x'.repeat(2_000)),
      { message: 'an event of the watch is longer than 4096 bytes' },
    ],
    [
      'a long line',
      streaming(`{"type":"ADDED","object":{"a":"${'x'.repeat(5_000)}"}}\n`),
      { message: 'an event of the watch is longer than 4096 bytes' },
    ],
    ['a page', text('<html>', 'text/html'), { message: /^the server responded to a watch with text\/html/ }],
    [
      'half an event, closed in good order',
      (_request, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"type":'),
      { message: 'the watch broke off in the middle of an event' },
    ],
    [
      'a broken connection',
      (_request, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .write(event('ADDED'), () => response.destroy()),
      { name: 'ConnectionError', message: /broke off: aborted$/ },
    ],
    ['no connection', (request) => void request.socket.destroy(), { name: 'ConnectionError' }],
  ];
  for (const [what, answer, expected] of cases) {
    const server = await fake(t, answer);
    const { transport, close } = nodeTransport();
    const client = httpClient({ server: server.url, transport, limits: { eventBytesMax: 4096 } });
    t.match(await failure(all(maps(client).watch())), expected, what);
    close();
    await emptied(server);
  }
});

t.test('events are complete, however the bytes are split', async (t) => {
  const lines = [
    event('ADDED', { ...(configMap('ä€😀') as Record<string, JsonValue>) }),
    '\n',
    event('BOOKMARK', {
      kind: 'ConfigMap',
      metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
    }),
    event('DELETED').trimEnd(),
    '\r\n',
  ].join('');
  const bytes = new TextEncoder().encode(lines);
  for (const size of [1, 7, 64, bytes.length]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
    const bodies: readonly (() => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>)[] = [
      // One buffer for all chunks, as some streams have.
      async function* () {
        const memory = new Uint8Array(size);
        for (const piece of pieces) {
          memory.set(piece);
          yield memory.subarray(0, piece.length);
        }
      },
      () => withoutIterator(pieces),
    ];
    for (const body of bodies) {
      const transport: Transport = async () => ({
        status: 200,
        headers: { get: () => 'application/json;stream=watch' },
        body: body(),
      });
      const client = httpClient({ server: 'http://a', transport });
      const events = await all(maps(client).watch());
      t.match(
        events,
        [
          { type: 'ADDED', object: { metadata: { name: 'ä€😀' } } },
          { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
          { type: 'DELETED' },
        ],
        `${size} bytes at a time`,
      );
    }
  }
  const empty = httpClient({
    server: 'http://a',
    transport: async () => ({ status: 200, headers: { get: () => 'application/json' }, body: null }),
  });
  t.strictSame(await all(maps(empty).watch()), []);
});

/** A stream as browsers have it that cannot iterate them. */
function withoutIterator(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = rest.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  return { getReader: () => stream.getReader() } as ReadableStream<Uint8Array>;
}

t.test('unsubscribing ends a watch, before and after its response has begun', async (t) => {
  const arrived = new EventEmitter();
  const server = await fake(t, (request, response) => {
    arrived.emit('request', request, response);
  });
  for (const transport of [nodeTransport().transport, fetchTransport]) {
    const client = httpClient({ server: server.url, transport });
    const early = once(arrived, 'request');
    const subscription = maps(client).watch().subscribe();
    const [request] = (await early) as [IncomingMessage, ServerResponse];
    const gone = once(request.socket, 'close');
    subscription.unsubscribe();
    await gone;

    arrived.once('request', (_request, response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write(event('ADDED') + event('ADDED') + event('ADDED'));
    });
    t.equal((await all(maps(client).watch().pipe(take(2)))).length, 2);
    await emptied(server);
  }
  t.equal(server.sockets.size, 0);
});

t.test('connections are reused, and replaced if the server has closed one', async (t) => {
  let isGone = false;
  const server = await fake(t, (request, response) => {
    if (isGone) request.socket.destroy();
    else json(configMap('a'))(request, response);
    isGone = false;
  });
  const { transport, close } = nodeTransport();
  const client = httpClient({ server: server.url, transport });
  await maps(client).get('a');
  const [kept] = server.sockets;
  await maps(client).get('a');
  await maps(client).delete('a', { gracePeriodSeconds: 1 });
  t.strictSame([...server.sockets], [kept]);
  // The client detects the closed connection only after it has sent.
  isGone = true;
  t.equal((await maps(client).get('a')).kind, 'ConfigMap', 'reading is tried again');
  isGone = true;
  t.match(
    await failure(maps(client).create({ metadata: { name: 'a' } })),
    { name: 'ConnectionError' },
    'writing is not',
  );
  await maps(client).get('a');
  const abort = new AbortController();
  await maps(client).get('a', { signal: abort.signal });
  abort.abort();
  t.equal(server.sockets.size, 1, 'a signal that comes late harms no connection');
  close();
  await emptied(server);
});

t.test('warnings are reported from every response', async (t) => {
  const server = await fake(
    t,
    json(configMap('a'), 200, { Warning: '299 - "one, \\"two\\"", 299 kube "three", 199 - "other"' }),
  );
  const warnings: string[] = [];
  await maps(clientOf(t, server.url, { onWarning: (text) => warnings.push(text) })).get('a');
  t.strictSame(warnings, ['one, "two"', 'three']);
});

t.test('older servers are discovered version by version', async (t) => {
  const documents: Readonly<Record<string, unknown>> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [
        { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }, 7], preferredVersion: { version: 'v1' } },
        { name: 'metrics.k8s.io', versions: [{ version: 'v1' }] },
        null,
      ],
    },
    '/api/v1': {
      kind: 'APIResourceList',
      resources: [
        { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get'], shortNames: ['po'] },
        { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
        { name: '' },
        3,
      ],
    },
    '/apis/apps/v1': {
      kind: 'APIResourceList',
      resources: [{ name: 'deployments', singularName: '', namespaced: true, kind: 'Deployment', verbs: ['list'] }],
    },
    '/apis/apps/v1beta1': { kind: 'APIResourceList', resources: 'none' },
  };
  const server = await fake(t, (request, response) => {
    const document = documents[request.url ?? ''];
    (document === undefined ? text('down', 'text/plain', 503) : json(document))(request, response);
  });
  const { resources, mapper, failed } = await clientOf(t, server.url).discover();
  t.strictSame(
    resources.map(({ group, version, resource }) => [group, version, resource].join('/')),
    ['/v1/pods', 'apps/v1/deployments'],
  );
  t.match(resources[0]?.subresources, [
    { name: 'eviction', kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
  ]);
  t.match(mapper.argument('po,deployment'), [{ kind: 'Pod' }, { kind: 'Deployment' }]);
  t.strictSame(failed, [{ group: 'metrics.k8s.io', version: 'v1' }]);
  t.match(server.requests[0]?.headers.accept, /APIGroupDiscoveryList/);

  const aggregated = {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'a.example' },
        versions: [
          { version: 'v1', freshness: 'Stale', resources: [] },
          {
            version: 'v2',
            resources: [{ resource: 'as', responseKind: { kind: 'A' }, scope: 'Cluster' }, { resource: 'bs' }],
          },
        ],
      },
      { versions: 5 },
    ],
  };
  const partial = await fake(t, (request, response) =>
    (request.url === '/apis' ? json(aggregated) : text('no', 'text/plain', 404))(request, response),
  );
  const found = await clientOf(t, partial.url).discover();
  t.match(found.resources, [
    { group: 'a.example', version: 'v2', kind: 'A', resource: 'as', namespaced: false, verbs: [], subresources: [] },
  ]);
  t.strictSame(found.failed, [{ group: 'a.example', version: 'v1' }]);

  let broken = true;
  const moody = await fake(t, (request, response) =>
    (broken ? text('down', 'text/plain', 500) : json(aggregated))(request, response),
  );
  const client = clientOf(t, moody.url);
  t.match((await refusal(client.discover())).status, { code: 500 });
  broken = false;
  t.equal((await client.discover()).resources.length, 2, 'a failure is not kept');
  t.strictSame((await clientOf(t, (await fake(t, json('odd'))).url).discover()).resources, []);
});

t.test('an unexpected type of response in process is an error', async (t) => {
  const answering = (answer: Awaited<ReturnType<Handler>>): Client => inProcessClient(async () => answer);
  const raw = (content: string | Uint8Array, code = 200) =>
    ({ type: 'raw', code, contentType: 'application/json', content }) as const;
  t.match((await refusal(maps(answering(raw('gone', 404))).get('a'))).status, { code: 404 });
  t.match(await failure(maps(answering(raw('text'))).get('a')), {
    message: 'configmaps/ does not respond with an object',
  });
  t.match(await failure(all(maps(answering(raw('text'))).watch())), {
    message: 'configmaps/ does not respond with events',
  });
  t.strictSame(await answering(raw(new TextEncoder().encode('{"a":1}'))).read('/a'), { a: 1 });
  const broken = inProcessClient(async () => Promise.reject(new Error('a defect')));
  t.match(await failure(maps(broken).get('a')), { message: 'a defect' });
  for (const call of [
    broken.read('/a', { signal: AbortSignal.abort() }),
    broken.discover({ signal: AbortSignal.abort() }),
  ])
    t.match(await failure(call), { name: 'AbortError' });
  t.match(await failure(answering({ ...raw(''), content: EMPTY }).read('/a')), {
    message: '/a does not respond with a document',
  });
  const form = { mediaType: 'application/json', pretty: false };
  const watching = answering({
    type: 'watch',
    form,
    bookmark: () => ({}),
    events: concat(of({ type: 'BOOKMARK' as const, resourceVersion: '1' }), NEVER),
  });
  t.match(await all(maps(watching).watch().pipe(take(1))), [{ resourceVersion: '1' }]);
});

t.test('fetch sends a header once or not at all', async (t) => {
  const { version: packageVersion } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const server = await fake(t, json(configMap('a')));
  const client = httpClient({ server: server.url });
  await maps(client.as({ username: 'jane', groups: ['one'] })).get('a');
  t.match(server.requests[0]?.headers, {
    'impersonate-user': 'jane',
    'impersonate-group': 'one',
    'user-agent': `vivarium/${packageVersion}`,
  });
  t.match(await failure(maps(client.as({ username: 'jane', groups: ['one', 'two'] })).get('a')), {
    name: 'ConnectionError',
    message: /cannot send the header Impersonate-Group more than once/,
  });
  const { transport, close } = nodeTransport();
  t.teardown(close);
  await maps(httpClient({ server: server.url, transport }).as({ username: 'jane', groups: ['one', 'two'] })).get('a');
  t.strictSame(
    server.requests[1]?.rawHeaders.filter((_, index, all) => all[index - 1] === 'Impersonate-Group'),
    ['one', 'two'],
  );
});

t.test('certificates of client and server are verified', async (t) => {
  const authority = createAuthority({ now: systemClock().now() });
  const stranger = createAuthority({ now: systemClock().now() });
  const { key, certificate } = authority.issueServerCertificate(['kubernetes', '127.0.0.1']);
  const server = await fake(
    t,
    (request, response) => {
      const peer = (
        request.socket as unknown as { getPeerCertificate(): { readonly subject?: { readonly CN?: string } } }
      ).getPeerCertificate();
      json({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: peer.subject?.CN ?? 'nobody' } })(
        request,
        response,
      );
    },
    { key, cert: certificate, ca: authority.certificate, requestCert: true },
  );
  const ask = async (tls: ClientTls): Promise<string | undefined> => {
    const connection = connect({ server: server.url, namespace: 'default', tls });
    try {
      return (await maps(httpClient(connection)).get('a')).metadata.name;
    } finally {
      connection[Symbol.dispose]();
    }
  };
  const { certificate: authorities } = authority;
  t.equal(await ask({ authorities }), 'nobody');
  t.equal(
    await ask({ authorities, serverName: 'kubernetes', certificate: authority.issueClientCertificate('jane') }),
    'jane',
  );
  t.equal(await ask({ insecure: true }), 'nobody');
  t.match(await failure(ask({})), { name: 'ConnectionError', message: /certificate/ });
  t.match(await failure(ask({ authorities: stranger.certificate })), { name: 'ConnectionError' });
  t.match(await failure(ask({ authorities, serverName: 'other' })), { name: 'ConnectionError', message: /altnames/ });
});

t.test('a kubeconfig has server, user and credentials', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | JsonValue): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : printYaml(content));
    return path;
  };
  const base64 = (content: string): string => encodeBase64(new TextEncoder().encode(content));
  write('ca.crt', 'an authority');
  write('me.key', 'a key');
  const first = write('first', {
    clusters: [
      {
        name: 'one',
        cluster: { server: 'https://one:6443', 'certificate-authority': 'ca.crt', 'tls-server-name': 'uno' },
      },
      { name: 'one', cluster: { server: 'https://shadowed' } },
      { name: 'open', cluster: { server: 'http://open', 'insecure-skip-tls-verify': true } },
      {
        name: 'both',
        cluster: { server: 'https://both', 'insecure-skip-tls-verify': true, 'certificate-authority': 'ca.crt' },
      },
      { name: 'nowhere', cluster: null },
      'odd',
    ],
    users: [
      { name: 'certified', user: { 'client-certificate-data': base64('a certificate'), 'client-key': 'me.key' } },
      { name: 'half', user: { 'client-key': 'me.key' } },
      { name: 'garbled', user: { 'client-key-data': '%' } },
      { name: 'filed', user: { tokenFile: 'token', token: 'ignored' } },
      { name: 'basic', user: { username: 'jane', password: 'pässword' } },
      {
        name: 'acting',
        user: { token: 't', as: 'joe', 'as-uid': '7', 'as-groups': ['a', 3], 'as-user-extra': { x: ['y'] } },
      },
      { name: 'plugged', user: { exec: { command: 'aws' } } },
      { name: 'provided', user: { 'auth-provider': { name: 'gcp' } } },
    ],
    contexts: [
      ...['certified', 'half', 'garbled', 'filed', 'basic', 'acting', 'plugged', 'provided', 'nobody', ''].map(
        (user) => ({ name: user, context: { cluster: 'one', user } }),
      ),
      ...['open', 'both', 'nowhere', 'missing'].map((cluster) => ({
        name: cluster,
        context: { cluster, namespace: 'there' },
      })),
    ],
  });
  const load = (context: string): ReturnType<typeof loadKubeconfig> => loadKubeconfig({ path: first, context });
  t.strictSame(await load('certified'), {
    server: 'https://one:6443',
    namespace: 'default',
    tls: {
      authorities: 'an authority',
      serverName: 'uno',
      certificate: { certificate: 'a certificate', key: 'a key' },
    },
  });
  t.strictSame((await load('filed')).credentials, { tokenFile: join(folder, 'token') });
  t.strictSame((await load('basic')).credentials, { username: 'jane', password: 'pässword' });
  t.match(await load('acting'), {
    credentials: { token: 't' },
    impersonate: { username: 'joe', uid: '7', groups: ['a'], extra: { x: ['y'] } },
  });
  t.strictSame(await load('open'), { server: 'http://open', namespace: 'there', tls: { insecure: true } });

  const refused: readonly (readonly [string, string])[] = [
    ['both', 'specifying a root certificates file with the insecure flag is not allowed'],
    ['half', 'a client certificate and its key are only of use together'],
    ['garbled', 'client-key-data is no base64: illegal base64 data at input byte 0'],
    [
      'plugged',
      'the user "plugged" gets credentials from the program "aws", which is not run from here: use a token or a certificate',
    ],
    [
      'provided',
      'the user "provided" gets credentials from the auth provider "gcp", which is not run from here: use a token or a certificate',
    ],
    ['nobody', 'the kubeconfig has no user "nobody"'],
    ['nowhere', 'the cluster "nowhere" has no server'],
    ['missing', 'the kubeconfig has no cluster "missing"'],
    ['unknown', 'the kubeconfig has no context "unknown"'],
    ['', 'no context was chosen, and the kubeconfig has no current one'],
  ];
  for (const [context, message] of refused) {
    const error = await failure(load(context));
    t.ok(error instanceof KubeconfigError);
    t.equal(error.message, message);
  }

  const second = write('second', {
    'current-context': 'two',
    clusters: [
      { name: 'one', cluster: { server: 'https://later' } },
      { name: 'two', cluster: { server: 'https://two' } },
    ],
    contexts: [{ name: 'two', context: { cluster: 'two' } }],
  });
  const third = write('third', { 'current-context': 'certified' });
  const KUBECONFIG = [first, join(folder, 'missing'), second, third].join(delimiter);
  t.equal((await loadKubeconfig({ environment: { KUBECONFIG } })).server, 'https://two');
  t.equal(
    (await loadKubeconfig({ environment: { KUBECONFIG }, context: 'certified' })).server,
    'https://one:6443',
    'the first file counts',
  );
  t.match(await failure(loadKubeconfig({ environment: { HOME: folder } })), {
    message: `there is no kubeconfig at ${join(folder, '.kube', 'config')}`,
  });
  t.match(await failure(loadKubeconfig({ path: join(folder, 'missing') })), {
    name: 'KubeconfigError',
    message: /missing cannot be read: ENOENT/,
  });
  t.match(await failure(loadKubeconfig({ environment: { KUBECONFIG: folder } })), {
    name: 'KubeconfigError',
    message: /cannot be read: EISDIR/,
  });
  for (const content of ['a: [', '- a', 'kind: Pod'])
    t.match(await failure(loadKubeconfig({ text: content })), { name: 'KubeconfigError' });
  t.match(
    await loadKubeconfig({
      text: kubeconfig({ server: 'https://here', user: { name: 'me', token: 'x' }, namespace: 'ns' }),
    }),
    { server: 'https://here', namespace: 'ns', credentials: { token: 'x' } },
  );
});

t.test('credentials are sent, and token files are read again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'account-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const server = await fake(t, json(configMap('a')));
  const clock = virtualClock();
  const tokenFile = join(folder, 'token');
  const access = { server: server.url, namespace: 'default', tls: {} };
  const connection = connect({ ...access, credentials: { tokenFile } }, { clock });
  t.teardown(connection.close);
  const client = httpClient(connection);
  const shown = async (): Promise<string | undefined> => {
    await maps(client).get('a');
    return server.requests.at(-1)?.headers.authorization;
  };
  t.match(await failure(shown()), { code: 'ENOENT' });
  writeFileSync(tokenFile, 'one\n');
  t.equal(await shown(), 'Bearer one');
  writeFileSync(tokenFile, 'two\n');
  t.equal(await shown(), 'Bearer one');
  await clock.advance('1m');
  t.equal(await shown(), 'Bearer two');
  rmSync(tokenFile);
  await clock.advance('1m');
  t.equal(await shown(), 'Bearer two', 'what was read last is better than nothing');

  const basic = connect({
    ...access,
    credentials: { username: 'jane', password: 'p' },
    impersonate: { username: 'joe' },
  });
  t.teardown(basic.close);
  await maps(httpClient(basic)).get('a');
  t.match(server.requests.at(-1)?.headers, {
    authorization: `Basic ${encodeBase64(new TextEncoder().encode('jane:p'))}`,
    'impersonate-user': 'joe',
  });

  writeFileSync(join(folder, 'ca.crt'), 'an authority');
  t.match(await failure(inClusterAccess({ environment: {} })), {
    name: 'KubeconfigError',
    message: /KUBERNETES_SERVICE_HOST/,
  });
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  t.match(await failure(inClusterAccess({ environment, folder })), {
    name: 'KubeconfigError',
    message: /namespace cannot be read/,
  });
  writeFileSync(join(folder, 'namespace'), 'mine\n');
  t.strictSame(await inClusterAccess({ environment, folder }), {
    server: 'https://[fd00::1]:443',
    namespace: 'mine',
    tls: { authorities: 'an authority' },
    credentials: { tokenFile },
  });
});

t.test('a ConnectionError is recognised by its name', async (t) => {
  t.ok(isConnectionError(new ConnectionError('x')));
  t.notOk(isConnectionError(new Error('x')));
  t.notOk(isConnectionError('x'));
});
