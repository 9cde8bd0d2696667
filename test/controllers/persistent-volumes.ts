// The volume binder: which claim gets which volume, Events, reclaiming, and that it may be interrupted after any write.
import t from 'tap';
import type { KindName } from '../../lib/client/index.js';
import type { Test } from 'tap';
import { persistentVolumes } from '../../lib/controllers/index.js';
import { compareQuantities, isApiError, parseQuantity, random } from '../../lib/core/index.js';
import { observe } from '../support/observe.js';
import { scheduledCluster } from '../support/scheduled-cluster.js';
import { StorageCluster } from '../support/storage-cluster.js';
import { fc, runs } from '../support/properties.js';

/** A cluster with a binder at work. */
async function cluster(t: Test): Promise<StorageCluster> {
  const made = new StorageCluster();
  t.teardown(() => made.close());
  made.start();
  await made.settle();
  return made;
}

const resync = 15_000;

t.test('a claim is bound to a volume in four steps', async (t) => {
  const c = await cluster(t);
  await c.volume('v', { size: '2Gi' });
  await c.settle();
  t.equal(await c.volumeState('v'), 'Available -');
  c.writes.length = 0;
  const { metadata } = await c.claim('c');
  await c.settle();
  t.strictSame(c.writes, [
    'update persistentvolumes/v',
    'update persistentvolumes/v/status',
    'update persistentvolumeclaims/c',
    'update persistentvolumeclaims/c/status',
  ]);
  const [claim, volume] = [await c.getClaim('c'), await c.getVolume('v')];
  t.match(volume.spec?.claimRef, {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: 'default',
    name: 'c',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  });
  t.strictSame(volume.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
  t.equal(volume.status?.phase, 'Bound');
  t.strictSame(claim.metadata.annotations, {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  });
  t.equal(claim.spec?.volumeName, 'v');
  t.strictSame(
    claim.status,
    { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } },
    'it has what the volume has',
  );
  t.match(c.outcomes.at(-1), { type: 'bound', claim: { namespace: 'default', name: 'c' }, volume: 'v' });
  c.writes.length = 0;
  await c.settle(10 * resync);
  t.strictSame(c.writes, [], 'and that is all');
  c.die();
  await c.settle();
  t.equal(c.clock.pending, 0, 'nothing is left behind');
});

t.test('the smallest matching volume is chosen', async (t) => {
  const c = await cluster(t);
  await c.volume('huge', { size: '50Gi' });
  await c.volume('large', { size: '10Gi' });
  await c.volume('small', { size: '1Gi' });
  await c.volume('handy', { size: '4Gi', accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  await c.volume('block', { size: '5Gi', volumeMode: 'Block' });
  await c.volume('classy', { size: '5Gi', storageClassName: 'gold' });
  await c.volume('read', { size: '5Gi', accessModes: ['ReadOnlyMany'] });
  await c.volume('fast', { size: '60Gi', meta: { labels: { speed: 'fast' } } });
  await c.settle();
  await c.claim('c', { size: '3Gi' });
  await c.settle();
  t.equal(await c.claimState('c'), 'Bound large', 'with few access modes before one with many');
  await c.claim('labelled', { selector: { matchLabels: { speed: 'fast' } } });
  await c.claim('of-class', { storageClassName: 'gold' });
  await c.claim('as-block', { volumeMode: 'Block' });
  await c.claim('shared', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  await c.claim('too-large', { size: '100Gi' });
  await c.settle();
  t.equal(await c.claimState('labelled'), 'Bound fast');
  t.equal(await c.claimState('of-class'), 'Bound classy');
  t.equal(await c.claimState('as-block'), 'Bound block');
  t.equal(await c.claimState('shared'), 'Bound handy');
  t.equal(await c.claimState('too-large'), 'Pending -');
  t.equal(
    await c.lastEvent('too-large'),
    'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set',
  );
});

t.test('an unbound claim is reconciled every 15 seconds', async (t) => {
  const c = await cluster(t);
  await c.claim('c');
  await c.settle();
  await c.volume('v');
  await c.settle();
  t.equal(await c.claimState('c'), 'Pending -');
  await c.settle(resync);
  t.equal(await c.claimState('c'), 'Bound v');
});

t.test('a volume that is reserved for a claim is bound to that claim only', async (t) => {
  const c = await cluster(t);
  await c.volume('meant', { size: '9Gi', claimRef: { namespace: 'default', name: 'mine' } });
  await c.volume('free', { size: '1Gi' });
  await c.settle();
  t.equal(await c.volumeState('meant'), 'Available mine', 'it waits for its claim');
  await c.claim('other', { size: '2Gi' });
  await c.claim('mine');
  await c.settle();
  t.equal(await c.claimState('mine'), 'Bound meant', 'although it is not the smallest');
  t.equal((await c.getVolume('meant')).metadata.annotations, undefined, 'the controller did not choose it');
  t.equal(await c.claimState('other'), 'Pending -');
});

t.test('a claim that names its volume gets that one, or waits for it', async (t) => {
  const c = await cluster(t);
  await c.claim('c', { volumeName: 'v' });
  await c.settle();
  t.equal(await c.claimState('c'), 'Pending v');
  await c.volume('v', { size: '7Gi' });
  await c.settle(resync);
  t.equal(await c.claimState('c'), 'Bound v');
  t.strictSame(
    (await c.getClaim('c')).metadata.annotations,
    { 'pv.kubernetes.io/bind-completed': 'yes' },
    'a person chose it',
  );
  await c.claim('late', { volumeName: 'v' });
  await c.settle();
  t.equal(await c.claimState('late'), 'Pending v');
  t.equal(await c.lastEvent('late'), 'Warning FailedBinding: volume "v" already bound to a different claim.');
});

t.test('a claim that names an unsuitable volume gets an Event with the reason', async (t) => {
  const c = await cluster(t);
  await c.volume('v', { size: '2Gi', storageClassName: 'gold' });
  await c.volume('w');
  await c.volume('leaving', { meta: { finalizers: ['example.com/kept'] } });
  await c.drop('PersistentVolume', 'leaving');
  await c.settle();
  const refusals = {
    small: { volumeName: 'v', size: '3Gi', storageClassName: 'gold' },
    class: { volumeName: 'v', storageClassName: 'silver' },
    attributes: { volumeName: 'v', storageClassName: 'gold', volumeAttributesClassName: 'quick' },
    mode: { volumeName: 'w', volumeMode: 'Block' as const },
    access: { volumeName: 'w', accessModes: ['ReadWriteMany' as const] },
    leaving: { volumeName: 'leaving' },
  };
  for (const [name, wish] of Object.entries(refusals)) await c.claim(name, wish);
  await c.settle();
  const events = await Promise.all(Object.keys(refusals).map((name) => c.events(name)));
  t.strictSame(
    events
      .flatMap((events) => events.map(({ reason, message }) => `${reason ?? ''}: ${message ?? ''}`))
      .filter((text) => text.includes('requested volume')),
    [
      'VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
      'VolumeMismatch: Cannot bind to requested volume "v": storageClassName does not match',
      'VolumeMismatch: Cannot bind to requested volume "v": volumeAttributesClassName does not match',
      'VolumeMismatch: Cannot bind to requested volume "w": incompatible volumeMode',
      'VolumeMismatch: Cannot bind to requested volume "w": incompatible accessMode',
      'VolumeMismatch: Cannot bind to requested volume "leaving": the volume is marked for deletion "leaving"',
    ],
  );
});

t.test('a claim of a class with WaitForFirstConsumer gets an Event with the awaited pods', async (t) => {
  const c = await cluster(t);
  await c.storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' });
  await c.volume('v', { storageClassName: 'later' });
  await c.settle();
  await c.claim('c', { storageClassName: 'later' });
  await c.settle();
  t.equal(await c.claimState('c'), 'Pending -', 'although a volume fits');
  t.equal(
    await c.lastEvent('c'),
    'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding',
  );
  const pods = c.client.kind('v1', 'Pod').in('default');
  const pod = (name: string, nodeName?: string): Promise<unknown> =>
    pods.create({
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        ...(nodeName !== undefined && { nodeName }),
        volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }],
      },
    });
  await pod('placed', 'n');
  for (const phase of ['Failed', 'Succeeded'] as const) {
    await pod(phase.toLowerCase());
    await pods.status.patch(phase.toLowerCase(), { merge: { status: { phase } } });
  }
  await pod('p');
  await c.settle(resync);
  t.equal(await c.lastEvent('c'), 'Normal WaitForPodScheduled: waiting for pod p to be scheduled');
  await pod('q');
  await c.settle(resync);
  t.equal(await c.lastEvent('c'), 'Normal WaitForPodScheduled: waiting for pods p,q to be scheduled');
  await c.client
    .kind('v1', 'PersistentVolumeClaim')
    .in('default')
    .patch('c', { merge: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n' } } } });
  await c.settle();
  t.equal(
    (await c.getClaim('c')).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'],
    'example.com/made',
    'once the node is chosen a volume is asked for',
  );
});

t.test('a volume is requested from the provisioner of the class', async (t) => {
  const c = await cluster(t);
  await c.storageClass('made');
  await c.storageClass('old', { provisioner: 'kubernetes.io/aws-ebs' });
  await c.storageClass('none', { provisioner: 'kubernetes.io/no-provisioner' });
  await c.storageClass('host', { provisioner: 'kubernetes.io/host-path' });
  for (const name of ['made', 'old', 'none', 'host', 'missing']) await c.claim(name, { storageClassName: name });
  await c.settle();
  const asked = async (name: string): Promise<unknown> => (await c.getClaim(name)).metadata.annotations;
  t.strictSame(await asked('made'), {
    'volume.beta.kubernetes.io/storage-provisioner': 'example.com/made',
    'volume.kubernetes.io/storage-provisioner': 'example.com/made',
  });
  t.match(
    await c.lastEvent('made'),
    "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/made' or manually by the system administrator.",
  );
  t.match(
    await asked('old'),
    { 'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com' },
    'the driver in the place of a plugin',
  );
  t.equal(
    await c.lastEvent('none'),
    'Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
  );
  t.equal(
    await c.lastEvent('host'),
    'Warning ProvisioningFailed: Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
  );
  t.equal(await c.lastEvent('missing'), 'Warning ProvisioningFailed: storageclass.storage.k8s.io "missing" not found');
  const { metadata } = await c.getClaim('made');
  await c.volume('pvc-1', {
    storageClassName: 'made',
    persistentVolumeReclaimPolicy: 'Delete',
    csi: { driver: 'example.com', volumeHandle: 'h' },
    claimRef: { namespace: 'default', name: 'made', uid: metadata.uid },
  });
  await c.settle();
  t.equal(await c.claimState('made'), 'Bound pvc-1', 'and when it has made one, the claim gets it at once');
});

t.test('a claim without a class gets the default class when there is one', async (t) => {
  const c = await cluster(t);
  await c.client
    .kind('v1', 'PersistentVolumeClaim')
    .in('default')
    .create({
      metadata: { name: 'open' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  await c.claim('none');
  await c.settle();
  t.equal((await c.getClaim('open')).spec?.storageClassName, undefined);
  await c.storageClass('first', {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  });
  await c.settle(2000);
  await c.storageClass('newer', {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  });
  await c.settle(resync);
  t.equal((await c.getClaim('open')).spec?.storageClassName, 'newer', 'the newest of several');
  t.equal((await c.getClaim('none')).spec?.storageClassName, '', 'who wants no class gets none');
  t.strictSame(
    c.outcomes.filter(({ type }) => type === 'failed'),
    [],
    'nor does anybody try',
  );
});

t.test('a claim whose volume is deleted is Lost, with one Event', async (t) => {
  const c = await cluster(t);
  await c.volume('v');
  await c.settle();
  await c.claim('c');
  await c.settle();
  await c.drop('PersistentVolume', 'v');
  await c.settle();
  t.equal(await c.claimState('c'), 'Lost v');
  t.strictSame((await c.getClaim('c')).status, { phase: 'Lost' }, 'it has nothing any more');
  t.equal(
    await c.lastEvent('c'),
    'Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
  );
  await c.settle(3 * resync);
  t.equal((await c.events('c')).find(({ reason }) => reason === 'ClaimLost')?.count, 1);
  await c.volume('v');
  await c.settle(resync);
  t.equal(await c.claimState('c'), 'Bound v', 'an unbound volume of that name counts as the old one');
});

t.test('no claim is lost and no volume released because of a stale cache', async (t) => {
  const c = new StorageCluster();
  t.teardown(() => c.close());
  c.lagMs = 50;
  c.start();
  await c.settle(500);
  const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
  for (const name of ['1', '2', '3', '4', '5', '6']) await c.volume(name, { storageClassName: 'other' });
  await c.volume('v');
  await c.claim('c', { volumeName: 'v', annotations: bound });
  await c.settle(200);
  t.equal(await c.claimState('c'), 'Bound v', 'before the volume was heard of');
  for (let each = 0; each < 40; each += 1) await c.claim(`other-${each}`, { volumeName: 'none' });
  const { metadata } = await c.claim('d');
  await c.volume('w', { claimRef: { namespace: 'default', name: 'd', uid: metadata.uid } });
  await c.settle(3 * resync);
  t.equal(await c.claimState('d'), 'Bound w');
  t.notOk(c.outcomes.some(({ type }) => type === 'lost' || type === 'released'));
});

t.test('one of two claims that are bound to one volume is Lost', async (t) => {
  const c = await cluster(t);
  await c.volume('v');
  await c.settle();
  await c.claim('first');
  await c.settle();
  await c.claim('second', { volumeName: 'v', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } });
  await c.claim('nowhere', { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } });
  await c.settle();
  t.strictSame(
    [await c.claimState('first'), await c.claimState('second'), await c.claimState('nowhere')],
    ['Bound v', 'Lost v', 'Lost -'],
  );
  t.equal(
    await c.lastEvent('second'),
    'Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
  );
  t.equal(
    await c.lastEvent('nowhere'),
    'Warning ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
  );
});

t.test('a volume whose claim is deleted is reclaimed by its policy', async (t) => {
  const c = await cluster(t);
  const volumes = {
    retained: {},
    driven: { persistentVolumeReclaimPolicy: 'Delete' as const, csi: { driver: 'example.com', volumeHandle: 'h' } },
    made: {
      persistentVolumeReclaimPolicy: 'Delete' as const,
      meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/made' } },
    },
    below: { persistentVolumeReclaimPolicy: 'Delete' as const },
    kept: {
      persistentVolumeReclaimPolicy: 'Delete' as const,
      meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' } },
    },
    host: { persistentVolumeReclaimPolicy: 'Delete' as const, hostPath: { path: '/var/x' } },
    share: { persistentVolumeReclaimPolicy: 'Delete' as const, nfs: { server: 's', path: '/x' } },
    disk: {
      persistentVolumeReclaimPolicy: 'Delete' as const,
      local: { path: '/x' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' as const }] }] },
      },
    },
    'made-share': {
      persistentVolumeReclaimPolicy: 'Delete' as const,
      nfs: { server: 's', path: '/x' },
      meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/nfs' } },
    },
    strange: {
      persistentVolumeReclaimPolicy: 'Delete' as const,
      meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/strange' } },
    },
    recycled: { persistentVolumeReclaimPolicy: 'Recycle' as const },
  };
  for (const [name, wish] of Object.entries(volumes))
    await c.volume(name, { ...wish, claimRef: { namespace: 'default', name } });
  for (const name of Object.keys(volumes)) await c.claim(name);
  await c.settle();
  for (const name of Object.keys(volumes)) t.equal(await c.claimState(name), `Bound ${name}`);
  t.strictSame(
    (await c.getVolume('kept')).metadata.finalizers,
    ['kubernetes.io/pv-controller'],
    'who has to be unmade here is kept until then',
  );
  for (const name of Object.keys(volumes)) await c.drop('PersistentVolumeClaim', name);
  await c.settle();
  const { items } = await c.client.kind('v1', 'PersistentVolume').list();
  t.strictSame(
    Object.fromEntries(
      items.map(({ metadata, status }) => [metadata.name, `${status?.phase ?? ''} ${status?.message ?? ''}`.trim()]),
    ),
    {
      retained: 'Released',
      driven: 'Released',
      made: 'Released',
      host: 'Failed host_path deleter only supports /tmp/.+ but received provided /var/x',
      share: 'Failed error getting deleter volume plugin for volume "share": no deletable volume plugin matched',
      disk: 'Failed error getting deleter volume plugin for volume "disk": no volume plugin matched',
      'made-share': 'Failed no deletable volume plugin matched',
      strange: 'Failed no volume plugin matched name: kubernetes.io/strange',
      recycled: 'Failed No recycler plugin found for the volume!',
    },
  );
  t.match(await c.lastEvent('disk'), /^Warning VolumeFailedDelete: error getting deleter/);
  t.match(await c.lastEvent('recycled'), /^Warning VolumeFailedRecycle: /);
  t.equal((await c.getVolume('retained')).spec?.claimRef?.name, 'retained', 'a retained volume still names its claim');
  c.writes.length = 0;
  await c.settle(3 * resync);
  t.strictSame(c.writes, []);
});

t.test('a claim of the same name is not the same claim', async (t) => {
  const c = await cluster(t);
  await c.volume('v');
  await c.settle();
  await c.claim('c');
  await c.settle();
  c.die();
  await c.drop('PersistentVolumeClaim', 'c');
  await c.claim('c');
  c.start();
  await c.settle();
  t.equal(await c.volumeState('v'), 'Released c');
  t.equal(await c.claimState('c'), 'Pending -');
});

t.test('concurrent claims are bound to different volumes', async (t) => {
  const c = new StorageCluster();
  t.teardown(() => c.close());
  for (const name of ['a', 'b', 'c', 'd']) {
    await c.volume(name);
    await c.claim(name);
  }
  c.start();
  await c.settle(resync);
  t.strictSame(await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await c.claimState(name)).split(' ')[0])), [
    'Bound',
    'Bound',
    'Bound',
    'Bound',
  ]);
  t.strictSame(
    c.outcomes.filter(({ type }) => type === 'failed'),
    [],
  );
});

t.test('a binder with a stale cache does not repeat its writes', async (t) => {
  const c = new StorageCluster();
  t.teardown(() => c.close());
  await c.volume('v');
  await c.claim('c');
  c.lagMs = 50;
  c.start();
  await c.settle(3 * resync);
  t.equal(await c.claimState('c'), 'Bound v');
  t.strictSame(
    c.outcomes.map(({ type }) => type),
    ['available', 'bound'],
    'nothing was refused',
  );
  t.equal(c.writes.length, 5);
});

t.test('a binder that reconciles again before its watch has caught up does not repeat its writes', async (t) => {
  const c = await cluster(t);
  await c.storageClass('made');
  await c.volume('v');
  await c.settle();
  c.die();
  await c.client.kind('v1', 'PersistentVolume').patch('v', {
    merge: { metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/gce-pd' } } },
  });
  await c.claim('c', { storageClassName: 'made' });
  c.writes.length = 0;
  c.outcomes.length = 0;
  c.lagMs = 2 * resync;
  c.start();
  await c.settle(resync + 1);
  t.strictSame(
    c.outcomes.map(({ type }) => type),
    ['awaited'],
    'nothing was refused',
  );
  t.strictSame(c.writes.toSorted(), ['update persistentvolumeclaims/c', 'update persistentvolumes/v']);
});

t.test('a binder that finishes an interrupted binding emits it', async (t) => {
  const c = await cluster(t);
  await c.volume('v');
  await c.settle();
  c.onWrite = (write) => {
    if (write !== 'update persistentvolumes/v/status') return;
    c.onWrite = () => undefined;
    c.die();
  };
  await c.claim('c');
  await c.settle();
  t.strictSame([await c.volumeState('v'), await c.claimState('c')], ['Bound c', 'Pending -']);
  c.outcomes.length = 0;
  c.start();
  await c.settle();
  t.match(c.outcomes, [{ type: 'bound', claim: { namespace: 'default', name: 'c' }, volume: 'v' }]);
});

t.test('a failed list is emitted, and the controller continues', async (t) => {
  for (const kind of ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'Pod']) {
    const c = new StorageCluster();
    t.teardown(() => c.close());
    const refusal = new Error(`no ${kind}`);
    let [asked, listed] = [0, 0];
    const of = ({ apiVersion, kind: name }: KindName): unknown => {
      const resource = c.client.kind(apiVersion as 'v1', name as 'Pod');
      const list = async (options: object): Promise<unknown> =>
        listed++ === 0 ? Promise.reject(refusal) : resource.list(options);
      return name === kind && asked++ === 0 ? { list, watch: (options: object) => resource.watch(options) } : resource;
    };
    c.start({ ...c.client, resource: of as typeof c.client.resource }); // the same, but that who asks first fails once
    await c.volume('v');
    await c.claim('c');
    await c.settle(2 * resync);
    t.match(
      c.outcomes.find(({ type }) => type === 'watch-failed'),
      { error: refusal },
      kind,
    );
    t.equal(await c.claimState('c'), 'Bound v');
  }
});

t.test('a volume whose claim is bound to another is unbound', async (t) => {
  const c = new StorageCluster();
  t.teardown(() => c.close());
  const { metadata } = await c.claim('c', { volumeName: 'w' });
  const claimRef = { namespace: 'default', name: 'c', uid: metadata.uid };
  await c.volume('chosen', { claimRef, meta: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } } });
  await c.volume('meant', { claimRef });
  await c.volume('unneeded', {
    claimRef,
    persistentVolumeReclaimPolicy: 'Delete',
    meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/made' } },
  });
  await c.volume('brought', { claimRef, persistentVolumeReclaimPolicy: 'Delete' });
  await c.volume('retained', {
    claimRef,
    meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/made' } },
  });
  await c.volume('w');
  c.start();
  await c.settle();
  t.equal(await c.claimState('c'), 'Bound w');
  t.strictSame(
    [await c.volumeState('chosen'), await c.volumeState('meant'), await c.volumeState('unneeded')],
    ['Available -', 'Available c', 'Released c'],
  );
  t.strictSame(
    [await c.volumeState('brought'), await c.volumeState('retained')],
    ['Available c', 'Available c'],
    'only what was made for it, and is to go with it, goes',
  );
  t.equal((await c.getVolume('chosen')).metadata.annotations, undefined);
  t.equal((await c.getVolume('meant')).spec?.claimRef?.uid, undefined, 'a claim of that name may have it');
});

t.test('a volume and a claim of different modes both get an Event', async (t) => {
  const c = new StorageCluster();
  t.teardown(() => c.close());
  const { metadata } = await c.claim('c', { volumeMode: 'Block' });
  await c.volume('v', { claimRef: { namespace: 'default', name: 'c', uid: metadata.uid } });
  c.start();
  await c.settle();
  t.equal(
    await c.lastEvent('v'),
    'Warning VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" due to incompatible volumeMode.',
  );
  t.ok(
    (await c.events('c')).some(
      ({ message }) =>
        message ===
        'Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim due to incompatible volumeMode.',
    ),
  );
});

t.test('a conflicting write is repeated on the newest state', async (t) => {
  const c = await cluster(t);
  await c.volume('v');
  await c.settle();
  let meddled = false;
  c.onWrite = () => {
    if (meddled) return;
    meddled = true;
    void c.client
      .kind('v1', 'PersistentVolumeClaim')
      .in('default')
      .patch('c', { merge: { metadata: { labels: { touched: 'yes' } } } });
  };
  await c.claim('c');
  await c.settle(100);
  t.equal(await c.claimState('c'), 'Bound v');
  t.equal((await c.getClaim('c')).metadata.labels?.touched, 'yes');
  t.ok(
    c.outcomes.some((outcome) => outcome.type === 'failed' && outcome.retryInMs !== undefined),
    'it was refused once',
  );
});

t.test('a volume that is being resized counts with its previous capacity', async (t) => {
  const c = await cluster(t);
  await c.volume('v', {
    size: '5Gi',
    meta: { annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '2Gi' } },
  });
  await c.settle();
  await c.claim('c');
  await c.settle();
  t.strictSame((await c.getClaim('c')).status?.capacity, { storage: '2Gi' });
});

t.test('volumes of removed in-tree plugins are migrated to drivers', async (t) => {
  const c = await cluster(t);
  const meta = {
    annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/gce-pd' },
    finalizers: ['kubernetes.io/pv-controller'],
  };
  await c.volume('v', {
    persistentVolumeReclaimPolicy: 'Delete',
    meta,
    claimRef: { namespace: 'default', name: 'c', uid: 'gone' },
  });
  await c.settle();
  const { metadata } = await c.getVolume('v');
  t.equal(metadata.annotations?.['pv.kubernetes.io/migrated-to'], 'pd.csi.storage.gke.io');
  t.equal(metadata.finalizers, undefined);
  t.equal(await c.volumeState('v'), 'Released c', 'and are theirs to delete');
});

t.test('claims of removed in-tree plugins are migrated to drivers', async (t) => {
  const c = await cluster(t);
  const [provisioner, beta, migrated] = [
    'volume.kubernetes.io/storage-provisioner',
    'volume.beta.kubernetes.io/storage-provisioner',
    'pv.kubernetes.io/migrated-to',
  ];
  const [plugin, driver] = ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'];
  const cases: readonly (readonly [before: Record<string, string>, after: Record<string, string>])[] = [
    [{ [provisioner]: plugin }, { [provisioner]: plugin, [migrated]: driver }],
    [{ [beta]: plugin }, { [beta]: plugin, [migrated]: driver }],
    [
      { [provisioner]: 'example.com/made', [beta]: plugin, [migrated]: driver },
      { [provisioner]: 'example.com/made', [beta]: plugin },
    ],
    [{ [migrated]: driver }, { [migrated]: driver }],
  ];
  for (const [index, [annotations]] of cases.entries()) await c.claim(`c${index}`, { annotations });
  await c.settle();
  for (const [index, [, after]] of cases.entries())
    t.strictSame((await c.getClaim(`c${index}`)).metadata.annotations, after);
});

t.test('pods get the claims of their ephemeral volumes', async (t) => {
  const c = await cluster(t);
  const volumeClaimTemplate = {
    metadata: { labels: { of: 'a-pod' } },
    spec: {
      accessModes: ['ReadWriteOnce' as const],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  };
  const pod = (name: string): Promise<{ readonly metadata: { readonly uid: string } }> =>
    c.client
      .kind('v1', 'Pod')
      .in('default')
      .create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'd', ephemeral: { volumeClaimTemplate } }] },
      });
  await c.volume('v');
  await c.settle();
  const { metadata } = await pod('p');
  await c.settle();
  const made = await c.getClaim('p-d');
  t.strictSame(made.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
  ]);
  t.strictSame(made.metadata.labels, { of: 'a-pod' });
  t.equal(await c.claimState('p-d'), 'Bound v', 'and it is bound like any other');
  await c.drop('PersistentVolumeClaim', 'p-d');
  await c.settle();
  t.not((await c.getClaim('p-d')).metadata.uid, made.metadata.uid, 'one that is deleted is made anew');
  await c.claim('q-d');
  await pod('q');
  await c.settle();
  t.equal(
    await c.lastEvent('q'),
    'Warning FailedBinding: ephemeral volume d: PVC default/q-d was not created for pod default/q (pod is not owner)',
  );
  await c.drop('PersistentVolumeClaim', 'q-d');
  await c.settle(20_000);
  t.equal((await c.getClaim('q-d')).metadata.ownerReferences?.[0]?.name, 'q', 'once it is out of the way');
});

/** What is left of a cluster in the end: everything but names that are drawn and times. */
async function remains(c: StorageCluster): Promise<unknown> {
  const volumes = await c.client.kind('v1', 'PersistentVolume').list();
  const claims = await c.client.kind('v1', 'PersistentVolumeClaim').list();
  return {
    volumes: Object.fromEntries(
      volumes.items.map(({ metadata: { name, annotations = {}, finalizers = [] }, spec, status }) => [
        name,
        [
          status?.phase,
          status?.message,
          spec?.claimRef?.name,
          spec?.claimRef?.uid !== undefined,
          annotations,
          finalizers,
        ],
      ]),
    ),
    claims: Object.fromEntries(
      claims.items.map(({ metadata: { name, annotations = {} }, spec, status }) => [
        name,
        [status, spec?.volumeName, spec?.storageClassName, annotations],
      ]),
    ),
  };
}

/** A bit of everything. Who gets what does not depend on who comes first. */
async function history(c: StorageCluster): Promise<void> {
  await c.storageClass('made', {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  });
  const { metadata } = await c.claim('named', { volumeName: 'w' });
  await c.volume('v', { persistentVolumeReclaimPolicy: 'Delete' });
  await c.volume('meant', { claimRef: { namespace: 'default', name: 'expected' } });
  await c.volume('w', { size: '9Gi' });
  await c.volume('spare', {
    size: '3Gi',
    claimRef: { namespace: 'default', name: 'named', uid: metadata.uid },
    meta: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
  });
  await c.volume('kept', {
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: { namespace: 'default', name: 'gone', uid: 'gone' },
    meta: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' } },
  });
  await c.settle(2 * resync);
  for (const name of ['expected', 'any', 'late']) await c.claim(name, { size: name === 'late' ? '2Gi' : '1Gi' });
  await c.client
    .kind('v1', 'PersistentVolumeClaim')
    .in('default')
    .create({
      metadata: { name: 'open' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
  await c.settle();
  await c.drop('PersistentVolumeClaim', 'any');
  await c.drop('PersistentVolume', 'w');
  await c.settle(3 * resync);
}

t.test('after a crash at any write the next binder finishes the binding', async (t) => {
  const whole = await cluster(t);
  await history(whole);
  const wanted = await remains(whole);
  t.ok(whole.writes.length > 20, `${whole.writes.length} writes`);
  for (let last = 1; last <= whole.writes.length; last += 1) {
    const c = new StorageCluster();
    c.onWrite = () => {
      if (c.writes.length !== last) return;
      c.die();
      queueMicrotask(() => c.start());
    };
    c.start();
    await history(c);
    t.strictSame(await remains(c), wanted, `after ${c.writes[last - 1] ?? ''}`);
    await c.close();
  }
});

type Deed =
  | {
      readonly what: 'volume';
      readonly name: string;
      readonly size: number;
      readonly shared: boolean;
      readonly meantFor?: string | undefined;
      readonly goes: boolean;
    }
  | {
      readonly what: 'claim';
      readonly name: string;
      readonly size: number;
      readonly shared: boolean;
      readonly named?: string | undefined;
    }
  | { readonly what: 'no-volume' | 'no-claim'; readonly name: string }
  | { readonly what: 'wait'; readonly ms: number }
  | { readonly what: 'die'; readonly afterWrites: number };

const claimName = fc.constantFrom('a', 'b', 'c');
const volumeName = fc.constantFrom('u', 'v', 'w', 'x');
const size = fc.integer({ min: 1, max: 3 });
const rarely = <T>(what: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(what, { nil: undefined, freq: 4 });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('volume' as const),
      name: volumeName,
      size,
      shared: fc.boolean(),
      meantFor: rarely(claimName),
      goes: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('claim' as const),
      name: claimName,
      size,
      shared: fc.boolean(),
      named: rarely(volumeName),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('no-claim' as const), name: claimName }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('no-volume' as const), name: volumeName }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 7, 20_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('die' as const), afterWrites: fc.integer({ min: 0, max: 6 }) }),
  },
);

async function perform(deed: Deed, c: StorageCluster): Promise<void> {
  const modes = (shared: boolean): { readonly accessModes: ('ReadWriteOnce' | 'ReadWriteMany')[] } => ({
    accessModes: shared ? ['ReadWriteOnce', 'ReadWriteMany'] : ['ReadWriteOnce'],
  });
  const unlessThere = (made: Promise<unknown>): Promise<unknown> =>
    made.catch((error: unknown) => (isApiError(error, 'AlreadyExists') ? undefined : Promise.reject(error as Error)));
  switch (deed.what) {
    case 'volume': {
      const meant = deed.meantFor === undefined ? {} : { claimRef: { namespace: 'default', name: deed.meantFor } };
      await unlessThere(
        c.volume(deed.name, {
          size: `${deed.size}Gi`,
          ...modes(deed.shared),
          persistentVolumeReclaimPolicy: deed.goes ? 'Delete' : 'Retain',
          ...meant,
        }),
      );
      return;
    }
    case 'claim':
      await unlessThere(
        c.claim(deed.name, {
          size: `${deed.size}Gi`,
          ...modes(deed.shared),
          ...(deed.named !== undefined && { volumeName: deed.named }),
        }),
      );
      return;
    case 'no-volume':
      return c.drop('PersistentVolume', deed.name);
    case 'no-claim':
      return c.drop('PersistentVolumeClaim', deed.name);
    case 'wait':
      return c.settle(deed.ms);
    case 'die': {
      const last = c.writes.length + deed.afterWrites;
      const end = (): void => {
        c.onWrite = () => undefined;
        c.die();
        queueMicrotask(() => c.start());
      };
      c.onWrite = () => (c.writes.length >= last ? end() : undefined);
      if (deed.afterWrites === 0) end();
    }
  }
}

/** What is wrong with a cluster in which nothing happens any more. */
async function faults(c: StorageCluster): Promise<readonly string[]> {
  const { items: volumes } = await c.client.kind('v1', 'PersistentVolume').list();
  const { items: claims } = await c.client.kind('v1', 'PersistentVolumeClaim').list();
  const wrong: string[] = [];
  for (const { metadata, spec, status } of claims) {
    const { name, uid } = metadata;
    const own = volumes.filter((volume) => volume.spec?.claimRef?.uid === uid);
    const has = volumes.find((volume) => volume.metadata.name === spec?.volumeName);
    if (own.length > 1) wrong.push(`${name} has ${own.length} volumes`);
    if (status?.phase === 'Bound' && (has === undefined || has !== own[0] || has.status?.phase !== 'Bound'))
      wrong.push(`${name} is bound to what is not bound to it`);
    if (status?.phase === 'Lost' && has?.spec?.claimRef?.uid === uid) wrong.push(`${name} is lost and has a volume`);
    if (status?.phase !== 'Pending') continue;
    if (own.length > 0) wrong.push(`${name} was given ${own[0]?.metadata.name ?? ''} and is pending`);
    const could = volumes.filter(
      ({ metadata: at, spec: its, status: is }) =>
        is?.phase === 'Available' &&
        (spec?.volumeName === undefined || spec.volumeName === at.name) &&
        (its?.claimRef === undefined || its.claimRef.name === name) &&
        compareQuantities(
          parseQuantity(its?.capacity?.storage ?? '0'),
          parseQuantity(spec?.resources?.requests?.storage ?? '0'),
        ) >= 0 &&
        (spec?.accessModes ?? []).every((mode) => its?.accessModes?.includes(mode)),
    );
    if (could.length > 0)
      wrong.push(`${name} is pending and could have ${could.map(({ metadata: at }) => at.name).join()}`);
  }
  for (const {
    metadata: { name },
    spec,
    status,
  } of volumes) {
    const uid = spec?.claimRef?.uid;
    const claim = claims.find(({ metadata }) => metadata.uid === uid);
    const expected = uid === undefined ? 'Available' : claim === undefined ? 'Released' : 'Bound';
    if (status?.phase !== expected) wrong.push(`${name} is ${status?.phase ?? ''} instead of ${expected}`);
    if (expected === 'Released' && spec?.persistentVolumeReclaimPolicy === 'Delete')
      wrong.push(`${name} should be gone`);
  }
  return wrong;
}

t.test('after random changes everything that can be bound is bound, and nothing twice', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 30 }), async (deeds) => {
      const c = new StorageCluster();
      c.start();
      for (const each of deeds) await perform(each, c);
      c.onWrite = () => undefined;
      await c.settle(4 * resync);
      const wrong = await faults(c);
      c.writes.length = 0;
      await c.settle(2 * resync);
      const restless = [...c.writes];
      await c.close();
      if (wrong.length + restless.length > 0) throw new Error([...wrong, ...restless].join('; '));
      if (c.clock.pending > 0) throw new Error('timers are left');
    }),
    { numRuns: runs(150) },
  );
  t.pass();
});

t.test('a pod whose claim waits for it gets its node, and the claim its volume', async (t) => {
  const c = await scheduledCluster();
  const running = observe(persistentVolumes({ client: c.client, clock: c.clock, random: random(5) }).run());
  await c.perform({ what: 'node', name: 'n1', cpu: 4, zone: 'a' });
  await c.perform({ what: 'node', name: 'n2', cpu: 4, zone: 'b' });
  const classes = c.client.kind('storage.k8s.io/v1', 'StorageClass');
  await classes.create({
    metadata: { name: 'later' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await classes.create({
    metadata: { name: 'made' },
    provisioner: 'example.com/made',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const volumes = c.client.kind('v1', 'PersistentVolume');
  const claims = c.client.kind('v1', 'PersistentVolumeClaim').in('default');
  const storage = { storage: '1Gi' };
  const nodeAffinity = {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['b'] }] }] },
  };
  await volumes.create({
    metadata: { name: 'v' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: storage,
      storageClassName: 'later',
      local: { path: '/x' },
      nodeAffinity,
    },
  });
  for (const name of ['later', 'made']) {
    await claims.create({
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: name, resources: { requests: storage } },
    });
    await c.client
      .kind('v1', 'Pod')
      .in('default')
      .create({
        metadata: { name },
        spec: {
          containers: [{ name: 'c', image: 'i' }],
          volumes: [{ name: 'd', persistentVolumeClaim: { claimName: name } }],
        },
      });
  }
  await c.perform({ what: 'wait', ms: 3000 });
  const node = async (name: string): Promise<string | undefined> =>
    (await c.client.kind('v1', 'Pod').in('default').get(name)).spec?.nodeName;
  t.equal(await node('later'), 'n2', 'where the volume is');
  t.match(await claims.get('later'), { spec: { volumeName: 'v' }, status: { phase: 'Bound' } });
  t.equal(await node('made'), undefined, 'it waits until a volume was made');
  const asked = await claims.get('made');
  t.ok(asked.metadata.annotations?.['volume.kubernetes.io/selected-node']);
  await volumes.create({
    metadata: { name: 'w' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: storage,
      storageClassName: 'made',
      csi: { driver: 'example.com', volumeHandle: 'h' },
      claimRef: { namespace: 'default', name: 'made', uid: asked.metadata.uid },
    },
  });
  await c.perform({ what: 'wait', ms: 3000 });
  t.equal(await node('made'), asked.metadata.annotations?.['volume.kubernetes.io/selected-node']);
  t.match(await claims.get('made'), { spec: { volumeName: 'w' }, status: { phase: 'Bound' } });
  running.unsubscribe();
  t.strictSame(await c.stop(), { watches: 0, timers: 0 }, 'nothing is left behind');
});
