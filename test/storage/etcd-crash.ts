// What goes wrong with etcd. A real one is killed without warning and started again, again and again, while stores
// write, read and watch: whatever was answered must hold, and watches that lived through it all saw exactly what
// happened. A scripted one does what a real one does too seldom to be tested: it refuses, cuts, repeats, goes away and
// falls silent at the worst moment.
import { deepStrictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { connect, createServer as createPipe, type AddressInfo, type Socket } from 'node:net';
import { lastValueFrom, take, toArray } from 'rxjs';
import t, { type Test } from 'tap';
import { random, systemClock, virtualClock } from '../../lib/core/index.js';
import { etcdStore, type EtcdStoreOptions } from '../../lib/storage/etcd/etcd-store.js';
import { frame, FrameAssembler } from '../../lib/storage/etcd/grpc-frames.js';
import { bytesField, flagField, message, MessageReader, numberField } from '../../lib/storage/etcd/wire.js';
import { isStoreError, type Batch, type Revision, type Store, type StoreErrorCode } from '../../lib/storage/index.js';
import { checkRegisters, checkRevisions, recordHistory, registersOf } from '../../lib/testing/public.js';
import { etcdBinary, etcdMissing, startEtcd, startEtcdCluster } from '../support/etcd-server.js';
import { fc, isLongRun, runs, seed } from '../support/properties.js';

const clock = systemClock();
const prefix = '/registry/crash/';
const quickElections = ['--heartbeat-interval=50', '--election-timeout=500'];

/** What became of the writes so far, by key. */
class Ledger {
  readonly acknowledged = new Map<string, Revision>();
  readonly refused = new Set<string>();
  readonly unknown = new Set<string>();
  #target = Infinity;
  #reached: () => void = () => undefined;

  acknowledge(key: string, revision: Revision): void {
    this.acknowledged.set(key, revision);
    if (this.acknowledged.size >= this.#target) this.#reached();
  }

  /** Resolves when that many more were acknowledged. */
  more(count: number): Promise<void> {
    this.#target = this.acknowledged.size + count;
    return new Promise((resolve) => (this.#reached = resolve));
  }
}

/** Creates one key after the other until stopped, and records every result. */
async function write(store: Store, name: string, ledger: Ledger, going: () => boolean): Promise<void> {
  for (let count = 0; going(); count++) {
    const key = `${prefix}${name}/${count}`;
    try {
      const outcome = await store.commit({
        compare: [{ key, modRevision: 0 }],
        put: [{ key, value: { name, count } }],
      });
      if (!outcome.committed) throw new Error(`${key} was there before it was written`);
      ledger.acknowledge(key, outcome.revision);
    } catch (error) {
      if (isStoreError(error, 'unknown-outcome')) ledger.unknown.add(key);
      else if (isStoreError(error, 'unavailable')) ledger.refused.add(key);
      else throw error;
    }
  }
}

if (etcdBinary === undefined) t.comment(etcdMissing);
else {
  t.test('kills: acknowledged writes stay, refused ones never were, watches see exactly what happened', async (t) => {
    const chance = random(seed);
    const etcd = await startEtcd({ flags: quickElections });
    const options = { endpoints: [etcd.endpoint], clock, random: chance.stream('stores') };
    const [writer, watcher] = [etcdStore(options), etcdStore(options)];
    t.teardown(async () => {
      await Promise.all([writer.close(), watcher.close()]);
      await etcd.dispose();
    });
    const start = await writer.revision();
    const ledger = new Ledger();
    const received: Batch[][] = [[], [], []];
    const watches = received.map((batches, index) =>
      (index === 0 ? writer : watcher).watch(prefix, { after: start }).forEach((batch) => batches.push(batch)),
    );

    let going = true;
    const writers = Promise.all(Array.from({ length: 16 }, (_, n) => write(writer, `w${n}`, ledger, () => going)));
    for (let kills = 0; kills < (isLongRun ? 24 : 3); kills++) {
      await ledger.more(20 + chance.integer(200));
      await etcd.kill();
      await etcd.start();
    }
    going = false;
    await writers;

    const { entries, revision } = await watcher.list(prefix);
    const found = new Map(entries.map((entry) => [entry.key, entry.modRevision]));
    t.comment(
      `${ledger.acknowledged.size} acknowledged, ${ledger.refused.size} refused, ${ledger.unknown.size} unknown of which ${[...ledger.unknown].filter((key) => found.has(key)).length} happened`,
    );
    t.ok(ledger.unknown.size > 0, 'some answers were lost');
    t.strictSame(
      [...ledger.acknowledged].filter(([key, at]) => found.get(key) !== at),
      [],
      'every acknowledged write is there, at its revision',
    );
    t.strictSame(
      [...ledger.refused].filter((key) => found.has(key)),
      [],
      'no refused write is there',
    );
    t.strictSame(
      entries.filter(({ key }) => !ledger.acknowledged.has(key) && !ledger.unknown.has(key)),
      [],
      'every key was written by a client',
    );
    t.equal(revision, start + entries.length, 'revisions are gapless');

    const expected = entries.map((entry) => [entry.modRevision, entry.key] as const).sort(([a], [b]) => a - b);
    await Promise.all([writer.requestProgress(), watcher.requestProgress()]);
    for (const batches of received) {
      const events = batches.flatMap((batch) => batch.changes.map((change) => [batch.revision, change.key]));
      t.strictSame(events, expected, 'a watch that was interrupted saw every write once, in order');
    }
    await Promise.all([writer.close(), watcher.close(), ...watches]);
  });

  for (const size of [1, 3])
    t.test(
      `a history recorded while members of a cluster of ${size} are killed, six times, has one order that explains it`,
      { skip: !isLongRun && 'part of the long run' },
      async (t) => {
        const members = await startEtcdCluster(size, { flags: quickElections });
        const store = etcdStore({ endpoints: members.map(({ endpoint }) => endpoint), clock, random: random(seed) });
        t.teardown(async () => {
          await store.close();
          await Promise.all(members.map((member) => member.dispose()));
        });
        let kills = 0;
        const killOne = async (): Promise<void> => {
          const member = members[kills++ % size]!;
          await member.kill();
          await member.start();
        };
        let commits = 0;
        let restarts = Promise.resolve();
        const killing: Store = {
          get: (key, options) => store.get(key, options),
          list: (prefix, options) => store.list(prefix, options),
          watch: (prefix, options) => store.watch(prefix, options),
          revision: () => store.revision(),
          requestProgress: () => store.requestProgress(),
          compact: (revision) => store.compact(revision),
          grantLease: (ttlMs) => store.grantLease(ttlMs),
          renewLease: (lease) => store.renewLease(lease),
          revokeLease: (lease) => store.revokeLease(lease),
          close: () => store.close(),
          commit: (transaction) => {
            commits += 1;
            if (commits % 400 === 0 && commits <= 2400) restarts = restarts.then(killOne);
            return store.commit(transaction);
          },
        };
        const history = await recordHistory(killing, {
          seed: String(seed),
          clients: 12,
          operations: 6_000,
          keys: 9,
          clock,
          patienceMs: 20_000,
        });
        await restarts;
        const lost = history.operations.filter(({ answer }) => answer === undefined).length;
        t.ok(lost > 0, `${history.operations.length} operations, ${lost} answers lost`);
        t.equal(checkRevisions(history)?.sentence, undefined);
        t.equal(checkRegisters(registersOf(history))?.sentence, undefined);
      },
    );
}

/** A request that came to a scripted server. */
interface ScriptedCall {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
  /** The message: of a watch each, of other calls the only one. */
  readonly request: Buffer;
  /** The how many-th of this method it is, from 1. */
  readonly count: number;
}

interface ScriptedServer {
  readonly endpoint: string;
  /** How often each method was called, and how often a client connected. */
  readonly calls: Record<string, number>;
}

/** A server that responds as configured, until the test is over. */
async function scripted(t: Test, script: (call: ScriptedCall) => void): Promise<ScriptedServer> {
  const calls: Record<string, number> = { connections: 0 };
  const sessions = new Set<Http2Session>();
  const server = createServer();
  server.on('session', (session) => {
    calls.connections! += 1;
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const method = (headers[':path'] ?? '').split('/').at(-1) ?? '';
    const frames = new FrameAssembler((request) => {
      calls[method] = (calls[method] ?? 0) + 1;
      script({ method, headers, stream, session: stream.session!, request, count: calls[method] });
    }, 1e9);
    stream.on('data', (chunk: Buffer) => frames.push(chunk));
    stream.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** A way to a server that can be frozen: nothing passes any more, and neither side is closed. */
async function pipeTo(
  t: Test,
  port: number,
): Promise<{ readonly endpoint: string; readonly closed: Promise<unknown>; freeze(): void }> {
  const pipe = createPipe();
  const sockets: Socket[] = [];
  const closed = new Promise((resolve) => {
    pipe.on('connection', (client) => {
      const server = connect(port, '127.0.0.1');
      sockets.push(client, server);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server).pipe(client);
      client.once('close', resolve);
    });
  });
  pipe.listen(0, '127.0.0.1');
  await once(pipe, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    pipe.close();
  });
  const freeze = (): void => {
    for (const socket of sockets) socket.unpipe();
    for (const socket of sockets) socket.on('data', () => undefined); // read, so that the end is noticed
  };
  return { endpoint: `http://127.0.0.1:${(pipe.address() as AddressInfo).port}`, closed, freeze };
}

const header = (revision: Revision): Buffer => bytesField(1, numberField(3, revision));
const committed = (revision: Revision): Buffer => message(header(revision), flagField(2, true));
const found = (revision: Revision, value: unknown): Buffer =>
  message(header(revision), bytesField(2, kv({ key: '/k', value, at: revision })), numberField(4, 1));

interface Version {
  readonly key: string;
  readonly value?: unknown;
  readonly at: Revision;
  readonly since?: Revision;
}

function kv({ key, value = {}, at, since = at }: Version): Buffer {
  return message(bytesField(1, key), numberField(2, since), numberField(3, at), bytesField(5, JSON.stringify(value)));
}

function put(version: Version, previous?: Version): Buffer {
  return bytesField(
    11,
    message(bytesField(2, kv(version)), previous === undefined ? message() : bytesField(3, kv(previous))),
  );
}

/** Answers a call with one message, in good order. */
function answer(
  stream: ServerHttp2Stream,
  body: Buffer,
  { status = 0, pieces = Infinity }: { readonly status?: number; readonly pieces?: number } = {},
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': `${status}` }));
  const framed = frame(body);
  for (let start = 0; start < framed.length; start += pieces) stream.write(framed.subarray(start, start + pieces));
  stream.end();
}

/** Answers with a status and nothing else. */
function refuse(stream: ServerHttp2Stream, status: number, text: string): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': `${status}`, 'grpc-message': text },
    { endStream: true },
  );
}

/** Says something on a watch. */
function say(stream: ServerHttp2Stream, ...fields: Buffer[]): void {
  if (!stream.headersSent) stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  stream.write(frame(message(...fields)));
}

/** Where the watch of a request begins; undefined for a request that creates none. */
function startOf(request: Buffer): Revision | undefined {
  const outer = new MessageReader(request);
  if (outer.next() !== 1) return undefined;
  const create = outer.message();
  for (let field = create.next(); field !== 0; field = create.next()) {
    if (field === 3) return create.number();
    create.skip();
  }
  return 0;
}

t.test('a scripted server', async (t) => {
  const open = (t: Test, endpoints: readonly string[], options: Partial<EtcdStoreOptions> = {}): Store => {
    const store = etcdStore({ endpoints, clock, random: random('scripted'), timeoutMs: 1_000, ...options });
    t.teardown(() => store.close());
    return store;
  };
  const transaction = { put: [{ key: '/k', value: { is: 1 } }] };
  const refusal = async (
    call: Promise<unknown>,
  ): Promise<{ readonly code: StoreErrorCode; readonly message: string } | undefined> => {
    try {
      await call;
      return undefined;
    } catch (error) {
      if (!isStoreError(error)) throw error;
      return { code: error.code, message: error.message };
    }
  };
  const batches = (store: Store, after: Revision, count: number): Promise<Batch[]> =>
    lastValueFrom(store.watch('/', { after }).pipe(take(count), toArray()), { defaultValue: [] });

  t.test('an answer that comes in single bytes is an answer', async (t) => {
    const { endpoint } = await scripted(t, ({ stream }) => answer(stream, found(7, { text: 'é😀' }), { pieces: 1 }));
    t.match(await open(t, [endpoint]).get('/k'), { revision: 7, entry: { value: { text: 'é😀' } } });
  });

  t.test('a refusal is read from headers, its text unescaped or as it stands', async (t) => {
    const texts = ['caf%C3%A9 is 100%25 closed', 'half an escape: %zz'] as const;
    const { endpoint } = await scripted(t, ({ stream, method }) =>
      refuse(stream, 3, texts[method === 'Range' ? 0 : 1]),
    );
    const store = open(t, [endpoint]);
    t.strictSame(await refusal(store.get('/k')), { code: 'invalid', message: 'etcd: café is 100% closed' });
    t.strictSame(await refusal(store.commit(transaction)), { code: 'invalid', message: `etcd: ${texts[1]}` });
  });

  t.test('a commit that was refused unseen is made again; one that was seen never is', async (t) => {
    const refused = await scripted(t, ({ stream, count }) =>
      count === 1 ? stream.close(7) : answer(stream, committed(2)),
    );
    t.match(await open(t, [refused.endpoint]).commit(transaction), { committed: true, revision: 2 });
    t.equal(refused.calls.Txn, 2, 'REFUSED_STREAM');

    const leaving = await scripted(t, ({ method, stream, session, count }) => {
      if (method === 'Range') answer(stream, found(2, {}));
      else if (count === 1) session.goaway(0, 1);
      else answer(stream, committed(3));
    });
    const staying = open(t, [leaving.endpoint]);
    await staying.get('/k'); // stream 1, after which the server wants no more
    t.match(await staying.commit(transaction), { committed: true, revision: 3 });
    t.match(leaving.calls, { Txn: 2, connections: 2 }, 'GOAWAY before the stream');

    const leaderless = await scripted(t, ({ stream, count }) =>
      count === 1 ? refuse(stream, 14, 'etcdserver: no leader') : answer(stream, committed(4)),
    );
    t.match(await open(t, [leaderless.endpoint]).commit(transaction), { committed: true, revision: 4 });

    for (const [what, fail] of [
      ['a lost connection', ({ session }: ScriptedCall) => session.destroy()],
      ['a stream that was reset', ({ stream }: ScriptedCall) => stream.close(2)],
      ['a time-out of etcd', ({ stream }: ScriptedCall) => refuse(stream, 14, 'etcdserver: request timed out')],
      ['an answer without a message', ({ stream }: ScriptedCall) => refuse(stream, 0, '')],
      [
        'a compressed answer',
        ({ stream }: ScriptedCall) => {
          stream.respond({ ':status': 200 });
          stream.write(Buffer.from([1, 0, 0, 0, 1, 0]));
        },
      ],
      [
        'an answer of 2 GB',
        ({ stream }: ScriptedCall) => {
          stream.respond({ ':status': 200 });
          stream.write(Buffer.from([0, 127, 255, 255, 255]));
        },
      ],
      ['an answer that is cut', ({ stream }: ScriptedCall) => answer(stream, committed(5).subarray(0, 1))],
      ['a proxy', ({ stream }: ScriptedCall) => stream.respond({ ':status': 503 }, { endStream: true })],
    ] as const) {
      const { endpoint, calls } = await scripted(t, fail);
      t.equal((await refusal(open(t, [endpoint]).commit(transaction)))?.code, 'unknown-outcome', what);
      t.equal(calls.Txn, 1, `${what}: one try`);
    }
  });

  t.test('a read is tried again, at another member where there is one, and in the end unavailable', async (t) => {
    const flaky = await scripted(t, ({ stream, session, count }) =>
      count < 3 ? session.destroy() : answer(stream, found(9, {})),
    );
    t.match(await open(t, [flaky.endpoint]).get('/k'), { revision: 9 });
    t.match(flaky.calls, { Range: 3, connections: 3 });

    const lost = await scripted(t, ({ stream }) => refuse(stream, 14, 'etcdserver: request timed out'));
    const well = await scripted(t, ({ stream }) => answer(stream, found(9, {})));
    const store = open(t, [lost.endpoint, well.endpoint]);
    t.match(await store.get('/k'), { revision: 9 });
    t.match(await store.get('/k'), { revision: 9 });
    t.strictSame([lost.calls.Range, well.calls.Range], [1, 2], 'and stays there');

    t.equal((await refusal(open(t, [lost.endpoint], { timeoutMs: 100 }).get('/k')))?.code, 'unavailable');
  });

  t.test('a member that fails a read is left by watches too', async (t) => {
    const failing = await scripted(t, ({ method, stream }) =>
      method === 'Watch'
        ? say(stream, header(1), flagField(3, true))
        : refuse(stream, 14, 'etcdserver: request timed out'),
    );
    const well = await scripted(t, ({ method, stream }) => {
      if (method === 'Range') answer(stream, found(9, {}));
      else {
        say(stream, header(1), flagField(3, true));
        say(stream, header(9), put({ key: '/a', at: 9 }));
      }
    });
    const store = open(t, [failing.endpoint, well.endpoint]);
    const received = batches(store, 1, 1);
    while (failing.calls.Watch === undefined) await new Promise((resolve) => setImmediate(resolve));
    await store.get('/k');
    t.match(await received, [{ revision: 9 }]);
  });

  t.test('"no space" is believed only when nothing was written', async (t) => {
    const full = async (range: (stream: ServerHttp2Stream) => void): Promise<Store> => {
      const { endpoint } = await scripted(t, ({ method, stream }) =>
        method === 'Txn' ? refuse(stream, 8, 'etcdserver: mvcc: database space exceeded') : range(stream),
      );
      return open(t, [endpoint]);
    };
    const absent = await full((stream) => answer(stream, message(header(7))));
    t.equal((await refusal(absent.commit(transaction)))?.code, 'no-space');
    t.equal((await refusal(absent.commit({ delete: ['/k'] })))?.code, 'unknown-outcome', 'deleted, or never there');
    const older = await full((stream) => answer(stream, found(1, {})));
    t.equal((await refusal(older.commit({ delete: ['/k'] })))?.code, 'no-space', 'as it was');
    const newer = await full((stream) => answer(stream, found(7, {})));
    t.equal((await refusal(newer.commit(transaction)))?.code, 'unknown-outcome', 'written by us or by another');
    const failing = await full((stream) => refuse(stream, 3, 'nothing to read'));
    t.equal((await refusal(failing.commit(transaction)))?.code, 'unknown-outcome', 'the outcome is unknown');
  });

  t.test('deadlines: nothing waits longer than it says, and every call carries its deadline', async (t) => {
    const time = virtualClock();
    const deadlines: unknown[] = [];
    const { endpoint } = await scripted(t, ({ headers }) => deadlines.push(headers['grpc-timeout']));
    const store = open(t, [endpoint], { clock: time, timeoutMs: 5_000 });
    const calls = [store.commit(transaction), store.get('/k')].map(refusal);
    while (deadlines.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await time.advance('6s');
    t.match(await calls[0], { code: 'unknown-outcome', message: /no answer in time/ });
    await time.advance('9s');
    t.match(await calls[1], { code: 'unavailable', message: /no answer in time/ });
    t.ok(deadlines.every((deadline) => deadline === '5000m'));
  });

  t.test(
    'a connection on which nothing comes back is given up after a ping, and kept while answers come',
    async (t) => {
      const time = virtualClock();
      const { endpoint, calls } = await scripted(t, ({ method, stream }) =>
        method === 'Watch' ? say(stream, header(9), flagField(3, true)) : answer(stream, found(9, {})),
      );
      const pipe = await pipeTo(t, Number(new URL(endpoint).port));
      const store = open(t, [pipe.endpoint], { clock: time });
      const watching = store.watch('/', { after: 9 }).forEach(() => undefined);
      for (let round = 0; round < 3; round++) {
        await store.get('/k'); // the answer comes after that of the ping before it
        await time.advance('32s');
      }
      await store.get('/k');
      t.equal(calls.connections, 1, 'a minute and a half, three pings, one connection');
      pipe.freeze();
      await time.advance('45s');
      await pipe.closed;
      await store.close();
      await watching;
      t.equal(time.pending, 0);
    },
  );

  t.test('a token that has ended is fetched anew, and the commit made once', async (t) => {
    const tokens: unknown[] = [];
    const { endpoint, calls } = await scripted(t, ({ method, stream, headers, count }) => {
      if (method === 'Authenticate') {
        answer(stream, bytesField(2, `token ${count}`));
        return;
      }
      tokens.push(headers.token);
      if (headers.token === 'token 1') refuse(stream, 16, 'etcdserver: invalid auth token');
      else answer(stream, committed(2));
    });
    const store = open(t, [endpoint], { auth: { username: 'app', password: 'secret' } });
    await Promise.all([store.commit(transaction), store.commit(transaction)]);
    t.strictSame(tokens.sort(), ['token 1', 'token 1', 'token 2', 'token 2']);
    t.equal(calls.Authenticate, 2, 'those who wait share one');
  });

  t.test(
    'one revision in several messages is one batch, and one that was cut off is delivered whole after resuming',
    async (t) => {
      const starts: (Revision | undefined)[] = [];
      const part = (key: string, at: Revision): Buffer => put({ key, at });
      const { endpoint } = await scripted(t, ({ stream, session, request, count }) => {
        starts.push(startOf(request));
        say(stream, header(9), flagField(3, true));
        if (count === 2) {
          say(stream, header(9), flagField(7, true), part('/a', 5), part('/a', 6));
          say(stream, header(9), flagField(7, true), part('/b', 6));
          say(stream, header(9), part('/c', 6), part('/a', 7));
          stream.write(frame(message(header(9), flagField(7, true), part('/a', 8))), () =>
            setImmediate(() => session.destroy()),
          );
        } else if (count === 3) {
          say(stream, header(9), part('/a', 7), part('/a', 8), part('/b', 8));
          say(stream, header(9), part('/a', 6)); // etcd before 3.4.31 could go back in time
          say(stream, header(9), part('/a', 9));
        }
      });
      const received = await batches(open(t, [endpoint]), 1, 5);
      t.strictSame(
        received.map(({ revision, changes }) => [revision, ...changes.map(({ key }) => key)]),
        [
          [5, '/a'],
          [6, '/a', '/b', '/c'],
          [7, '/a'],
          [8, '/a', '/b'],
          [9, '/a'],
        ],
      );
      t.strictSame(
        starts,
        [2, 1, 7],
        'the first began in the belief that nothing was there yet; all begin where the last whole revision was',
      );
    },
  );

  t.test('a change whose value before was compacted on its way is not delivered without it', async (t) => {
    const { endpoint } = await scripted(t, ({ stream, count }) => {
      say(stream, header(1), flagField(3, true));
      if (count === 1) say(stream, header(5), put({ key: '/a', at: 4 }), put({ key: '/a', at: 5, since: 4 }));
      else say(stream, header(9), flagField(4, true), numberField(5, 8));
    });
    const received: Batch[] = [];
    const end = await open(t, [endpoint])
      .watch('/', { after: 1 })
      .forEach((batch) => received.push(batch))
      .catch((error: unknown) => error);
    t.match(end, { code: 'compacted', revision: 8 });
    t.strictSame(
      received.map(({ revision }) => revision),
      [4],
    );
  });

  t.test(
    'progress is asked of an etcd that answers in order, until it answers, and not believed of any other',
    async (t) => {
      const serve = (version: string) =>
        scripted(t, ({ method, stream, request, count }) => {
          if (method === 'Status') answer(stream, bytesField(2, version));
          else if (method === 'Range') answer(stream, message(header(7)));
          else if (startOf(request) === undefined) {
            // the first requests find the watch lagging behind
            if (count >= 4) say(stream, header(8), numberField(2, -1));
          } else {
            say(stream, header(1), flagField(3, true));
            if (startOf(request) === 1) say(stream, header(7), put({ key: '/elsewhere', at: 7 }));
          }
        });
      for (const version of ['3.4.31', '3.5.13', '3.6.0', '4.0.0']) {
        const { endpoint, calls } = await serve(version);
        const store = open(t, [endpoint]);
        const first = batches(store, 1, 1);
        await store.requestProgress();
        t.strictSame(await first, [{ revision: 8, changes: [] }], version);
        t.ok((calls.Watch ?? 0) >= 4, 'asked again');
      }
      for (const version of ['3.4.30', '3.5.0', '3.5.12', 'unknown']) {
        const { endpoint } = await serve(version);
        const store = open(t, [endpoint], { prefix: '/prefix' });
        const first = batches(store, 1, 1);
        await store.requestProgress();
        t.strictSame(await first, [{ revision: 7, changes: [] }], version);
      }
    },
  );
});

t.test('messages survive however the stream of bytes is cut', async () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.array(fc.nat(20)), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map((each) => frame(Buffer.from(each))));
      const got: string[] = [];
      const frames = new FrameAssembler((each) => got.push(each.toString('hex')), 1_000);
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        frames.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      deepStrictEqual(
        got,
        messages.map((each) => Buffer.from(each).toString('hex')),
      );
    }),
    { numRuns: runs(300) },
  );
});

t.test('numbers of 64 bits are written and read to the bit', async (t) => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.maxSafeInteger(),
      fc.string(),
      (exact, number, text) => {
        const reader = new MessageReader(
          message(numberField(1, exact), numberField(600, number), bytesField(3, text), flagField(4, true)),
        );
        const read: unknown[] = [];
        for (let field = reader.next(); field !== 0; field = reader.next()) {
          if (field === 1) read.push(BigInt.asIntN(64, reader.exact()));
          else if (field === 600) read.push(reader.number());
          else if (field === 3) read.push(reader.bytes().toString());
          else reader.skip();
        }
        const wellFormed = Buffer.from(text).toString();
        deepStrictEqual(read, [...(exact === 0n ? [] : [exact]), ...(number === 0 ? [] : [number]), wellFormed]);
      },
    ),
    { numRuns: runs(300) },
  );
  for (const broken of ['0a05', '08', '0affffffffffffffffff7f', '08ffffffffffffffffffffff01', '0b']) {
    t.throws(() => {
      const reader = new MessageReader(Buffer.from(broken, 'hex'));
      for (let field = reader.next(); field !== 0; field = reader.next()) reader.skip();
    }, /proto: |unexpected EOF/);
  }
});
