// The plugin ResourceQuota: what is charged, what is refused in the words of Kubernetes, and that a quota holds however
// many clients create at once, on every store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { resourceQuotaAdmission } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { isApiError, random, systemClock, virtualClock } from '../../lib/core/index.js';
import type { ResourceQuota } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { etcdStore } from '../../lib/storage/etcd/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';
import { isLongRun, seed } from '../support/properties.js';

function clientOf(test: Test, configuration?: unknown): Client {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const admission = (tools: Parameters<typeof resourceQuotaAdmission>[0]) => [
    resourceQuotaAdmission(tools, configuration),
  ];
  const server = createServer({ store, clock, random: random(1), admission });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return inProcessClient(server.handler, { user: administrator });
}

/** Creates a quota with a status, as the controller would leave it in an empty namespace. */
async function quotaOf(client: Client, name: string, spec: NonNullable<ResourceQuota['spec']>): Promise<void> {
  const quotas = client.kind('v1', 'ResourceQuota').in('default');
  const created = await quotas.create({ metadata: { name }, spec });
  const hard = { ...spec.hard };
  const used = Object.fromEntries(Object.keys(hard).map((each) => [each, '0']));
  await quotas.status.update({ ...created, status: { hard, used } });
}

const usedOf = async (client: Client, name = 'q'): Promise<unknown> =>
  (await client.kind('v1', 'ResourceQuota').in('default').get(name)).status?.used;

const secret = (name: string): { metadata: { name: string; namespace: string } } => ({
  metadata: { name, namespace: 'default' },
});

void t.test('objects are charged until a quota is used up', async (test) => {
  const client = clientOf(test);
  const secrets = client.kind('v1', 'Secret');
  await secrets.create(secret('before'));
  await quotaOf(client, 'q', { hard: { 'count/secrets': '2', configmaps: '1' } });
  await secrets.create(secret('a'), { dryRun: true });
  test.strictSame(await usedOf(client), { configmaps: '0', 'count/secrets': '0' }, 'a dry run is not charged');
  await secrets.create(secret('a'));
  await secrets.create(secret('b'));
  test.strictSame(await usedOf(client), { configmaps: '0', 'count/secrets': '2' });
  const refusal = {
    status: { code: 403, details: { kind: 'secrets', name: 'c' } },
    message:
      'secrets "c" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2',
  };
  await test.rejects(secrets.create(secret('c')), refusal);
  await test.rejects(secrets.create(secret('c'), { dryRun: true }), refusal, 'a dry run is checked');
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'other' } });
  await secrets.create({ metadata: { name: 'c', namespace: 'other' } });
});

void t.test(
  'a quota without a status, or with one that lacks a resource, admits nothing that it measures',
  async (test) => {
    const client = clientOf(test);
    const quotas = client.kind('v1', 'ResourceQuota').in('default');
    const created = await quotas.create({ metadata: { name: 'q' }, spec: { hard: { secrets: '2' } } });
    await client.kind('v1', 'Secret').create(secret('a'));
    await quotas.status.update({ ...created, status: { hard: { secrets: '2' } } });
    await test.rejects(client.kind('v1', 'Secret').create(secret('b')), {
      message: 'secrets "b" is forbidden: status unknown for quota: q, resources: secrets',
    });
  },
);

void t.test('an update is charged with what it adds, and all quotas must have room', async (test) => {
  const client = clientOf(test);
  await quotaOf(client, 'q', { hard: { 'services.nodeports': '1', services: '5' } });
  await quotaOf(client, 'r', { hard: { 'services.loadbalancers': '0' } });
  const services = client.kind('v1', 'Service').in('default');
  await services.create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  await services.patch('s', { merge: { spec: { type: 'NodePort' } } });
  test.strictSame(await usedOf(client), { services: '1', 'services.nodeports': '1' });
  await services.patch('s', { merge: { metadata: { labels: { a: 'b' } } } });
  test.strictSame(await usedOf(client), { services: '1', 'services.nodeports': '1' }, 'nothing is charged twice');
  await test.rejects(services.patch('s', { merge: { spec: { type: 'LoadBalancer' } } }), {
    message:
      'services "s" is forbidden: exceeded quota: r, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
  });
});

void t.test('consumption can be limited to namespaces with a quota', async (test) => {
  const client = clientOf(test, {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'ResourceQuotaConfiguration',
    limitedResources: [
      { resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/requests.storage'] },
      { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }] },
    ],
  });
  const claims = client.kind('v1', 'PersistentVolumeClaim').in('default');
  const claim = (name: string, storageClassName: string) => ({
    metadata: { name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
  });
  await test.rejects(claims.create(claim('a', 'gold')), {
    message:
      'persistentvolumeclaims "a" is forbidden: insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage',
  });
  await claims.create(claim('none', ''));
  await quotaOf(client, 'q', { hard: { 'gold.storageclass.storage.k8s.io/requests.storage': '1Gi' } });
  await claims.create(claim('a', 'gold'));

  const pods = client.kind('v1', 'Pod').in('default');
  const pod = (priorityClassName?: string) => ({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...(priorityClassName && { priorityClassName }) },
  });
  await test.rejects(pods.create(pod('high')), {
    status: { code: 500 },
    message: 'insufficient quota to match these scopes: [{PriorityClass In [high higher]}]',
  });
  await quotaOf(client, 'high', {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
  });
  await pods.create(pod('high'));
  test.throws(
    () =>
      clientOf(test, {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'ResourceQuotaConfiguration',
        limitedResources: [{}],
      }),
    /limitedResources\[0\]\.resource: Required value/,
  );
});

const creators = 64;
const limit = 100;

/** Creators that each create until they are refused, against one quota, with the controller running. */
async function creatorsAgainstQuota(test: Test, store: Store, of: number): Promise<void> {
  const cluster = await createCluster({
    store,
    clock: systemClock(),
    random: random(of),
    scheduler: false,
    controllers: ['resourcequota-controller'],
  });
  try {
    const namespace = `quota-${of}`;
    await cluster.client.kind('v1', 'Namespace').create({ metadata: { name: namespace } });
    const quotas = cluster.client.kind('v1', 'ResourceQuota').in(namespace);
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': `${limit}` } } });
    await quotas.waitFor('q', (quota) => quota?.status?.used?.['count/configmaps'] !== undefined);
    const maps = cluster.client.kind('v1', 'ConfigMap').in(namespace);
    const draws = random(of);
    const created = await Promise.all(
      Array.from({ length: creators }, async (_, creator) => {
        for (let index = 0; ; index += 1) {
          try {
            await maps.create({ metadata: { name: `c-${creator}-${index}` }, data: { draw: `${draws.integer(10)}` } });
          } catch (error) {
            if (isApiError(error, 'Forbidden')) return index;
            throw error;
          }
        }
      }),
    );
    const { items } = await maps.list();
    test.equal(items.length, limit, `seed ${of}: as many objects as the quota allows`);
    test.equal(
      created.reduce((sum, count) => sum + count, 0),
      limit,
      'each was answered',
    );
    test.strictSame((await quotas.get('q')).status?.used, { 'count/configmaps': `${limit}` }, 'the status is true');
    await maps.delete(items[0]?.metadata.name ?? '');
    await quotas.waitFor('q', (quota) => quota?.status?.used?.['count/configmaps'] === `${limit - 1}`);
    await maps.create({ metadata: { name: 'again' } });
  } finally {
    await cluster.close();
  }
}

/** 50 seeds in the long run. */
const seeds = Array.from({ length: isLongRun ? 50 : 2 }, (_, index) => seed + index);

void t.test('64 creators never exceed a quota of 100, in memory', async (test) => {
  for (const each of seeds) {
    const store = memoryStore({ clock: systemClock() });
    await creatorsAgainstQuota(test, store, each);
    await store.close();
  }
});

void t.test('64 creators never exceed a quota of 100, on SQLite', async (test) => {
  const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-quota-'));
  test.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const each of seeds) {
    const store = await sqliteStore({ path: join(folder, `${each}.db`), worker });
    await creatorsAgainstQuota(test, store, each);
    await store.close();
  }
});

void t.test(
  '64 creators never exceed a quota of 100, on etcd',
  { skip: etcdBinary === undefined && etcdMissing },
  async (test) => {
    const etcd = await startEtcd();
    test.teardown(() => etcd.dispose());
    for (const each of seeds) {
      const store = etcdStore({ endpoints: [etcd.endpoint], prefix: `/quota-${each}` });
      await creatorsAgainstQuota(test, store, each);
      await store.close();
    }
  },
);
