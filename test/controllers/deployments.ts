// Deployments: rollouts, scaling, revisions, and what they report.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { reducedSets, newSetSize, maxSurge, maxUnavailable } from '../../lib/controllers/deployments/rolling-update.js';
import { scaling } from '../../lib/controllers/deployments/proportional-scaling.js';
import { templateHash } from '../../lib/controllers/workloads/template-hash.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Deployment, DeploymentSpec, ReplicaSet } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { fc, runs } from '../support/properties.js';
import { neverReady, simulatedKubelet } from '../support/simulated-kubelet.js';

const labels = { app: 'web' };
const template = (image: string, annotations: Record<string, string> = {}) => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: 'c', image }] },
});

async function newCluster(): Promise<Cluster<VirtualClock>> {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    nodes: { count: 3, runtime: 'none', heartbeat: false },
    controllers: ['serviceaccount-controller', 'replicaset-controller', 'deployment-controller'],
    parts: [simulatedKubelet()],
  });
  await cluster.settled();
  return cluster;
}

const deploymentsOf = ({ client }: Cluster<VirtualClock>) => client.kind('apps/v1', 'Deployment').in('default');
const setsOf = ({ client }: Cluster<VirtualClock>) => client.kind('apps/v1', 'ReplicaSet').in('default');
const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');

function web(replicas: number, spec: Partial<DeploymentSpec> = {}): Deployment {
  return {
    metadata: { name: 'web', annotations: { note: 'first' } },
    spec: { replicas, selector: { matchLabels: labels }, template: template('a'), ...spec },
  };
}

const setImage = (cluster: Cluster<VirtualClock>, image: string, annotations: Record<string, string> = {}) =>
  deploymentsOf(cluster).patch('web', { merge: { spec: { template: template(image, annotations) } } });

/** Of each ReplicaSet its image and sizes, oldest first. */
async function sizesOf(cluster: Cluster<VirtualClock>): Promise<readonly string[]> {
  return (await setsOf(cluster).list()).items
    .toSorted((one, other) => Number(revision(one)) - Number(revision(other)))
    .map((set) => `${set.spec?.template?.spec?.containers[0]?.image} ${set.spec?.replicas}/${set.status?.replicas}`);
}

function revision({ metadata: { annotations } }: Stored<ReplicaSet | Deployment>): string {
  return annotations?.['deployment.kubernetes.io/revision'] ?? '';
}

async function conditionsOf(cluster: Cluster<VirtualClock>): Promise<readonly string[]> {
  const { status } = await deploymentsOf(cluster).get('web');
  return (status?.conditions ?? []).map(({ type, status: is, reason, message }) =>
    `${type} ${is} ${reason}: ${message}`.replace(/web-[a-z0-9]{8,10}/, 'web-…'),
  );
}

async function eventsOf({ client }: Cluster<VirtualClock>): Promise<readonly string[]> {
  const { items } = await client.kind('v1', 'Event').in('default').list();
  return items
    .filter(({ source }) => source?.component === 'deployment-controller')
    .map(({ type, reason, message = '' }) => `${type} ${reason}: ${message.replace(/web-[a-z0-9]{8,10}/, 'web-…')}`);
}

t.test('a Deployment creates a ReplicaSet and reports its progress', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(3));
  await cluster.settled();
  t.same(await conditionsOf(cluster), [
    'Available False MinimumReplicasUnavailable: Deployment does not have minimum availability.',
    'Progressing True ReplicaSetUpdated: ReplicaSet "web-…" is progressing.',
  ]);
  await cluster.advance('5s');
  t.same(
    (await deploymentsOf(cluster).get('web')).status?.conditions?.map(({ type }) => type),
    ['Available', 'Progressing'],
  );
  t.same(await conditionsOf(cluster), [
    'Available True MinimumReplicasAvailable: Deployment has minimum availability.',
    'Progressing True NewReplicaSetAvailable: ReplicaSet "web-…" has successfully progressed.',
  ]);
  const { conditions: _conditions, ...status } = (await deploymentsOf(cluster).get('web')).status ?? {};
  t.same(status, {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
  });
  const [set] = (await setsOf(cluster).list()).items;
  t.match(set?.metadata, {
    name: /^web-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/,
    labels: { app: 'web', 'pod-template-hash': String },
    annotations: {
      note: 'first',
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true, blockOwnerDeletion: true },
    ],
  });
  t.equal(set?.metadata.name, `web-${set?.spec?.selector.matchLabels?.['pod-template-hash']}`);
  t.equal(revision(await deploymentsOf(cluster).get('web')), '1');
  t.same(await eventsOf(cluster), ['Normal ScalingReplicaSet: Scaled up replica set web-… from 0 to 3']);
});

t.test('a rolling update replaces pods within its limits and keeps the old ReplicaSet', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
  await cluster.advance('5s');
  await setImage(cluster, 'b');
  await cluster.settled();
  t.same(await sizesOf(cluster), ['a 8/8', 'b 5/5']);
  await cluster.advance('10s');
  t.same(await sizesOf(cluster), ['a 0/0', 'b 10/10']);
  t.equal(
    (await conditionsOf(cluster))[1],
    'Progressing True NewReplicaSetAvailable: ReplicaSet "web-…" has successfully progressed.',
  );
  t.same((await eventsOf(cluster)).slice(1, 4), [
    'Normal ScalingReplicaSet: Scaled up replica set web-… from 0 to 3',
    'Normal ScalingReplicaSet: Scaled down replica set web-… from 10 to 8',
    'Normal ScalingReplicaSet: Scaled up replica set web-… from 3 to 5',
  ]);
});

t.test('a template that was used before gets a new revision, and its ReplicaSet remembers the old one', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(1));
  await cluster.advance('5s');
  await setImage(cluster, 'b');
  await cluster.advance('5s');
  await setImage(cluster, 'a');
  await cluster.advance('5s');
  t.same(await sizesOf(cluster), ['b 0/0', 'a 1/1']);
  t.equal(revision(await deploymentsOf(cluster).get('web')), '3');
  const sets = (await setsOf(cluster).list()).items;
  t.same(sets.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision-history']).sort(), [
    '1',
    undefined,
  ]);
});

t.test('Recreate starts new pods when all old ones are gone', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(2, { strategy: { type: 'Recreate' } }));
  await cluster.advance('5s');
  await setImage(cluster, 'b');
  await cluster.settled();
  t.same(await sizesOf(cluster), ['a 0/0'], 'the old pods are terminating');
  t.equal((await podsOf(cluster).list()).items.length, 2);
  t.equal((await deploymentsOf(cluster).get('web')).status?.terminatingReplicas, 2);
  await cluster.advance('5s');
  t.same(await sizesOf(cluster), ['a 0/0', 'b 2/2']);
});

t.test('a paused Deployment does not roll out, but scales', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(2));
  await cluster.advance('5s');
  await deploymentsOf(cluster).patch('web', { merge: { spec: { paused: true } } });
  await setImage(cluster, 'b');
  await deploymentsOf(cluster).scale.patch('web', { merge: { spec: { replicas: 4 } } });
  await cluster.advance('20m');
  t.same(await sizesOf(cluster), ['a 4/4']);
  t.ok((await conditionsOf(cluster)).includes('Progressing Unknown DeploymentPaused: Deployment is paused'));
  await deploymentsOf(cluster).patch('web', { merge: { spec: { paused: false } } });
  await cluster.advance('20s');
  t.same(await sizesOf(cluster), ['a 0/0', 'b 4/4']);
});

t.test('a rollout without progress exceeds its deadline, and may still succeed later', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(2, { progressDeadlineSeconds: 60 }));
  await cluster.advance('5s');
  await setImage(cluster, 'b', { [neverReady]: 'true' });
  await cluster.advance('60s');
  t.equal((await conditionsOf(cluster))[1], 'Progressing True ReplicaSetUpdated: ReplicaSet "web-…" is progressing.');
  await cluster.advance('2s');
  t.equal(
    (await conditionsOf(cluster)).at(-1),
    'Progressing False ProgressDeadlineExceeded: ReplicaSet "web-…" has timed out progressing.',
  );
  t.same(await sizesOf(cluster), ['a 2/2', 'b 1/1']);
  await deploymentsOf(cluster).patch('web', {
    json: [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'c' },
      { op: 'remove', path: '/spec/template/metadata/annotations' },
    ],
  });
  await cluster.advance('20s');
  t.same(await sizesOf(cluster), ['a 0/0', 'b 0/0', 'c 2/2']);
  t.equal(
    (await conditionsOf(cluster)).at(-1),
    'Progressing True NewReplicaSetAvailable: ReplicaSet "web-…" has successfully progressed.',
  );
});

t.test('scaling during a rollout keeps the proportions', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
  await cluster.advance('5s');
  await setImage(cluster, 'b', { [neverReady]: 'true' });
  await cluster.advance('5s');
  t.same(await sizesOf(cluster), ['a 8/8', 'b 5/5']);
  await deploymentsOf(cluster).scale.patch('web', { merge: { spec: { replicas: 15 } } });
  await cluster.advance('5s');
  t.same(await sizesOf(cluster), ['a 11/11', 'b 7/7']);
});

t.test('old ReplicaSets beyond the history limit are deleted', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(1, { revisionHistoryLimit: 1 }));
  await cluster.advance('5s');
  for (const image of ['b', 'c', 'd']) {
    await setImage(cluster, image);
    await cluster.advance('5s');
  }
  t.same(await sizesOf(cluster), ['c 0/0', 'd 1/1']);
});

t.test('a ReplicaSet name that is taken counts as a collision', async (t) => {
  await using cluster = await newCluster();
  const stored = await deploymentsOf(cluster).create(web(1, { paused: true }));
  await cluster.advance('1s');
  const name = `web-${templateHash(stored.spec?.template ?? {}, undefined)}`;
  const taken = { ...labels, taken: 'true' };
  await setsOf(cluster).create({
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: taken },
      template: { ...template('z'), metadata: { labels: taken } },
    },
  });
  await deploymentsOf(cluster).patch('web', { merge: { spec: { paused: false } } });
  await cluster.advance('5s');
  t.equal((await deploymentsOf(cluster).get('web')).status?.collisionCount, 1);
  t.same((await sizesOf(cluster)).toSorted(), ['a 1/1', 'z 0/0']);
});

t.test('an annotation requests a rollback to a revision, or to the one before', async (t) => {
  await using cluster = await newCluster();
  const rollBack = async (to: string): Promise<void> => {
    const annotations = { 'deprecated.deployment.rollback.to': to };
    await deploymentsOf(cluster).patch('web', { merge: { metadata: { annotations } } });
    await cluster.advance('10s');
  };
  const image = async () => (await deploymentsOf(cluster).get('web')).spec?.template.spec?.containers[0]?.image;
  await deploymentsOf(cluster).create(web(1));
  await cluster.advance('5s');
  await deploymentsOf(cluster).patch('web', {
    merge: { metadata: { annotations: { note: 'second' } }, spec: { template: template('b') } },
  });
  await cluster.advance('5s');
  await rollBack('0');
  t.equal(await image(), 'a');
  const { annotations } = (await deploymentsOf(cluster).get('web')).metadata;
  t.equal(annotations?.note, 'first', 'annotations of the revision come back');
  t.equal(annotations?.['deprecated.deployment.rollback.to'], undefined);
  await rollBack('2');
  t.equal(await image(), 'b');
  await rollBack('4');
  await rollBack('9');
  t.same((await eventsOf(cluster)).filter((event) => event.includes('Rollback')).toSorted(), [
    'Normal DeploymentRollback: Rolled back deployment "web" to revision 1',
    'Normal DeploymentRollback: Rolled back deployment "web" to revision 2',
    'Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.',
    'Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
  ]);
});

t.test('failures of the new ReplicaSet are reported', async (t) => {
  await using cluster = await newCluster();
  const quotas = cluster.client.kind('v1', 'ResourceQuota').in('default');
  await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '0' } } });
  await quotas.status.patch('q', { merge: { status: { hard: { pods: '0' }, used: { pods: '0' } } } });
  await deploymentsOf(cluster).create(web(1));
  await cluster.advance('1s');
  t.match(
    (await conditionsOf(cluster)).find((each) => each.startsWith('ReplicaFailure')),
    /True FailedCreate: pods "web-.* exceeded quota: q/,
  );
  await quotas.delete('q');
  await cluster.advance('20m');
  t.same((await conditionsOf(cluster)).map((each) => each.split(' ')[0]).toSorted(), ['Available', 'Progressing']);
});

t.test('a Deployment that is complete and idle causes no work', async (t) => {
  await using cluster = await newCluster();
  await deploymentsOf(cluster).create(web(2));
  await cluster.advance('1h');
  const { metadata } = await deploymentsOf(cluster).get('web');
  await cluster.advance('30d');
  t.equal((await deploymentsOf(cluster).get('web')).metadata.resourceVersion, metadata.resourceVersion);
});

t.test('limits', async (t) => {
  const meta = { name: 'd', uid: 'd', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const deployment = (replicas: number, surge: number | string, unavailable: number | string): Stored<Deployment> => ({
    metadata: meta,
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
    },
  });
  const set = (name: string, replicas: number, available: number, annotations = {}): Stored<ReplicaSet> => ({
    metadata: { ...meta, name, uid: name, annotations },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  });
  await t.test('a surge is rounded up, unavailability down, and one of them is at least 1', async (t) => {
    const limits = (...given: Parameters<typeof deployment>) => [
      maxSurge(deployment(...given)),
      maxUnavailable(deployment(...given)),
    ];
    t.same(limits(10, '25%', '25%'), [3, 2]);
    t.same(limits(1, '25%', '25%'), [1, 0]);
    t.same(limits(2, '0%', '1%'), [0, 1]);
    t.same(limits(2, 0, 5), [0, 2]);
    t.same(limits(0, '25%', '25%'), [0, 0]);
  });
  await t.test('no step of a rollout leaves the limits, and each one makes progress', async (t) => {
    const limit = fc.oneof(
      fc.nat(5),
      fc.nat(100).map((share) => `${share}%`),
    );
    const rollouts = fc.tuple(
      fc.integer({ min: 1, max: 20 }),
      limit,
      limit,
      fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }),
    );
    fc.assert(
      fc.property(rollouts, ([replicas, surge, unavailable, random]) => {
        const owner = deployment(replicas, surge, unavailable);
        let old = set('old', replicas, replicas);
        let next = set('new', 0, 0);
        for (let step = 0; (old.spec?.replicas ?? 0) > 0 || next.status?.availableReplicas !== replicas; step += 1) {
          t.ok(step < 500, 'the rollout ends');
          const total = (old.spec?.replicas ?? 0) + (next.spec?.replicas ?? 0);
          const grown = newSetSize(owner, next.spec?.replicas ?? 0, total);
          if (grown > (next.spec?.replicas ?? 0)) next = { ...next, spec: { selector: {}, replicas: grown } };
          else
            for (const { replicas: size } of (old.spec?.replicas ?? 0) > 0 ? reducedSets(owner, [old], next) : [])
              old = set('old', size, Math.min(size, old.status?.availableReplicas ?? 0));
          const pods = (old.spec?.replicas ?? 0) + (next.spec?.replicas ?? 0);
          const available = (old.status?.availableReplicas ?? 0) + (next.status?.availableReplicas ?? 0);
          t.ok(pods <= replicas + maxSurge(owner), 'within the surge');
          t.ok(available >= replicas - maxUnavailable(owner), 'enough are available');
          // Some of the new pods become available.
          const ready = Math.min(
            next.spec?.replicas ?? 0,
            (next.status?.availableReplicas ?? 0) + (random[step % random.length] ?? 0) + (step > 100 ? 1 : 0),
          );
          next = set('new', next.spec?.replicas ?? 0, ready);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
  await t.test('pods that a reduced set is yet to delete replace none after a rollback to it', async (t) => {
    const sizesAfter = (next: Stored<ReplicaSet>): readonly number[] =>
      reducedSets(deployment(2, 0, 1), [set('old', 2, 2)], next).map(({ replicas }) => replicas);
    t.same(sizesAfter(set('new', 0, 1)), [1], 'its status counts a pod beyond its size');
    t.same(sizesAfter(set('new', 0, 0)), [1]);
  });
  await t.test('proportional scaling distributes exactly what is missing', async (t) => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(sizes, fc.nat(200), fc.nat(10), fc.nat(50), (given, replicas, surge, before) => {
        const owner = deployment(replicas, surge, 1);
        const annotations = before === 0 ? {} : { 'deployment.kubernetes.io/max-replicas': String(before) };
        const sets = given.map((size, index) => set(`s${index}`, size, 0, annotations));
        const { sizes: scaled } = scaling(owner, sets[0], sets.slice(1));
        const total = scaled.reduce((sum, each) => sum + each.replicas, 0);
        t.ok(scaled.every((each) => each.replicas >= 0));
        t.ok(total === (replicas === 0 ? 0 : replicas + surge) || scaled.some((each) => each.replicas === 0));
      }),
      { numRuns: runs(2000) },
    );
  });
});
