// Volumes of claims: a storage driver in the shape of CSI sees the calls of a kubelet in their order.
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { PublishedVolume, StagedVolume, VolumeDriver } from '../../lib/nodeagent/public.js';
import { nodeCluster, podEvents, podOf } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');

function driverOf(calls: string[], failing: { publish?: string } = {}): VolumeDriver {
  const of = ({ node, volumeHandle }: StagedVolume): string => `${volumeHandle} on ${node}`;
  const pod = (volume: PublishedVolume): string => `${of(volume)} for ${volume.pod.name}/${volume.volume}`;
  return {
    name: 'csi.example.com',
    stage: async (volume) => void calls.push(`stage ${of(volume)}`),
    publish: async (volume) => {
      if (failing.publish !== undefined) throw new Error(failing.publish);
      calls.push(
        `publish ${pod(volume)}${volume.isReadOnly ? ' read-only' : ''}${volume.isEphemeral ? ' inline' : ''}`,
      );
      return `/volumes/${volume.volumeHandle}`;
    },
    unpublish: async (volume) => void calls.push(`unpublish ${pod(volume)}`),
    unstage: async (volume) => void calls.push(`unstage ${of(volume)}`),
  };
}

/** A claim that is bound to a volume of the driver. */
async function bindClaim({ client }: Cluster<VirtualClock>, name: string): Promise<void> {
  const claimRef = { namespace: 'default', name };
  const accessModes = ['ReadWriteMany' as const];
  await client.kind('v1', 'PersistentVolume').create({
    metadata: { name: `pv-${name}` },
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      claimRef,
      csi: { driver: 'csi.example.com', volumeHandle: `handle-${name}` },
      storageClassName: '',
    },
  });
  const claims = client.kind('v1', 'PersistentVolumeClaim').in('default');
  await claims.create({
    metadata: { name },
    spec: { accessModes, volumeName: `pv-${name}`, storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  });
  await claims.status.patch(name, { merge: { status: { phase: 'Bound' } } });
}

const claiming = (claimName: string, readOnly = false) => ({
  nodeName: 'node-1',
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName, readOnly } }],
  main: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
});

t.test('a volume is staged once, published for each pod, and undone in reverse', async (t) => {
  const calls: string[] = [];
  const cluster = await nodeCluster({ volumeDrivers: () => [driverOf(calls)] });
  await bindClaim(cluster, 'shared');
  await podsOf(cluster).create(podOf('a', {}, claiming('shared')));
  await cluster.settled();
  await podsOf(cluster).create(podOf('b', {}, claiming('shared', true)));
  await cluster.settled();
  t.equal((await podsOf(cluster).get('a')).status?.phase, 'Running');
  t.strictSame(calls.splice(0), [
    'stage handle-shared on node-1',
    'publish handle-shared on node-1 for a/data',
    'publish handle-shared on node-1 for b/data read-only',
  ]);
  for (const name of ['a', 'b']) {
    await podsOf(cluster).delete(name);
    await cluster.advance('1m');
    t.equal(await podsOf(cluster).find(name), undefined);
  }
  t.strictSame(calls, [
    'unpublish handle-shared on node-1 for a/data',
    'unpublish handle-shared on node-1 for b/data',
    'unstage handle-shared on node-1',
  ]);
  await cluster.close();
});

t.test('a pod waits for its claim and its driver', async (t) => {
  const failing: { publish?: string } = { publish: 'disk is on fire' };
  const calls: string[] = [];
  const cluster = await nodeCluster({ volumeDrivers: () => [driverOf(calls, failing)] });
  await podsOf(cluster).create(podOf('a', {}, claiming('late')));
  await cluster.advance('1s');
  await bindClaim(cluster, 'late');
  await cluster.advance('10s');
  const events = (await podEvents(cluster)).map((line) => line.replace(/ \(x[0-9]+\)$/, ''));
  t.ok(
    events.includes(
      'FailedMount: error processing PVC default/late: failed to fetch PVC from API server: persistentvolumeclaims "late" not found',
    ),
    events.join('\n'),
  );
  t.ok(events.includes('FailedMount: disk is on fire'));
  t.equal((await podsOf(cluster).get('a')).status?.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  delete failing.publish;
  await cluster.advance('1m');
  t.equal((await podsOf(cluster).get('a')).status?.phase, 'Running');
  await cluster.close();
});

t.test('an inline volume of a driver lives with its pod', async (t) => {
  const calls: string[] = [];
  const cluster = await nodeCluster({ volumeDrivers: () => [driverOf(calls)] });
  const volumes = [{ name: 'scratch', csi: { driver: 'csi.example.com' } }];
  const { metadata } = await podsOf(cluster).create(podOf('a', {}, { nodeName: 'node-1', volumes }));
  await cluster.settled();
  await podsOf(cluster).delete('a');
  await cluster.advance('1m');
  const handle = `csi-${metadata.uid}-scratch`;
  t.strictSame(calls, [
    `publish ${handle} on node-1 for a/scratch inline`,
    `unpublish ${handle} on node-1 for a/scratch`,
  ]);
  await cluster.close();
});
