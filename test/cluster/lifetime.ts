// Lifetimes: what was not closed does not keep a process alive, `await using` closes, calls after the close are refused
// by one error, and options that are wrong are named.
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom, toArray } from 'rxjs';
import t from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import { createCluster } from '../../lib/cluster/index.js';
import type { ClusterOptions } from '../../lib/cluster/index.js';
import { isApiError, virtualClock } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ServerOptions } from '../../lib/server/index.js';
import { isStoreError, memoryStore } from '../../lib/storage/index.js';
import { bundledProgram } from '../support/bundled-program.js';

/** Output of a program; rejects if it has not ended after two minutes, or ends with a code other than 0. */
const output = (program: string, env: Readonly<Record<string, string>> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    execFile(
      process.execPath,
      [program],
      { env: { ...inherited, ...env }, timeout: 120_000 },
      (error, stdout, stderr) => (error === null ? resolve(stdout + stderr) : reject(new Error(stdout + stderr))),
    );
  });

void t.test('a program ends although it closed neither cluster, store nor watch', async (t) => {
  const program = fileURLToPath(await bundledProgram('test/support/forgotten-close.ts'));
  const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
  const folder = t.testdir({});
  const modes = ['plain', 'sqlite', 'listening', 'waiting', 'iterating', 'settling'];
  for (const MODE of modes)
    t.equal(await output(program, { MODE, FOLDER: folder, WORKER: worker.href }), 'done\n', MODE);
});

void t.test('watches can be iterated over', async (t) => {
  await using cluster = await createCluster({ clock: virtualClock(), scheduler: false });
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const seen: string[] = [];
  const events = maps.watch({ fieldSelector: 'metadata.name=a' });
  const iterating = (async () => {
    for await (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (event.type === 'DELETED') break;
    }
  })();
  await cluster.settled();
  await maps.create({ metadata: { name: 'a' } });
  await maps.create({ metadata: { name: 'b' } });
  await maps.delete('a');
  await iterating;
  t.strictSame(seen, ['ADDED a', 'DELETED a']);
  const failing = maps.watch({ resourceVersion: 'x' })[Symbol.asyncIterator]();
  await t.rejects(failing.next(), { message: /Invalid value: "x"/ }, 'errors of the watch are thrown');
  t.strictSame(await failing.next(), { done: true, value: undefined });
});

void t.test('an iteration that falls behind by more than 10,000 events ends with Expired', async (t) => {
  await using cluster = await createCluster({ clock: virtualClock(), scheduler: false, controllers: [] });
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const iterator = maps.watch({ fieldSelector: 'metadata.name=a' })[Symbol.asyncIterator]();
  const first = iterator.next();
  await cluster.settled();
  await maps.create({ metadata: { name: 'a' } });
  t.match(await first, { value: { type: 'ADDED' } });
  for (let count = 0; count <= 10_001; count++) await maps.patch('a', { merge: { data: { count: `${count}` } } });
  let events = 0;
  const reading = async (): Promise<void> => {
    for (;;) {
      await iterator.next();
      events += 1;
    }
  };
  t.ok(isApiError(await reading().catch((error: unknown) => error), 'Expired'));
  t.equal(events, 10_001, 'after those that were kept');
});

void t.test('calls after the close are refused with ServiceUnavailable', async (t) => {
  const cluster = await createCluster({ clock: virtualClock() });
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  await cluster.close();
  const refused = async (call: () => Promise<unknown>): Promise<string> => {
    const error = await call().catch((reason: unknown) => reason);
    return isApiError(error, 'ServiceUnavailable') ? error.message : `not refused: ${String(error)}`;
  };
  const calls: readonly (() => Promise<unknown>)[] = [
    () => pods.get('a'),
    () => pods.list(),
    () => pods.create({ metadata: { name: 'a' }, spec: { containers: [] } }),
    () => pods.delete('a'),
    () => pods.waitFor('a', () => true),
    () => firstValueFrom(pods.watch().pipe(toArray()), { defaultValue: [] }),
    () => cluster.client.read('/version'),
  ];
  for (const call of calls) t.equal(await refused(call), 'the server is closed');
  for (const call of [() => cluster.fork(), () => cluster.at(1), () => cluster.listen()])
    t.equal(await refused(call), 'the cluster is closed');
  await cluster.close();
});

void t.test('await using closes clusters, servers, stores and ports', async (t) => {
  const store = memoryStore();
  {
    await using own = store;
    await using server = createServer({ store: own });
    t.ok(await inProcessClient(server.handler).kind('v1', 'Namespace').get('default'));
  }
  await t.rejects(store.get('/a'), { code: 'closed' });
  t.ok(isStoreError(await store.get('/a').catch((error: unknown) => error), 'closed'));
  const cluster = await createCluster();
  {
    await using opened = cluster;
    await using listening = await opened.listen({ tls: false });
    t.equal((await fetch(`${listening.url}/livez`)).status, 200);
  }
  const late = cluster.client.kind('v1', 'Namespace').list();
  t.ok(isApiError(await late.catch((error: unknown) => error), 'ServiceUnavailable'));
});

void t.test('wrong options are refused at once, by name', async (t) => {
  const wrong: readonly [object, RegExp][] = [
    [{}, /createServer: the option store is required/],
    [{ store: {} }, /createServer: the option store has no method get\(\)/],
    [{ store: memoryStore(), authorizer: [] }, /createServer: there is no option authorizer; options are store, kinds/],
    [{ store: memoryStore(), admission: {} }, /createServer: the option admission is of type array or function, not/],
    [{ store: memoryStore(), admission: [{ name: 'Mine' }] }, /admission plugin Mine: handles is missing/],
    [{ store: memoryStore(), clock: Date }, /createServer: the option clock is of type object, not function/],
  ];
  for (const [options, message] of wrong)
    t.throws(() => createServer(options as ServerOptions), { name: 'TypeError', message });
  const wrongOfCluster: readonly [object | number, RegExp][] = [
    [{ node: 3 }, /createCluster: there is no option node; options are clock, random/],
    [{ nodes: '3' }, /createCluster: the option nodes is of type number or object, not string/],
    [{ nodes: -1 }, /nodes is a whole number/],
    [{ controllers: 'all' }, /createCluster: the option controllers is of type array, not string/],
    [{ clock: {} }, /createCluster: the option clock has no method now\(\)/],
    [3, /createCluster: the options are an object, not number/],
  ];
  for (const [options, message] of wrongOfCluster)
    await t.rejects(createCluster(options as ClusterOptions), { message });
});

void t.test('the command says what to do where it was not built', async (t) => {
  const folder = t.testdir({});
  await mkdir(join(folder, 'bin'));
  await cp(join(import.meta.dirname, '..', '..', 'bin', 'vivarium.js'), join(folder, 'bin', 'vivarium.mjs'));
  await t.rejects(output(join(folder, 'bin', 'vivarium.mjs')), {
    message: /^vivarium is not built yet: run `npm ci` and `npm run build` in its folder first\n$/,
  });
});
