// The store on a real etcd: the suite of all stores, then what only etcd has. What a well-behaved etcd never does (cut
// connections at the worst moment, refuse streams, fall silent) is done by the scripted server of etcd-wire.ts.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, take, toArray, type Observable } from 'rxjs';
import t from 'tap';
import { random, systemClock, virtualClock, type JsonObject } from '../../lib/core/index.js';
import { etcdStore, type EtcdStoreOptions } from '../../lib/storage/etcd/etcd-store.js';
import { encryptionFor, transformerByKey } from '../../lib/storage/encryption/index.js';
import { isStoreError, type Batch, type Store, type StoreErrorCode } from '../../lib/storage/index.js';
import {
  checkRegisters,
  checkRevisions,
  recordHistory,
  registersOf,
  storeSuite,
  type StoreHarness,
} from '../../lib/testing/public.js';
import { etcdBinary, etcdMissing, startEtcd, type EtcdServer } from '../support/etcd-server.js';
import { runs, seed } from '../support/properties.js';

const clock = systemClock();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const text = (value: unknown): string => Buffer.from(String(value), 'base64').toString();

/** A call of etcd's JSON gateway: what any other tool would do. */
async function gateway(
  etcd: EtcdServer,
  path: string,
  body: unknown,
  token?: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${etcd.endpoint}/v3/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(token !== undefined && { headers: { authorization: token } }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer as Record<string, unknown>;
}

async function refusal(call: Promise<unknown>): Promise<StoreErrorCode | 'accepted'> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (isStoreError(error)) return error.code;
    throw error;
  }
}

/** The first batches of a watch. */
async function batches(watch$: Observable<Batch>, count: number): Promise<Batch[]> {
  return await lastValueFrom(watch$.pipe(take(count), toArray()), { defaultValue: [] });
}

/** The error that ends a watch; undefined when it completes. */
async function endOf(store: Store, prefix: string, after: number): Promise<unknown> {
  try {
    await store.watch(prefix, { after }).forEach(() => undefined);
    return undefined;
  } catch (error) {
    return error;
  }
}

if (etcdBinary === undefined) t.plan(0, etcdMissing);
else {
  const etcd = await startEtcd();
  const { version } = await gateway(etcd, 'maintenance/status', {});
  const progressIsUnordered = /^3\.(4\.([0-9]|[12][0-9]|30)|5\.([0-9]|1[0-2]))$/.test(String(version));
  const used: Store[] = [];
  const open = (options: Partial<EtcdStoreOptions> = {}): Store => {
    const store = etcdStore({ endpoints: [etcd.endpoint], clock, random: random('stores'), ...options });
    used.push(store);
    return store;
  };
  t.teardown(async () => {
    await Promise.all(used.map((store) => store.close()));
    await etcd.dispose();
  });

  t.test('an unused etcd is at revision 1, and the first commit gets 2', async (t) => {
    const store = open();
    t.equal(await store.revision(), 1);
    t.strictSame(await store.commit({ put: [{ key: '/registry/first', value: {} }] }), {
      committed: true,
      revision: 2,
    });
    t.match(
      await batches(store.watch('', { after: 0 }), 1),
      [{ revision: 2, changes: [{ key: '/registry/first' }] }],
      'a watch after 0 shows it',
    );
  });

  t.test('the store keeps every promise', async (t) => {
    // Much of the time is spent waiting for leases and for etcd's look at its watches every 100 ms: checks run side by
    // side, each with an etcd of its own for as long as it takes and a prefix below which nothing is yet.
    const sideBySide = 3;
    const others = await Promise.all(Array.from({ length: sideBySide - 1 }, () => startEtcd()));
    t.teardown(() => Promise.all(others.map((other) => other.dispose())));
    const free = [etcd, ...others];
    let made = 0;
    const makeHarness = async (): Promise<StoreHarness> => {
      const server = free.pop();
      if (server === undefined) throw new Error('more checks at once than there are servers');
      const endpoints = [server.endpoint];
      const prefix = `/suite-${made++}`;
      // Patient, for on a loaded machine a hundred watches that all catch up take more than the usual five seconds.
      const timeoutMs = 20_000;
      let store = open({ endpoints, prefix, random: random(prefix), timeoutMs });
      return {
        store,
        elapse: async (ms) => {
          await firstValueFrom(clock.timer(ms), { defaultValue: 0 });
        },
        reopen: async () => {
          await store.close();
          store = open({ endpoints, prefix, random: random(`${prefix} again`), timeoutMs });
          return store;
        },
        limits: { keyBytesMax: 4096, valueBytesMax: 1_572_864, operationsMax: 128 },
        usedBefore: true,
        patienceMs: timeoutMs,
        dispose: async () => {
          await store.close();
          free.push(server);
        },
      };
    };
    t.jobs = sideBySide;
    storeSuite((name, run) => t.test(name, { buffered: true }, run), makeHarness);
  });

  t.test('a recorded history of operations by 32 clients has one order that explains it', async (t) => {
    const history = await recordHistory(open({ prefix: '/history' }), {
      seed: String(seed),
      clients: 32,
      operations: runs(20_000),
      keys: 12,
      clock,
      patienceMs: 30_000,
    });
    t.ok(history.operations.length >= runs(20_000), `${history.operations.length} operations`);
    t.equal(checkRevisions(history)?.sentence, undefined);
    t.equal(checkRegisters(registersOf(history))?.sentence, undefined);
  });

  t.test('keys and values lie in etcd as a kube-apiserver puts them, for every tool to read and write', async (t) => {
    const store = open();
    const key = '/registry/configmaps/default/settings';
    const value = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'settings' }, data: { emoji: '😀' } };
    const { revision } = await store.commit({ put: [{ key, value }] });
    const { kvs } = await gateway(etcd, 'kv/range', { key: base64(key) });
    const [kv] = kvs as Record<string, unknown>[];
    t.strictSame([text(kv?.key), text(kv?.value), kv?.mod_revision], [key, JSON.stringify(value), `${revision}`]);

    const lease = '7587862094650000001'; // a lease of another client, beyond what a number can hold
    await gateway(etcd, 'lease/grant', { ID: lease, TTL: 600 });
    const written = batches(store.watch(key, { after: revision }), 1);
    await gateway(etcd, 'kv/put', { key: base64(key), value: base64('{"by":"another tool"}'), lease });
    const { entry } = await store.get(key);
    t.match(entry, { value: { by: 'another tool' }, lease: BigInt(lease).toString(16) });
    t.match(await written, [
      { changes: [{ type: 'put', entry: { value: { by: 'another tool' } }, previous: { value } }] },
    ]);
    await store.commit({ put: [{ key, value, ...(entry?.lease !== undefined && { lease: entry.lease }) }] });
    t.match(
      (await gateway(etcd, 'kv/range', { key: base64(key) })).kvs,
      [{ lease }],
      'the lease of a foreigner is kept to the bit',
    );

    const after = await store.revision();
    await gateway(etcd, 'kv/put', { key: base64('/registry/foreign/protobuf'), value: base64('k8s\0…') });
    t.equal(await refusal(store.get('/registry/foreign/protobuf')), 'corrupt', 'what is not JSON');
    t.equal(await refusal(store.list('/registry/foreign/')), 'corrupt');
    t.ok(isStoreError(await endOf(store, '/registry/foreign/', after), 'corrupt'));
    await gateway(etcd, 'kv/put', { key: base64('/registry/foreign/list'), value: base64('[]') });
    t.equal(await refusal(store.get('/registry/foreign/list')), 'corrupt', 'what is no object');
  });

  t.test('a value that is frozen and no JSON, or nested without end, is refused before it is sent', async (t) => {
    let deep: JsonObject = Object.freeze({});
    for (let depth = 0; depth < 200_000; depth++) deep = Object.freeze({ d: deep });
    const number = Object.freeze({ n: 7n }) as unknown as JsonObject;
    const store = open({ endpoints: ['http://127.0.0.1:1'] });
    for (const value of [deep, number])
      t.equal(await refusal(store.commit({ put: [{ key: '/registry/odd', value }] })), 'invalid');
  });

  t.test('values are encrypted at rest as a kube-apiserver does it, and read again everywhere', async (t) => {
    const encryption = await encryptionFor({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [
        {
          resources: ['secrets'],
          providers: [{ aesgcm: { keys: [{ name: 'key1', secret: btoa('sixteen byte key') }] } }, { identity: {} }],
        },
      ],
    });
    const transformer = transformerByKey(encryption, (key) => ({ group: '', resource: key.split('/')[2] ?? '' }));
    const [plain, store] = [open(), open({ transformer })];
    const key = '/registry/secrets/default/token';
    const { revision: first } = await plain.commit({ put: [{ key, value: { is: 'in the clear' } }] });
    t.match(await store.get(key), { entry: { value: { is: 'in the clear' }, stale: true } });
    const { revision } = await store.commit({ put: [{ key, value: { is: 'secret' } }] });
    const { kvs } = await gateway(etcd, 'kv/range', { key: base64(key) });
    t.match(text((kvs as Record<string, unknown>[])[0]?.value), /^k8s:enc:aesgcm:v1:key1:/);
    await store.commit({ put: [{ key, value: { is: 'another' } }] });
    t.match(await store.list('/registry/secrets/'), { entries: [{ key, value: { is: 'another' }, stale: undefined }] });
    t.match(await store.commit({ compare: [{ key, modRevision: revision }] }), {
      committed: false,
      found: [{ value: { is: 'another' } }],
    });
    t.match(await batches(store.watch(key, { after: first }), 2), [
      { changes: [{ entry: { value: { is: 'secret' } }, previous: { value: { is: 'in the clear' } } }] },
      { changes: [{ entry: { value: { is: 'another' } }, previous: { value: { is: 'secret' } } }] },
    ]);
    t.equal(await refusal(plain.get(key)), 'corrupt', 'without the key');
  });

  t.test('two stores share one cluster: what one commits the other reads and watches, and only one wins', async (t) => {
    const [one, other] = [open(), open()];
    const after = await one.revision();
    const seen = batches(other.watch('/registry/shared/', { after }), 20);
    const race = async (n: number): Promise<number> => {
      const key = `/registry/shared/${n}`;
      const outcomes = await Promise.all(
        [one, other].map((store, who) =>
          store.commit({ compare: [{ key, modRevision: 0 }], put: [{ key, value: { who } }] }),
        ),
      );
      return outcomes.filter(({ committed }) => committed).length;
    };
    t.strictSame(
      await Promise.all(Array.from({ length: 20 }, (_, n) => race(n))),
      Array(20).fill(1),
      'exactly one creates each key',
    );
    t.strictSame(
      (await seen).map(({ revision }) => revision),
      Array.from({ length: 20 }, (_, n) => after + 1 + n),
    );
    await other.commit({ put: [{ key: '/registry/shared/last', value: { by: 'other' } }] });
    t.match(
      await one.get('/registry/shared/last'),
      { entry: { value: { by: 'other' } } },
      'a read sees every acknowledged write of another process',
    );
    await other.commit({ put: [{ key: '/registry/shared/before', value: {} }] });
    const next = batches(one.watch('/registry/shared/'), 1);
    const { revision } = await one.commit({ put: [{ key: '/registry/shared/after', value: {} }] });
    t.match(await next, [{ revision }], 'a watch without a revision leaves out what another process wrote before');
  });

  t.test('answers over 4 MB: lists, histories, and one revision in several messages', async (t) => {
    const store = open();
    const filler = 'x'.repeat(20_000);
    const after = await store.revision();
    for (let batch = 0; batch < 10; batch++) {
      await store.commit({
        put: Array.from({ length: 60 }, (_, n) => ({ key: `/registry/large/${batch}-${n}`, value: { batch, filler } })),
      });
    }
    const { entries } = await store.list('/registry/large/');
    t.equal(entries.length, 600, '12 MB in one list');
    const history = await batches(store.watch('/registry/large/', { after }), 10);
    t.strictSame(
      history.map(({ changes }) => changes.length),
      Array(10).fill(60),
      'and in one watch that catches up',
    );
    const rewritten = batches(store.watch('/registry/large/', { after: await store.revision() }), 1);
    await store.commit({
      put: Array.from({ length: 60 }, (_, n) => ({ key: `/registry/large/0-${n}`, value: { again: true, filler } })),
    });
    t.equal(
      (await rewritten)[0]?.changes.length,
      60,
      'a revision that etcd sends in parts, with previous values, is one batch',
    );
    const parallel = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        store.commit({ put: [{ key: `/registry/large/p${n}`, value: { filler: 'y'.repeat(1_000_000) } }] }),
      ),
    );
    t.equal(parallel.filter(({ committed }) => committed).length, 40, '40 MB under way at once');
  });

  t.test('a compaction overtakes a watch that is interrupted: it fails, and never skips', async (t) => {
    const own = await startEtcd({ flags: ['--heartbeat-interval=50', '--election-timeout=500'] });
    t.teardown(() => own.dispose());
    const [store, other] = [open({ endpoints: [own.endpoint] }), open({ endpoints: [own.endpoint] })];
    const key = '/registry/compacted/key';
    const { revision: first } = await store.commit({ put: [{ key, value: { is: 1 } }] });
    const end = endOf(store, '/registry/compacted/', first);
    await store.requestProgress();
    await own.kill();
    await own.start();
    // The watch comes back by itself; whether before or after the compaction, it must not skip revision `first` + 1.
    await other.commit({ delete: [key] });
    const { revision } = await other.commit({ put: [{ key, value: { is: 3 } }] });
    await other.compact(revision);
    const late = await endOf(store, '/registry/compacted/', first);
    t.match(late, { code: 'compacted', revision });
    t.match(
      await endOf(store, '/registry/compacted/', revision - 1),
      { code: 'compacted', revision },
      'also right before it, where etcd itself would leave out deletions',
    );
    t.equal(await refusal(store.list('/registry/', { revision: first })), 'compacted');
    await store.close();
    await end;
  });

  t.test('a quiet watch and a compaction: progress is never claimed for what may have been missed', async (t) => {
    const store = open();
    const { revision: after } = await store.commit({ put: [{ key: '/registry/busy/key', value: {} }] });
    const received: Batch[] = [];
    const end = store
      .watch('/registry/quiet/', { after })
      .forEach((batch) => received.push(batch))
      .catch((error: unknown) => error);
    await store.requestProgress();
    for (let n = 0; n < 3; n++) await store.commit({ put: [{ key: '/registry/busy/key', value: { n } }] });
    await store.compact(after + 3);
    t.equal(await refusal(store.requestProgress()), 'accepted');
    if (progressIsUnordered)
      t.match(
        await end,
        { code: 'compacted', revision: after + 3 },
        'an old etcd cannot say whether all was delivered: list again',
      );
    else t.strictSame(received.at(-1), { revision: after + 3, changes: [] });
    t.strictSame(
      received.filter(({ changes }) => changes.length > 0),
      [],
    );
    await store.close();
  });

  t.test(
    'with authentication: tokens are fetched, renewed after a restart, and permissions are honoured',
    async (t) => {
      const own = await startEtcd({ flags: ['--heartbeat-interval=50', '--election-timeout=500'] });
      t.teardown(() => own.dispose());
      const users = [
        ['root', 'root', { key: base64('\0'), range_end: base64('\0') }],
        ['app', 'registry', { key: base64('/registry/'), range_end: base64('/registry0') }],
      ] as const;
      for (const [user, role, range] of users) {
        await gateway(own, 'auth/user/add', { name: user, password: `${user} password` });
        await gateway(own, 'auth/role/add', { name: role });
        await gateway(own, 'auth/role/grant', { name: role, perm: { permType: 'READWRITE', ...range } });
        await gateway(own, 'auth/user/grant', { user, role });
      }
      await gateway(own, 'auth/enable', {});
      const login = (username: string, password = `${username} password`): Store =>
        open({ endpoints: [own.endpoint], auth: { username, password } });
      const [root, app] = [login('root'), login('app')];
      const key = '/registry/auth/key';
      const seen = batches(app.watch('/registry/auth/', { after: await app.revision() }), 2);
      const quiet = app.watch('/registry/quiet/', { after: await app.revision() }).forEach(() => undefined);
      await app.commit({ put: [{ key, value: { is: 1 } }] });
      t.match(await root.get(key), { entry: { value: { is: 1 } } });
      await own.kill();
      await own.start(); // etcd forgets its tokens
      await app.commit({ put: [{ key, value: { is: 2 } }] });
      t.match(await app.get(key), { entry: { value: { is: 2 } } });

      t.equal(
        await refusal(app.requestProgress()),
        progressIsUnordered ? 'unavailable' : 'accepted',
        'an old etcd has to let all keys be read for that',
      );

      t.equal(await refusal(app.get('/elsewhere/key')), 'unavailable');
      t.equal(await refusal(app.commit({ put: [{ key: '/elsewhere/key', value: {} }] })), 'unavailable');
      t.match(await endOf(app, '/elsewhere/', 1), { code: 'unavailable', message: /permission denied/ });
      t.match(
        await login('app', 'wrong')
          .get(key)
          .catch((error: unknown) => error),
        { code: 'unavailable', message: /authentication failed/ },
      );
      t.match(
        await open({ endpoints: [own.endpoint] })
          .get(key)
          .catch((error: unknown) => error),
        { code: 'unavailable', message: /user name is empty/ },
      );
      t.match(await endOf(login('app', 'wrong'), '/registry/', 1), { code: 'unavailable' });
      t.equal(
        await refusal(open({ auth: { username: 'nobody', password: 'x' } }).get(key)),
        'accepted',
        'an etcd without authentication asks for none',
      );
      t.match(
        await seen,
        [1, 2].map((is) => ({ changes: [{ type: 'put', entry: { value: { is } } }] })),
        'the watch went on after the restart',
      );
      await app.close();
      await quiet;
    },
  );

  t.test(
    'with TLS, both sides proving who they are',
    { skip: existsSync('/usr/bin/openssl') ? false : 'openssl is not installed' },
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'vivarium-tls-'));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      const path = (name: string): string => join(folder, name);
      const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' });
      for (const authority of ['ca', 'other-ca']) {
        openssl(
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
          '-subj',
          `/CN=${authority}`,
          '-keyout',
          path(`${authority}.key`),
          '-out',
          path(`${authority}.pem`),
        );
      }
      writeFileSync(
        path('names'),
        'subjectAltName=IP:127.0.0.1,DNS:etcd.example\nextendedKeyUsage=serverAuth,clientAuth\n',
      );
      for (const name of ['server', 'client']) {
        openssl(
          'req',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-subj',
          `/CN=${name}`,
          '-keyout',
          path(`${name}.key`),
          '-out',
          path(`${name}.csr`),
        );
        openssl(
          'x509',
          '-req',
          '-in',
          path(`${name}.csr`),
          '-CA',
          path('ca.pem'),
          '-CAkey',
          path('ca.key'),
          '-CAcreateserial',
          '-days',
          '2',
          '-extfile',
          path('names'),
          '-out',
          path(`${name}.pem`),
        );
      }
      const own = await startEtcd({ tls: { cert: path('server.pem'), key: path('server.key'), ca: path('ca.pem') } });
      t.teardown(() => own.dispose());
      const read = (name: string): string => readFileSync(path(name), 'utf8');
      const [ca, cert, key] = [read('ca.pem'), read('client.pem'), read('client.key')];
      const endpoints = [own.endpoint];
      const store = open({ endpoints, tls: { ca, cert, key } });
      const first = batches(store.watch('/registry/', { after: 1 }), 1);
      await store.commit({ put: [{ key: '/registry/tls', value: { secret: true } }] });
      t.match(await first, [{ changes: [{ key: '/registry/tls' }] }]);
      t.equal(
        await refusal(open({ endpoints, tls: { ca, cert, key, serverName: 'etcd.example' } }).get('/registry/tls')),
        'accepted',
        'by another name of the certificate',
      );
      const timeoutMs = 300;
      t.equal(
        await refusal(
          open({ endpoints, timeoutMs, tls: { ca, cert, key, serverName: 'elsewhere.example' } }).get('/registry/tls'),
        ),
        'unavailable',
        'the certificate is not for that name',
      );
      t.equal(
        await refusal(
          open({ endpoints, timeoutMs, tls: { ca: read('other-ca.pem'), cert, key } }).get('/registry/tls'),
        ),
        'unavailable',
        'signed by another authority',
      );
      t.equal(
        await refusal(
          open({ endpoints, timeoutMs, tls: { ca } }).commit({ put: [{ key: '/registry/tls', value: {} }] }),
        ),
        'unavailable',
        'without a certificate of the client',
      );
    },
  );

  t.test('a full database is refused as no-space, what was refused is not there, and reading goes on', async (t) => {
    const own = await startEtcd({ flags: ['--quota-backend-bytes=2000000'] });
    t.teardown(() => own.dispose());
    const store = open({ endpoints: [own.endpoint] });
    const results = new Map<string, StoreErrorCode | 'accepted'>();
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          const key = `/registry/full/${writer}-${n}`;
          results.set(key, await refusal(store.commit({ put: [{ key, value: { filler: 'x'.repeat(20_000) } }] })));
        }
      }),
    );
    const codes = [...results.values()];
    t.ok(
      codes.includes('no-space') && codes.includes('accepted'),
      `${codes.filter((code) => code === 'no-space').length} of ${codes.length} refused, ${codes.filter((code) => code === 'unknown-outcome').length} unknown`,
    );
    t.strictSame(
      codes.filter((code) => !['accepted', 'no-space', 'unknown-outcome'].includes(code)),
      [],
    );
    const there = new Set((await store.list('/registry/full/')).entries.map(({ key }) => key));
    const wrong = [...results].filter(
      ([key, code]) => (code === 'accepted' && !there.has(key)) || (code === 'no-space' && there.has(key)),
    );
    t.strictSame(wrong, [], 'what was acknowledged is there, what was refused is not');
  });

  t.test(
    'an etcd that has stopped answering: commits are unknown, reads unavailable, all in bounded time; then it goes on',
    async (t) => {
      const own = await startEtcd();
      t.teardown(() => own.dispose());
      const store = open({ endpoints: [own.endpoint], timeoutMs: 500 });
      const key = '/registry/frozen/key';
      const { revision } = await store.commit({ put: [{ key, value: { is: 1 } }] });
      const next = batches(store.watch('/registry/frozen/', { after: revision }), 1);
      own.freeze();
      const calls = [
        store.commit({ compare: [{ key, modRevision: revision }], put: [{ key, value: { is: 2 } }] }),
        store.get(key),
        store.revision(),
        store.grantLease(10_000),
      ];
      t.strictSame(await Promise.all(calls.map(refusal)), [
        'unknown-outcome',
        'unavailable',
        'unavailable',
        'unavailable',
      ]);
      own.thaw();
      const { entry } = await store.get(key);
      t.ok(entry?.value.is === 1 || entry?.value.is === 2, 'reading resolves what was unknown');
      await store.commit({ put: [{ key, value: { is: 3 } }] });
      t.equal((await next)[0]?.changes[0]?.previous?.modRevision, revision, 'the watch goes on');
    },
  );

  t.test('several endpoints: the dead ones are passed over, and a member that dies is left', async (t) => {
    const dead = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
    const store = open({ endpoints: [...dead, etcd.endpoint] });
    t.equal(await refusal(store.get('/registry/any')), 'accepted');
    const none = open({ endpoints: dead, timeoutMs: 200 });
    t.strictSame(
      await Promise.all(
        [none.get('/registry/any'), none.commit({ put: [{ key: '/registry/any', value: {} }] })].map(refusal),
      ),
      ['unavailable', 'unavailable'],
      'nothing happened: no server was reached',
    );
    for (const endpoints of [[], ['127.0.0.1:2379'], ['ftp://127.0.0.1'], ['http://']])
      t.throws(() => open({ endpoints }), { code: 'invalid' });
  });

  t.test(
    'a watch without a revision begins when it is subscribed, also if etcd comes up later; writes wait for it',
    async (t) => {
      const own = await startEtcd({ flags: ['--heartbeat-interval=50', '--election-timeout=500'] });
      t.teardown(() => own.dispose());
      await own.kill();
      const store = open({ endpoints: [own.endpoint] });
      const first = batches(store.watch('/registry/late/'), 1);
      const commit = store.commit({ put: [{ key: '/registry/late/key', value: {} }] });
      await own.start();
      t.match(await first, [{ revision: (await commit).revision }]);
    },
  );

  t.test('a closed store leaves no timer behind, whatever was going on', async (t) => {
    const time = virtualClock();
    const store = etcdStore({
      endpoints: [etcd.endpoint, 'http://127.0.0.1:1'],
      clock: time,
      random: random('closing'),
    });
    const watches = Promise.all(['/a/', '/b/', '/c/'].map((prefix) => store.watch(prefix).forEach(() => undefined)));
    await store.commit({ put: [{ key: '/registry/closing', value: {} }] });
    const calls = Promise.allSettled([store.requestProgress(), store.get('/a/b'), store.commit({ delete: ['/a/b'] })]);
    await store.close();
    await Promise.all([watches, calls]);
    t.equal(time.pending, 0);
  });
}
