// The StatefulSet controller: identity and order of pods, updates, claims, history, Events, and that the rights of its
// service account suffice.
import t from 'tap';
import { revisionHash } from '../../lib/controllers/workloads/template-hash.js';
import { revisionData } from '../../lib/controllers/workloads/revision-history.js';
import { parseMemberName } from '../../lib/controllers/stateful-sets/pod-identity.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Pod, StatefulSetSpec } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { observe } from '../support/observe.js';

const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
};

/** A cluster with one set `db`. */
class SetCluster {
  readonly failures: string[] = [];
  readonly cluster: Cluster<VirtualClock>;

  private constructor(cluster: Cluster<VirtualClock>) {
    this.cluster = cluster;
    observe(cluster.activity$, ({ activity }) => {
      if (activity.type === 'failed' && 'error' in activity) this.failures.push(String(activity.error));
    });
  }

  static async create(spec: Partial<StatefulSetSpec> = {}): Promise<SetCluster> {
    const cluster = await createCluster({
      clock: virtualClock(),
      random: random(1),
      scheduler: false,
      controllers: ['statefulset-controller', 'serviceaccount-controller'],
    });
    await cluster.settled();
    const made = new SetCluster(cluster);
    const rest = { selector: { matchLabels: { app: 'db' } }, template, serviceName: 'db', ...spec };
    await made.sets.create({ metadata: { name: 'db' }, spec: { replicas: 3, ...rest } });
    await cluster.settled();
    return made;
  }

  get sets() {
    return this.cluster.client.kind('apps/v1', 'StatefulSet').in('default');
  }

  get pods() {
    return this.cluster.client.kind('v1', 'Pod').in('default');
  }

  get claims() {
    return this.cluster.client.kind('v1', 'PersistentVolumeClaim').in('default');
  }

  /** Names of the pods, with `*` for those of the newest revision. */
  async names(): Promise<string> {
    await this.cluster.settled();
    const { status } = await this.sets.get('db');
    const { items } = await this.pods.list();
    return items
      .map(({ metadata: { name, labels } }) =>
        labels?.['controller-revision-hash'] === status?.updateRevision ? `${name}*` : name,
      )
      .join(' ');
  }

  async setPhase(name: string, phase: NonNullable<NonNullable<Pod['status']>['phase']>, ready = phase === 'Running') {
    const lastTransitionTime = new Date(this.cluster.clock.now()).toISOString();
    const conditions = [{ type: 'Ready', status: ready ? ('True' as const) : ('False' as const), lastTransitionTime }];
    await this.pods.status.patch(name, { merge: { status: { phase, conditions } } });
    await this.cluster.settled();
  }

  /** Runs pods until no more are created. */
  async runAll(): Promise<void> {
    for (let isIdle = false; !isIdle;) {
      await this.cluster.settled();
      const waiting = (await this.pods.list()).items.filter(({ status }) => status?.phase === 'Pending');
      for (const { metadata } of waiting) await this.setPhase(metadata.name, 'Running');
      isIdle = waiting.length === 0;
    }
  }

  async change(spec: unknown): Promise<void> {
    await this.sets.patch('db', { merge: { spec } as never });
    await this.cluster.settled();
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.cluster.client.kind('v1', 'Event').in('default').list();
    return items
      .filter(({ involvedObject }) => involvedObject.kind === 'StatefulSet')
      .map(({ type, reason, message, source }) => `${source?.component} ${type} ${reason}: ${message}`)
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

t.test('the name of a pod is its ordinal', async (t) => {
  t.same(parseMemberName('db-3'), { parent: 'db', ordinal: 3 });
  t.same(parseMemberName('a-1-2'), { parent: 'a-1', ordinal: 2 });
  t.same(parseMemberName('db'), { parent: '', ordinal: -1 });
  t.same(parseMemberName('db-2147483648'), { parent: 'db', ordinal: -1 });
});

t.test('the hash of a revision is the one of Kubernetes', async (t) => {
  // Computed with hash/fnv of Go from the same JSON.
  t.equal(revisionHash(revisionData(template), 0), '7dbbfb5bf8');
  t.not(revisionHash(revisionData(template), 0), revisionHash(revisionData(template), 1));
  const reordered = { spec: template.spec, metadata: template.metadata };
  t.equal(revisionHash(revisionData(template), 0), revisionHash(revisionData(reordered), 0));
});

t.test('pods are created in order, each when the one before is available', async (t) => {
  await using c = await SetCluster.create({ minReadySeconds: 10 });
  t.equal(await c.names(), 'db-0*');
  await c.setPhase('db-0', 'Running', false);
  t.equal(await c.names(), 'db-0*');
  await c.setPhase('db-0', 'Running');
  t.equal(await c.names(), 'db-0*');
  await c.cluster.advance(9_000);
  t.equal(await c.names(), 'db-0*');
  await c.cluster.advance(1_000);
  t.equal(await c.names(), 'db-0* db-1*');
  const { status } = await c.sets.get('db');
  t.match(status, { replicas: 2, readyReplicas: 1, availableReplicas: 1, currentReplicas: 2, updatedReplicas: 2 });
  t.same(c.failures, [], 'the rights of its service account suffice');
});

t.test('with Parallel all pods are created and deleted at once', async (t) => {
  await using c = await SetCluster.create({ podManagementPolicy: 'Parallel', ordinals: { start: 4 } });
  t.equal(await c.names(), 'db-4* db-5* db-6*');
  await c.change({ replicas: 1 });
  t.equal(await c.names(), 'db-4*');
});

t.test('scaling down deletes one at a time, from the highest, and only while the others are available', async (t) => {
  await using c = await SetCluster.create();
  await c.runAll();
  await c.setPhase('db-0', 'Running', false);
  await c.change({ replicas: 1 });
  t.equal(await c.names(), 'db-0* db-1* db-2*');
  await c.setPhase('db-0', 'Running');
  t.equal(await c.names(), 'db-0*');
});

t.test('a pod that failed or succeeded is replaced', async (t) => {
  for (const phase of ['Failed', 'Succeeded'] as const) {
    await using c = await SetCluster.create({ replicas: 1 });
    const before = await c.pods.get('db-0');
    await c.setPhase('db-0', phase);
    const after = await c.pods.get('db-0');
    t.not(after.metadata.uid, before.metadata.uid);
    t.equal(after.status?.phase, 'Pending');
  }
});

t.test('an update replaces one pod at a time, from the highest down to the partition', async (t) => {
  await using c = await SetCluster.create();
  await c.runAll();
  await c.change({
    updateStrategy: { rollingUpdate: { partition: 1 } },
    template: { metadata: { labels: { v: '2' } } },
  });
  t.equal(await c.names(), 'db-0 db-1 db-2*');
  await c.runAll();
  t.equal(await c.names(), 'db-0 db-1* db-2*');
  t.match((await c.sets.get('db')).status, { currentReplicas: 1, updatedReplicas: 2 });
  await c.pods.delete('db-0');
  t.equal(await c.names(), 'db-0 db-1* db-2*', 'below the partition the current revision is created');
  await c.runAll();
  await c.change({ updateStrategy: { rollingUpdate: { partition: 0 } } });
  await c.runAll();
  const { status } = await c.sets.get('db');
  t.equal(status?.currentRevision, status?.updateRevision);
  t.equal(status?.currentReplicas, 3);
});

t.test('with OnDelete pods are updated when they are deleted', async (t) => {
  await using c = await SetCluster.create({ replicas: 2, updateStrategy: { type: 'OnDelete' } });
  await c.runAll();
  await c.change({ template: { metadata: { labels: { v: '2' } } } });
  t.equal(await c.names(), 'db-0 db-1');
  await c.pods.delete('db-0');
  t.equal(await c.names(), 'db-0* db-1');
});

t.test('a rollback gives the old revision a new number, and the history is bounded', async (t) => {
  await using c = await SetCluster.create({ replicas: 0, revisionHistoryLimit: 1 });
  const revisions = async (): Promise<readonly number[]> => {
    const { items } = await c.cluster.client.kind('apps/v1', 'ControllerRevision').in('default').list();
    return items.map(({ revision }) => revision).sort();
  };
  await c.change({ template: { metadata: { labels: { v: '2' } } } });
  const { status: second } = await c.sets.get('db');
  await c.change({ template: { metadata: { labels: { v: '3' } } } });
  t.same(await revisions(), [2, 3]);
  await c.change({ template: { metadata: { labels: { v: '2' } } } });
  t.same(await revisions(), [3, 4]);
  t.equal((await c.sets.get('db')).status?.updateRevision, second?.updateRevision);
});

t.test('two templates with the same hash have different names', async (t) => {
  await using c = await SetCluster.create({ replicas: 0 });
  const hash = revisionHash(
    revisionData({
      ...(await c.sets.get('db')).spec?.template,
      metadata: { labels: { app: 'db', v: '2' } },
    }),
    0,
  );
  await c.cluster.client
    .kind('apps/v1', 'ControllerRevision')
    .in('default')
    .create({ metadata: { name: `db-${hash}` }, data: { another: 'template' }, revision: 1 });
  await c.change({ template: { metadata: { labels: { v: '2' } } } });
  const { status } = await c.sets.get('db');
  t.equal(status?.collisionCount, 1);
  t.not(status?.updateRevision, `db-${hash}`);
});

t.test('claims are created before their pod, and stay when it goes', async (t) => {
  await using c = await SetCluster.create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
  const claim = await c.claims.get('data-db-0');
  t.same(claim.metadata.labels, { app: 'db' });
  t.equal(claim.metadata.ownerReferences, undefined);
  t.same((await c.pods.get('db-0')).spec?.volumes?.[0], {
    name: 'data',
    persistentVolumeClaim: { claimName: 'data-db-0' },
  });
  await c.change({ replicas: 0 });
  t.equal(await c.names(), '');
  t.equal((await c.claims.get('data-db-0')).metadata.uid, claim.metadata.uid);
  t.same(await c.events(), [
    'statefulset-controller Normal SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success',
    'statefulset-controller Normal SuccessfulCreate: Create Pod db-0 in StatefulSet db successful',
    'statefulset-controller Normal SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful',
  ]);
});

t.test('the owner of a claim follows the retention policy', async (t) => {
  await using c = await SetCluster.create({
    replicas: 2,
    podManagementPolicy: 'Parallel',
    volumeClaimTemplates: [claimTemplate],
  });
  const owners = async (name: string): Promise<string> => {
    await c.cluster.settled();
    const { ownerReferences = [] } = (await c.claims.get(name)).metadata;
    return ownerReferences.map(({ kind, controller }) => `${kind}${controller === true ? '' : '?'}`).join();
  };
  await c.runAll();
  t.equal(await owners('data-db-1'), '');
  await c.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
  t.equal(await owners('data-db-1'), 'StatefulSet');
  await c.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } });
  t.equal(await owners('data-db-1'), 'StatefulSet');
  await c.change({ replicas: 1 });
  t.equal(await owners('data-db-1'), 'Pod');
  t.equal(await owners('data-db-0'), 'StatefulSet');
  await c.change({ replicas: 2 });
  t.equal(await c.names(), 'db-0*', 'a pod waits until the claim of the one before it is deleted');
  t.same(c.failures, []);
});

t.test('a claim of another controller is left alone, with an Event', async (t) => {
  await using c = await SetCluster.create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u', controller: true };
  await c.claims.patch('data-db-0', { merge: { metadata: { ownerReferences: [other] } } });
  await c.runAll();
  await c.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
  await c.change({ replicas: 0 });
  t.same((await c.claims.get('data-db-0')).metadata.ownerReferences, [other]);
});

t.test('a claim that is being deleted blocks its pod, with an Event', async (t) => {
  await using c = await SetCluster.create({ replicas: 0, volumeClaimTemplates: [claimTemplate] });
  await c.claims.create({ ...claimTemplate, metadata: { name: 'data-db-0', finalizers: ['example.com/held'] } });
  await c.claims.delete('data-db-0');
  await c.change({ replicas: 1 });
  t.equal(await c.names(), '');
  t.match((await c.events())[0], 'Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted');
  await c.claims.patch('data-db-0', { merge: { metadata: { finalizers: null } } });
  await c.cluster.advance('10m');
  t.equal(await c.names(), 'db-0*');
});

t.test('a pod with the right name and labels is adopted, one that loses its labels is released', async (t) => {
  await using c = await SetCluster.create({ replicas: 0 });
  for (const name of ['db-0', 'other'])
    await c.pods.create({ metadata: { name, labels: { app: 'db' } }, spec: template.spec });
  await c.change({ replicas: 1 });
  t.equal((await c.pods.get('db-0')).metadata.ownerReferences?.[0]?.name, 'db');
  t.equal((await c.pods.get('other')).metadata.ownerReferences, undefined);
  await c.pods.patch('db-0', { merge: { metadata: { labels: { app: 'no' } } } });
  await c.cluster.settled();
  t.equal((await c.pods.get('db-0')).metadata.ownerReferences, undefined);
});

t.test('an identity that was changed is put back once the pod is available', async (t) => {
  await using c = await SetCluster.create({ replicas: 1 });
  await c.runAll();
  await c.pods.patch('db-0', { merge: { metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'x' } } } });
  await c.cluster.settled();
  t.equal((await c.pods.get('db-0')).metadata.labels?.['statefulset.kubernetes.io/pod-name'], 'db-0');
  t.ok((await c.events()).some((event) => event.includes('SuccessfulUpdate: Update Pod db-0 in StatefulSet db')));
});

t.test('a set that is being deleted is left alone', async (t) => {
  await using c = await SetCluster.create({ replicas: 2 });
  await c.sets.delete('db', { propagationPolicy: 'Foreground' });
  await c.pods.delete('db-0');
  t.equal(await c.names(), '');
  t.match((await c.sets.get('db')).status, { replicas: 0 });
});

t.test('an idle cluster with a set costs nothing', async (t) => {
  await using c = await SetCluster.create();
  await c.runAll();
  const before = await c.sets.get('db');
  await c.cluster.advance('30d');
  t.equal((await c.sets.get('db')).metadata.resourceVersion, before.metadata.resourceVersion);
});
