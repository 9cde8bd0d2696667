// Which volumes are attached to nodes: PersistentVolumes of CSI drivers that require it. A volume is identified by its
// unique name, `kubernetes.io/csi/<driver>^<handle>`, which the status of nodes has too. As pkg/volume/csi.
import type { Stored } from '../../client/index.js';
import { isClaimedBy, notMadeFor, objectKey, volumeClaims } from '../../core/index.js';
import type { Frozen, Snapshot } from '../../core/index.js';
import type {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../core/types/index.js';
import { sha256 } from '../bootstrap-tokens/hmac-sha256.js';

/** The objects that volumes are resolved with. */
export interface VolumeSources {
  readonly pods: Snapshot<Stored<Pod>, 'claim' | 'node'>;
  readonly claims: Snapshot<Stored<PersistentVolumeClaim>>;
  readonly volumes: Snapshot<Stored<PersistentVolume>, 'unique'>;
  readonly drivers: Snapshot<Stored<CSIDriver>>;
  readonly attachments: Snapshot<Stored<VolumeAttachment>, 'volume' | 'node'>;
  readonly nodes: Snapshot<Stored<Node>>;
}

/** Driver and handle of a volume. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** Returns the unique name of a volume; undefined if no CSI driver provides it. */
export function uniqueNameOf({ spec }: Frozen<PersistentVolume>): string | undefined {
  return spec?.csi && `${csiPrefix}${spec.csi.driver}^${spec.csi.volumeHandle}`;
}

/** Reads a unique name; undefined if it is that of another plugin. */
export function parseUniqueName(name: string): CsiVolume | undefined {
  const separator = name.indexOf('^');
  if (!name.startsWith(csiPrefix) || separator < 0) return undefined;
  return { driver: name.slice(csiPrefix.length, separator), handle: name.slice(separator + 1) };
}

/** Returns the name of the VolumeAttachment of a volume on a node. As getAttachmentName. */
export function attachmentName({ driver, handle }: CsiVolume, node: string): string {
  const digest = sha256(new TextEncoder().encode(`${handle}${driver}${node}`));
  return `csi-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns whether volumes of a driver are attached. A driver without an object requires it. */
export function isAttachRequired(driver: string, { drivers }: VolumeSources): boolean {
  return drivers.get(driver)?.spec.attachRequired !== false;
}

/** Returns whether several nodes may have a volume at once. A volume without access modes may be tried. */
export function isShared({ spec }: Frozen<PersistentVolume>): boolean {
  const { accessModes = [] } = spec ?? {};
  return accessModes.length === 0 || accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}

/** Returns `namespace/name` of the claims of a pod. */
export function claimKeysOfPod(pod: Stored<Pod>): readonly string[] {
  return volumeClaims(pod).map(({ claim }) => `${pod.metadata.namespace ?? ''}/${claim}`);
}

/** Returns the unique names of the volumes of a pod that are attached. */
export function volumesOfPod(pod: Stored<Pod>, sources: VolumeSources): readonly string[] {
  return volumeClaims(pod).flatMap(({ claim: name, ephemeral }) => {
    const claim = sources.claims.get(`${pod.metadata.namespace ?? ''}/${name}`);
    if (claim === undefined || (ephemeral && notMadeFor(pod, claim) !== undefined)) return [];
    return volumesOfClaim(claim, sources);
  });
}

/** Returns the unique name of the volume that a claim is bound to. */
export function volumesOfClaim(claim: Stored<PersistentVolumeClaim>, { volumes }: VolumeSources): readonly string[] {
  const { volumeName = '' } = claim.spec ?? {};
  const volume = claim.status?.phase === 'Bound' ? volumes.get(volumeName) : undefined;
  if (volume === undefined || !isClaimedBy(volume, claim)) return [];
  const unique = uniqueNameOf(volume);
  return unique === undefined ? [] : [unique];
}

/** Returns the pods that need a volume, by node. Pods that have ended need none. */
export function podsByNode(
  volume: Stored<PersistentVolume>,
  sources: VolumeSources,
): ReadonlyMap<string, Stored<Pod>[]> {
  const { namespace = '', name = '' } = volume.spec?.claimRef ?? {};
  const claim = sources.claims.get(`${namespace}/${name}`);
  const found = new Map<string, Stored<Pod>[]>();
  if (claim === undefined || claim.spec?.volumeName !== volume.metadata.name) return found;
  const unique = uniqueNameOf(volume) ?? '';
  for (const pod of sources.pods.by('claim', objectKey(claim))) {
    const { nodeName = '' } = pod.spec ?? {};
    if (nodeName === '' || hasEnded(pod) || !volumesOfPod(pod, sources).includes(unique)) continue;
    found.set(nodeName, [...(found.get(nodeName) ?? []), pod]);
  }
  return found;
}

/** Returns whether no container of a pod runs any more, nor will. As IsPodTerminated of pkg/volume/util. */
function hasEnded({ metadata, status }: Stored<Pod>): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  if (metadata.deletionTimestamp === undefined) return false;
  return (status?.containerStatuses ?? []).every(
    ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
  );
}

const csiPrefix = 'kubernetes.io/csi/';
