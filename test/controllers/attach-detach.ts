// The attach/detach controller with a simulated attacher, on a virtual clock: VolumeAttachments, what nodes report, and
// when a volume moves to another node. Random histories: a volume of one node is never attached to two.
import t from 'tap';
import { decideAttachments } from '../../lib/controllers/attach-detach/attachment-decision.js';
import type { VolumeOnNode } from '../../lib/controllers/attach-detach/attachment-decision.js';
import { attachmentName } from '../../lib/controllers/attach-detach/attachable-volumes.js';
import { attachDetach, csiAttacher, volumeExpansion } from '../../lib/controllers/index.js';
import type { CsiAttacherOptions } from '../../lib/controllers/index.js';
import type { PersistentVolumeAccessMode } from '../../lib/core/types/index.js';
import type { PartTools } from '../../lib/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const driver = 'd.example.com';
const unique = `kubernetes.io/csi/${driver}^h`;
const managed = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };

async function start(options: Partial<CsiAttacherOptions> = {}, seed = 1): Promise<FaultyControllers> {
  const world = await FaultyControllers.start([{ account: 'attachdetach-controller', create: attachDetach }], {
    seed,
    parts: [
      ({ client, informers, clock, random }: PartTools) =>
        csiAttacher({ client, informers, clock, random, driver, ...options }),
    ],
  });
  for (const name of ['a', 'b']) await addNode(world, name);
  await addVolume(world, ['ReadWriteOnce']);
  return world;
}

async function addNode({ client }: FaultyControllers, name: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  await client.kind('v1', 'Node').create({ metadata: { name, annotations: managed }, status: { conditions } });
}

async function addVolume({ client }: FaultyControllers, accessModes: PersistentVolumeAccessMode[]): Promise<void> {
  const claims = client.kind('v1', 'PersistentVolumeClaim').in('default');
  const spec = { accessModes, resources: { requests: { storage: '1Gi' } }, storageClassName: '', volumeName: 'pv' };
  const { metadata } = await claims.create({ metadata: { name: 'c' }, spec });
  const claimRef = { namespace: 'default', name: 'c', uid: metadata.uid, kind: 'PersistentVolumeClaim' };
  const csi = { driver, volumeHandle: 'h' };
  await client
    .kind('v1', 'PersistentVolume')
    .create({ metadata: { name: 'pv' }, spec: { accessModes, capacity: { storage: '1Gi' }, csi, claimRef } });
  await claims.status.patch('c', { merge: { status: { phase: 'Bound', capacity: { storage: '1Gi' } } } });
}

async function addPod({ client }: FaultyControllers, name: string, nodeName: string): Promise<void> {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
  await client
    .kind('v1', 'Pod')
    .in('default')
    .create({ metadata: { name }, spec: { nodeName, volumes, containers: [{ name: 'c', image: 'i' }] } });
}

async function setInUse({ client }: FaultyControllers, node: string, isMounted: boolean): Promise<void> {
  const merge = { status: { volumesInUse: isMounted ? [unique] : null } };
  await client.kind('v1', 'Node').status.patch(node, { merge });
}

/** `a attached, b detaching; reported on a`: the VolumeAttachments, and which nodes report the volume. */
async function stateOf({ client, cluster }: FaultyControllers): Promise<string> {
  await cluster.settled();
  const { items } = await client.kind('storage.k8s.io/v1', 'VolumeAttachment').list();
  const attachments = items
    .map(({ metadata, spec, status }) => {
      const isDeleting = metadata.deletionTimestamp !== undefined;
      return `${spec.nodeName} ${isDeleting ? 'detaching' : status?.attached === true ? 'attached' : 'attaching'}`;
    })
    .sort();
  const nodes = (await client.kind('v1', 'Node').list()).items;
  const reported = nodes.filter(({ status }) => (status?.volumesAttached ?? []).some(({ name }) => name === unique));
  return `${attachments.join(', ')}; reported on ${reported.map(({ metadata }) => metadata.name).join(', ')}`;
}

const deletePod = async ({ client }: FaultyControllers, name: string): Promise<void> => {
  await client.kind('v1', 'Pod').in('default').delete(name, { gracePeriodSeconds: 0 });
};

t.test('a volume is attached for a pod, reported by its node, and detached when the pod is gone', async (t) => {
  await using world = await start();
  await addPod(world, 'web', 'a');
  t.equal(await stateOf(world), 'a attached; reported on a');
  const { items } = await world.client.kind('storage.k8s.io/v1', 'VolumeAttachment').list();
  t.match(items, [
    {
      metadata: { name: attachmentName({ driver, handle: 'h' }, 'a') },
      spec: { attacher: driver, nodeName: 'a', source: { persistentVolumeName: 'pv' } },
    },
  ]);
  t.match(items[0]?.metadata.name, /^csi-[0-9a-f]{64}$/);
  t.same(await world.events('web'), ['Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv" ']);
  await deletePod(world, 'web');
  t.equal(await stateOf(world), '; reported on ');
  t.same(world.failures, []);
});

t.test('a volume in use stays attached until the node has unmounted it, and others wait', async (t) => {
  await using world = await start();
  await addPod(world, 'web', 'a');
  await world.cluster.settled();
  await setInUse(world, 'a', true);
  await addPod(world, 'api', 'b');
  t.equal(await stateOf(world), 'a attached; reported on a');
  t.same(await world.events('api'), [
    'Warning FailedAttachVolume: Multi-Attach error for volume "pv" Volume is already used by pod(s) web',
  ]);
  await deletePod(world, 'web');
  await world.cluster.advance('1h');
  t.equal(await stateOf(world), 'a attached; reported on a', 'a ready node is never forced');
  await setInUse(world, 'a', false);
  t.equal(await stateOf(world), 'b attached; reported on b');
});

t.test('a node that is not ready loses the volume after six minutes, one out of service at once', async (t) => {
  for (const isOutOfService of [false, true]) {
    await using world = await start();
    await addPod(world, 'web', 'a');
    await world.cluster.settled();
    await setInUse(world, 'a', true);
    const nodes = world.client.kind('v1', 'Node');
    const conditions = [{ type: 'Ready', status: 'Unknown' as const }];
    await nodes.status.patch('a', { merge: { status: { conditions } } });
    await deletePod(world, 'web');
    await addPod(world, 'api', 'b');
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
    if (isOutOfService) await nodes.patch('a', { merge: { spec: { taints } } });
    else {
      await world.cluster.advance('359s');
      t.equal(await stateOf(world), 'a attached; reported on a');
      await world.cluster.advance('1s');
    }
    t.equal(await stateOf(world), 'b attached; reported on b');
  }
});

t.test('failures to attach are recorded, and retried by the attacher', async (t) => {
  let problem: string | undefined = 'no disk';
  await using world = await start({
    attach: () => (problem === undefined ? Promise.resolve(undefined) : Promise.reject(new Error(problem))),
  });
  await addPod(world, 'web', 'a');
  await world.cluster.advance('10ms');
  t.equal(await stateOf(world), 'a attaching; reported on ');
  t.equal(
    (await world.events('web'))[0],
    'Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv" : no disk',
  );
  problem = undefined;
  await world.cluster.advance('1m');
  t.equal(await stateOf(world), 'a attached; reported on a');
});

t.test('without an attacher the failure is recorded after two minutes', async (t) => {
  await using world = await start({ driver: 'other.example.com' });
  await addPod(world, 'web', 'a');
  await world.cluster.advance('119s');
  t.same(await world.events('web'), []);
  await world.cluster.advance('1s');
  t.same(await world.events('web'), [
    `Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv" : timed out waiting for external-attacher of ${driver} CSI driver to attach volume h`,
  ]);
});

t.test('drivers that require no attachment, and nodes that attach themselves, are left alone', async (t) => {
  await using world = await start();
  await world.client.kind('v1', 'Node').patch('b', { merge: { metadata: { annotations: null } } });
  await addPod(world, 'api', 'b');
  t.equal(await stateOf(world), '; reported on ');
  await deletePod(world, 'api');
  const spec = { attachRequired: false };
  await world.client.kind('storage.k8s.io/v1', 'CSIDriver').create({ metadata: { name: driver }, spec });
  await addPod(world, 'web', 'a');
  t.equal(await stateOf(world), '; reported on ');
});

t.test('a claim that requests more waits for an external resizer', async (t) => {
  await using world = await FaultyControllers.start([{ account: 'expand-controller', create: volumeExpansion }]);
  await addVolume(world, ['ReadWriteOnce']);
  await world.client.kind('storage.k8s.io/v1', 'StorageClass').create({
    metadata: { name: 's' },
    provisioner: driver,
    allowVolumeExpansion: true,
  });
  const claims = world.client.kind('v1', 'PersistentVolumeClaim').in('default');
  await world.cluster.settled();
  t.same(await world.events('c'), []);
  await claims.status.patch('c', { merge: { status: { capacity: { storage: '512Mi' } } } });
  await world.cluster.settled();
  t.same(await world.events('c'), [], 'less capacity is no request');
  world.restart();
  await world.cluster.settled();
  t.same(await world.events('c'), ['Normal ExternalExpanding: waiting for an external controller to expand this PVC']);
});

const onNode = fc.record({
  isWanted: fc.boolean(),
  attachment: fc.constantFrom('none' as const, 'attaching' as const, 'attached' as const, 'detaching' as const),
  isMounted: fc.boolean(),
  isHealthy: fc.boolean(),
  isOutOfService: fc.boolean(),
  unwantedSinceMs: fc.constantFrom(undefined, 0, 359_999, 360_000),
});

t.test('no decision attaches an unshared volume to two nodes, or takes one that is in use from a ready node', (t) => {
  fc.assert(
    fc.property(fc.array(onNode, { maxLength: 5 }), fc.boolean(), (given, isShared) => {
      const nodes: VolumeOnNode[] = given.map((each, index) => ({ ...each, node: `n${index}` }));
      const { steps } = decideAttachments(nodes, { isShared, nowMs: 720_000 - 1, forcedAfterMs: 360_000 });
      const attached = steps.filter(({ type }) => type === 'attach').length;
      const held = nodes.filter(({ attachment }) => attachment !== 'none').length;
      const isSafe = isShared || attached === 0 || (attached === 1 && held === 0);
      return (
        isSafe &&
        steps.every((step) => {
          const node = nodes.find((each) => each.node === step.node);
          if (step.type !== 'detach') return node?.isWanted === true && node.attachment === 'none';
          return node?.isWanted === false && (!node.isMounted || node.isOutOfService || !node.isHealthy);
        })
      );
    }),
    { numRuns: runs(2000) },
  );
  t.end();
});

const actions = fc.array(
  fc.record({
    pod: fc.constantFrom('p', 'q', 'r'),
    action: fc.constantFrom('create', 'delete', 'mount', 'unmount'),
    node: fc.constantFrom('a', 'b'),
    forMs: fc.integer({ min: 0, max: 30_000 }),
  }),
  { minLength: 1, maxLength: 10 },
);

t.test('random histories never attach a volume of one node twice, and end with what pods need', async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.integer({ min: 1, max: 1e9 }), async (history, seed) => {
      await using world = await start({}, seed);
      world.isFaulty = true;
      const attachments = world.client.kind('storage.k8s.io/v1', 'VolumeAttachment');
      const pods = world.client.kind('v1', 'Pod').in('default');
      for (const { pod, action, node, forMs } of history) {
        const found = await pods.find(pod);
        if (action === 'create' && found === undefined) await addPod(world, pod, node);
        else if (action === 'delete' && found !== undefined) await deletePod(world, pod);
        else if (action === 'mount' || action === 'unmount') await setInUse(world, node, action === 'mount');
        for (let waited = 0; waited <= forMs; waited += 5_000) {
          await world.cluster.advance(5_000);
          const { items } = await attachments.list();
          if (items.filter(({ status }) => status?.attached === true).length > 1) return false;
        }
      }
      for (const node of ['a', 'b']) await setInUse(world, node, false);
      await world.heal();
      const nodesWithPods = new Set((await pods.list()).items.map(({ spec }) => spec?.nodeName ?? ''));
      const { items } = await attachments.list();
      const attached = items.map(({ spec }) => spec.nodeName);
      return attached.length === Math.min(1, nodesWithPods.size) && attached.every((node) => nodesWithPods.has(node));
    }),
    { numRuns: runs(100) },
  );
});
