// Volumes that count against the limits of a node, by driver: those of claims, in-tree volumes of pods, and volumes
// still attached without a pod. A volume of several pods counts once. A claim without a volume counts for the driver
// that will provision one, under a unique key. As pkg/scheduler/framework/plugins/nodevolumelimits.
import { claimKey, classOfClaim, errorText, notMadeFor, volumeNameOf } from '../../../core/index.js';
import type { FrozenClaim, Frozen, FrozenVolume } from '../../../core/index.js';
import type { Pod, VolumeAttachment } from '../../../core/types/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { claimOf } from './claims-and-volumes.js';
import { memoizeByKinds } from '../memoize.js';
import { inTreePluginNamed, inTreePluginOf } from './in-tree-plugins.js';

/** Drivers by unique volume id. */
export type DriverVolumes = Map<string, string>;

/** Returns whether a pod has volumes that may count. */
export function hasCountableVolumes({ spec }: Frozen<Pod>): boolean {
  return (
    spec?.volumes?.some(
      (volume) =>
        volume.persistentVolumeClaim !== undefined ||
        volume.ephemeral !== undefined ||
        inTreePluginOf(volume) !== undefined,
    ) ?? false
  );
}

/**
 * Adds the volumes of a pod. Returns the first error of a volume that could not be added; a missing claim is not an
 * error here.
 */
export function addVolumesOf(pod: PodFacts, objects: ObjectLister, volumes: DriverVolumes): string | undefined {
  let problem: string | undefined;
  for (const { claim: name, ephemeral } of pod.volumeClaims) {
    const claim = claimOf(objects, pod, name);
    if (claim === undefined) continue;
    const foreign = ephemeral ? notMadeFor(pod.object, claim) : undefined;
    if (foreign === undefined) addVolumeOf(claim, objects, volumes);
    else problem ??= foreign;
  }
  for (const volume of pod.object.spec?.volumes ?? []) {
    const plugin = inTreePluginOf(volume);
    if (plugin?.handle === undefined) continue;
    try {
      volumes.set(volumeId(plugin.driver, plugin.handle(volume, {})), plugin.driver);
    } catch (error) {
      problem ??= `converting volume(${volume.name}) from inline to csi: ${errorText(error)}`;
    }
  }
  return problem;
}

/** Returns the number of VolumeAttachments of a node. */
export function attachedTo(nodeName: string, objects: ObjectLister): number {
  const byNode = attachmentsByNode(objects);
  return byNode.size === 0 ? 0 : (byNode.get(nodeName)?.length ?? 0);
}

/** Returns the highest number of VolumeAttachments of any node. */
export const mostAttached: (objects: ObjectLister) => number = memoizeByKinds(['VolumeAttachment'], (objects) => {
  let most = 0;
  for (const { length } of attachmentsByNode(objects).values()) most = Math.max(most, length);
  return most;
});

/** Adds the volumes that are attached to a node. */
export function addAttachedTo(nodeName: string, objects: ObjectLister, volumes: DriverVolumes): void {
  for (const { spec } of attachmentsByNode(objects).get(nodeName) ?? []) {
    const { attacher, source } = spec;
    const handle = objects.get('PersistentVolume', source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
    if (attacher !== '' && handle !== undefined) volumes.set(volumeId(attacher, handle), attacher);
  }
}

const attachmentsByNode = memoizeByKinds(['VolumeAttachment'], (objects) => {
  const byNode = new Map<string, Frozen<VolumeAttachment>[]>();
  for (const attachment of objects.list('VolumeAttachment')) {
    const { nodeName } = attachment.spec;
    const attached = byNode.get(nodeName);
    if (attached === undefined) byNode.set(nodeName, [attachment]);
    else attached.push(attachment);
  }
  return byNode;
});

/** A claim may name a missing volume; then its class determines the driver. */
function addVolumeOf(claim: FrozenClaim, objects: ObjectLister, volumes: DriverVolumes): void {
  const volume = objects.get('PersistentVolume', volumeNameOf(claim.spec));
  if (volume !== undefined) addVolume(volume, volumes);
  else addUnprovisionedVolume(claim, objects, volumes);
}

function addVolume({ spec = {}, metadata }: FrozenVolume, volumes: DriverVolumes): void {
  if (spec.csi !== undefined) {
    const { driver, volumeHandle } = spec.csi;
    if (driver !== '' && volumeHandle !== '') volumes.set(volumeId(driver, volumeHandle), driver);
    return;
  }
  const plugin = inTreePluginOf(spec);
  if (plugin?.handle === undefined) return;
  try {
    volumes.set(volumeId(plugin.driver, plugin.handle(spec, metadata?.labels ?? {})), plugin.driver);
  } catch {
    // A volume without a handle is not attached by a driver.
  }
}

function addUnprovisionedVolume(claim: FrozenClaim, objects: ObjectLister, volumes: DriverVolumes): void {
  const provisioner = objects.get('StorageClass', classOfClaim(claim))?.provisioner ?? '';
  if (provisioner === '') return;
  const plugin = inTreePluginNamed(provisioner);
  if (plugin !== undefined && plugin.handle === undefined) return;
  const driver = plugin?.driver ?? provisioner;
  volumes.set(`${driver} ${claimKey(claim)}`, driver); // driver names contain no space
}

function volumeId(driver: string, handle: string): string {
  return `${driver}/${handle}`;
}
