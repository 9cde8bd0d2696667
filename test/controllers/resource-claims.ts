// The resource claim controller and device taint eviction, on a virtual clock.
import t from 'tap';
import { deviceTaintEviction, resourceClaims } from '../../lib/controllers/index.js';
import { printTime } from '../../lib/core/index.js';
import type { DeviceTaint, DeviceToleration } from '../../lib/core/types/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const controllers = [
  { account: 'resource-claim-controller', create: resourceClaims },
  { account: 'device-taint-eviction-controller', create: deviceTaintEviction },
];

const start = (seed = 1): Promise<FaultyControllers> =>
  FaultyControllers.start(controllers, { seed, controllers: ['garbage-collector-controller'] });

const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] };

async function addTemplate({ client }: FaultyControllers): Promise<void> {
  await client
    .kind('resource.k8s.io/v1', 'ResourceClaimTemplate')
    .in('default')
    .create({
      metadata: { name: 't' },
      spec: { metadata: { labels: { l: 'x' }, annotations: { n: 'y' } }, spec: { devices } },
    });
}

async function addPod(
  { client }: FaultyControllers,
  name: string,
  { claim, nodeName }: { readonly claim?: string; readonly nodeName?: string } = {},
): Promise<void> {
  const source = claim === undefined ? { resourceClaimTemplateName: 't' } : { resourceClaimName: claim };
  await client
    .kind('v1', 'Pod')
    .in('default')
    .create({
      metadata: { name },
      spec: {
        ...(nodeName !== undefined && { nodeName }),
        resourceClaims: [{ name: 'dev', ...source }],
        containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'dev' }] } }],
      },
    });
}

const claimsOf = ({ client }: FaultyControllers) => client.kind('resource.k8s.io/v1', 'ResourceClaim').in('default');

/** Creates a claim that is allocated, as the scheduler does. */
async function addAllocated(
  world: FaultyControllers,
  name: string,
  tolerations: DeviceToleration[] = [],
): Promise<void> {
  const finalizers = ['resource.kubernetes.io/delete-protection'];
  await claimsOf(world).create({ metadata: { name, finalizers }, spec: { devices } });
  const results = [
    { request: 'r', driver: 'd.example.com', pool: 'p', device: 'x', ...(tolerations.length > 0 && { tolerations }) },
  ];
  await claimsOf(world).status.patch(name, { merge: { status: { allocation: { devices: { results } } } } });
}

async function addSlice({ client }: FaultyControllers, taints: DeviceTaint[]): Promise<void> {
  const spec = {
    driver: 'd.example.com',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'x', taints }],
  };
  await client.kind('resource.k8s.io/v1', 'ResourceSlice').create({ metadata: { name: 's' }, spec });
}

t.test('a claim is created from a template, named in the status of the pod, and goes with it', async (t) => {
  await using world = await start();
  await addPod(world, 'web');
  await world.cluster.advance('1s');
  t.match(
    (await world.events('web'))[0],
    'Warning FailedResourceClaimCreation: PodResourceClaim dev: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found',
  );
  await addTemplate(world);
  await world.cluster.settled();
  const { items } = await claimsOf(world).list();
  const pods = world.client.kind('v1', 'Pod').in('default');
  const pod = await pods.get('web');
  const [claim] = items;
  t.equal(items.length, 1);
  t.match(claim, {
    metadata: {
      generateName: 'web-dev-',
      labels: { l: 'x' },
      annotations: { n: 'y', 'resource.kubernetes.io/pod-claim-name': 'dev' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid, controller: true }],
    },
    spec: { devices: { requests: [{ name: 'r' }] } },
  });
  t.same(pod.status?.resourceClaimStatuses, [{ name: 'dev', resourceClaimName: claim?.metadata.name }]);
  await pods.delete('web', { gracePeriodSeconds: 0 });
  await world.cluster.advance('1m');
  t.same((await claimsOf(world).list()).items, []);
});

t.test('the claim of a pod that ended is deleted', async (t) => {
  await using world = await start();
  await addTemplate(world);
  await addPod(world, 'web', { nodeName: 'n' });
  await world.cluster.settled();
  await world.client
    .kind('v1', 'Pod')
    .in('default')
    .status.patch('web', { merge: { status: { phase: 'Succeeded' } } });
  await world.cluster.settled();
  t.same((await claimsOf(world).list()).items, []);
  t.same(world.failures, []);
});

t.test('an allocated claim is reserved for a pod that has a node, and deallocated when the pod is gone', async (t) => {
  await using world = await start();
  await addAllocated(world, 'c');
  await addPod(world, 'web', { claim: 'c', nodeName: 'n' });
  await world.cluster.settled();
  const reserved = await claimsOf(world).get('c');
  t.match(reserved.status?.reservedFor, [{ resource: 'pods', name: 'web' }]);
  await world.client.kind('v1', 'Pod').in('default').delete('web', { gracePeriodSeconds: 0 });
  await world.cluster.settled();
  const released = await claimsOf(world).get('c');
  t.equal(released.status?.reservedFor, undefined);
  t.equal(released.status?.allocation, undefined);
  t.equal(released.metadata.finalizers, undefined);
});

t.test('a claim that is being deleted is released when nothing uses it', async (t) => {
  await using world = await start();
  await addAllocated(world, 'c');
  await claimsOf(world).delete('c');
  await world.cluster.settled();
  t.equal(await claimsOf(world).find('c'), undefined);
});

t.test('the name of a claim is cut to the length of a label', async (t) => {
  await using world = await start();
  await addTemplate(world);
  await addPod(world, 'x'.repeat(100));
  await world.cluster.settled();
  const [claim] = (await claimsOf(world).list()).items;
  t.ok((claim?.metadata.name ?? '').length <= 63);
  t.match(claim?.metadata.generateName, /^x+-de?v?$/);
});

t.test('pods of tainted devices are evicted when their claims tolerate the taint no longer', async (t) => {
  await using world = await start();
  const nowMs = world.cluster.clock.now();
  const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 } as const;
  await addAllocated(world, 'strict');
  await addAllocated(world, 'patient', [toleration]);
  await addAllocated(world, 'immune', [{ operator: 'Exists', effect: 'NoExecute' }]);
  for (const name of ['strict', 'patient', 'immune']) await addPod(world, name, { claim: name, nodeName: 'n' });
  await world.cluster.settled();
  await addSlice(world, [{ key: 'k', effect: 'NoExecute', timeAdded: printTime(nowMs) }]);
  const pods = world.client.kind('v1', 'Pod').in('default');
  const evicted = async (): Promise<readonly string[]> => {
    await world.cluster.settled();
    const { items } = await pods.list();
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name);
  };
  t.same(await evicted(), ['strict']);
  t.match((await pods.get('strict')).status?.conditions, [
    { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByDeviceTaintManager' },
  ]);
  t.same(await world.events('strict'), ['Normal DeviceTaintManagerEviction: Marking for deletion']);
  await world.cluster.advance(59_999);
  t.same(await evicted(), ['strict']);
  await world.cluster.advance(1);
  t.same(await evicted(), ['patient', 'strict']);
  await world.cluster.advance('1h');
  t.same(await evicted(), ['patient', 'strict']);
});

t.test('an eviction is cancelled when the taint is removed in time', async (t) => {
  await using world = await start();
  const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 } as const;
  await addAllocated(world, 'c', [toleration]);
  await addPod(world, 'web', { claim: 'c', nodeName: 'n' });
  await addSlice(world, [{ key: 'k', effect: 'NoExecute' }]);
  await world.cluster.advance('30s');
  const slices = world.client.kind('resource.k8s.io/v1', 'ResourceSlice');
  await slices.patch('s', { merge: { spec: { devices: [{ name: 'x' }] } } });
  await world.cluster.advance('10m');
  t.same(await world.events('web'), ['Normal DeviceTaintManagerEviction: Cancelling deletion']);
  t.equal((await world.client.kind('v1', 'Pod').in('default').get('web')).metadata.deletionTimestamp, undefined);
});

const actions = fc.array(
  fc.record({
    pod: fc.constantFrom('p', 'q'),
    action: fc.constantFrom('create', 'bound', 'finish', 'delete'),
    forMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  { minLength: 1, maxLength: 8 },
);

t.test('random histories: each pod that may run has one claim, and no other claim is left', async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.integer({ min: 1, max: 1e9 }), async (history, seed) => {
      await using world = await start(seed);
      await addTemplate(world);
      world.isFaulty = true;
      const pods = world.client.kind('v1', 'Pod').in('default');
      for (const { pod, action, forMs } of history) {
        const found = await pods.find(pod);
        if (action === 'create' || action === 'bound') {
          if (found === undefined) await addPod(world, pod, action === 'bound' ? { nodeName: 'n' } : {});
        } else if (found !== undefined) {
          if (action === 'delete') await pods.delete(pod, { gracePeriodSeconds: 0 });
          else await pods.status.patch(pod, { merge: { status: { phase: 'Succeeded' } } });
        }
        await world.cluster.advance(forMs);
      }
      await world.heal(600_000);
      const running = (await pods.list()).items.filter(({ status }) => status?.phase !== 'Succeeded');
      const { items } = await claimsOf(world).list();
      const owners = items.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid ?? '');
      return (
        items.length === running.length &&
        running.every(
          ({ metadata, status }) =>
            owners.includes(metadata.uid) &&
            status?.resourceClaimStatuses?.[0]?.resourceClaimName ===
              items.find((claim) => claim.metadata.ownerReferences?.[0]?.uid === metadata.uid)?.metadata.name,
        )
      );
    }),
    { numRuns: runs(100) },
  );
});
