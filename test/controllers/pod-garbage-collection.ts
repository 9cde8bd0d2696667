// The pod garbage collector, with its exact times, and the TTL annotation of nodes.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { nodeTtl, podGarbageCollection } from '../../lib/controllers/index.js';
import { planCollection } from '../../lib/controllers/pod-garbage-collection.js';
import { printTime } from '../../lib/core/index.js';
import type { Pod, PodStatus } from '../../lib/core/types/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const collector = { account: 'pod-garbage-collector', create: podGarbageCollection };
const start = (terminatedMax = 0): Promise<FaultyControllers> =>
  FaultyControllers.start([
    { ...collector, create: (environment) => podGarbageCollection({ ...environment, terminatedMax }) },
  ]);

async function createNode({ client }: FaultyControllers, name: string): Promise<void> {
  await client.kind('v1', 'Node').create({ metadata: { name } });
}

async function createPod(
  { client }: FaultyControllers,
  name: string,
  { nodeName, phase, finalizers }: { nodeName?: string; phase?: PodStatus['phase']; finalizers?: string[] } = {},
): Promise<void> {
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({
    metadata: { name, ...(finalizers && { finalizers }) },
    spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName !== undefined && { nodeName }) },
  });
  if (phase !== undefined) await pods.status.patch(name, { merge: { status: { phase } } });
}

async function podNames({ client }: FaultyControllers): Promise<readonly string[]> {
  const { items } = await client.kind('v1', 'Pod').in('default').list();
  return items.map(({ metadata }) => metadata.name);
}

t.test(
  'the pods of a node that is gone are deleted at the first sweep 40 seconds after one that missed it',
  async (t) => {
    await using world = await start();
    await createNode(world, 'n');
    await createPod(world, 'p', { nodeName: 'n', phase: 'Running', finalizers: ['example.com/kept'] });
    await world.cluster.advance(5_000);
    await world.client.kind('v1', 'Node').delete('n');
    // Sweeps are 20 seconds apart, from the start of the controller on: the one at 20 s misses the node.
    await world.cluster.advance(54_999);
    const pods = world.client.kind('v1', 'Pod').in('default');
    t.equal((await pods.get('p')).status?.phase, 'Running');
    await world.cluster.advance(1);
    const { metadata, status } = await pods.get('p');
    t.equal(metadata.deletionGracePeriodSeconds, 0);
    t.equal(status?.phase, 'Failed');
    t.match(status?.conditions, [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        observedGeneration: 1,
      },
    ]);
    t.same(world.writes, ['patch pods/p/status', 'delete pods/p']);
    t.same(world.failures, []);
  },
);

t.test('a node that comes back in time keeps its pods', async (t) => {
  await using world = await start();
  await createNode(world, 'n');
  await createPod(world, 'p', { nodeName: 'n' });
  await world.client.kind('v1', 'Node').delete('n');
  await world.cluster.advance(50_000);
  await createNode(world, 'n');
  await world.cluster.advance(120_000);
  t.same(await podNames(world), ['p']);
  await world.client.kind('v1', 'Node').delete('n');
  await world.cluster.advance(70_000);
  t.same(await podNames(world), [], 'the time starts anew');
});

t.test('terminating pods are collected that no node has, or a node that is out of service', async (t) => {
  await using world = await start();
  for (const name of ['well', 'broken']) await createNode(world, name);
  await createPod(world, 'waiting', { finalizers: ['example.com/kept'] });
  for (const name of ['well', 'broken']) await createPod(world, `on-${name}`, { nodeName: name, phase: 'Running' });
  const pods = world.client.kind('v1', 'Pod').in('default');
  for (const name of ['waiting', 'on-well', 'on-broken']) await pods.delete(name);
  await world.cluster.advance(60_000);
  t.same(await podNames(world), ['on-broken', 'on-well', 'waiting']);
  t.equal((await pods.get('waiting')).status?.phase, 'Failed', 'it was never scheduled');

  const nodes = world.client.kind('v1', 'Node');
  const lastTransitionTime = printTime(world.cluster.clock.now());
  const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime }];
  await nodes.status.patch('broken', { strategic: { status: { conditions } } });
  await nodes.patch('broken', {
    strategic: { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } },
  });
  await world.cluster.advance(60_000);
  t.ok((await podNames(world)).includes('on-broken'), 'the node is ready');
  await nodes.status.patch('broken', {
    strategic: { status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime }] } },
  });
  await world.cluster.advance(19_999);
  t.ok((await podNames(world)).includes('on-broken'));
  await world.cluster.advance(1);
  t.same(await podNames(world), ['on-well', 'waiting']);
  t.same(world.failures, []);
});

t.test('terminated pods beyond the threshold go: evicted ones first, then the oldest', async (t) => {
  await using world = await start(2);
  await createNode(world, 'n');
  for (const [index, name] of ['c', 'b', 'a', 'evicted'].entries()) {
    await createPod(world, name, { nodeName: 'n', phase: index % 2 === 0 ? 'Succeeded' : 'Failed' });
    await world.cluster.advance(1_000);
  }
  const pods = world.client.kind('v1', 'Pod').in('default');
  await pods.status.patch('evicted', { merge: { status: { reason: 'Evicted' } } });
  await createPod(world, 'running', { nodeName: 'n', phase: 'Running' });
  await world.cluster.advance(15_999);
  t.equal((await podNames(world)).length, 5);
  await world.cluster.advance(1);
  t.same(await podNames(world), ['a', 'b', 'running']);
});

t.test('a failed deletion is tried again at the next sweep', async (t) => {
  await using world = await FaultyControllers.start([collector], { rates: { conflict: 100, crash: 0, watch: 0 } });
  await createPod(world, 'p', { finalizers: ['example.com/kept'] });
  await world.client.kind('v1', 'Pod').in('default').delete('p');
  world.isFaulty = true;
  await world.cluster.advance(50_000);
  t.same(world.writes, []);
  world.isFaulty = false;
  await world.cluster.advance(9_999);
  t.same(world.writes, []);
  await world.cluster.advance(1);
  t.same(world.writes, ['patch pods/p/status', 'delete pods/p']);
});

t.test('a cluster in which there is nothing to collect has no timer', async (t) => {
  await using world = await start(10);
  await createNode(world, 'n');
  await createPod(world, 'p', { nodeName: 'n', phase: 'Running' });
  await world.cluster.advance(30_000);
  const pods = world.client.kind('v1', 'Pod').in('default');
  await pods.delete('p', { gracePeriodSeconds: 100 });
  await world.cluster.advance(30_000);
  t.same(world.writes, [], 'the kubelet deletes it');
  t.same(await podNames(world), ['p']);
});

t.test('a plan names each pod once, and no pod that its node will delete', (t) => {
  const arbitraryPod = fc.record({
    node: fc.constantFrom(undefined, 'ready', 'out', 'gone', 'absent'),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    isDeleting: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(arbitraryPod, { maxLength: 12 }), fc.integer({ min: 0, max: 4 }), (drawn, terminatedMax) => {
      const pods = drawn.map(({ node, phase, isDeleting }, index): Stored<Pod> => ({
        metadata: {
          name: `p${index}`,
          namespace: 'default',
          uid: `u${index}`,
          resourceVersion: '1',
          creationTimestamp: printTime(index * 1000),
          ...(isDeleting && { deletionTimestamp: printTime(0) }),
        },
        spec: { containers: [], ...(node !== undefined && { nodeName: node }) },
        status: { phase: phase },
      }));
      const isEnded = ({ status }: Stored<Pod>): boolean => ['Succeeded', 'Failed'].includes(status?.phase ?? '');
      const plan = planCollection({
        pods: {
          by: (index, value) =>
            pods.filter((pod) => {
              if (index === 'node') return pod.spec?.nodeName === value;
              return value === 'terminated' ? isEnded(pod) : pod.metadata.deletionTimestamp !== undefined;
            }),
        },
        nodes: {
          get: (name) =>
            name === 'ready' || name === 'out'
              ? {
                  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: printTime(0) },
                  spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
                  status: { conditions: [{ type: 'Ready', status: name === 'ready' ? 'True' : 'False' }] },
                }
              : undefined,
        },
        deletedNodes: new Set(['gone']),
        terminatedMax,
      });
      const names = plan.map(({ pod }) => pod.metadata.name);
      t.equal(new Set(names).size, names.length);
      const ended = pods.filter(isEnded);
      const surplus = terminatedMax === 0 ? 0 : Math.max(0, ended.length - terminatedMax);
      t.equal(plan.filter(({ reason }) => reason === 'terminated').length, surplus);
      for (const { metadata, spec } of pods) {
        const isTerminating = metadata.deletionTimestamp !== undefined;
        const { nodeName } = spec ?? {};
        const isLost = nodeName === 'gone' || (isTerminating && (nodeName === undefined || nodeName === 'out'));
        if (isLost) t.ok(names.includes(metadata.name), `${nodeName ?? 'nowhere'} ${String(isTerminating)}`);
        else if (names.includes(metadata.name))
          t.equal(plan.find(({ pod }) => pod.metadata.name === metadata.name)?.reason, 'terminated');
      }
    }),
    { numRuns: runs(200) },
  );
  t.end();
});

t.test('nodes get the TTL of the size of their cluster, with some inertia downwards', async (t) => {
  await using world = await FaultyControllers.start([{ account: 'ttl-controller', create: nodeTtl }]);
  const nodes = world.client.kind('v1', 'Node');
  const ttls = async (): Promise<Record<string, number>> => {
    await world.cluster.settled();
    const counts: Record<string, number> = {};
    for (const { metadata } of (await nodes.list()).items) {
      const ttl = metadata.annotations?.['node.alpha.kubernetes.io/ttl'] ?? 'none';
      counts[ttl] = (counts[ttl] ?? 0) + 1;
    }
    return counts;
  };
  for (let index = 0; index < 100; index += 1) await createNode(world, `n${index}`);
  t.same(await ttls(), { 0: 100 });
  await createNode(world, 'one-more');
  t.same(await ttls(), { 15: 101 });
  for (let index = 0; index < 11; index += 1) await nodes.delete(`n${index}`);
  t.same(await ttls(), { 15: 90 });
  world.restart();
  t.same(await ttls(), { 0: 90 }, 'a controller that starts knows only the size');
  await nodes.patch('one-more', { merge: { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': 'x' } } } });
  t.same(await ttls(), { 0: 90 });
  t.same(world.failures, []);
});
