// The server on a port, met by real sockets: honest ones, slow ones and hostile ones. And the command that starts it.
import { X509Certificate } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { statSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { NEVER, Subject, of } from 'rxjs';
import t from 'tap';
import { asServer } from '../support/as-server.js';
import { FlagError, parseCommandLine, run, serve } from '../../lib/command/index.js';
import type { CommandEnvironment } from '../../lib/command/index.js';
import type { ClientCertificate } from '../../lib/auth/index.js';
import {
  allowsObjectTransform,
  deepFreeze,
  encodeJson,
  mediaTypes,
  openEnvelope,
  parseYaml,
  virtualClock,
} from '../../lib/core/index.js';
import type { ApiObject, Frozen, Offer, RawEvent, Handler } from '../../lib/core/index.js';
import {
  apiServerHosts,
  createAuthority,
  isKeyPair,
  kubeconfig,
  listen,
  restoreAuthority,
} from '../../lib/server/node/public.js';
import type { Listening, ListenOptions } from '../../lib/server/node/public.js';
import { WireRequest } from '../../lib/server/http/wire-request.js';

const offer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: allowsObjectTransform,
};
const configMap = (name: string, value = 'v'): Frozen<ApiObject> =>
  deepFreeze({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7' },
    ...{ data: { k: value } },
  });
const added = (name: string, value?: string): RawEvent<Frozen<ApiObject>> => ({
  type: 'ADDED',
  object: configMap(name, value),
});
const bookmark = ({ resourceVersion }: { readonly resourceVersion: string }): Frozen<ApiObject> => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { resourceVersion },
});

interface Fake {
  readonly handler: Handler;
  readonly events: Subject<RawEvent<Frozen<ApiObject>>>;
  readonly requests: WireRequest[];
  /** Requests for the name `slow` wait for this. */
  release: () => void;
}

/** A handler that echoes bodies, lists, watches, and waits when asked to. */
function fake(): Fake {
  const events = new Subject<RawEvent<Frozen<ApiObject>>>();
  const requests: WireRequest[] = [];
  const self: Fake = {
    events,
    requests,
    release: () => undefined,
    handler: async (request) => {
      if (request instanceof WireRequest) requests.push(request);
      const form = request.negotiate(offer);
      const { verb, name } = request.info;
      if (verb === 'watch') return { type: 'watch', events, form, bookmark };
      if (name === 'slow') await new Promise<void>((resolve) => (self.release = resolve));
      if (request.info.subresource === 'log')
        return {
          type: 'raw',
          code: 200,
          contentType: 'text/plain',
          content: of(Buffer.from('one\n'), Buffer.from('two\n')),
        };
      if (verb === 'list')
        return {
          type: 'object',
          code: 200,
          form,
          object: {
            kind: 'ConfigMapList',
            apiVersion: 'v1',
            metadata: {},
            ...{ items: Array.from({ length: 2_000 }, (_, index) => configMap(`n${index}`, 'x'.repeat(900))) },
          },
        };
      const body = verb === 'create' ? await request.body() : undefined;
      const value = body !== undefined && 'bytes' in body ? new TextDecoder().decode(body.bytes) : 'v';
      return {
        type: 'object',
        code: verb === 'create' ? 201 : 200,
        form,
        object: configMap(name, value.length > 100 ? `${value.length}` : value),
      };
    },
  };
  return self;
}

interface Answer {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

async function call(
  listening: Pick<Listening, 'url'>,
  path: string,
  { body, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<Answer> {
  const message = await open(listening, path, { ...options, ...(body !== undefined && { body }) });
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return { message, body: Buffer.concat(parts) };
}

async function open(
  listening: Pick<Listening, 'url'>,
  path: string,
  { body, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<IncomingMessage> {
  const request = (listening.url.startsWith('https') ? tlsRequest : plainRequest)(listening.url + path, {
    agent: false,
    ...options,
  });
  request.on('error', () => undefined);
  request.end(body);
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return message;
}

/** All that a server says to these bytes until it closes the connection. */
async function say({ port }: Listening, ...texts: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => undefined);
  for (const text of texts) socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
}

async function serving(
  t: { teardown(end: () => Promise<void>): void },
  options: ListenOptions = {},
  { handler }: Fake = fake(),
): Promise<Listening> {
  const listening = await listen(asServer(handler), options);
  t.teardown(() => listening.close());
  return listening;
}

t.test('objects, lists and refusals go over a socket as they are', async (t) => {
  const listening = await serving(t);
  const one = await call(listening, '/api/v1/namespaces/default/configmaps/a');
  t.equal(one.body.toString(), encodeJson(configMap('a')));
  t.match(one.message.headers, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': `${one.body.length}`,
  });
  const list = await call(listening, '/api/v1/configmaps');
  t.equal(list.message.headers['transfer-encoding'], 'chunked');
  t.equal((JSON.parse(list.body.toString()) as { readonly items: readonly unknown[] }).items.length, 2_000);
  const packed = await call(listening, '/api/v1/configmaps', { headers: { 'Accept-Encoding': 'gzip' } });
  t.equal(packed.message.headers['content-encoding'], 'gzip');
  t.ok(gunzipSync(packed.body).equals(list.body));
  t.equal((await call(listening, '/api/v1/configmaps/a', { method: 'HEAD' })).message.statusCode, 405);
  t.equal((await call(listening, '/api/v1/namespaces/default/configmaps/%zz')).message.statusCode, 400);
  t.match(listening, { host: '127.0.0.1', url: `http://127.0.0.1:${listening.port}` });
});

t.test('bytes that are sent again are the same every time', async (t) => {
  // Small ones leave as a text from the third time on. Every byte there is, and characters of all lengths.
  const small = Buffer.concat([
    Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
    Buffer.from('ä€𝄞\0\r\n\r\n'),
  ]);
  for (const content of [
    small,
    small.subarray(7, 99),
    Buffer.alloc(0),
    Buffer.alloc(8192, 'ü'),
    Buffer.alloc(8193, 'ü'),
  ]) {
    const listening = await listen(
      asServer(() => ({ type: 'raw', code: 200, contentType: 'application/octet-stream', content })),
    );
    for (let round = 1; round <= 4; round += 1) {
      const { body, message } = await call(listening, '/version');
      t.ok(body.equals(content), `${content.length} bytes, round ${round}`);
      t.equal(message.headers['content-length'], `${content.length}`);
      t.equal((await call(listening, '/version', { method: 'HEAD' })).body.length, 0);
    }
    await listening.close();
  }
});

t.test('several requests on one connection are answered in their order', async (t) => {
  const listening = await serving(t);
  const ask = (name: string, rest = ''): string =>
    `GET /api/v1/namespaces/default/configmaps/${name} HTTP/1.1\r\nHost: x\r\n${rest}\r\n`;
  const text = await say(listening, ask('a') + ask('b') + ask('c', 'Connection: close\r\n'));
  t.strictSame(
    [...text.matchAll(/"name":"(.)"/g)].map(([, name]) => name),
    ['a', 'b', 'c'],
  );
});

t.test('headers are found in any case, one by one; of several the first counts, or all do', async (t) => {
  const server = fake();
  const listening = await serving(t, {}, server);
  const headers = [
    'AUTHORIZATION: Bearer one',
    'authorization: Bearer two',
    'Accept: application/yaml',
    'accept: application/json',
    'X-Empty:',
    'Cookie: a=1',
    'Cookie: b=2',
    '__proto__: x',
  ];
  await say(
    listening,
    `GET /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: x\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`,
  );
  const [request] = server.requests;
  t.equal(request?.header('Authorization'), 'Bearer one', 'no second header adds credentials');
  t.equal(request?.header('accept'), 'application/yaml, application/json');
  t.equal(request?.header('x-empty'), '');
  t.equal(request?.header('cookie'), 'a=1; b=2');
  t.equal(request?.header('__proto__'), 'x');
  t.equal(request?.header('constructor'), undefined);
});

t.test('bodies come whole or are refused', async (t) => {
  const listening = await serving(t, { limits: { bodyBytesMax: 1_000 } });
  const path = '/api/v1/namespaces/default/configmaps';
  const post = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
    call(listening, path, { method: 'POST', body, headers });
  t.match((await post('hello')).body.toString(), '"k":"hello"');
  t.match((await post('x'.repeat(1_000))).body.toString(), '"k":"1000"');
  for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    const { message, body } = await post('x'.repeat(1_001), headers);
    t.equal(message.statusCode, 413);
    t.match(JSON.parse(body.toString()), { message: 'Request entity too large: limit is 1000' });
  }
  const chunked = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`;
  t.match(await say(listening, chunked), '"k":"abcde"');
  t.match(
    await say(
      listening,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi`,
    ),
    /100 Continue[^]*"k":"hi"/,
  );
});

t.test('a client that leaves in the middle of its body or its answer leaves nothing behind', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const socket = connect(listening.port, '127.0.0.1').on('error', () => undefined);
  socket.write('POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
  while (world.requests.length === 0) await turn();
  const body = world.requests[0]?.body();
  socket.destroy();
  await t.rejects(Promise.resolve(body), { message: 'unexpected EOF' });

  const slow = plainRequest(`${listening.url}/api/v1/namespaces/default/configmaps/slow`, { agent: false }).on(
    'error',
    () => undefined,
  );
  slow.end();
  while (world.requests.length < 2) await turn();
  const signal = world.requests[1]?.signal;
  slow.destroy();
  await once(signal!, 'abort');
  world.release();
  t.pass('the handler saw the abort');
});

t.test("what is no HTTP, too large or too slow is refused in Go's words", async (t) => {
  const listening = await serving(t, {
    connections: { headerBytesMax: 8_192, headersMs: 60, requestMs: 120, checkMs: 30 },
  });
  const refused = (status: string): RegExp =>
    new RegExp(`^HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}$`);
  t.match(await say(listening, '\0\x01garbage\r\n\r\n'), refused('400 Bad Request'));
  t.match(await say(listening, 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n'), refused('400 Bad Request'));
  t.match(
    await say(listening, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
    refused('431 Request Header Fields Too Large'),
  );
  t.match(
    await say(listening, `GET /?${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    refused('431 Request Header Fields Too Large'),
  );
  t.match(
    await say(listening, 'GET / HTTP/1.1\r\nHo'),
    refused('408 Request Timeout'),
    'headers that do not come to an end',
  );
  t.equal(
    await say(
      listening,
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab',
    ),
    '',
    'a body that does not come to an end',
  );
  t.match(await say(listening, 'GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1.1 400 Bad Request/, 'no Host');
  t.equal(
    (await call(listening, '/api/v1/namespaces/default/configmaps/a')).message.statusCode,
    200,
    'all other clients are served',
  );
});

t.test('headers that no wire can carry harm only their own answer', async (t) => {
  const defects: unknown[] = [];
  const listening = await listen(
    asServer(() => ({
      type: 'raw',
      code: 200,
      contentType: 'text/plain',
      content: '',
      headers: { 'X-Bad': 'a\r\nb' },
    })),
    { onDefect: (error) => defects.push(error) },
  );
  t.teardown(() => listening.close());
  t.equal(await say(listening, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'), '');
  t.match(defects, [{ code: 'ERR_INVALID_CHAR' }]);
});

t.test('a list that cannot be finished is cut', async (t) => {
  const defects: unknown[] = [];
  const items = Array.from({ length: 600 }, (_, index) =>
    index < 590
      ? configMap(`n${index}`, 'x'.repeat(900))
      : {
          toJSON: () => {
            throw new Error('no');
          },
        },
  );
  const listening = await listen(
    asServer(async (request) => ({
      type: 'object',
      code: 200,
      form: request.negotiate(offer),
      object: { kind: 'ConfigMapList', apiVersion: 'v1', ...{ items } },
    })),
    { onDefect: (error) => defects.push(error) },
  );
  t.teardown(() => listening.close());
  await t.rejects(call(listening, '/api/v1/configmaps'));
  t.match(defects, [{ message: 'no' }]);
});

t.test('garbage behind a request ends its connection and is not mixed with its answer', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const heard = say(
    listening,
    'GET /api/v1/namespaces/default/configmaps/slow HTTP/1.1\r\nHost: x\r\n\r\n\0\0\r\n\r\n',
  );
  t.equal(await heard, '');
  world.release();
});

t.test('a transfer coding other than chunked is not implemented', async (t) => {
  const listening = await serving(t);
  const body = '2\r\n{}\r\n0\r\n\r\n';
  for (const coding of ['gzip', 'gzip, chunked', 'identity', 'chunked, chunked'])
    t.match(
      await say(listening, `POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n${body}`),
      /^HTTP\/1.1 501 Not Implemented\r\n(.+\r\n)*Connection: close\r\n(.+\r\n)*\r\nUnsupported transfer encoding$/,
      coding,
    );
  const chunked = 'POST /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n';
  t.notMatch(await say(listening, chunked + body), /501/);
});

t.test('who stops reading a list is cut off', async (t) => {
  const items = Array.from({ length: 300 }, (_, index) => configMap(`n${index}`, 'x'.repeat(100_000)));
  const signals: AbortSignal[] = [];
  const handler: Handler = async (request) => {
    if (request.signal !== undefined) signals.push(request.signal);
    return {
      type: 'object',
      code: 200,
      form: request.negotiate(offer),
      object: { kind: 'ConfigMapList', apiVersion: 'v1', ...{ items } },
    };
  };
  const listening = await listen(asServer(handler), { connections: { requestMs: 150, headersMs: 100 } });
  t.teardown(() => listening.close());
  const message = await open(listening, '/api/v1/configmaps');
  message.on('error', () => undefined);
  // Thirty megabytes fit no socket: what is left waits for a reader, but not for ever.
  await once(signals[0]!, 'abort');
  message.resume();
  await new Promise((resolve) => message.once('close', resolve));
  t.notOk(message.complete);
});

t.test('who stops reading an object is cut off', async (t) => {
  const object = configMap('large', 'x'.repeat(30_000_000));
  const handler: Handler = (request) => ({ type: 'object', code: 200, form: request.negotiate(offer), object });
  const listening = await listen(asServer(handler), {
    connections: { requestMs: 150, headersMs: 100 },
    graceMs: 3_600_000,
  });
  const message = await open(listening, '/api/v1/namespaces/default/configmaps/large');
  message.on('error', () => undefined);
  // Waits for the response, which only the limit ends: the client does not read.
  await listening.close();
  message.resume();
  await new Promise((resolve) => message.once('close', resolve));
  t.notOk(message.complete);
});

t.test('a watch begins before there is an event, and ends when its client leaves', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const message = await open(listening, '/api/v1/configmaps?watch=1');
  t.match(message.headers, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  world.events.next(added('a'));
  const [line] = (await once(message, 'data')) as [Buffer];
  t.equal(line.toString(), `{"type":"ADDED","object":${encodeJson(configMap('a')).trimEnd()}}\n`);
  message.destroy();
  while (world.events.observed) await turn();
  t.pass('no watch is left');
});

t.test('a client that does not read its watch is let go, at no cost to others', async (t) => {
  const clock = virtualClock();
  const world = fake();
  const listening = await serving(t, { clock, limits: { waitingEventsMax: 50 } }, world);
  const idle = await open(listening, '/api/v1/configmaps?watch=1');
  idle.on('error', () => undefined);
  const busy = await open(listening, '/api/v1/configmaps?watch=1');
  let seen = 0;
  busy.on('data', (part: Buffer) => (seen += part.toString().split('"type":"ADDED"').length - 1));
  const observers = (): number =>
    (world.events as unknown as { readonly observers: readonly unknown[] }).observers.length;
  let sent = 0;
  while (observers() === 2) {
    world.events.next(added(`e${sent++}`, 'x'.repeat(100_000)));
    while (seen < sent) await turn();
  }
  t.ok(sent > 50, `after ${sent} events of 100 kB`);
  t.equal(seen, sent);
  t.equal(clock.pending, 1, 'its last chance');
  await clock.advance(5_000);
  idle.resume();
  await new Promise((resolve) => idle.once('close', resolve));
  t.notOk(idle.complete, 'it was cut off');
  busy.destroy();
});

t.test('closing ends watches in good order and waits for what is under way', async (t) => {
  const world = fake();
  const listening = await listen(asServer(world.handler));
  const watch = call(listening, '/api/v1/configmaps?watch=1');
  while (!world.events.observed) await turn();
  world.events.next(added('a'));
  const slow = call(listening, '/api/v1/namespaces/default/configmaps/slow');
  while (world.requests.length < 2) await turn();
  const idle = connect(listening.port, '127.0.0.1');
  await once(idle, 'connect');
  let closed = false;
  const closing = listening.close().then(() => (closed = true));
  t.equal(listening.close(), listening.close(), 'closing twice is closing once');
  const { message, body } = await watch;
  t.ok(message.complete, 'the stream came to its end');
  t.match(body.toString(), '"name":"a"');
  t.notOk(world.events.observed);
  await turn();
  t.notOk(closed);
  world.release();
  const answer = await slow;
  t.equal(answer.message.statusCode, 200);
  t.equal(answer.message.headers.connection, 'close');
  await closing;
  await once(idle, 'close');
  const late = connect(listening.port, '127.0.0.1');
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
  t.equal(error.code, 'ECONNREFUSED');
});

t.test('closing does not wait for ever', async (t) => {
  const clock = virtualClock();
  const world = fake();
  const listening = await listen(asServer(world.handler), { clock, graceMs: 3_000 });
  const slow = call(listening, '/api/v1/namespaces/default/configmaps/slow');
  const failed = t.rejects(slow);
  while (world.requests.length === 0) await turn();
  const closing = listening.close();
  await clock.advance(3_000);
  await closing;
  await failed;
  t.equal(clock.pending, 0);
  world.release();
});

t.test('a port that is taken is refused', async (t) => {
  const listening = await serving(t);
  await t.rejects(listen(asServer(fake().handler), { port: listening.port }), { code: 'EADDRINUSE' });
});

t.test('an authority certifies servers and clients', async (t) => {
  const now = Date.now();
  const authority = createAuthority({ now, name: 'test' });
  const root = new X509Certificate(authority.certificate);
  t.ok(root.ca && root.verify(root.publicKey) && root.subject === 'CN=test');
  const server = authority.issueServerCertificate([...apiServerHosts, '2001:db8::5', 'fe80::1%eth0']);
  const leaf = new X509Certificate(server.certificate);
  t.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && !leaf.ca);
  for (const host of ['localhost', 'kubernetes.default.svc']) t.equal(leaf.checkHost(host), host);
  for (const address of ['127.0.0.1', '::1', '10.96.0.1', '2001:db8::5', 'fe80::1'])
    t.ok(leaf.checkIP(address), address);
  t.equal(leaf.checkHost('elsewhere'), undefined);
  t.ok(Date.parse(leaf.validFrom) < now && Date.parse(leaf.validTo) > now + 364 * 86_400_000);
  t.not(leaf.serialNumber, root.serialNumber);
  t.ok(isKeyPair(server));
  t.notOk(isKeyPair({ ...server, key: authority.key }));
  t.notOk(isKeyPair({ key: 'x', certificate: 'y' }));
  t.equal(
    new X509Certificate(authority.issueClientCertificate('alice', ['dev', 'ops']).certificate).subject,
    'O=dev\nO=ops\nCN=alice',
  );
  const far = createAuthority({ now: Date.UTC(2060, 0, 1), validMs: 1_000 });
  t.match(new X509Certificate(far.certificate).validFrom, '2059', 'dates after 2049 are written in full');
});

t.test('HTTPS passes the certificate of the client on, whichever authority signed it', async (t) => {
  const authority = createAuthority({ now: Date.now() });
  const { handler } = fake();
  const certificates: (ClientCertificate | undefined)[] = [];
  const looking: Handler = (request) => (certificates.push((request as WireRequest).certificate), handler(request));
  const listening = await listen(asServer(looking), {
    tls: { ...authority.issueServerCertificate(apiServerHosts), clientAuthorities: authority.certificate },
  });
  t.teardown(() => listening.close());
  t.match(listening.url, /^https:/);
  const path = '/api/v1/namespaces/default/configmaps/a';
  const shown = async (options: {
    readonly cert?: string;
    readonly key?: string;
  }): Promise<ClientCertificate | undefined> => {
    await call(listening, path, { ...options, ca: authority.certificate } as RequestOptions);
    return certificates.at(-1);
  };
  t.equal(await shown({}), undefined);
  const alice = authority.issueClientCertificate('alice', ['dev', 'ops']);
  const bytesOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  t.strictSame(
    Buffer.from((await shown({ cert: alice.certificate, key: alice.key }))?.raw ?? []),
    bytesOf(alice.certificate),
  );
  const stranger = createAuthority({ now: Date.now() });
  const bob = stranger.issueClientCertificate('bob');
  const presented = await shown({ cert: bob.certificate + stranger.certificate, key: bob.key });
  const chain = [bob.certificate, stranger.certificate].map(bytesOf);
  const bytesShown = (shownOf: ClientCertificate | undefined): readonly Buffer[] =>
    [shownOf?.raw, ...(shownOf?.intermediates ?? [])].map((each) => Buffer.from(each ?? []));
  t.strictSame(bytesShown(presented), chain);
  // A session that was resumed would have forgotten the intermediates.
  const agent = new TlsAgent({
    ca: authority.certificate,
    cert: bob.certificate + stranger.certificate,
    key: bob.key,
    maxCachedSessions: 10,
  });
  t.teardown(() => agent.destroy());
  for (const _again of [1, 2]) {
    await call(listening, path, { agent });
    t.strictSame(bytesShown(certificates.at(-1)), chain);
  }
  const distrusting = tlsRequest(listening.url + path, { agent: false });
  const [error] = (await once(distrusting, 'error')) as [NodeJS.ErrnoException];
  t.match(error.code, /SELF_SIGNED|UNABLE_TO_VERIFY/, 'who does not know the authority does not trust it');
});

const handshake = (target: string, headers: Readonly<Record<string, string | undefined>> = {}): string => {
  const all: Readonly<Record<string, string | undefined>> = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    Origin: 'http://x',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...headers,
  };
  return `GET ${target} HTTP/1.1\r\n${Object.entries(all)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
    .join('')}\r\n`;
};
const masked = (opcode: number, payload = ''): Buffer =>
  Buffer.concat([Uint8Array.of(0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0), Buffer.from(payload)]);

/** A WebSocket of a client: its bytes so far, without the handshake. */
async function openSocket(
  { port }: Listening,
  text: string,
): Promise<{ readonly socket: Socket; readonly head: string; frames(): Buffer }> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let all = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => (all = Buffer.concat([all, part])));
  socket.write(text);
  while (!all.includes('\r\n\r\n')) await turn();
  const end = all.indexOf('\r\n\r\n') + 4;
  return { socket, head: all.subarray(0, end).toString(), frames: () => all.subarray(end) };
}

t.test('a watch over a WebSocket is a message for each event', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const { socket, head, frames } = await openSocket(
    listening,
    handshake('/api/v1/configmaps?watch=1', {
      'Sec-WebSocket-Protocol': 'base64url.bearer.authorization.k8s.io.YWRtaW4, foo',
    }),
  );
  t.equal(
    head,
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: foo\r\n\r\n',
  );
  while (!world.events.observed) await turn();
  world.events.next(added('a'));
  world.events.next(added('b'));
  const line = (name: string): string => `{"type":"ADDED","object":${encodeJson(configMap(name)).trimEnd()}}\n`;
  const frame = (text: string): Buffer => Buffer.concat([Uint8Array.of(0x81, 126, 0, text.length), Buffer.from(text)]);
  const expected = Buffer.concat([frame(line('a')), frame(line('b'))]);
  while (frames().length < expected.length) await turn();
  t.strictSame(frames(), expected);
  socket.write(Buffer.concat([masked(1, 'ignored'), masked(9, 'ping')]));
  while (frames().length < expected.length + 6) await turn();
  t.strictSame(frames().subarray(expected.length), Buffer.concat([Uint8Array.of(0x8a, 4), Buffer.from('ping')]));
  socket.write(masked(8));
  await once(socket, 'close');
  t.strictSame([...frames().subarray(-4)], [0x88, 2, 3, 232]);
  t.notOk(world.events.observed);
});

t.test('a watch in protobuf over a WebSocket is binary', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const { socket, frames } = await openSocket(
    listening,
    handshake('/api/v1/configmaps?watch=1', { Accept: mediaTypes.protobuf }),
  );
  while (!world.events.observed) await turn();
  world.events.next(added('a'));
  world.events.complete();
  await once(socket, 'close');
  t.equal(frames()[0], 0x82);
  const at = frames().indexOf('k8s\0');
  t.equal(openEnvelope(frames().subarray(at, 2 + (frames()[1] ?? 0))).kind, 'ConfigMap');
  t.strictSame([...frames().subarray(-4)], [0x88, 2, 3, 232], 'and ends in good order');
});

t.test('a handshake that makes no sense is refused as a real server does', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  const target = '/api/v1/configmaps?watch=1';
  const responseTo = (headers: Readonly<Record<string, string | undefined>>): Promise<string> =>
    say(listening, handshake(target, headers));
  t.equal(await responseTo({ Origin: undefined }), 'HTTP/1.1 403 Forbidden\r\n\r\n');
  t.equal(await responseTo({ Origin: '%zz' }), 'HTTP/1.1 403 Forbidden\r\n\r\n');
  t.equal(
    await responseTo({ 'Sec-WebSocket-Key': undefined }),
    'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response',
  );
  t.equal(
    await responseTo({ 'Sec-WebSocket-Version': '8' }),
    'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
  );
  t.equal(await responseTo({ 'Sec-WebSocket-Protocol': 'foo, bar' }), 'HTTP/1.1 400 Bad Request\r\n\r\n');
  t.notOk(world.events.observed, 'no watch was started');
  t.match(
    await say(listening, handshake('/api/v1/configmaps?watch=1&limit=abc', { Accept: 'text/html' })),
    /^HTTP\/1.1 406 /,
  );
  t.match(
    await say(listening, handshake('/api/v1/namespaces/default/configmaps/a')),
    /^HTTP\/1.1 200 OK[^]*"name":"a"/,
    'what is no stream is answered as ever',
  );
  t.match(
    await say(listening, handshake('/api/v1/namespaces/default/configmaps/a', { Upgrade: 'h2c' })),
    /^HTTP\/1.1 200 OK[^]*"name":"a"/,
    'and so is who wants HTTP/2',
  );
});

t.test('a WebSocket that is not read is let go, one that is read gets everything', async (t) => {
  const clock = virtualClock();
  const world = fake();
  const listening = await serving(t, { clock, limits: { waitingEventsMax: 20 } }, world);
  const reader = await openSocket(listening, handshake('/api/v1/configmaps?watch=1'));
  const observers = (): number =>
    (world.events as unknown as { readonly observers: readonly unknown[] }).observers.length;
  const idle = await openSocket(listening, handshake('/api/v1/configmaps?watch=1'));
  idle.socket.pause();
  while (observers() < 2) await turn();
  let sent = 0;
  while (observers() === 2) {
    world.events.next(added('e', 'x'.repeat(300_000)));
    sent++;
    while (reader.frames().length < sent * 300_000) await turn();
  }
  t.ok(sent > 20);
  await clock.advance(5_000);
  world.events.complete();
  await once(reader.socket, 'close');
  t.equal(reader.frames().toString('latin1').split('"type":"ADDED"').length - 1, sent);
  idle.socket.resume();
  await once(idle.socket, 'close');
  t.notOk(idle.frames().toString('latin1').endsWith('\x88\x02\x03\xe8'), 'it was cut off');
  t.equal(clock.pending, 0);
});

t.test('hostile frames end their WebSocket with the code that fits', async (t) => {
  const world = fake();
  const listening = await serving(t, {}, world);
  for (const [what, frame, code] of [
    ['an unmasked frame', Uint8Array.of(0x81, 1, 65), 1002],
    ['a frame of a gigabyte', Uint8Array.of(0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0), 1009],
    ['text that is no UTF-8', Uint8Array.of(0x81, 0x81, 0, 0, 0, 0, 0xff), 1007],
  ] as const) {
    const { socket, frames } = await openSocket(listening, handshake('/api/v1/configmaps?watch=1'));
    socket.write(frame);
    await once(socket, 'close');
    t.strictSame([...frames()], [0x88, 2, code >> 8, code & 255], what);
  }
  t.notOk(world.events.observed);
});

t.test('a log over a WebSocket is bytes, or base64 for who asks', async (t) => {
  const listening = await serving(t);
  const frames = async (protocol: string | undefined): Promise<Buffer> => {
    const opened = await openSocket(
      listening,
      handshake('/api/v1/namespaces/x/pods/y/log', { Origin: undefined, 'Sec-WebSocket-Protocol': protocol }),
    );
    await once(opened.socket, 'close');
    return opened.frames();
  };
  const end = Buffer.from([0x88, 2, 3, 232]);
  t.strictSame(await frames(undefined), Buffer.concat([Buffer.from('\x82\x04one\n\x82\x04two\n', 'latin1'), end]));
  t.strictSame(
    await frames('base64.binary.k8s.io'),
    Buffer.concat([Buffer.from('\x81\x08b25lCg==\x81\x08dHdvCg==', 'latin1'), end]),
  );
  t.equal(
    await say(listening, handshake('/api/v1/namespaces/x/pods/y/log', { 'Sec-WebSocket-Protocol': 'foo' })),
    'HTTP/1.1 403 Forbidden\r\n\r\n',
  );
});

t.test('closing the server closes WebSockets', async (t) => {
  const world = fake();
  const listening = await listen(asServer(world.handler));
  const { socket, frames } = await openSocket(listening, handshake('/api/v1/configmaps?watch=1'));
  while (!world.events.observed) await turn();
  await Promise.all([listening.close(), once(socket, 'close')]);
  t.strictSame([...frames()], [0x88, 2, 3, 232]);
  t.notOk(world.events.observed);
});

t.test('many clients at once are all answered', async (t) => {
  const listening = await serving(t);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => call(listening, `/api/v1/namespaces/default/configmaps/c${index}`)),
  );
  t.ok(answers.every(({ body }, index) => body.includes(`"c${index}"`)));
});

t.test('a kubeconfig says where, whom to trust, and who', async (t) => {
  const { value } = await parseYaml(
    kubeconfig({
      server: 'https://x:1',
      ca: 'CA',
      user: { name: 'alice', token: 't', certificate: { key: 'K', certificate: 'C' } },
      namespace: 'ns',
    }),
  );
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  t.strictSame(value, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'vivarium', cluster: { server: 'https://x:1', 'certificate-authority-data': base64('CA') } }],
    users: [
      { name: 'alice', user: { token: 't', 'client-certificate-data': base64('C'), 'client-key-data': base64('K') } },
    ],
    contexts: [{ name: 'vivarium', context: { cluster: 'vivarium', user: 'alice', namespace: 'ns' } }],
    'current-context': 'vivarium',
  });
  t.match((await parseYaml(kubeconfig({ server: 'http://x' }))).value, { users: [{ name: 'anonymous', user: {} }] });
});

t.test('a command line is read, or refused with a reason', async (t) => {
  const flags = (...args: string[]): unknown => {
    const line = parseCommandLine(['serve', ...args]);
    return line.command === 'serve' ? line.flags : line.command;
  };
  t.match(flags(), {
    port: 6443,
    http: false,
    authorization: { modes: ['Node', 'RBAC'] },
    authentication: { bootstrapTokens: false, webhook: { version: 'v1beta1', cacheMs: 120_000 } },
    nodes: 0,
    storage: { type: 'memory' },
  });
  t.match(flags('--port', '0', '--http', '--nodes=5', '--authorization-mode=Node,RBAC'), {
    port: 0,
    http: true,
    nodes: 5,
    authorization: { modes: ['Node', 'RBAC'] },
  });
  t.match(
    flags(
      '--service-account-key-file=a',
      '--service-account-key-file=b',
      '--service-account-issuer',
      'https://x',
      '--api-audiences=x,y',
    ),
    { authentication: { accounts: { keyFiles: ['a', 'b'], issuers: ['https://x'] }, apiAudiences: ['x', 'y'] } },
  );
  t.match(
    flags('--anonymous-auth=false', '--oidc-required-claim=a=b', '--oidc-required-claim=c=d=e', '--oidc-client-id=i'),
    { authentication: { anonymous: false, oidc: { clientId: 'i', requiredClaims: { a: 'b', c: 'd=e' } } } },
  );
  t.match(
    flags(
      '--requestheader-username-headers=X-Remote-User,X-User',
      '--authorization-webhook-cache-authorized-ttl=1m30s',
    ),
    {
      authentication: { proxy: { usernameHeaders: ['X-Remote-User', 'X-User'] } },
      authorization: { webhook: { allowedMs: 90_000 } },
    },
  );
  t.match(flags('--storage', 'sqlite:/a:b.db'), { storage: { type: 'sqlite', path: '/a:b.db' } });
  t.match(flags('--storage=etcd:http://a:2379,https://b:2379'), {
    storage: { type: 'etcd', endpoints: ['http://a:2379', 'https://b:2379'] },
  });
  t.match(flags('--token-auth-file', 't.csv', '--kubeconfig-out=k', '--ready-file', 'r'), {
    authentication: { tokenFile: 't.csv' },
    kubeconfigOut: 'k',
    readyFile: 'r',
  });
  t.equal(flags('--port', '1', '--help'), 'help');
  for (const args of [[], ['help'], ['--help'], ['-h']]) t.equal(parseCommandLine(args).command, 'help');
  for (const args of [['version'], ['--version'], ['serve', '--version']])
    t.equal(parseCommandLine(args).command, 'version');
  for (const [args, message] of [
    [
      ['start'],
      'unknown command "start"; the commands are serve, scheduler, controller-manager, types, help and version',
    ],
    [['serve', '--prot', '1'], 'unknown flag --prot'],
    [['serve', '--prot=1'], 'unknown flag --prot'],
    [['serve', 'now'], 'unexpected argument "now"'],
    [['serve', '--port'], '--port needs a value'],
    [['serve', '--port', '65536'], '--port is a whole number from 0 to 65535, not "65536"'],
    [['serve', '--port=-1'], '--port is a whole number from 0 to 65535, not "-1"'],
    [['serve', '--port=1', '--port=2'], '--port is given twice'],
    [['serve', '--http=yes'], '--http is true or false, not "yes"'],
    [['serve', '--api-audiences=a,,b'], '--api-audiences is a list with commas between, not "a,,b"'],
    [['serve', '--oidc-required-claim==b'], '--oidc-required-claim is KEY=VALUE, not "=b"'],
    [
      ['serve', '--authorization-webhook-version=v2'],
      '--authorization-webhook-version is one of v1, v1beta1, not "v2"',
    ],
    [
      ['serve', '--authentication-token-webhook-cache-ttl=soon'],
      '--authentication-token-webhook-cache-ttl is a duration such as 5m or 1h30m, not "soon"',
    ],
    [['serve', '--nodes=many'], '--nodes is a whole number from 0 to 100000, not "many"'],
    [
      ['serve', '--authorization-mode=rbac'],
      '--authorization-mode: "rbac" is not a valid mode; valid are AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    ],
    [['serve', '--authorization-mode=RBAC,RBAC'], '--authorization-mode: "RBAC" is given twice'],
    [['serve', '--storage=disk'], '--storage is memory, sqlite:FILE or etcd:URL, not "disk"'],
    [['serve', '--storage=sqlite:'], '--storage is memory, sqlite:FILE or etcd:URL, not "sqlite:"'],
    [
      ['serve', '--storage=etcd:localhost:2379'],
      '--storage: "localhost:2379" is no URL of etcd such as http://127.0.0.1:2379',
    ],
    [['serve', '--cert-dir='], '--cert-dir needs the name of a folder'],
    [['serve', '--ready-file='], '--ready-file needs the name of a file'],
  ] as const) {
    t.throws(() => parseCommandLine(args), new FlagError(message), args.join(' '));
  }
});

/** Files in memory. */
function environment(files: Map<string, string>): CommandEnvironment & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    print: (line) => void lines.push(line),
    readFile: async (path) => files.get(path) ?? Promise.reject(new Error(`no such file: ${path}`)),
    findFile: async (path) => files.get(path),
    findPrivateFile: async (path) => files.get(path),
    changeFile: async (path, change) => void files.set(path, (await change(files.get(path))) ?? ''),
    createPrivateFolder: async () => '/private',
    removeFolder: async (path) => {
      for (const file of files.keys()) if (file.startsWith(`${path}/`)) files.delete(file);
    },
    userKubeconfigPath: () => '/home/.kube/config',
    writeFile: async (path, text) => void files.set(path, text),
    removeFile: async (path) => void files.delete(path),
    fileChanges: () => NEVER,
  };
}

t.test('serve starts a server that its kubeconfig leads to', async (t) => {
  const files = new Map([['tokens', 'secret,alice,1,"system:masters"']]);
  const line = parseCommandLine([
    'serve',
    '--port=0',
    '--token-auth-file=tokens',
    '--kubeconfig-out=kc',
    '--ready-file=ready',
  ]);
  if (line.command !== 'serve') throw new Error('not reached');
  const world = environment(files);
  const serving = await serve(line.flags, world);
  t.equal(files.get('ready'), `${serving.url}\n`);
  t.match(world.lines, [
    `vivarium serves Kubernetes v1.36 on ${serving.url}`,
    'kubeconfig: kc',
    'try: kubectl --kubeconfig kc get namespaces',
  ]);
  const { value } = await parseYaml(files.get('kc') ?? '');
  const config = value as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const decoded = (text = ''): string => Buffer.from(text, 'base64').toString();
  const [cluster, user] = [config.clusters[0]?.cluster, config.users[0]?.user];
  const tls = { ca: decoded(cluster?.['certificate-authority-data']) };
  const answered = async (options: object): Promise<number | undefined> =>
    (await call({ url: cluster?.server ?? '' }, '/api/v1/namespaces', { ...tls, ...options } as RequestOptions)).message
      .statusCode;
  t.equal(
    await answered({ cert: decoded(user?.['client-certificate-data']), key: decoded(user?.['client-key-data']) }),
    200,
    'by certificate',
  );
  t.equal(await answered({ headers: { Authorization: 'Bearer secret' } }), 200, 'by token');
  t.equal(await answered({ headers: { Authorization: 'Bearer wrong' } }), 401);
  await serving.close();
  t.notOk(files.has('ready'));
});

t.test('serve over plain HTTP writes a token, and leaves nothing running when it fails', async (t) => {
  const files = new Map([
    ['tokens', 'x,bob,1\nsecret,alice,1,"system:masters"'],
    ['bad', 'x'],
  ]);
  const start = async (...args: string[]): ReturnType<typeof serve> => {
    const line = parseCommandLine(['serve', '--http', '--port=0', ...args]);
    if (line.command !== 'serve') throw new Error('not reached');
    return serve(line.flags, environment(files));
  };
  const serving = await start('--token-auth-file=tokens');
  t.equal(serving.kubeconfigPath, '/private/kubeconfig');
  t.match((await parseYaml(files.get(serving.kubeconfigPath) ?? '')).value, {
    users: [{ name: 'alice', user: { token: 'secret' } }, { name: 'vivarium-kubectl' }],
    'current-context': 'vivarium',
  });
  await t.rejects(start('--token-auth-file=bad'), { name: 'CredentialsFileError' });
  await t.rejects(start('--token-auth-file=none'), { message: 'no such file: none' });
  await t.rejects(start('--storage=sqlite:/no/such/folder/x.db'));
  await serving.close();
});

t.test('serve keeps its authority in a folder, and refuses one that is not good', async (t) => {
  const files = new Map<string, string>();
  const start = async (): Promise<string> => {
    const line = parseCommandLine(['serve', '--port=0', '--cert-dir=pki', '--kubeconfig-out=kc']);
    if (line.command !== 'serve') throw new Error('not reached');
    const serving = await serve(line.flags, environment(files));
    const answer = await call(serving, '/version', { ca: files.get('pki/ca.crt') } as RequestOptions);
    t.equal(answer.message.statusCode, 200, 'the certificate served is of the authority that was kept');
    await serving.close();
    return files.get('pki/ca.crt') ?? '';
  };
  const first = await start();
  t.equal(await start(), first);
  const root = new X509Certificate(first);
  const { value } = await parseYaml(files.get('kc') ?? '');
  const client =
    (value as { readonly users: readonly { readonly user: Readonly<Record<string, string>> }[] }).users[0]?.user[
      'client-certificate-data'
    ] ?? '';
  const leaf = new X509Certificate(Buffer.from(client, 'base64'));
  t.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey), 'so are the clients of the second start');

  const key = files.get('pki/ca.key') ?? '';
  const now = Date.now();
  const old = createAuthority({ now: now - 11_000, validMs: 1_000 });
  const short = createAuthority({ now: now - 9_000, validMs: 10_000 });
  t.ok(
    Date.parse(new X509Certificate(restoreAuthority(short, { now }).issueClientCertificate('a').certificate).validTo) <=
      now + 91_000,
    'nothing outlives its authority',
  );
  const other = createAuthority({ now });
  const leafOf = other.issueClientCertificate('alice');
  for (const [kept, message] of [
    [{ 'pki/ca.key': key }, /there is pki\/ca.key but no pki\/ca.crt/],
    [{ 'pki/ca.crt': first }, /there is pki\/ca.crt but no pki\/ca.key/],
    [
      { 'pki/ca.key': key, 'pki/ca.crt': 'garbage' },
      /cannot be used: the key cannot be read or is not that of the certificate/,
    ],
    [{ 'pki/ca.key': other.key, 'pki/ca.crt': first }, /is not that of the certificate/],
    [
      { 'pki/ca.key': old.key, 'pki/ca.crt': old.certificate },
      /the certificate has expired on .*; put it right, or remove both files/,
    ],
    [{ 'pki/ca.key': leafOf.key, 'pki/ca.crt': leafOf.certificate }, /not of an authority that vivarium made/],
  ] as const) {
    files.clear();
    for (const [path, text] of Object.entries(kept)) files.set(path, text);
    await t.rejects(start(), { message });
    t.strictSame([...files.keys()], Object.keys(kept), 'and nothing is replaced');
  }
});

t.test('a command answers with its exit code', async (t) => {
  const command = async (...args: string[]): Promise<readonly [code: number, out: string, err: string]> => {
    const [out, err] = [[] as string[], [] as string[]];
    const code = await run({
      args,
      version: '1.2.3',
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      signals: new EventEmitter(),
    });
    return [code, out.join(''), err.join('')];
  };
  t.match(await command('--help'), [0, /^Usage: vivarium serve/, '']);
  t.strictSame(await command('--version'), [0, 'vivarium 1.2.3 (Kubernetes v1.36)\n', '']);
  t.strictSame(await command('serve', '--port=x'), [
    2,
    '',
    'vivarium: --port is a whole number from 0 to 65535, not "x"\nRun vivarium --help for what it takes.\n',
  ]);
  t.match(await command('serve', '--token-auth-file=/no/such/file'), [1, '', /^vivarium: ENOENT/]);
});

t.test('a command serves until it receives a signal', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    const signals = new EventEmitter();
    const folder = t.testdir();
    const out: string[] = [];
    const running = run({
      args: ['serve', '--http', '--port=0', `--kubeconfig-out=${folder}/kc`],
      version: '1',
      stdout: { write: (text) => out.push(text) },
      stderr: { write: () => undefined },
      signals,
    });
    while (out.length < 3) await turn();
    signals.emit(signal);
    t.equal(await running, 0, signal);
    t.equal(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM'), 0);
    t.match(out.at(-1), 'stopping');
  }
});

t.test('a command keeps its authority from the eyes of others', async (t) => {
  const folder = t.testdir();
  for (const round of ['made', 'found']) {
    const signals = new EventEmitter();
    const out: string[] = [];
    const running = run({
      args: ['serve', '--port=0', `--cert-dir=${folder}/pki/deep`, `--kubeconfig-out=${folder}/kc`],
      version: '1',
      stdout: { write: (text) => out.push(text) },
      stderr: { write: () => undefined },
      signals,
    });
    while (out.length < 3) await turn();
    signals.emit('SIGTERM');
    t.equal(await running, 0, round);
    for (const name of ['ca.key', 'ca.crt']) t.equal(statSync(`${folder}/pki/deep/${name}`).mode & 0o777, 0o600, name);
  }
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
