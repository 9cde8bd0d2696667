// A server that ends and begins anew on the same store and port, with the same authority: nothing is lost, nothing is
// renumbered, and clients that watch go on where they were.
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filter, firstValueFrom, map } from 'rxjs';
import t, { type Test } from 'tap';
import { httpClient } from '../../lib/client/index.js';
import { connect, loadKubeconfig } from '../../lib/client/node/index.js';
import { systemClock, systemRandom, watcher } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import { apiServerHosts, createAuthority, kubeconfig, listen } from '../../lib/server/node/index.js';
import { etcdStore } from '../../lib/storage/etcd/index.js';
import type { Store } from '../../lib/storage/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import { bundledProgram } from '../support/bundled-program.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';
import { eventQueue } from '../support/event-queue.js';
import { kubectlMissing, kubectls, openSession } from '../support/kubectl.js';
import { outcome } from '../support/transcript.js';

t.test('on a file of SQLite', async (t) => {
  const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-restart-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  await survives(t, () => sqliteStore({ path: join(folder, 'store.db'), worker }));
});

t.test('on etcd', { skip: etcdBinary === undefined && etcdMissing }, async (t) => {
  const etcd = await startEtcd();
  t.teardown(() => etcd.dispose());
  await survives(t, () => etcdStore({ endpoints: [etcd.endpoint] }));
});

/** Everything a restart must leave as it was. */
async function survives(t: Test, openStore: () => Promise<Store> | Store): Promise<void> {
  const authority = createAuthority({ now: systemClock().now() });
  const start = async (port: number): Promise<Running> => {
    const store = await openStore();
    const server = createServer({ store });
    const listening = await listen(server, {
      port,
      tls: { ...authority.issueServerCertificate(apiServerHosts), clientAuthorities: authority.certificate },
    });
    return {
      url: listening.url,
      port: listening.port,
      close: async () => {
        await listening.close();
        await server.close();
        await store.close();
      },
    };
  };
  let running = await start(0);
  t.teardown(() => running.close());
  const { port, url } = running;
  const text = kubeconfig({
    server: url,
    ca: authority.certificate,
    user: { name: 'admin', certificate: authority.issueClientCertificate('admin', ['system:masters']) },
  });
  const config = new KubeConfig();
  config.loadFromString(text);
  const core = config.makeApiClient(CoreV1Api);
  using connection = connect(await loadKubeconfig({ text }));
  const configMaps = httpClient(connection).kind('v1', 'ConfigMap').in('default');
  const put = (name: string, value: string): Promise<unknown> =>
    core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name }, data: { value } } });

  for (let n = 0; n < 5; n++) await put(`kept-${n}`, 'before');
  await core.createNamespacedPod({
    namespace: 'default',
    body: { metadata: { name: 'pod' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  });
  await core.createNamespacedService({
    namespace: 'default',
    body: { metadata: { name: 'service' }, spec: { ports: [{ port: 80 }] } },
  });
  const everything = async (): Promise<readonly unknown[]> =>
    [
      await core.listConfigMapForAllNamespaces(),
      await core.listPodForAllNamespaces(),
      await core.listServiceForAllNamespaces(),
      await core.listNamespace(),
    ].map(({ items }) => items);

  // Two who watch from before the restart on. The informer of client-node is started again by its user when it fails,
  // as its documentation says; our watcher needs no help.
  const informed = eventQueue<string>();
  const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
    core.listNamespacedConfigMap({ namespace: 'default' }),
  );
  informer.on('add', ({ metadata }) => informed.push(`add ${metadata?.name}`));
  informer.on('delete', ({ metadata }) => informed.push(`delete ${metadata?.name}`));
  // A start aborts the connection before it, which is no reason to start once more.
  informer.on('error', (error) => {
    if (!(error instanceof Error && error.name === 'AbortError')) informed.push('error');
  });
  await informer.start();
  const watched = eventQueue<string>();
  const subscription = watcher(configMaps, {
    clock: systemClock(),
    random: systemRandom(),
    backoff: { baseMs: 50, factor: 1, maxMs: 50, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity },
  })
    .pipe(
      filter(
        (event) =>
          event.type === 'synced' || event.type === 'applied' || event.type === 'deleted' || event.type === 'init',
      ),
      map((event) => ('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type)),
    )
    .subscribe((event) => watched.push(event));
  t.teardown(() => subscription.unsubscribe());
  for (let n = 0; n < 5; n++) t.equal(await informed.next(), `add kept-${n}`);
  t.same([await watched.next(), await watched.next()], ['init', 'synced']);

  const before = await everything();
  const { metadata } = await core.listNamespacedConfigMap({ namespace: 'default' });
  await running.close();
  await t.rejects(core.listNamespace(), 'no server answers');
  // What happens before the two are back is what they must not miss.
  running = await start(port);
  t.strictSame(await everything(), before, 'all objects are as they were');
  await put('new', 'after');
  await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'kept-0' });
  t.same(
    [await watched.next(), await watched.next()],
    ['applied new', 'deleted kept-0'],
    'our watcher goes on, without a new list',
  );

  let next = await informed.next();
  while (next === 'error') {
    await informer.start();
    next = await informed.next();
  }
  t.same([next, await informed.next()], ['add new', 'delete kept-0'], "client-node's informer goes on");
  await informer.stop();

  const seen = await firstValueFrom(configMaps.watch({ resourceVersion: metadata?.resourceVersion ?? '' }), {
    defaultValue: undefined,
  });
  t.match(
    seen,
    { type: 'ADDED', object: { metadata: { name: 'new' } } },
    'a watch begins at a version from before the restart',
  );
  await kubectlResumes(t, { url, text, version: metadata?.resourceVersion ?? '' });
  const latest = await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'latest' } } });
  t.ok(Number(latest.metadata?.resourceVersion) > Number(metadata?.resourceVersion), 'versions go on');
}

interface Running {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** kubectl takes up a watch where it left off. */
async function kubectlResumes(
  t: Test,
  { url, text, version }: { readonly url: string; readonly text: string; readonly version: string },
): Promise<void> {
  const kubectl = kubectls().at(-1);
  if (kubectl === undefined) {
    t.comment(kubectlMissing);
    return;
  }
  const session = openSession(kubectl, url, text);
  t.teardown(() => session.dispose());
  const command = `kubectl get --raw '/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=1&resourceVersion=${version}' | grep -o -e '"type":"[A-Z]*"' -e '"name":"[-a-z0-9]*"'`;
  const heard = await outcome({ line: 0, command, input: '', outcomes: new Map() }, session);
  t.equal(heard, '"type":"ADDED"\n"name":"new"\n"type":"DELETED"\n"name":"kept-0"');
}
