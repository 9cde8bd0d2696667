// The volumes that drivers attach to nodes, and that count against the limits of a node: those of claims, those of pods
// in the words of old, and those that are attached although no pod has them any more. A volume that several pods have
// counts once. A claim without volume counts by the driver that will make one, under a name that no volume has.
// As pkg/scheduler/framework/plugins/nodevolumelimits.
import { claimKey, classOfClaim, errorText, notMadeFor, volumeNameOf } from '../../../core/index.js';
import type { FrozenClaim, Frozen, FrozenVolume } from '../../../core/index.js';
import type { Pod, VolumeAttachment } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { claimOf } from './claims-and-volumes.js';
import { computedFrom } from '../computed-from.js';
import { inTreePluginNamed, inTreePluginOf } from './in-tree-plugins.js';

/** Volumes by a name that each has for itself, with their drivers. */
export type DriverVolumes = Map<string, string>;

/** Whether a pod has volumes that may count. */
export function mayCount({ spec }: Frozen<Pod>): boolean {
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
 * Adds the volumes of a pod. Answers with what is wrong with one that could not be added; that a claim is not there is
 * no problem here.
 */
export function addVolumesOf(pod: PodFacts, objects: KnownObjects, volumes: DriverVolumes): string | undefined {
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

/** How many volumes are attached to a node, whoever has them. */
export function attachedTo(nodeName: string, objects: KnownObjects): number {
  const byNode = attachmentsByNode(objects);
  return byNode.size === 0 ? 0 : (byNode.get(nodeName)?.length ?? 0);
}

/** How many volumes are attached to the node that has the most. */
export const mostAttached: (objects: KnownObjects) => number = computedFrom(['VolumeAttachment'], (objects) => {
  let most = 0;
  for (const { length } of attachmentsByNode(objects).values()) most = Math.max(most, length);
  return most;
});

/** Adds the volumes that are attached to a node, whoever has them. */
export function addAttachedTo(nodeName: string, objects: KnownObjects, volumes: DriverVolumes): void {
  for (const { spec } of attachmentsByNode(objects).get(nodeName) ?? []) {
    const { attacher, source } = spec;
    const handle = objects.get('PersistentVolume', source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
    if (attacher !== '' && handle !== undefined) volumes.set(volumeId(attacher, handle), attacher);
  }
}

const attachmentsByNode = computedFrom(['VolumeAttachment'], (objects) => {
  const byNode = new Map<string, Frozen<VolumeAttachment>[]>();
  for (const attachment of objects.list('VolumeAttachment')) {
    const { nodeName } = attachment.spec;
    const attached = byNode.get(nodeName);
    if (attached === undefined) byNode.set(nodeName, [attachment]);
    else attached.push(attachment);
  }
  return byNode;
});

/** A claim may name a volume that is gone, or not there yet; then its class says what will come. */
function addVolumeOf(claim: FrozenClaim, objects: KnownObjects, volumes: DriverVolumes): void {
  const volume = objects.get('PersistentVolume', volumeNameOf(claim.spec));
  if (volume !== undefined) addVolume(volume, volumes);
  else addVolumeToCome(claim, objects, volumes);
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
    // A volume that no driver can name is attached by none.
  }
}

function addVolumeToCome(claim: FrozenClaim, objects: KnownObjects, volumes: DriverVolumes): void {
  const provisioner = objects.get('StorageClass', classOfClaim(claim))?.provisioner ?? '';
  if (provisioner === '') return;
  const plugin = inTreePluginNamed(provisioner);
  if (plugin !== undefined && plugin.handle === undefined) return;
  const driver = plugin?.driver ?? provisioner;
  volumes.set(`${driver} ${claimKey(claim)}`, driver); // names of drivers have no space
}

function volumeId(driver: string, handle: string): string {
  return `${driver}/${handle}`;
}
