// The volumes of scheduler_perf: each pod has a claim of its own, bound to a volume of its own, and nodes take only so
// many.
import type { Client } from '../../lib/client/index.js';
import type { PersistentVolumeAccessMode, Pod } from '../../lib/core/types/index.js';
import type { Template } from './templates.js';

const driver = 'csi.example.com';

/** Where volumes come from. */
export type VolumeType = 'csi' | 'in-tree';

/** The same pods, each with a claim that is called like it. */
export function withClaims(template: Template<Pod>): Template<Pod> {
  return (index) => {
    const pod = template(index);
    const volumes = [{ name: 'vol', persistentVolumeClaim: { claimName: pod.metadata?.name ?? '' } }];
    return { ...pod, spec: { containers: [], ...pod.spec, volumes } };
  };
}

/** Says how many volumes of the driver a node takes. */
export async function limitVolumes(client: Client, nodeName: string): Promise<void> {
  await client.kind('storage.k8s.io/v1', 'CSINode').create({
    metadata: { name: nodeName },
    spec: { drivers: [{ name: driver, nodeID: nodeName, allocatable: { count: 39 } }] },
  });
}

/** Makes the claim of a pod and its volume, bound to each other. */
export async function bindVolume(
  client: Client,
  { metadata: { name = '', namespace = '' } = {} }: Pod,
  type: VolumeType,
): Promise<void> {
  const volumeName = `${namespace}-${name}`;
  const accessModes: PersistentVolumeAccessMode[] = ['ReadOnlyMany'];
  const storage = '1Gi';
  const claims = client.kind('v1', 'PersistentVolumeClaim').in(namespace);
  const annotations = { 'pv.kubernetes.io/bind-completed': 'true' };
  const { metadata } = await claims.create({
    metadata: { name, annotations },
    spec: { accessModes, volumeName, storageClassName: '', resources: { requests: { storage } } },
  });
  const source =
    type === 'csi' ? { csi: { driver, volumeHandle: volumeName } } : { awsElasticBlockStore: { volumeID: volumeName } };
  await client.kind('v1', 'PersistentVolume').create({
    metadata: { name: volumeName },
    spec: {
      ...source,
      accessModes,
      capacity: { storage },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid: metadata.uid },
    },
  });
  await claims.status.patch(name, { merge: { status: { phase: 'Bound', accessModes, capacity: { storage } } } });
}
