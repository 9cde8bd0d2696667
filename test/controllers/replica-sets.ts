// ReplicaSets and ReplicationControllers: how many pods they keep, which ones they delete, and what they report.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { podsToDelete } from '../../lib/controllers/workloads/deletion-order.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Pod, ReplicaSet } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { neverReady, simulatedKubelet } from '../support/simulated-kubelet.js';

const labels = { app: 'web' };
const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels }, spec: { containers } };

async function newCluster(): Promise<Cluster<VirtualClock>> {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    nodes: { count: 3, runtime: 'none', heartbeat: false },
    controllers: ['serviceaccount-controller', 'replicaset-controller', 'replicationcontroller-controller'],
    parts: [simulatedKubelet()],
  });
  await cluster.settled();
  return cluster;
}

const setsOf = ({ client }: Cluster<VirtualClock>) => client.kind('apps/v1', 'ReplicaSet').in('default');
const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');

function webSet(replicas: number, spec: Partial<ReplicaSet['spec']> = {}): ReplicaSet {
  return { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: labels }, template, ...spec } };
}

async function podNames(cluster: Cluster<VirtualClock>): Promise<readonly string[]> {
  return (await podsOf(cluster).list()).items.map(({ metadata }) => metadata.name);
}

async function eventsOf({ client }: Cluster<VirtualClock>): Promise<readonly string[]> {
  const { items } = await client.kind('v1', 'Event').in('default').list();
  return items
    .filter(({ source }) => source?.component !== undefined)
    .map(({ type, reason, message, source }) => `${source?.component}: ${type} ${reason}: ${message}`);
}

t.test('a ReplicaSet creates its pods, replaces deleted ones and reports them', async (t) => {
  await using cluster = await newCluster();
  await setsOf(cluster).create(webSet(3));
  await cluster.settled();
  t.same((await setsOf(cluster).get('web')).status, {
    replicas: 3,
    fullyLabeledReplicas: 3,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });
  await cluster.advance('2s');
  t.same((await setsOf(cluster).get('web')).status, {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });
  const [first = ''] = await podNames(cluster);
  await podsOf(cluster).delete(first);
  await cluster.settled();
  t.match((await setsOf(cluster).get('web')).status, { replicas: 3, readyReplicas: 2, terminatingReplicas: 1 });
  await cluster.advance('5s');
  t.match((await setsOf(cluster).get('web')).status, { replicas: 3, readyReplicas: 3, terminatingReplicas: 0 });
  t.equal((await podNames(cluster)).length, 3);
  const events = await eventsOf(cluster);
  t.equal(events.length, 4);
  t.ok(events.every((event) => /^replicaset-controller: Normal SuccessfulCreate: Created pod: web-\w{5}$/.test(event)));
});

t.test('scaling down deletes pods that are not ready first', async (t) => {
  await using cluster = await newCluster();
  await setsOf(cluster).create(webSet(2));
  await cluster.advance('5s');
  const ready = await podNames(cluster);
  await setsOf(cluster).scale.patch('web', { merge: { spec: { replicas: 5 } } });
  await cluster.settled();
  t.equal((await podNames(cluster)).length, 5);
  await setsOf(cluster).scale.patch('web', { merge: { spec: { replicas: 2 } } });
  await cluster.advance('5s');
  t.same(await podNames(cluster), ready);
  t.equal((await eventsOf(cluster)).filter((event) => event.includes('SuccessfulDelete: Deleted pod: web-')).length, 3);
});

t.test('a pod is available when it has been ready for minReadySeconds, and no earlier', async (t) => {
  await using cluster = await newCluster();
  await setsOf(cluster).create(webSet(1, { minReadySeconds: 30 }));
  await cluster.advance('30s');
  const { status } = await setsOf(cluster).get('web');
  t.equal(status?.readyReplicas, 1);
  t.equal(status?.availableReplicas, undefined);
  await cluster.advance('1s');
  t.equal((await setsOf(cluster).get('web')).status?.availableReplicas, 1);
});

t.test('pods that cannot be created are reported in a condition and an Event, and retried', async (t) => {
  await using cluster = await newCluster();
  const quotas = cluster.client.kind('v1', 'ResourceQuota').in('default');
  await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '2' } } });
  await quotas.status.patch('q', { merge: { status: { hard: { pods: '2' }, used: { pods: '0' } } } });
  await setsOf(cluster).create(webSet(4));
  await cluster.settled();
  const { status } = await setsOf(cluster).get('web');
  t.match(status?.conditions, [
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: /exceeded quota: q/ },
  ]);
  t.ok((await eventsOf(cluster)).some((event) => event.includes('Warning FailedCreate: Error creating: pods "web-')));
  await quotas.delete('q');
  await cluster.advance('20m');
  const healed = await setsOf(cluster).get('web');
  t.equal(healed.status?.replicas, 4);
  t.equal(healed.status?.conditions, undefined);
});

t.test('pods are adopted when their labels match and released when they do not', async (t) => {
  await using cluster = await newCluster();
  await podsOf(cluster).create({ metadata: { name: 'orphan', labels }, spec: { containers } });
  await setsOf(cluster).create(webSet(2));
  await cluster.advance('2s');
  t.equal((await podNames(cluster)).length, 2);
  t.match((await podsOf(cluster).get('orphan')).metadata.ownerReferences, [{ name: 'web', controller: true }]);
  await podsOf(cluster).patch('orphan', { merge: { metadata: { labels: { app: 'debug' } } } });
  await cluster.advance('2s');
  t.equal((await podNames(cluster)).length, 3, 'a replacement');
  t.equal((await podsOf(cluster).get('orphan')).metadata.ownerReferences, undefined);
  // An orphan that matches again is one too many.
  await podsOf(cluster).patch('orphan', { merge: { metadata: { labels } } });
  await cluster.advance('5s');
  t.equal((await podNames(cluster)).length, 2);
});

t.test('pods that ended are replaced and stay', async (t) => {
  await using cluster = await newCluster();
  await setsOf(cluster).create(webSet(1));
  await cluster.advance('2s');
  const [name = ''] = await podNames(cluster);
  await podsOf(cluster).status.patch(name, { merge: { status: { phase: 'Failed' } } });
  await cluster.advance('2s');
  t.equal((await podNames(cluster)).length, 2);
  t.equal((await setsOf(cluster).get('web')).status?.replicas, 1);
});

t.test('a ReplicationController does the same, without terminatingReplicas', async (t) => {
  await using cluster = await newCluster();
  const controllers = cluster.client.kind('v1', 'ReplicationController').in('default');
  await controllers.create({ metadata: { name: 'web' }, spec: { replicas: 2, template } });
  await cluster.advance('2s');
  t.same((await controllers.get('web')).status, {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  t.match((await podsOf(cluster).list()).items[0]?.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'ReplicationController', name: 'web', controller: true, blockOwnerDeletion: true },
  ]);
  t.ok((await eventsOf(cluster))[0]?.startsWith('replication-controller: Normal SuccessfulCreate'));
});

t.test('a ReplicaSet that is being deleted changes no pods', async (t) => {
  await using cluster = await newCluster();
  await setsOf(cluster).create({ ...webSet(1), metadata: { name: 'web', finalizers: ['example.com/f'] } });
  await cluster.advance('2s');
  await setsOf(cluster).delete('web');
  await podsOf(cluster).delete((await podNames(cluster))[0] ?? '');
  await cluster.advance('5s');
  t.same(await podNames(cluster), []);
  t.equal((await setsOf(cluster).get('web')).status?.replicas, 0);
});

t.test('more than 500 pods are created in several rounds', async (t) => {
  await using cluster = await newCluster();
  const annotations = { [neverReady]: 'true' };
  await setsOf(cluster).create(webSet(1201, { template: { ...template, metadata: { labels, annotations } } }));
  await cluster.settled();
  t.equal((await podNames(cluster)).length, 1201);
});

t.test('the eight criteria decide in turn which pods are deleted first', async (t) => {
  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString().replace('.000', '');
  interface Wish {
    readonly node?: string;
    readonly phase?: 'Pending' | 'Running' | 'Unknown';
    readonly readyFor?: number;
    readonly cost?: string;
    readonly restarts?: number;
    readonly sidecarRestarts?: number;
    readonly age?: number;
    readonly uid?: string;
  }
  const pod = (name: string, wish: Wish): Stored<Pod> => {
    const {
      node = 'n',
      phase = 'Running',
      readyFor,
      cost,
      restarts = 0,
      sidecarRestarts = 0,
      age = 1000,
      uid = name,
    } = wish;
    const status = { ready: true, image: 'i', imageID: '' };
    return {
      metadata: {
        name,
        uid,
        resourceVersion: '1',
        creationTimestamp: ago(age),
        ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      },
      spec: { nodeName: node, containers, initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      status: {
        phase,
        conditions:
          readyFor === undefined
            ? [{ type: 'Ready', status: 'False' }]
            : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor) }],
        containerStatuses: [{ ...status, name: 'c', restartCount: restarts }],
        initContainerStatuses: [
          { ...status, name: 's', restartCount: sidecarRestarts },
          { ...status, name: 'init', restartCount: 9 },
        ],
      },
    };
  };
  const cases: readonly (readonly [string, Wish, Wish])[] = [
    ['unassigned before assigned', { node: '', readyFor: 100 }, { phase: 'Pending' }],
    ['pending before unknown', { phase: 'Pending', readyFor: 100 }, { phase: 'Unknown' }],
    ['unknown before running', { phase: 'Unknown', readyFor: 100 }, { phase: 'Running' }],
    ['not ready before ready', { cost: '5' }, { readyFor: 100 }],
    ['a lower cost before a higher one', { cost: '-1', readyFor: 100 }, { readyFor: 1, cost: '0' }],
    ['a cost that is no number counts as 0', { cost: '+5', readyFor: 1 }, { readyFor: 1, cost: '1' }],
    ['the node with more related pods', { node: 'crowded', readyFor: 1000 }, { readyFor: 1 }],
    ['ready for a shorter time', { readyFor: 10, age: 5000 }, { readyFor: 100, restarts: 3 }],
    ['ready for about the same time: by uid', { readyFor: 17, uid: 'a' }, { readyFor: 16, uid: 'b', restarts: 3 }],
    ['more restarts', { restarts: 2, age: 5000 }, { restarts: 1, sidecarRestarts: 5, age: 1 }],
    ['more restarts of sidecars', { sidecarRestarts: 2, age: 5000 }, { sidecarRestarts: 1, age: 1 }],
    ['newer', { age: 10 }, { age: 100 }],
    ['about the same age: by uid', { age: 17, uid: 'a' }, { age: 16, uid: 'b' }],
  ];
  const crowd = [pod('r1', { node: 'crowded' }), pod('r2', { node: 'crowded' }), pod('r3', {})];
  for (const [title, first, second] of cases) {
    const pods = [pod('second', second), pod('first', first)];
    for (const given of [pods, pods.toReversed()])
      t.equal(podsToDelete(given, crowd, 1, nowMs)[0]?.metadata.name, 'first', title);
  }
});
