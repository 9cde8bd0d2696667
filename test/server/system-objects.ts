// System objects while a server runs: what Kubernetes keeps in existence comes back, FlowSchemas have the condition
// Dangling, components are reported, and a store without space can still be read.
import t from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore, StoreError } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';

const clusterOf = () =>
  createCluster({ clock: virtualClock({ start: Date.parse('2026-03-01T12:00:00Z') }), random: random(1), nodes: 1 });

void t.test('the Service kubernetes comes back within ten seconds of its deletion, with its address', async (t) => {
  await using cluster = await clusterOf();
  const services = cluster.client.kind('v1', 'Service').in('default');
  const { metadata, spec } = await services.get('kubernetes');
  await cluster.advance('3s');
  await services.delete('kubernetes');
  await cluster.advance('6s');
  t.equal(await services.find('kubernetes'), undefined, 'not before the interval ends');
  await cluster.advance('1s');
  const again = await services.get('kubernetes');
  t.not(again.metadata.uid, metadata.uid);
  t.strictSame(again.spec, spec);
  t.strictSame(again.metadata.labels, metadata.labels);
  const address = await cluster.client.kind('networking.k8s.io/v1', 'IPAddress').get('10.96.0.1');
  t.equal(address.spec.parentRef.name, 'kubernetes', 'its address is allocated to it');
  await services.delete('kubernetes');
  await services.create({ metadata: { name: 'other' }, spec: { ports: [{ port: 1 }], clusterIP: '10.96.0.1' } });
  await cluster.advance('1m');
  t.equal(await services.find('kubernetes'), undefined, 'not while another Service has its address');
  await services.delete('other');
  await cluster.advance('10s');
  t.ok(await services.find('kubernetes'));
  await cluster.settled();
  await cluster.close();
  t.equal(cluster.clock.pending, 0);
});

void t.test('system namespaces, API services and priority levels come back', async (t) => {
  await using cluster = await clusterOf();
  const namespaces = cluster.client.kind('v1', 'Namespace');
  await namespaces.delete('kube-node-lease');
  await cluster.advanceUntil(async () => (await namespaces.find('kube-node-lease')) === undefined, '1m');
  await cluster.advance('1m');
  t.match(await namespaces.get('kube-node-lease'), { status: { phase: 'Active' } });
  const apis = cluster.client.kind('apiregistration.k8s.io/v1', 'APIService');
  await apis.delete('v1.apps');
  await cluster.settled();
  await cluster.advance(1);
  t.match(await apis.get('v1.apps'), { status: { conditions: [{ type: 'Available', status: 'True' }] } });
  const levels = cluster.client.kind('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration');
  await levels.delete('workload-low');
  await cluster.advance('1m');
  t.ok(await levels.find('workload-low'));
});

void t.test('a FlowSchema has the condition Dangling, which follows its priority level', async (t) => {
  await using cluster = await clusterOf();
  const { client } = cluster;
  const schemas = client.kind('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema');
  const levels = client.kind('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration');
  const conditionOf = async (name: string) => (await schemas.get(name)).status?.conditions?.[0];
  await schemas.create({
    metadata: { name: 'mine' },
    spec: { priorityLevelConfiguration: { name: 'own' }, matchingPrecedence: 500 },
  });
  await cluster.settled();
  t.match(await conditionOf('mine'), {
    type: 'Dangling',
    status: 'True',
    reason: 'NotFound',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "own" but there is no such object',
    lastTransitionTime: '2026-03-01T12:00:00Z',
  });
  await cluster.advance('1h');
  await levels.create({
    metadata: { name: 'own' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  });
  await cluster.settled();
  t.match(await conditionOf('mine'), {
    status: 'False',
    reason: 'Found',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "own" and it exists',
    lastTransitionTime: '2026-03-01T13:00:00Z',
  });
  await levels.delete('own');
  await schemas.delete('service-accounts');
  await cluster.settled();
  t.match(await conditionOf('mine'), { status: 'True', reason: 'NotFound' });
  await levels.delete('exempt').catch(() => undefined);
  await cluster.settled();
  t.match(await conditionOf('exempt'), { status: 'False', reason: 'Found' }, 'mandatory levels count as existing');
});

void t.test('a server announces itself by a Lease, and since when tokens in Secrets are tracked', async (t) => {
  await using cluster = await clusterOf();
  const leases = cluster.client.kind('coordination.k8s.io/v1', 'Lease').in('kube-system');
  const { items } = await leases.list({ labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver' });
  t.equal(items.length, 1);
  t.match(items[0]?.metadata.name, /^apiserver-[a-z2-7]{26}$/);
  t.match(items[0]?.metadata.labels, { 'kubernetes.io/hostname': 'vivarium' });
  t.match(items[0]?.spec?.holderIdentity, /^apiserver-[a-z2-7]{26}_[0-9a-f-]{36}$/);
  t.match(items[0]?.spec, { leaseDurationSeconds: 3600, renewTime: '2026-03-01T12:00:00.000000Z' });
  const maps = cluster.client.kind('v1', 'ConfigMap').in('kube-system');
  const name = 'kube-apiserver-legacy-service-account-token-tracking';
  t.strictSame((await maps.get(name)).data, { since: '2026-03-01' });
  await maps.delete(name);
  await cluster.advance('30m');
  t.ok(await maps.find(name));
});

void t.test('component statuses report the parts that run beside the server', async (t) => {
  const statuses = async (options: Parameters<typeof createCluster>[0]): Promise<readonly string[]> => {
    await using cluster = await createCluster({ clock: virtualClock(), ...options });
    const { items } = await cluster.client.kind('v1', 'ComponentStatus').list();
    return items.map(
      ({ metadata, conditions }) => `${metadata.name} ${conditions?.[0]?.status} ${conditions?.[0]?.message}`,
    );
  };
  t.strictSame(await statuses({}), ['scheduler True ok', 'controller-manager True ok', 'etcd-0 True ok']);
  t.strictSame(await statuses({ scheduler: false, controllers: [] }), [
    'scheduler False Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
    'controller-manager False Get "https://127.0.0.1:10257/healthz": dial tcp 127.0.0.1:10257: connect: connection refused',
    'etcd-0 True ok',
  ]);
});

void t.test('simulated nodes state the version of their kubelet', async (t) => {
  await using cluster = await clusterOf();
  const { status } = await cluster.client.kind('v1', 'Node').get('node-1');
  t.match(status?.nodeInfo, { kubeletVersion: /^v1\.36\.\d+/, operatingSystem: 'linux', architecture: 'amd64' });
});

void t.test('a server whose store has no space left starts, and objects can be read', async (t) => {
  const below = memoryStore();
  const first = createServer({ store: below });
  await inProcessClient(first.handler)
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'a' } });
  await first.close();
  const full: Store = {
    ...boundStore(below),
    commit: async (transaction) => {
      const { compare = [] } = transaction;
      const found = await Promise.all(compare.map(async ({ key }) => (await below.get(key)).entry));
      if (found.some((entry, index) => (entry?.modRevision ?? 0) !== compare[index]?.modRevision))
        return { committed: false, revision: await below.revision(), found };
      throw new StoreError('no-space', 'the disk is full');
    },
  };
  const server = createServer({ store: full, serverAddress: '10.1.2.3:6443' });
  const maps = inProcessClient(server.handler).kind('v1', 'ConfigMap').in('default');
  t.ok(await maps.get('a'));
  t.equal((await maps.list()).items.length, 1);
  const refusal = await maps.create({ metadata: { name: 'b' } }).catch((error: unknown) => error);
  t.ok(isApiError(refusal), 'writes are refused by a Status');
  await server.publishAddress('10.1.2.4:6443');
  await server.close();
  await below.close();
});

/** The methods of a store as functions of their own. */
function boundStore(store: Store): Store {
  return {
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    commit: (transaction) => store.commit(transaction),
    watch: (prefix, options) => store.watch(prefix, options),
    revision: () => store.revision(),
    requestProgress: () => store.requestProgress(),
    compact: (revision) => store.compact(revision),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => store.close(),
  };
}
