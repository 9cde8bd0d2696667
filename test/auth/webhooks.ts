// Webhooks: how they are called, what is believed of them, and who decides about access by configuration. Functions
// play webhooks where the network does not matter; where it does, a TLS server on loopback.
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom, from, of, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import t from 'tap';
import {
  AuthenticationError,
  ExpressionError,
  authorizationFrom,
  authorizersFrom,
  compileAuthorizationConfiguration,
  parseAuthorizationConfiguration,
  webhookAuthorizer,
  webhookTokens,
} from '../../lib/auth/index.js';
import type {
  AccessAttributes,
  Authenticated,
  Authorizer,
  AuthorizerParts,
  ConnectedWebhook,
  Decision,
  ExpressionCompiler,
} from '../../lib/auth/index.js';
import { celExpressions } from '../../lib/auth/authentication/cel-expressions.js';
import { matchConditionEnvironment, matchOf } from '../../lib/auth/authorization/match-conditions.js';
import { cachedTokens } from '../../lib/auth/node/index.js';
import { connectWebhook, fileProblem } from '../../lib/command/index.js';
import {
  firstOf,
  isDeepFrozen,
  parseFieldSelector,
  parseLabelSelector,
  random,
  systemClock,
  virtualClock,
} from '../../lib/core/index.js';
import type { JsonObject, VirtualClock } from '../../lib/core/index.js';
import { createAuthority } from '../../lib/server/node/index.js';
import {
  WebhookError,
  inProcessCall,
  isPassing,
  isWebhookError,
  retryingCall,
  timedCall,
  webhookCall,
} from '../../lib/webhook/index.js';
import type { WebhookCall, WebhookCallOptions, WebhookRequest, WebhookTransport } from '../../lib/webhook/index.js';
import { nodeWebhookTransport } from '../../lib/webhook/node/index.js';
import type { NodeWebhookTransport } from '../../lib/webhook/node/index.js';
import { fc, runs } from '../support/properties.js';

const authority = createAuthority({ now: systemClock().now() });
const never = new Promise<never>(() => undefined);

/** What a call failed with. */
async function failure(call: Promise<unknown>): Promise<WebhookError> {
  try {
    await call;
  } catch (error) {
    if (isWebhookError(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** A transport that answers from a script, and what it was asked. */
function scripted(
  answer: (request: WebhookRequest) =>
    | {
        readonly status?: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body: string | AsyncIterable<Uint8Array>;
      }
    | Promise<never>,
): { readonly transport: WebhookTransport; readonly asked: WebhookRequest[] } {
  const asked: WebhookRequest[] = [];
  return {
    asked,
    transport: async (request) => {
      asked.push(request);
      const { status = 200, headers = {}, body } = await answer(request);
      return {
        status,
        header: (name) => headers[name] ?? null,
        body: typeof body === 'string' ? onePiece(body) : body,
      };
    },
  };
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const called = (options: Partial<WebhookCallOptions> & Pick<WebhookCallOptions, 'transport'>): WebhookCall =>
  webhookCall({ target: { url: 'https://hook.example/review' }, clock: virtualClock(), ...options });

t.test('a call posts JSON with its timeout and no other headers', async (t) => {
  const { transport, asked } = scripted(() => ({ body: '{"kind":"X","list":[{"a":1}]}' }));
  const answer = await called({ transport, timeoutMs: 10_000 })({ kind: 'X' });
  t.strictSame(answer, { kind: 'X', list: [{ a: 1 }] });
  t.ok(isDeepFrozen(answer));
  const { signal, ...request } = asked[0]!;
  t.strictSame(request, {
    url: 'https://hook.example/review?timeout=10s',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, */*', 'User-Agent': 'vivarium' },
    body: '{"kind":"X"}\n',
  });
  t.equal(signal.aborted, true, 'nothing goes on after the answer');
});

t.test('a service is called by its name, at the endpoint that the resolver knows', async (t) => {
  const { transport, asked } = scripted(() => ({ body: '{}' }));
  const resolved: unknown[] = [];
  const target = { service: { namespace: 'ns', name: 'svc', path: '/a?b#c/d' } };
  const call = called({
    transport,
    target,
    authorities: 'PEM',
    services: (service) => (resolved.push(service), [{ host: '10.0.0.9', port: 8443 }]),
  });
  await call({});
  t.strictSame(resolved, [{ ...target.service, port: 443 }]);
  t.equal(asked[0]?.url, 'https://svc.ns.svc/a%3Fb%23c/d?timeout=30s', 'a path is a path, whatever is in it');
  t.strictSame([asked[0]?.endpoint, asked[0]?.authorities], [{ host: '10.0.0.9', port: 8443 }, 'PEM']);
  t.match(await failure(called({ transport, target })({})), {
    reason: 'unreachable',
    message: /services cannot be found/,
  });
  t.match(await failure(called({ transport, target, services: () => [] })({})), {
    reason: 'unreachable',
    message: 'Post "https://svc.ns.svc/a%3Fb%23c/d?timeout=30s": no endpoints available for service "svc"',
  });
  t.match(
    await failure(called({ transport, target, services: () => Promise.reject(new Error('no such service')) })({})),
    { reason: 'unreachable', message: /no such service/ },
  );
});

t.test('addresses that must not be called are refused before any call', async (t) => {
  const { transport, asked } = scripted(() => ({ body: '{}' }));
  for (const url of [
    'http://hook.example/',
    'ftp://hook.example/',
    'file:///etc/passwd',
    'https://user:secret@hook.example/',
    'hook.example',
    '',
  ])
    t.throws(() => called({ transport, target: { url } }), TypeError, url);
  for (const name of ['a/b', 'a@evil.example/', 'a?', 'a#', 'a:1'])
    t.throws(() => called({ transport, target: { service: { namespace: 'ns', name } } }), TypeError, name);
  t.equal(asked.length, 0);
});

t.test('answers that are none fail with a reason', async (t) => {
  const fails = async (
    status: number,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<WebhookError> =>
    failure(called({ transport: scripted(() => ({ status, body, headers })).transport, bytesMax: 1000 })({}));
  for (const body of ['', 'null', '[]', '"x"', '{', '{"a":1}{', '<html>', '\u0000'])
    t.match(await fails(200, body), { reason: 'malformed', status: 200 }, JSON.stringify(body));
  for (const status of [301, 302, 303, 307, 308, 304])
    t.match(
      await fails(status, '{}', { location: 'https://evil.example/' }),
      { reason: 'redirected', status },
      `${status}`,
    );
  t.match(await fails(200, `{"a":"${'x'.repeat(1000)}"}`), { reason: 'tooLong', message: /longer than 1000 bytes/ });
  t.match(await fails(403, 'go away'), { reason: 'refused', status: 403, message: 'go away', retryAfterMs: undefined });
  t.match(await fails(500, 'boom'), {
    reason: 'refused',
    message: 'an error on the server ("boom") has prevented the request from succeeding',
  });
  t.match(await fails(503, '', { 'retry-after': '7' }), { reason: 'refused', retryAfterMs: 7000 });
  t.match(await fails(503, '', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), { retryAfterMs: undefined });
  t.match(
    await fails(
      429,
      '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"slow down","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":3}}',
    ),
    { message: 'slow down', retryAfterMs: 3000 },
  );
  t.equal((await fails(400, '{"__proto__":{"polluted":true}}')).reason, 'refused');
  t.notOk('polluted' in {});
});

t.test('a body that breaks off is a lost connection; one that never ends is not waited for', async (t) => {
  const broken = scripted(() => ({
    body: (async function* () {
      yield new TextEncoder().encode('{');
      throw new Error('gone');
    })(),
  }));
  t.match(await failure(called({ transport: broken.transport })({})), {
    reason: 'reset',
    message: 'Post "https://hook.example/review?timeout=30s": gone',
  });
  let closed = false;
  const endless = scripted(() => ({
    body: (async function* () {
      try {
        for (;;) yield new Uint8Array(100);
      } finally {
        closed = true;
      }
    })(),
  }));
  t.match(await failure(called({ transport: endless.transport, bytesMax: 1000 })({})), { reason: 'tooLong' });
  t.equal(closed, true, 'the connection is given up');
});

t.test('no answer in time is a timeout, on the clock that was handed in', async (t) => {
  const clock = virtualClock();
  const { transport, asked } = scripted(() => never);
  const outcome = failure(called({ transport, clock, timeoutMs: 5000 })({}));
  await clock.advance(4999);
  t.equal(asked[0]?.signal.aborted, false);
  await clock.advance(1);
  t.match(await outcome, {
    reason: 'timeout',
    message: 'Post "https://hook.example/review?timeout=5s": context deadline exceeded',
  });
  t.equal(asked[0]?.signal.aborted, true, 'the request of the transport is aborted');
  t.equal(clock.pending, 0);
  const slow = failure(timedCall(() => never, { clock, timeoutMs: 100 })({}));
  await clock.advance(100);
  t.match(await slow, { reason: 'timeout', message: 'context deadline exceeded' });
});

t.test('a signal ends a call, a wait and a function with its reason', async (t) => {
  const clock = virtualClock();
  const calls: readonly WebhookCall[] = [
    called({ transport: scripted(() => never).transport, clock }),
    timedCall(() => never, { clock, timeoutMs: 1000 }),
    retryingCall(() => Promise.reject(new WebhookError('reset', 'gone')), { clock, random: random(1) }),
    inProcessCall(() => never),
  ];
  for (const call of calls) {
    const abort = new AbortController();
    const outcome = call({}, abort.signal);
    await clock.settled();
    abort.abort(new Error('enough'));
    await t.rejects(outcome, new Error('enough'));
    t.equal(clock.pending, 0);
  }
  let begun = 0;
  await t.rejects(inProcessCall(() => (begun++, {}))({}, AbortSignal.abort(new Error('before'))), new Error('before'));
  await t.rejects(timedCall(async () => (begun++, {}), { clock, timeoutMs: 1 })({}, AbortSignal.abort()), {
    message: /abort/,
  });
  t.equal(begun, 0, 'nothing is begun for an aborted signal');
});

t.test('a function plays a webhook, and can do nothing that a server could not', async (t) => {
  const request: JsonObject = { spec: { list: [1] } };
  const given = { a: 1, when: new Date(0), skipped: undefined, inner: { b: [2] } };
  const answer = await inProcessCall((asked) => {
    t.ok(isDeepFrozen(asked));
    return given;
  })(request);
  t.strictSame(answer, { a: 1, when: '1970-01-01T00:00:00.000Z', inner: { b: [2] } });
  t.ok(isDeepFrozen(answer));
  given.inner.b.push(3);
  t.strictSame(answer.inner, { b: [2] }, 'the answer is a copy');
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const wrong of [circular, [], 1n as unknown as object, undefined as unknown as object, 'x' as unknown as object])
    t.equal((await failure(inProcessCall(() => wrong)({}))).reason, 'malformed');
  t.match(
    await failure(
      inProcessCall(() => {
        throw new Error('bug');
      })({}),
    ),
    { reason: 'failed', message: 'bug' },
  );
  t.match(await failure(inProcessCall(async () => Promise.reject(new WebhookError('reset', 'gone')))({})), {
    reason: 'reset',
  });
});

t.test('what passes is tried again five times in all, each wait half as long again', async (t) => {
  const clock = virtualClock();
  const times: number[] = [];
  const start = clock.now();
  const outcome = failure(
    retryingCall(
      () => (times.push(clock.now() - start), Promise.reject(new WebhookError('reset', `gone ${times.length}`))),
      { clock, random: { ...random(1), next: () => 0 } },
    )({}),
  );
  await clock.runUntilIdle('1h');
  t.match(await outcome, { message: 'gone 5' });
  t.strictSame(times, [0, 500, 1250, 2375, 4063]);
  const jittered: number[] = [];
  const later = failure(
    retryingCall(() => (jittered.push(clock.now()), Promise.reject(new WebhookError('reset', 'gone'))), {
      clock,
      random: random(7),
    })({}),
  );
  await clock.runUntilIdle('1h');
  await later;
  const [wait = 0] = jittered.slice(1).map((each, at) => each - jittered[at]!);
  t.ok(wait >= 500 && wait <= 600, 'a fifth more by chance');
});

t.test('what to try again: lost connections, failures of the webhook, and what it asks for', async (t) => {
  const { transport } = scripted(
    ({ body }) => JSON.parse(body) as { status: number; body: string; headers?: Readonly<Record<string, string>> },
  );
  const error = async (status: number, body = '', headers = {}): Promise<WebhookError> =>
    failure(called({ transport })({ status, body, headers }));
  for (const status of [500, 502, 504, 429]) t.equal(isPassing(await error(status)), true, `${status}`);
  for (const status of [400, 401, 403, 404, 409, 503, 301]) t.equal(isPassing(await error(status)), false, `${status}`);
  for (const status of [403, 503])
    t.equal(isPassing(await error(status, '', { 'retry-after': '1' })), true, `${status} that says when`);
  t.equal(isPassing(await error(200, 'garbage')), false);
  for (const reason of ['unreachable', 'timeout', 'redirected', 'tooLong', 'malformed', 'failed'] as const)
    t.equal(isPassing(new WebhookError(reason, '')), false, reason);
  t.equal(isPassing(new Error('x')), false);
});

t.test('a webhook that says when to come back is obeyed, unless that is too late', async (t) => {
  const clock = virtualClock();
  const start = clock.now();
  let tries = 0;
  const asking = (retryAfterMs: number): WebhookCall =>
    retryingCall(
      async () => {
        if (++tries === 1) throw new WebhookError('refused', 'later', { retryAfterMs });
        return { tries };
      },
      { clock, random: random(1) },
    );
  const outcome = asking(20_000)({});
  await clock.runUntilIdle('1h');
  t.strictSame([await outcome, clock.now() - start], [{ tries: 2 }, 20_000]);
  tries = 0;
  t.match(await failure(asking(31_000)({})), { message: 'later' });
});

// Over a network.

interface Hook {
  readonly port: number;
  readonly seen: IncomingMessage[];
  close(): Promise<void>;
}

async function hook(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  options: { readonly hosts?: readonly string[]; readonly clients?: string } = {},
): Promise<Hook> {
  const seen: IncomingMessage[] = [];
  const { key, certificate } = authority.issueServerCertificate(options.hosts ?? ['localhost', '127.0.0.1']);
  const server: Server = createServer(
    {
      key,
      cert: certificate,
      ...(options.clients !== undefined && { ca: options.clients, requestCert: true, rejectUnauthorized: false }),
    },
    (request, response) => {
      seen.push(request);
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => answer(request, response, body));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const real = (node: NodeWebhookTransport, port: number, options: Partial<WebhookCallOptions> = {}): WebhookCall =>
  webhookCall({
    target: { url: `https://127.0.0.1:${port}/hook` },
    transport: node.transport,
    clock: systemClock(),
    ...options,
  });

t.test('over TLS: trust, names, credentials, one connection for many calls', async (t) => {
  const server = await hook((_request, response, body) => response.end(body), {
    hosts: ['svc.ns.svc', '127.0.0.1'],
    clients: authority.certificate,
  });
  const node = nodeWebhookTransport({
    authorities: authority.certificate,
    certificate: authority.issueClientCertificate('the-server'),
    authorization: 'Bearer secret',
  });
  t.strictSame(await real(node, server.port)({ text: 'é€😀' }), { text: 'é€😀' });
  await real(node, server.port)({});
  const [first, second] = server.seen;
  t.equal(first?.socket, second?.socket, 'the connection is kept');
  t.match(first, {
    url: '/hook?timeout=30s',
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'user-agent': 'vivarium', 'content-type': 'application/json' },
  });
  t.equal(
    (first?.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate().subject.CN,
    'the-server',
  );

  const plain = nodeWebhookTransport();
  const service = {
    target: { service: { namespace: 'ns', name: 'svc' } },
    services: () => [{ host: '127.0.0.1', port: server.port }],
  };
  t.strictSame(
    await real(plain, 0, { ...service, authorities: authority.certificate })({ a: 1 }),
    { a: 1 },
    'a CA bundle of the call',
  );
  const last = server.seen.at(-1);
  t.match(last?.headers, { host: 'svc.ns.svc' });
  t.notOk(last?.headers.authorization, 'no credentials of another user');
  t.match(await failure(real(plain, 0, service)({})), { reason: 'unreachable' }, 'the authority is not trusted');
  t.match(
    await failure(
      real(plain, 0, {
        ...service,
        target: { service: { namespace: 'other', name: 'svc' } },
        authorities: authority.certificate,
      })({}),
    ),
    { reason: 'unreachable', message: /svc\.other\.svc/ },
    'a certificate for another host',
  );
  const other = createAuthority({ now: systemClock().now(), name: 'other' });
  t.match(await failure(real(plain, server.port, { authorities: other.certificate })({})), { reason: 'unreachable' });
  const named = nodeWebhookTransport({ authorities: authority.certificate, serverName: 'svc.ns.svc' });
  t.strictSame(await real(named, server.port)({}), {});
  const careless = nodeWebhookTransport({ insecure: true });
  t.strictSame(await real(careless, server.port)({}), {});
  for (const each of [node, plain, named, careless]) each.close();
  await server.close();
});

t.test('over TLS: redirects, slow, endless and broken answers', async (t) => {
  const elsewhere = await hook((_request, response) => response.end('{}'));
  const server = await hook((request, response) => {
    switch (new URL(request.url ?? '', 'https://x').pathname) {
      case '/redirect':
        response.writeHead(307, { Location: `https://127.0.0.1:${elsewhere.port}/` }).end();
        break;
      case '/slow':
        response.write('{');
        break;
      case '/endless': {
        const more = (): void => {
          response.write('x'.repeat(65_536), more);
        };
        more();
        break;
      }
      case '/reset':
        request.socket.destroy();
        break;
      case '/half':
        response.writeHead(200, { 'Content-Length': 100 });
        response.write('{', () => request.socket.destroy());
        break;
      default:
        response.writeHead(500).end('boom');
    }
  });
  const node = nodeWebhookTransport({ authorities: authority.certificate });
  const call = (path: string, options: Partial<WebhookCallOptions> = {}): WebhookCall =>
    real(node, server.port, { target: { url: `https://127.0.0.1:${server.port}${path}` }, ...options });
  t.match(await failure(call('/redirect')({})), { reason: 'redirected', status: 307 });
  t.equal(elsewhere.seen.length, 0, 'the redirect was not followed');
  t.match(await failure(call('/endless', { bytesMax: 200_000 })({})), { reason: 'tooLong' });
  t.match(await failure(call('/reset')({})), { reason: 'reset' });
  t.match(await failure(call('/half')({})), { reason: 'reset' });
  t.match(await failure(call('/')({})), { reason: 'refused', status: 500 });
  const clock = virtualClock();
  const slow = failure(call('/slow', { clock })({}));
  while (!server.seen.some(({ url }) => url?.startsWith('/slow'))) await new Promise(setImmediate);
  await clock.advance('30s');
  t.match(await slow, { reason: 'timeout' });
  const closing = failure(call('/slow')({}));
  while (server.seen.filter(({ url }) => url?.startsWith('/slow')).length < 2) await new Promise(setImmediate);
  node.close();
  t.match(await closing, { reason: 'reset' }, 'close ends what is under way');
  await server.close();
  t.match(await failure(real(nodeWebhookTransport(), server.port)({})), {
    reason: 'unreachable',
    message: /: dial tcp 127\.0\.0\.1:[0-9]+: connect: connection refused$/,
  });
  await elsewhere.close();
});

t.test('a connection that the webhook closed meanwhile is no failure', async (t) => {
  const server = await hook((request, response) => {
    response.end('{}', () => {
      if (server.seen.length === 1) request.socket.destroy();
    });
  });
  const node = nodeWebhookTransport({ authorities: authority.certificate });
  await real(node, server.port)({});
  t.strictSame(await real(node, server.port)({}), {});
  node.close();
  await server.close();
});

t.test('a kubeconfig leads to a webhook: its cluster is the webhook, its user the server', async (t) => {
  const server = await hook((_request, response, body) => response.end(body));
  const { key, certificate } = authority.issueClientCertificate('apiserver');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const text = (url: string, user: object): string =>
    JSON.stringify({
      kind: 'Config',
      apiVersion: 'v1',
      'current-context': 'c',
      clusters: [
        { name: 'hook', cluster: { server: url, 'certificate-authority-data': base64(authority.certificate) } },
      ],
      users: [
        {
          name: 'me',
          user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key), ...user },
        },
      ],
      contexts: [{ name: 'c', context: { cluster: 'hook', user: 'me' } }],
    });
  const url = `https://127.0.0.1:${server.port}/exact/path`;
  for (const [user, header] of [
    [{ token: 'abc' }, 'Bearer abc'],
    [{ username: 'u', password: 'p' }, `Basic ${base64('u:p')}`],
    [{}, undefined],
  ] as const) {
    const connection = await connectWebhook({ text: text(url, user) }, { clock: systemClock() });
    t.strictSame(await connection.call({ a: 1 }), { a: 1 });
    t.equal(server.seen.at(-1)?.headers.authorization, header);
    t.equal(server.seen.at(-1)?.url, '/exact/path?timeout=30s');
    connection.close();
  }
  await t.rejects(connectWebhook({ text: text('http://127.0.0.1/', {}) }, { clock: systemClock() }), {
    name: 'KubeconfigError',
    message: /https/,
  });
  await server.close();
});

// Authentication.

const tokenStatus = (status: unknown): WebhookCall =>
  inProcessCall(({ kind, apiVersion }) => ({ kind, apiVersion, status }));
const authenticate = async (
  call: WebhookCall,
  wanted?: readonly string[],
  audiences: readonly string[] = ['api'],
): Promise<Authenticated | undefined> => firstOf(webhookTokens(call, { audiences })('token', wanted), undefined);

t.test('a token review is asked for in either version, with the audiences wanted', async (t) => {
  const asked: JsonObject[] = [];
  const call = inProcessCall(
    (request) => (
      asked.push(request),
      { status: { authenticated: true, user: { username: 'jane' }, audiences: ['b'] } }
    ),
  );
  t.strictSame(await firstOf(webhookTokens(call)('secret', ['a', 'b']), undefined), {
    user: { username: 'jane' },
    audiences: ['b'],
  });
  await firstOf(webhookTokens(call, { version: 'v1' })('secret', undefined), undefined);
  t.strictSame(asked, [
    {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1beta1',
      spec: { token: 'secret', audiences: ['a', 'b'] },
    },
    { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: 'secret' } },
  ]);
});

t.test('what a token review says, row by row', async (t) => {
  const user = { username: 'jane', uid: '7', groups: ['dev'], extra: { scope: ['a', 'b'] } };
  t.strictSame(await authenticate(tokenStatus({ authenticated: true, user })), { user });
  t.ok(isDeepFrozen(await authenticate(tokenStatus({ authenticated: true, user }))));
  t.equal(await authenticate(tokenStatus({ authenticated: false })), undefined, 'not mine');
  t.equal(await authenticate(tokenStatus({})), undefined);
  t.equal(await authenticate(inProcessCall(() => ({}))), undefined, 'no status at all');
  await t.rejects(authenticate(tokenStatus({ error: 'expired' })), new AuthenticationError('expired'));
  t.strictSame(await authenticate(tokenStatus({ authenticated: true, user, error: 'odd' })), { user });
  t.strictSame(
    (await authenticate(tokenStatus({ authenticated: true, user }), ['api', 'x']))?.audiences,
    ['api'],
    'none named: the server’s own',
  );
  t.equal(await authenticate(tokenStatus({ authenticated: true, user }), ['x']), undefined, 'for others');
  t.equal(await authenticate(tokenStatus({ authenticated: true, user, audiences: ['y'] }), ['api']), undefined);
  t.equal(
    await authenticate(tokenStatus({ error: 'expired', audiences: ['y'] }), ['api']),
    undefined,
    'for others, before anything else',
  );
});

t.test('a webhook cannot say more about a user than there is to say', async (t) => {
  const wrong: readonly unknown[] = [
    { authenticated: 'true', user: { username: 'jane' } },
    { authenticated: true, user: { username: 7 } },
    { authenticated: true, user: { username: 'jane', groups: 'system:masters' } },
    { authenticated: true, user: { username: 'jane', extra: { a: 'b' } } },
    { authenticated: true, user: [] },
    'authenticated',
  ];
  for (const status of wrong)
    t.match(await failure(authenticate(tokenStatus(status))), { reason: 'malformed' }, JSON.stringify(status));
  await t.rejects(authenticate(tokenStatus({ authenticated: true })), {
    name: 'AuthenticationError',
    message: /without a name/,
  });
  await t.rejects(
    authenticate(tokenStatus({ authenticated: true, user: { username: 'jane', extra: { a: ['x'.repeat(300_000)] } } })),
    { name: 'AuthenticationError', message: /more than 262144/ },
  );
  await t.rejects(
    authenticate(
      tokenStatus({
        authenticated: true,
        user: { username: 'jane', groups: Array.from({ length: 100_000 }, (_, at) => `g${at}`) },
      }),
    ),
    { name: 'AuthenticationError' },
  );
  const polluting = await authenticate(
    inProcessCall(
      () =>
        JSON.parse(
          '{"__proto__":{"x":1},"status":{"authenticated":true,"user":{"username":"jane","extra":{"__proto__":["a"]}}}}',
        ) as object,
    ),
  );
  t.strictSame(Object.entries(polluting?.user.extra ?? {}), [['__proto__', ['a']]]);
  t.notOk('x' in {});
});

t.test('an answer to another question is none', async (t) => {
  const answering = (answer: object): Promise<Authenticated | undefined> =>
    authenticate(inProcessCall(() => ({ ...answer, status: { authenticated: true, user: { username: 'jane' } } })));
  t.match(await failure(answering({ kind: 'SubjectAccessReview' })), {
    reason: 'malformed',
    message:
      'expected webhook response of authentication.k8s.io/v1beta1, Kind=TokenReview, got authentication.k8s.io/v1beta1, Kind=SubjectAccessReview',
  });
  t.match(await failure(answering({ apiVersion: 'authentication.k8s.io/v1' })), { reason: 'malformed' });
  t.match(await failure(answering({ kind: {} })), { reason: 'malformed' });
  t.strictSame(
    await answering({ spec: { token: 'another token', user: 'root' } }),
    { user: { username: 'jane' } },
    'what it says the question was is no matter',
  );
});

t.test('failures of the call pass through; the token is in none of them', async (t) => {
  const { transport } = scripted(() => ({ status: 500, body: 'boom' }));
  const error = await failure(authenticate(called({ transport })));
  t.match(error, { reason: 'refused', status: 500 });
  t.notMatch(`${error.message} ${JSON.stringify(error)}`, /token/);
});

t.test('around a webhook, users and strangers are remembered for two minutes, failures not at all', async (t) => {
  const clock = virtualClock();
  const twoMinutes = { clock, successTtlMs: 120_000, failureTtlMs: 120_000, errors: false };
  let asked = 0;
  const answering = (status: () => object): ((wanted?: readonly string[]) => Promise<Authenticated | undefined>) => {
    const cached = cachedTokens(
      webhookTokens(
        inProcessCall(() => (asked++, { status: status() })),
        { audiences: ['api'] },
      ),
      twoMinutes,
    );
    return async (wanted) => firstOf(cached('secret', wanted), undefined);
  };
  for (const status of [{ authenticated: true, user: { username: 'jane' } }, {}]) {
    asked = 0;
    const ask = answering(() => status);
    await Promise.all([ask(), ask()]);
    await clock.advance(119_999);
    await ask();
    t.equal(asked, 1);
    await ask(['api']);
    t.equal(asked, 2, 'for each audience on its own');
    await clock.advance(1);
    await ask();
    t.equal(asked, 3);
  }
  let broken = true;
  const ask = answering(() => {
    if (broken) throw new WebhookError('unreachable', 'gone');
    return { authenticated: true, user: { username: 'jane' } };
  });
  await t.rejects(ask(), { message: 'gone' });
  broken = false;
  t.strictSame(await ask(), { user: { username: 'jane' } });
});

// Who may do what.

const attributes = (over: Partial<AccessAttributes> = {}): AccessAttributes => ({
  user: { username: 'jane' },
  verb: 'get',
  isResource: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
  ...over,
});
const decide = async (authorizer: Authorizer, over: Partial<AccessAttributes> = {}): Promise<Decision> =>
  firstOf(authorizer(attributes(over)), { decision: 'deny', reason: 'nothing was said' });

function counted(status: unknown): { readonly call: WebhookCall; readonly asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  return { asked, call: inProcessCall((request) => (asked.push(request), { status })) };
}

t.test('an access review says who asks for what, in either version', async (t) => {
  const { call, asked } = counted({ allowed: true });
  const user = { username: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { scope: ['a'] } };
  await decide(webhookAuthorizer(call, { clock: virtualClock() }), { user });
  await decide(webhookAuthorizer(call, { clock: virtualClock(), version: 'v1' }), {
    user,
    isResource: false,
    path: '/healthz',
    verb: 'get',
  });
  await decide(webhookAuthorizer(call, { clock: virtualClock(), version: 'v1' }), {
    group: 'apps',
    resource: 'deployments',
    subresource: 'scale',
    name: 'x',
    verb: 'list',
    selectors: {
      field: parseFieldSelector('metadata.name=x,spec.a!=b'),
      label: parseLabelSelector('a=1,b!=2,c in (y,x),d notin (z),e,!f,g>3'),
    },
  });
  const spec = { user: 'jane', extra: { scope: ['a'] }, uid: '7' };
  t.strictSame(
    asked.map((each) => each.apiVersion),
    ['authorization.k8s.io/v1beta1', 'authorization.k8s.io/v1', 'authorization.k8s.io/v1'],
  );
  t.strictSame(asked[0]?.spec, {
    resourceAttributes: { namespace: 'ns', verb: 'get', version: 'v1', resource: 'pods' },
    ...spec,
    group: ['dev', 'ops'],
  });
  t.strictSame(asked[1]?.spec, {
    nonResourceAttributes: { path: '/healthz', verb: 'get' },
    ...spec,
    groups: ['dev', 'ops'],
  });
  t.strictSame(asked[2]?.spec, {
    resourceAttributes: {
      namespace: 'ns',
      verb: 'list',
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      subresource: 'scale',
      name: 'x',
      fieldSelector: {
        requirements: [
          { key: 'metadata.name', operator: 'In', values: ['x'] },
          { key: 'spec.a', operator: 'NotIn', values: ['b'] },
        ],
      },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'b', operator: 'NotIn', values: ['2'] },
          { key: 'c', operator: 'In', values: ['x', 'y'] },
          { key: 'd', operator: 'NotIn', values: ['z'] },
          { key: 'e', operator: 'Exists' },
          { key: 'f', operator: 'DoesNotExist' },
        ],
      },
    },
    user: 'jane',
  });
});

t.test('what an access review says, row by row', async (t) => {
  const said = (status: unknown): Promise<Decision> =>
    decide(webhookAuthorizer(counted(status).call, { clock: virtualClock() }));
  t.strictSame(await said({ allowed: true, reason: 'ok' }), { decision: 'allow', reason: 'ok' });
  t.strictSame(await said({ allowed: false, denied: true, reason: 'no' }), { decision: 'deny', reason: 'no' });
  t.strictSame(await said({ allowed: false, reason: 'who?' }), { decision: 'noOpinion', reason: 'who?' });
  t.strictSame(await said({}), { decision: 'noOpinion', reason: '' });
  t.strictSame(await said(undefined), { decision: 'noOpinion', reason: '' });
  t.strictSame(await said({ allowed: true, denied: true, reason: 'both' }), {
    decision: 'deny',
    reason: 'both',
    error: 'webhook subject access review returned both allow and deny response',
  });
  t.equal((await said({ allowed: true, reason: 'x'.repeat(1_000_000) })).reason.length, 2048);
  t.strictSame(
    await firstOf(
      webhookAuthorizer(counted({}).call, { clock: virtualClock() }).rules!({ username: 'jane' }, 'ns'),
      undefined as never,
    ),
    {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    },
  );
});

t.test('whatever goes wrong, nothing is allowed by it', async (t) => {
  const clock = virtualClock();
  const wrong: readonly WebhookCall[] = [
    () => Promise.reject(new WebhookError('unreachable', 'gone')),
    () => Promise.reject(new Error('bug')),
    inProcessCall(() => ({ status: { allowed: 'true' } })),
    inProcessCall(() => ({ status: { allowed: 1 } })),
    inProcessCall(() => ({ status: [{ allowed: true }] })),
    inProcessCall(() => ({ kind: 'TokenReview', status: { allowed: true } })),
    inProcessCall(() => ({ apiVersion: 'authorization.k8s.io/v1', status: { allowed: true } })),
    inProcessCall(() => []),
    called({ transport: scripted(() => ({ status: 302, body: '{"status":{"allowed":true}}' })).transport }),
    called({ transport: scripted(() => ({ status: 500, body: '{"status":{"allowed":true}}' })).transport }),
  ];
  for (const [at, call] of wrong.entries()) {
    const open = await decide(webhookAuthorizer(call, { clock }));
    const closed = await decide(webhookAuthorizer(call, { clock, failurePolicy: 'Deny' }));
    t.match(
      [open, closed],
      [
        { decision: 'noOpinion', reason: '', error: String },
        { decision: 'deny', reason: '', error: String },
      ],
      `${at}`,
    );
  }
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (status, rest) => {
      const { decision } = await decide(
        webhookAuthorizer(
          inProcessCall(() => ({ ...(rest as object), status })),
          { clock },
        ),
      );
      return decision !== 'allow' || (status as { allowed?: unknown }).allowed === true;
    }),
    { numRuns: runs(300) },
  );
});

t.test('answers are kept: five minutes what was allowed, half a minute what was not, failures never', async (t) => {
  const clock = virtualClock();
  const trial = async (status: unknown, keptMs: number): Promise<void> => {
    const { call, asked } = counted(status);
    const authorizer = webhookAuthorizer(call, { clock });
    await decide(authorizer);
    t.ok(Array.isArray(authorizer(attributes())), 'kept answers come at once');
    await clock.advance(keptMs);
    await decide(authorizer);
    t.equal(asked.length, 1);
    await clock.advance(1);
    await decide(authorizer);
    t.equal(asked.length, 2);
  };
  await trial({ allowed: true }, 300_000);
  await trial({ denied: true }, 30_000);
  await trial({}, 30_000);
  let tries = 0;
  const failing = webhookAuthorizer(() => (tries++, Promise.reject(new WebhookError('reset', 'gone'))), { clock });
  await decide(failing);
  await decide(failing);
  t.equal(tries, 2);
  const { call, asked } = counted({ allowed: true });
  const forgetful = webhookAuthorizer(call, { clock, authorizedTtlMs: 0 });
  await decide(forgetful);
  await decide(forgetful);
  t.equal(asked.length, 2);
});

t.test('answers are kept for the very question only, and long questions not at all', async (t) => {
  const { call, asked } = counted({ allowed: true });
  const authorizer = webhookAuthorizer(call, { clock: virtualClock() });
  const others: readonly Partial<AccessAttributes>[] = [
    {},
    { verb: 'list' },
    { name: 'a' },
    { namespace: 'a' },
    { subresource: 'a' },
    { isResource: false, path: '/a' },
    { user: { username: 'joe' } },
    { user: { username: 'jane', groups: ['jane'] } },
    { user: { username: 'jane', uid: 'jane' } },
    { user: { username: 'jane', extra: { a: [] } } },
    { selectors: { label: parseLabelSelector('a') } },
    { selectors: { field: parseFieldSelector('a=b') } },
  ];
  for (const other of [...others, ...others]) await decide(authorizer, other);
  t.equal(asked.length, others.length);
  for (const over of [{ name: 'x'.repeat(10_000) }, { user: { username: 'jane', groups: ['x'.repeat(70_000)] } }]) {
    const before = asked.length;
    await decide(authorizer, over);
    await decide(authorizer, over);
    t.equal(asked.length, before + 2);
  }
  t.equal(asked.length, others.length + 4);
});

/** Reads `true`, `false`, `error`, `text` and `verb == X`. */
const toy: ExpressionCompiler = {
  compile(source, { variables, result }) {
    if (source.startsWith('!')) throw new ExpressionError(`compilation failed: ${source}`);
    t.strictSame([Object.keys(variables), result], [['request'], 'bool']);
    return {
      source,
      selects: () => false,
      evaluate: ({ request }) => {
        if (source === 'error') throw new ExpressionError('no such key');
        if (source === 'text') return 'x';
        return (
          source === 'true' ||
          source === `verb == ${(request as { resourceAttributes: { verb: string } }).resourceAttributes.verb}`
        );
      },
    };
  },
};

t.test('match conditions say whether the webhook is asked at all', async (t) => {
  const run = async (
    sources: readonly string[],
    failurePolicy: 'NoOpinion' | 'Deny' = 'NoOpinion',
  ): Promise<readonly [Decision, number]> => {
    const { call, asked } = counted({ allowed: true });
    const matchConditions = sources.map((source) =>
      toy.compile(source, { variables: { request: { kind: 'json', goType: '' } }, result: 'bool' }),
    );
    return [
      await decide(webhookAuthorizer(call, { clock: virtualClock(), matchConditions, failurePolicy })),
      asked.length,
    ];
  };
  const problem = "cel evaluation error: expression 'error' resulted in error: no such key";
  t.strictSame(await run(['true', 'verb == get']), [{ decision: 'allow', reason: '' }, 1]);
  t.strictSame(await run(['true', 'verb == list']), [{ decision: 'noOpinion', reason: '' }, 0]);
  t.strictSame(
    await run(['error', 'false'], 'Deny'),
    [{ decision: 'noOpinion', reason: '' }, 0],
    'one that is false counts more than one that fails',
  );
  t.strictSame(await run(['true', 'error']), [{ decision: 'noOpinion', reason: '', error: problem }, 0]);
  t.strictSame(await run(['error', 'true'], 'Deny'), [{ decision: 'deny', reason: '', error: problem }, 0]);
  t.match(await run(['text', 'error'], 'Deny'), [
    {
      decision: 'deny',
      error: `[cel evaluation error: expression 'text' eval result type should be bool but got string, ${problem}]`,
    },
    0,
  ]);
});

t.test('match conditions are expressions in CEL by default', (t) => {
  const compile = (source: string) => celExpressions().compile(source, matchConditionEnvironment());
  const match = (source: string): unknown =>
    matchOf([compile(source)], {
      user: 'ada',
      groups: ['dev'],
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'kube-system' },
    });
  t.same(match("request.resourceAttributes.namespace == 'kube-system'"), { matches: true });
  t.same(match("'ops' in request.groups"), { matches: false });
  t.same(match('has(request.nonResourceAttributes)'), { matches: false });
  t.match(match("request.groups[3] == 'x'"), { matches: false, error: /index out of bounds: 3/ });
  t.throws(() => compile('request.user'), { message: 'must evaluate to bool' });
  t.end();
});

t.test('expressions see every text of a request, empty or not', async (t) => {
  const seen: unknown[] = [];
  const spy = {
    source: 'spy',
    selects: () => false,
    evaluate: ({ request }: Readonly<Record<string, unknown>>) => (seen.push(request), false),
  };
  const authorizer = webhookAuthorizer(counted({}).call, { clock: virtualClock(), matchConditions: [spy] });
  await decide(authorizer, { namespace: '', selectors: { label: parseLabelSelector('a') } });
  await decide(authorizer, { isResource: false, path: '/x' });
  const user = { user: 'jane', groups: [], uid: '', extra: {} };
  t.strictSame(seen, [
    {
      ...user,
      resourceAttributes: {
        namespace: '',
        verb: 'get',
        group: '',
        version: 'v1',
        resource: 'pods',
        subresource: '',
        name: '',
        labelSelector: { requirements: [{ values: [], key: 'a', operator: 'Exists' }] },
      },
    },
    { ...user, nonResourceAttributes: { path: '/x', verb: 'get' } },
  ]);
});

// Who decides.

const header = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n';
const webhookText = (name: string, over = ''): string => `
- type: Webhook
  name: ${name}
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: /hook.kubeconfig}
${over}`;
const standing =
  (type: string): Authorizer =>
  () => [{ decision: 'noOpinion', reason: type }];

function partsFor(
  clock: VirtualClock,
  over: Partial<AuthorizerParts> = {},
): { readonly parts: AuthorizerParts; readonly connected: ConnectedWebhook[]; readonly asked: JsonObject[] } {
  const { call, asked } = counted({ allowed: true, reason: 'hook' });
  const connected: ConnectedWebhook[] = [];
  const parts: AuthorizerParts = {
    clock,
    random: random(1),
    standing: { Node: standing('Node'), RBAC: standing('RBAC') },
    connect: (webhook) => (connected.push(webhook), call),
    ...over,
  };
  return { parts, connected, asked };
}

t.test('a configuration names those who decide, in order', async (t) => {
  const clock = virtualClock();
  const { parts, connected, asked } = partsFor(clock);
  const text = `${header}authorizers:\n- {type: Node, name: node}\n- {type: RBAC, name: rbac}\n- {type: AlwaysDeny, name: alwaysdeny}${webhookText('hook')}`;
  for (const version of ['v1', 'v1beta1', 'v1alpha1'])
    t.equal((await parseAuthorizationConfiguration(text.replace('/v1', `/${version}`))).authorizers.length, 4);
  const authorizers = await authorizersFrom(await parseAuthorizationConfiguration(text), parts);
  t.strictSame(
    (await Promise.all(authorizers.map((each) => decide(each)))).map(({ reason }) => reason),
    ['Node', 'RBAC', 'Everything is forbidden.', 'hook'],
  );
  t.strictSame(connected, [
    { name: 'hook', connection: { type: 'KubeConfigFile', kubeConfigFile: '/hook.kubeconfig' }, timeoutMs: 3000 },
  ]);
  t.equal(asked[0]?.apiVersion, 'authorization.k8s.io/v1');
  const [hook] = (await parseAuthorizationConfiguration(`${header}authorizers:${webhookText('hook')}`)).authorizers;
  t.match(hook?.webhook, {
    authorizedTTL: '5m0s',
    unauthorizedTTL: '30s',
    cacheAuthorizedRequests: true,
    cacheUnauthorizedRequests: true,
    timeout: '3s',
    matchConditions: [],
  });
});

t.test('a webhook of a configuration is tried again, cached and obeyed in failure as the file says', async (t) => {
  const clock = virtualClock();
  let tries = 0;
  const { parts } = partsFor(clock, {
    connect: () => () => (tries++, Promise.reject(new WebhookError('reset', 'gone'))),
  });
  const [hook] = await authorizersFrom(
    await parseAuthorizationConfiguration(`${header}authorizers:${webhookText('hook')}`),
    parts,
  );
  const decision = decide(hook!);
  await clock.runUntilIdle('1m');
  t.strictSame([await decision, tries], [{ decision: 'deny', reason: '', error: 'gone' }, 5]);
  const { parts: kept, asked } = partsFor(clock);
  const [uncached] = await authorizersFrom(
    await parseAuthorizationConfiguration(
      `${header}authorizers:${webhookText('hook', '    cacheAuthorizedRequests: false\n')}`,
    ),
    kept,
  );
  await decide(uncached!);
  await decide(uncached!);
  t.equal(asked.length, 2);
});

t.test('files that cannot be read are refused in Kubernetes’ words', async (t) => {
  const cases: readonly (readonly [string, RegExp | string])[] = [
    [`${header}authorizers: []\nfoo: 1`, 'strict decoding error: unknown field "foo"'],
    [
      `${header}authorizers: [{type: RBAC, name: rbac, nmae: x}]`,
      'strict decoding error: unknown field "authorizers[0].nmae"',
    ],
    [`${header}authorizers: []\nauthorizers: []`, /^strict decoding error: [^]*already set/],
    [`${header}authorizers: x`, /cannot unmarshal/],
    [
      `${header}authorizers:${webhookText('h').replace('3s', '3 apples')}`,
      /^time: unknown unit " apples" in duration "3 apples"$/,
    ],
    ['kind: AuthorizationConfiguration', /'apiVersion' is missing/],
    ['apiVersion: apiserver.config.k8s.io/v1', /'Kind' is missing/],
    [header.replace('Authorization', 'Authentication'), /^no kind "AuthenticationConfiguration" is registered/],
    [
      header.replace('/v1', '/v2'),
      /^no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io\/v2"/,
    ],
    ['a: [', /yaml/],
    ['&a [*a]', /.+/],
    ['[]', /cannot unmarshal array/],
  ];
  for (const [text, message] of cases) await t.rejects(parseAuthorizationConfiguration(text), { message }, text);
});

t.test('files that cannot be obeyed are refused in Kubernetes’ words', async (t) => {
  const problem = async (text: string): Promise<string> => {
    try {
      compileAuthorizationConfiguration(
        await parseAuthorizationConfiguration(text === '' ? '' : `${header}authorizers:${text}`),
        {
          expressions: toy,
          fileProblem: (path) =>
            path === '/missing' ? 'error loading file: stat /missing: no such file or directory' : undefined,
        },
      );
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const hook = (from: string | RegExp, to: string, over = ''): Promise<string> =>
    problem(webhookText('hook', over).replace(from, to));
  t.equal(await problem(webhookText('hook')), '');
  t.equal(await problem(`${webhookText('a')}${webhookText('b')}`), '', 'webhooks may be several');
  t.equal(await problem(''), 'authorizers: Required value: at least one authorization mode must be defined');
  t.equal(await problem(' [{name: x}]'), 'authorizers[0].type: Required value');
  t.equal(
    await problem(' [{type: Foo, name: x}]'),
    'authorizers[0].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
  );
  t.equal(
    await problem(' [{type: RBAC, name: rbac}, {type: RBAC, name: x}]'),
    'authorizers[1].type: Duplicate value: "RBAC"',
  );
  t.equal(await problem(' [{type: RBAC}]'), 'authorizers[0].name: Required value');
  t.equal(await problem(`${webhookText('a')}${webhookText('a')}`), 'authorizers[1].name: Duplicate value: "a"');
  t.match(
    await problem(webhookText('A_b')),
    /^authorizers\[0\]\.name: Invalid value: "A_b": authorizer name is invalid: a lowercase RFC 1123 subdomain/,
  );
  t.equal(await problem(' [{type: RBAC, name: foo}]'), 'expected name rbac for authorizer RBAC instead of foo');
  t.equal(
    await problem(' [{type: Webhook, name: foo}]'),
    'authorizers[0].webhook: Required value: required when type=Webhook',
  );
  t.match(
    await problem(' [{type: RBAC, name: rbac, webhook: {}}]'),
    'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
  );
  t.equal(await hook('timeout: 3s', ''), 'authorizers[0].timeout: Required value');
  t.equal(await hook('3s', '31s'), 'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s');
  t.equal(await hook('3s', '-1s'), 'authorizers[0].timeout: Invalid value: "-1s": must be > 0s and <= 30s');
  t.equal(
    await hook('', '', '    authorizedTTL: -60m\n'),
    'authorizers[0].authorizedTTL: Invalid value: "-1h0m0s": must be > 0s',
  );
  t.equal(
    await hook('', '', '    unauthorizedTTL: -1s\n'),
    'authorizers[0].unauthorizedTTL: Invalid value: "-1s": must be > 0s',
  );
  t.equal(
    await hook('subjectAccessReviewVersion: v1', ''),
    'authorizers[0].subjectAccessReviewVersion: Required value',
  );
  t.equal(
    await hook('Version: v1', 'Version: v2'),
    'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
  );
  t.equal(await hook('failurePolicy: Deny', ''), 'authorizers[0].failurePolicy: Required value');
  t.equal(
    await hook('Deny', 'Allow'),
    'authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"',
  );
  t.equal(await hook(/connectionInfo.*/, ''), 'authorizers[0].connectionInfo.type: Required value');
  t.equal(
    await hook('type: KubeConfigFile', 'type: InClusterConfig'),
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/hook.kubeconfig": can only be set when type=KubeConfigFile',
  );
  t.equal(await hook('/hook.kubeconfig', '""'), 'authorizers[0].connectionInfo.kubeConfigFile: Required value');
  t.equal(
    await hook('/hook.kubeconfig', 'hook'),
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "hook": must be an absolute path',
  );
  t.equal(
    await hook('/hook.kubeconfig', '/missing'),
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/missing": error loading file: stat /missing: no such file or directory',
  );
  const conditions = (list: readonly string[], version = 'v1'): Promise<string> =>
    hook(
      '',
      '',
      `    matchConditionSubjectAccessReviewVersion: "${version}"\n    matchConditions: ${JSON.stringify(list.map((expression) => ({ expression })))}\n`,
    );
  t.equal(await conditions(['true', 'verb == get']), '');
  t.equal(
    await conditions(['true'], ''),
    'authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified',
  );
  t.equal(
    await conditions([], 'v1beta1'),
    'authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"',
  );
  t.equal(await conditions([' ']), 'authorizers[0].matchConditions[0].expression: Required value');
  t.equal(await conditions(['true', 'true']), 'authorizers[0].matchConditions[1].expression: Duplicate value: "true"');
  t.equal(
    await conditions(['!', '!!']),
    '[authorizers[0].matchConditions[0].expression: Invalid value: "!": compilation failed: !, authorizers[0].matchConditions[1].expression: Invalid value: "!!": compilation failed: !!]',
  );
  t.equal(
    await conditions(Array.from({ length: 65 }, (_, at) => `${at}`)),
    'authorizers[0].matchConditions: Too many: 65: must have at most 64 items',
  );
  const text = `${header}authorizers:${webhookText('hook', '    matchConditionSubjectAccessReviewVersion: v1\n    matchConditions: [{expression: "request.nme"}]\n')}`;
  const configuration = await parseAuthorizationConfiguration(text);
  t.throws(
    () => compileAuthorizationConfiguration(configuration),
    { message: /"request.nme": compilation failed: ERROR: <input>:1:8: undefined field 'nme'/ },
    'conditions are CEL about the SubjectAccessReview',
  );
  t.throws(
    () =>
      compileAuthorizationConfiguration({
        authorizers: [
          {
            type: 'Webhook',
            name: 'x',
            webhook: { ...configuration.authorizers[0]!.webhook!, matchConditions: [], timeout: 'soon' },
          },
        ],
      }),
    { message: 'authorizers[0].timeout: Invalid value: "soon": must be > 0s and <= 30s' },
  );
});

const allOf = (authorizer$: Observable<Authorizer>): Promise<readonly Authorizer[]> =>
  firstValueFrom(authorizer$.pipe(toArray()), { defaultValue: [] });

t.test('a valid later file replaces an earlier one; an invalid one is reported and changes nothing', async (t) => {
  const { parts, connected } = partsFor(virtualClock());
  const problems: string[] = [];
  const rbac = '\n- {type: RBAC, name: rbac}';
  const file = (text: string): string => `${header}authorizers:${text}`;
  const texts = [
    file(rbac),
    file(rbac),
    file(`${rbac} # the same`),
    'garbage: [',
    file(webhookText('hook')),
    file(`${rbac}\n- {type: Node, name: node}`),
    file(`${rbac}\n- {type: ABAC, name: abac}`),
    file(`${rbac}${webhookText('hook').replace('3s', '99s')}`),
    file(`${rbac}${webhookText('hook')}`),
    file(`${rbac}\n- {type: AlwaysAllow, name: alwaysallow}`),
  ];
  const authorizers = await allOf(
    authorizationFrom(from(texts), { ...parts, report: (problem) => problems.push(problem) }),
  );
  t.strictSame(await Promise.all(authorizers.map((each) => decide(each))), [
    { decision: 'noOpinion', reason: 'RBAC' },
    { decision: 'allow', reason: 'hook' },
    { decision: 'allow', reason: '' },
  ]);
  t.match(problems, [
    /^reloading authorization config: failed to load AuthorizationConfiguration from file: yaml/,
    'reloading authorization config: missing required types: [RBAC]',
    'reloading authorization config: authorizer type Node is not allowed if it was not enabled at initial server startup',
    'reloading authorization config: authorizer type ABAC is not allowed if it was not enabled at initial server startup',
    /timeout: Invalid value: "1m39s"/,
  ]);
  t.equal(problems.length, 5);
  t.equal(connected.length, 1);
});

t.test('the first file must be good', async (t) => {
  const { parts } = partsFor(virtualClock());
  await t.rejects(allOf(authorizationFrom(of('garbage: ['), parts)), {
    name: 'AuthorizationConfigurationError',
    message: /^failed to load AuthorizationConfiguration from file: /,
  });
  await t.rejects(allOf(authorizationFrom(of(''), parts)), {
    message: 'authorizers: Required value: at least one authorization mode must be defined',
  });
  await t.rejects(allOf(authorizationFrom(of(`${header}authorizers: [{type: ABAC, name: abac}]`), parts)), {
    message: /ABAC is not allowed/,
  });
  const failing = partsFor(virtualClock(), { connect: () => Promise.reject(new Error('no kubeconfig')) });
  await t.rejects(
    allOf(authorizationFrom(of(`${header}authorizers:${webhookText('hook')}`), failing.parts)),
    new Error('no kubeconfig'),
  );
});

t.test('files of kubeconfigs are looked at', async (t) => {
  const folder = t.testdir({ file: '' });
  t.equal(fileProblem(`${folder}/file`), undefined);
  t.equal(fileProblem(folder), 'must be a regular file');
  t.equal(fileProblem(`${folder}/none`), `error loading file: stat ${folder}/none: no such file or directory`);
});
