// What clients see while the store does not answer: a Status in time, and health that states it.
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import { etcdStore } from '../../lib/storage/etcd/index.js';
import { memoryStore, StoreError } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';

/** Text and code of a GET. */
async function read(
  handler: ReturnType<typeof fetchHandler>,
  path: string,
): Promise<{ readonly code: number; readonly text: string }> {
  const response = await handler(new Request(`http://vivarium${path}`));
  return { code: response.status, text: await response.text() };
}

const timedOut = {
  message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  status: { code: 504, reason: 'Timeout', details: {} },
};

void t.test('while etcd is paused, requests end with 504 and health checks fail', async (t) => {
  if (etcdBinary === undefined) {
    t.comment(etcdMissing);
    return;
  }
  const etcd = await startEtcd();
  const store = etcdStore({ endpoints: [etcd.endpoint], timeoutMs: 100 });
  const server = createServer({ store });
  const maps = inProcessClient(server.handler).kind('v1', 'ConfigMap').in('default');
  const wire = fetchHandler(server);
  t.teardown(async () => {
    etcd.thaw();
    await server.close();
    await store.close();
    await etcd.dispose();
  });
  await maps.create({ metadata: { name: 'a' } });
  t.match(await read(wire, '/readyz'), { code: 200, text: 'ok' });
  etcd.freeze();
  await t.rejects(maps.create({ metadata: { name: 'b' } }), timedOut, 'create');
  await t.rejects(maps.patch('a', { merge: { data: { k: 'v' } } }), timedOut, 'patch');
  await t.rejects(maps.delete('a'), timedOut, 'delete');
  await t.rejects(maps.get('a'), timedOut, 'get');
  await t.rejects(maps.list(), timedOut, 'list');
  const overWire = await wire(
    new Request('http://vivarium/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }),
    }),
  );
  t.equal(overWire.status, 504);
  t.equal(overWire.headers.get('retry-after'), null, 'client-go does not repeat the request by itself');
  const head = '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n';
  t.same(await read(wire, '/livez?verbose'), { code: 500, text: `${head}livez check failed\n` });
  t.same(await read(wire, '/readyz?verbose'), {
    code: 500,
    text: `${head}[-]etcd-readiness failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n`,
  });
  t.match(await read(wire, '/livez/etcd'), { code: 500 });
  t.same(await read(wire, '/livez?exclude=etcd'), { code: 200, text: 'ok' });
  etcd.thaw();
  await maps.get('a');
  t.same(await read(wire, '/readyz?verbose'), {
    code: 200,
    text: '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]shutdown ok\nreadyz check passed\n',
  });
  t.same(await read(wire, '/livez?verbose'), {
    code: 200,
    text: '[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n',
  });
  t.match(await read(wire, '/livez/etcd-readiness'), { code: 404 }, 'is a check of readyz only');
});

/** A store in which calls can be replaced while it is used. */
function replaceable(store: Store): { readonly store: Store; replaced: Partial<Store> } {
  const control: { replaced: Partial<Store> } = { replaced: {} };
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(control.replaced, name) ?? Reflect.get(target, name);
      return typeof own === 'function' ? (own as (...given: unknown[]) => unknown).bind(target) : own;
    },
  });
  return Object.assign(control, { store: proxy });
}

void t.test('a health check of the store ends after two seconds, and shares the call that is under way', async (t) => {
  const clock = virtualClock();
  const memory = memoryStore({ clock });
  const faulty = replaceable(memory);
  const server = createServer({ store: faulty.store, clock, random: random(1) });
  t.teardown(async () => {
    await server.close();
    await memory.close();
  });
  const wire = fetchHandler(server, { clock });
  t.match(await read(wire, '/readyz'), { code: 200 });
  await clock.settled(); // informers of the server have listed
  let calls = 0;
  faulty.replaced = {
    revision: () => {
      calls += 1;
      return new Promise(() => undefined);
    },
  };
  const answers = Promise.all([read(wire, '/livez'), read(wire, '/readyz?verbose')]);
  while (calls === 0) await immediate();
  await immediate(); // the other request has come as far
  await clock.advance(2_000);
  const [livez, readyz] = await answers;
  t.equal(livez.code, 500);
  t.match(readyz.text, '[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\n');
  t.equal(calls, 1);
  faulty.replaced = {};
  t.match(await read(wire, '/readyz'), { code: 200, text: 'ok' });
});

void t.test('a server that cannot start serves health, and refuses the rest with a Status', async (t) => {
  const clock = virtualClock();
  const memory = memoryStore({ clock });
  const faulty = replaceable(memory);
  const server = createServer({ store: faulty.store, clock, random: random(1) });
  t.teardown(async () => {
    await server.close();
    await memory.close();
  });
  const wire = fetchHandler(server, { clock });
  const down = (): Promise<never> => Promise.reject(new StoreError('unavailable', 'etcd: connect ECONNREFUSED'));
  faulty.replaced = { commit: down, revision: down };
  t.match(await read(wire, '/livez?verbose'), { code: 500, text: '[-]etcd failed: reason withheld' });
  const refused = await read(wire, '/api/v1/namespaces');
  t.equal(refused.code, 504);
  t.notMatch(refused.text, 'ECONNREFUSED', 'the text of the backend stays in the process');
  faulty.replaced = {};
  t.match(await read(wire, '/livez'), { code: 200 });
  t.match(await read(wire, '/api/v1/namespaces'), { code: 200 });
});

void t.test('what etcd itself says is passed on, as Kubernetes does', async (t) => {
  const clock = virtualClock();
  const memory = memoryStore({ clock });
  const faulty = replaceable(memory);
  const server = createServer({ store: faulty.store, clock, random: random(1) });
  t.teardown(async () => {
    await server.close();
    await memory.close();
  });
  const maps = inProcessClient(server.handler).kind('v1', 'ConfigMap').in('default');
  await server.started();
  const text = 'etcd: etcdserver: request timed out; whether the change was made is not known';
  faulty.replaced = { commit: () => Promise.reject(new StoreError('unknown-outcome', text)) };
  await t.rejects(maps.create({ metadata: { name: 'a' } }), {
    message: 'etcdserver: request timed out',
    status: { code: 500 },
  });
});
