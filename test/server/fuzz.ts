// Hostile input: thousands of requests bent from a seed, below the wire, and some hundred more on real sockets.
// Nothing crashes, leaks or takes long, and no answer is a server's error but those that a real server gives to the
// same request.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { builtinScheme, openEnvelope, random } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import type { Listening } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { hostileRequests } from '../support/hostile-requests.js';
import type { HostileRequest } from '../support/hostile-requests.js';
import { hostileServer, recordedSamples } from '../support/hostile-server.js';
import type { HostileAnswer, HostileServer } from '../support/hostile-server.js';
import { isLongRun, seed as propertySeed } from '../support/properties.js';

const seed = String(propertySeed);
const total = isLongRun ? 100_000 : 5_000;

/** The errors that a kube-apiserver v1.36 calls its own though they are the client's, each asked of one. */
const realErrors: readonly (readonly [code: number, message: RegExp])[] = [
  [500, /^resourceVersion should not be set on objects to be created$/],
  [500, /^resourceVersion: Invalid value: /],
  // Strategic merge patches whose directives or lists make no sense.
  [500, /does not contain declared merge key/],
  [500, /^failed to (?:create typed patch object|convert new object) \(/],
  [500, /^failed to create typed live object \(/],
  [500, /^unknown patch type: /],
  [500, /^The order in patch list:\n/],
  [500, /^merging an object in json but data type is not struct, instead is: /],
  [500, /^list element types are not identical: /],
  [500, /^unable to find api field in struct /],
  [500, /^This request caused apiserver to panic\./],
  // A namespace that is a dot or two: storage refuses the key.
  [500, /^invalid key: "\/[a-z]+\/\.\.?(?:\/|"$)/],
  // Bindings are validated without being wrapped.
  [500, /^\[?(?:metadata|target)\.[a-zA-Z.]+: (?:Invalid|Required|Unsupported) value/],
  [500, /failed to create RequestInfo: unable to determine kind and namespace from url/],
  // A binding of a user who may not bind any role: the role is looked for before the binding is validated.
  [500, /^unsupported role reference kind: /],
  [500, /^Internal error occurred: failed calling webhook /],
  // There is no backend behind proxies here.
  [503, /^no endpoints available for service /],
  [503, /^no service port "[^"]*" found for service /],
  [504, /^Timeout: Too large resource version: /],
  [504, /^Timeout: request did not complete within the allotted timeout$/],
];

t.test('hostile requests are refused, and nothing else happens', async (t) => {
  const server = await hostileServer(seed);
  const requests = hostileRequests({ seed, scheme: builtinScheme(), samples: recordedSamples() });
  const crashes: unknown[] = [];
  const crashed = (error: unknown): void => void crashes.push(error);
  process.on('uncaughtException', crashed);
  process.on('unhandledRejection', crashed);
  const problems: string[] = [];
  const codes = new Map<number, number>();
  const heap: number[] = [];
  const used = process.cpuUsage();
  for (let count = 0; count < total; count++) {
    const request = requests.next().value;
    const answer = await server.ask(request);
    codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
    const problem = problemOf(request, answer) ?? (answer.ms > 2_000 ? await slowness(server, request) : undefined);
    if (problem !== undefined && problems.length < 20)
      problems.push(`request ${count}: ${problem}\n  ${describeRequest(request)}`);
    if (count % (total / 10) === total / 10 - 1) heap.push(heapUsed());
  }
  process.off('uncaughtException', crashed);
  process.off('unhandledRejection', crashed);
  t.comment(
    `seed ${seed}: ${JSON.stringify(Object.fromEntries([...codes].sort(([a], [b]) => a - b)))}; heap ${heap.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ')} MiB; ${process.cpuUsage(used).user / 1e6} s`,
  );
  t.strictSame(problems, [], 'every answer is one that a real server could give');
  t.strictSame(crashes, [], 'no error was thrown outside of a response');
  t.equal(({} as Record<string, unknown>).polluted, undefined, 'no prototype was touched');
  for (const code of [200, 201, 400, 404, 405, 406, 409, 415, 422, 500])
    t.ok(codes.has(code), `${code} was among the answers`);
  // History, caches of bytes and what was created are bounded.
  t.ok((heap.at(-1) ?? 0) - (heap[1] ?? 0) < 150 * 2 ** 20, 'memory does not grow with requests');
  await serves(t, server);
  await server.close();
  t.equal(server.clock.pending, 0, 'no timer is left');
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Under load a fast answer may come late: what counts is the work. */
async function slowness(server: HostileServer, request: HostileRequest): Promise<string | undefined> {
  const before = process.cpuUsage();
  await server.ask(request);
  const { user } = process.cpuUsage(before);
  return user > 2e6 ? `took ${user / 1e6} s` : undefined;
}

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function problemOf(request: HostileRequest, answer: HostileAnswer): string | undefined {
  const { code, contentType, bytes, defects } = answer;
  if (defects.length > 0) return `a defect: ${String(defects[0] instanceof Error ? defects[0].stack : defects[0])}`;
  if (code < 400) return undefined;
  const text = Buffer.from(bytes).toString();
  // Requests may name any file themselves, so an echoed path is no leak; a path of the program is.
  if (/\n\s+at |node_modules|file:\/\/\/\S+\.[cm]?[jt]s\b|\.[cm]?[jt]s:\d+/.test(text))
    return `reveals too much: ${text.slice(0, 500)}`;
  // HEAD has no body to tell; what is 500 to GET is 500 to it.
  if (request.method === 'HEAD') return undefined;
  const message = messageOf(answer, text);
  if (message === undefined) return `${code} without a Status: ${contentType} ${text.slice(0, 200)}`;
  if (code >= 500 && !realErrors.some(([known, pattern]) => known === code && pattern.test(message)))
    return `${code}: ${message.slice(0, 300)}`;
  return undefined;
}

/** The message of a Status that says what the code says, or the whole text where a real server answers so. */
function messageOf({ code, contentType, bytes }: HostileAnswer, text: string): string | undefined {
  switch (contentType) {
    case 'application/json': {
      const status = JSON.parse(text) as {
        readonly kind?: string;
        readonly code?: number;
        readonly message?: string;
        readonly status?: string;
      };
      return status.kind === 'Status' && status.code === code && status.status === 'Failure'
        ? (status.message ?? '')
        : undefined;
    }
    case 'application/yaml':
      return /^kind: Status$/m.test(text) && text.includes(`code: ${code}\n`)
        ? (/^message: *['"|>-]*\s*([^]*?)['"]?$/m.exec(text)?.[1] ?? '')
        : undefined;
    case 'application/vnd.kubernetes.protobuf':
      return openEnvelope(bytes).kind === 'Status' ? protobufMessage(Buffer.from(bytes)) : undefined;
    default:
      if (code === 504 && text.startsWith('{"metadata":{},"status":"Failure","message":"Timeout: '))
        return 'Timeout: request did not complete within the allotted timeout';
      return contentType.startsWith('text/plain') && text.length < 1_000_000 ? text : undefined;
  }
}

/** The message of a Status in protobuf: field 3 (tag 0x1a, length as varint), behind the field that says `Failure`. */
function protobufMessage(bytes: Buffer): string {
  let at = bytes.indexOf('Failure\x1a') + 'Failure\x1a'.length;
  let length = 0;
  for (let shift = 0, more = true; more; shift += 7) {
    const byte = bytes.readUInt8(at++);
    length |= (byte & 0x7f) << shift;
    more = byte >= 0x80;
  }
  return bytes.toString('utf8', at, at + length);
}

function describeRequest({ method, target, headers, body }: HostileRequest): string {
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${body === undefined ? '' : JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 1_000))}`;
}

/** The server still does what it is for. */
async function serves(check: Pick<typeof t, 'match'>, server: HostileServer): Promise<void> {
  const ask = async (
    method: string,
    target: string,
    body?: object,
  ): Promise<{ readonly code: number; readonly body: Record<string, unknown> }> => {
    const answer = await server.ask({
      method,
      target,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
    return { code: answer.code, body: JSON.parse(Buffer.from(answer.bytes).toString()) as Record<string, unknown> };
  };
  const path = '/api/v1/namespaces/afterwards/configmaps';
  check.match(await ask('POST', path, { metadata: { name: 'one' }, data: { k: 'v' } }), {
    code: 201,
    body: { metadata: { name: 'one' }, data: { k: 'v' } },
  });
  check.match(await ask('GET', `${path}/one`), { code: 200, body: { kind: 'ConfigMap', data: { k: 'v' } } });
  check.match(await ask('GET', path), { code: 200, body: { items: [{ metadata: { name: 'one' } }] } });
  check.match(await ask('GET', `${path}?watch=1&resourceVersion=0`), {
    code: 200,
    body: { type: 'ADDED', object: { metadata: { name: 'one' } } },
  });
  check.match(await ask('DELETE', `${path}/one`), { code: 200, body: { status: 'Success' } });
}

t.test('hostile connections end, and leave nothing behind', async (t) => {
  const before = process.getActiveResourcesInfo().filter(isHandle).length;
  const server = createServer({ store: memoryStore() });
  const defects: unknown[] = [];
  const limits = { bodyBytesMax: 65_536, requestMs: 400 };
  const listening = await listen(server, {
    limits,
    connections: { headerBytesMax: 16_384, headersMs: 200, requestMs: 600, idleMs: 200, checkMs: 50 },
    graceMs: 1_000,
    onDefect: (error) => defects.push(error),
  });
  const draw = random(seed).stream('sockets');
  const requests = hostileRequests({ seed: `${seed}/sockets`, scheme: builtinScheme(), samples: recordedSamples() });
  const talks = Array.from({ length: isLongRun ? 800 : 160 }, () => {
    const request = requests.next().value;
    return () => draw.pick(manners)(listening, request);
  });
  const said: string[] = [];
  while (talks.length > 0) said.push(...(await Promise.all(talks.splice(0, 40).map((talk) => talk()))));
  t.strictSame(defects, []);
  const codes = new Map<string, number>();
  for (const [, code = ''] of said.join('').matchAll(/HTTP\/1\.1 (\d{3}) /g))
    codes.set(code, (codes.get(code) ?? 0) + 1);
  t.comment(JSON.stringify(Object.fromEntries(codes)));
  t.strictSame(
    [...codes.keys()].filter((code) => !['500', '501', '503', '504'].includes(code) && Number(code) >= 500),
    [],
  );
  for (const code of ['200', '400', '404', '408', '413', '431']) t.ok(codes.has(code), `${code} was among the answers`);
  t.match(await talk(listening, ['GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']), /^HTTP\/1\.1 200 /);
  await listening.close();
  await server.close();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(process.getActiveResourcesInfo().filter(isHandle).length, before, 'no socket and no timer is left');
});

function isHandle(name: string): boolean {
  return name.startsWith('TCP') || name === 'Timeout';
}

/** What a client may do to a connection. Each answers with all that the server said. */
const manners: readonly ((listening: Listening, request: HostileRequest) => Promise<string>)[] = [
  (listening, request) => talk(listening, [head(request), request.body ?? new Uint8Array()]),
  // A body that comes drop by drop, and never all of it.
  (listening, request) =>
    talk(
      listening,
      [head(request, { 'content-length': '1000' }), ...Array.from({ length: 20 }, () => Uint8Array.of(0x20))],
      { everyMs: 30, staysMs: 10_000 },
    ),
  // Headers that come drop by drop.
  (listening, request) =>
    talk(
      listening,
      Array.from({ length: 40 }, (_, at) => head(request).charAt(at)),
      { everyMs: 20, staysMs: 10_000 },
    ),
  // Half a request, then nothing more.
  (listening, request) =>
    talk(listening, [head(request, { 'content-length': '5000' }), Buffer.from('{"kind"')], { ends: true }),
  // Cut off in the middle.
  (listening, request) =>
    talk(listening, [head(request, { 'content-length': '5000' }), Buffer.from('{"kind"')], { staysMs: 5 }),
  // Requests and rubbish in a row.
  (listening, request) =>
    talk(listening, [
      `GET /version HTTP/1.1\r\nHost: x\r\n\r\n${head(request)}`,
      request.body ?? '',
      'GET / HTTP/9.9\r\n\r\n',
      '\u0000\u0001\r\n\r\n',
      'GET /version HTTP/1.1\r\n\r\n',
    ]),
  (listening) => talk(listening, [`GET / HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(10_000)}\r\n`]),
  (listening) => talk(listening, [`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`]),
  (listening) =>
    talk(listening, [
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
      Buffer.alloc(200_000, 0x20),
    ]),
  (listening) =>
    talk(listening, [
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      'ffffffff\r\n',
      Buffer.alloc(200_000, 0x20),
      'zz\r\n',
    ]),
  (listening) =>
    talk(listening, [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\n\r\n',
    ]),
  // A watch that is left.
  (listening) => talk(listening, ['GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n'], { staysMs: 30 }),
  (listening) =>
    talk(
      listening,
      [
        'GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
        Buffer.alloc(300, 0xff),
      ],
      { staysMs: 100 },
    ),
  // A TLS client, and silence.
  (listening) => talk(listening, [Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03)]),
  (listening) => talk(listening, [], { staysMs: 10_000 }),
];

/** Only what can stand in one line: the rest of a hostile request goes below the wire. */
function head({ method, target, headers, body }: HostileRequest, more: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ 'content-length': `${body?.length ?? 0}`, ...headers, ...more, connection: 'close' });
  return `${method} ${target.slice(0, 4_000)} HTTP/1.1\r\nHost: x\r\n${all.map(([name, value]) => `${name}: ${value.slice(0, 2_000)}\r\n`).join('')}\r\n`;
}

interface Manner {
  /** Between pieces; at once by default. */
  readonly everyMs?: number;
  /** When the client cuts the connection; 1 s by default. */
  readonly staysMs?: number;
  /** Whether it says after the last piece that nothing more comes. */
  readonly ends?: boolean;
}

/** Says pieces, and answers with what was said back until either side closed the connection. */
async function talk(
  { port }: Listening,
  pieces: readonly (string | Uint8Array)[],
  { everyMs = 0, staysMs = 3_000, ends = false }: Manner = {},
): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => socket.destroy());
  const closed = once(socket, 'close');
  const end = setTimeout(() => socket.destroy(), staysMs);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  if (ends) socket.end();
  await closed;
  clearTimeout(end);
  return Buffer.concat(parts).toString('latin1');
}
