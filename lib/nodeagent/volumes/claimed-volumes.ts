// Volumes behind claims: from the claim that a pod names to the PersistentVolume and its driver. As the desired state
// of pkg/kubelet/volumemanager/populator.
//
// A runtime that ignores the content of volumes needs no driver: the claim has to be bound, and that is all.
import type { Frozen } from '../../core/index.js';
import type { PersistentVolume, Pod, Volume } from '../../core/types/index.js';
import type { VolumeContent } from '../runtime/container-config.js';
import type { MountedVolumes } from './mounted-volumes.js';
import type { PodObjects } from './pod-objects.js';
import type { VolumeDriver } from './volume-driver.js';

/** What claimed volumes are resolved with. */
export interface ClaimedVolumeContext {
  readonly node: string;
  readonly objects: PodObjects;
  readonly mounts: MountedVolumes;
  /** Whether the runtime reads the content of volumes. */
  readonly needsContent: boolean;
  /** Identifiers of the volumes that are attached to the node. */
  readonly attached: () => readonly string[];
}

/** Resolves a volume of a claim or a driver; undefined where it is none, or needs no content. Rejects with Error. */
export async function claimedVolume(
  pod: Frozen<Pod>,
  { name, persistentVolumeClaim, ephemeral, csi }: Frozen<Volume>,
  context: ClaimedVolumeContext,
): Promise<VolumeContent | undefined> {
  const { namespace = '', name: podName = '', uid = '' } = pod.metadata ?? {};
  if (csi !== undefined) {
    const { driver: driverName, volumeAttributes: attributes = {}, fsType = '', readOnly = false } = csi;
    const volume = {
      volumeHandle: `csi-${uid}-${name}`,
      attributes,
      fsType,
      isReadOnly: readOnly,
      isEphemeral: true,
    };
    return mount(pod, name, driverName, volume, context);
  }
  const claimName = persistentVolumeClaim?.claimName ?? (ephemeral && `${podName}-${name}`);
  if (claimName === undefined) return undefined;
  const which = `error processing PVC ${namespace}/${claimName}`;
  const claim = await context.objects.claim(namespace, claimName);
  if (claim === undefined)
    throw new Error(`${which}: failed to fetch PVC from API server: persistentvolumeclaims "${claimName}" not found`);
  const owner = claim.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (ephemeral !== undefined && owner?.uid !== uid)
    throw new Error(
      `${which}: PVC ${namespace}/${claimName} was not created for pod ${namespace}/${podName} (pod is not owner)`,
    );
  const { volumeName = '' } = claim.spec ?? {};
  if (claim.status?.phase !== 'Bound' || volumeName === '') throw new Error(`${which}: PVC is not bound`);
  const volume = await context.objects.volume(volumeName);
  if (volume === undefined)
    throw new Error(
      `${which}: failed to fetch PV ${volumeName} from API server: persistentvolumes "${volumeName}" not found`,
    );
  const { readOnly: isReadOnly = false } = persistentVolumeClaim ?? {};
  return contentOf(pod, name, volume, isReadOnly, context);
}

async function contentOf(
  pod: Frozen<Pod>,
  name: string,
  { metadata, spec }: Frozen<PersistentVolume>,
  isReadOnly: boolean,
  context: ClaimedVolumeContext,
): Promise<VolumeContent | undefined> {
  if (spec?.hostPath !== undefined)
    return { type: 'hostPath', path: spec.hostPath.path, pathType: spec.hostPath.type ?? '' };
  if (spec?.local !== undefined) return { type: 'hostPath', path: spec.local.path, pathType: '' };
  if (spec?.csi !== undefined) {
    const { driver, volumeHandle, volumeAttributes: attributes = {}, fsType = '', readOnly = false } = spec.csi;
    const volume = { volumeHandle, attributes, fsType, isReadOnly: isReadOnly || readOnly, isEphemeral: false };
    return mount(pod, name, driver, volume, context);
  }
  if (!context.needsContent) return undefined;
  throw new Error(`no volume plugin matched for volume ${JSON.stringify(metadata?.name ?? '')}`);
}

type Mounted = Omit<Parameters<VolumeDriver['publish']>[0], 'node' | 'pod' | 'volume'>;

async function mount(
  pod: Frozen<Pod>,
  name: string,
  driverName: string,
  volume: Mounted,
  { node, mounts, needsContent, attached }: ClaimedVolumeContext,
): Promise<VolumeContent | undefined> {
  const driver = mounts.driver(driverName);
  if (driver === undefined) {
    if (!needsContent) return undefined;
    throw new Error(
      `MountVolume.SetUp failed for volume "${name}" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name ${driverName} not found in the list of registered CSI drivers`,
    );
  }
  if (driver.needsAttachment === true && !volume.isEphemeral) {
    const identifier = `kubernetes.io/csi/${driverName}^${volume.volumeHandle}`;
    if (!attached().includes(identifier))
      throw new Error(`timed out waiting for the condition: volume ${identifier} is not attached to node ${node}`);
  }
  const { namespace = '', name: podName = '', uid = '' } = pod.metadata ?? {};
  const path = await mounts.mount(driver, { ...volume, node, volume: name, pod: { namespace, name: podName, uid } });
  return { type: 'hostPath', path, pathType: '' };
}
