// What claims and volumes say of themselves, for all plugins that look at storage: which class they are of, whether a claim
// has its volume, whether a volume is meant for a claim. As component-helpers/storage/volume and storage/ephemeral.
import { isControlledBy, quote } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { PodFacts } from '../../pod/pod-facts.js';

/** A claim as it is known. */
export type Claim = Frozen<PersistentVolumeClaim>;

/** A volume as it is known. */
export type Volume = Frozen<PersistentVolume>;

/** On a claim: whoever binds claims is done with it. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/** On a volume: its claim was chosen for it, not written there by a person. */
export const boundByControllerAnnotation = 'pv.kubernetes.io/bound-by-controller';

/** On a claim: the node for which its volume is to be made. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** The claim of a pod by its name. */
export function claimOf(objects: KnownObjects, { namespace }: PodFacts, name: string): Claim | undefined {
  return objects.get('PersistentVolumeClaim', `${namespace}/${name}`);
}

/** The class that a claim asks for; empty where it asks for none. */
export function classOfClaim({ metadata, spec }: Claim): string {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? '';
}

/** The class that a volume is of. */
export function classOfVolume({ metadata, spec }: Volume): string {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? '';
}

/** Whether a claim has its volume for good. */
export function isFullyBound({ metadata, spec }: Claim): boolean {
  return volumeNameOf(spec) !== '' && metadata?.annotations?.[bindCompletedAnnotation] !== undefined;
}

/** The name of the volume that a claim has, or is to have; empty while there is none. */
export function volumeNameOf(spec: Claim['spec']): string {
  return spec?.volumeName ?? '';
}

/** The node for which the volume of a claim is to be made. */
export function selectedNodeOf({ metadata }: Claim): string | undefined {
  return metadata?.annotations?.[selectedNodeAnnotation];
}

/** Whether a volume is meant for this claim: by name, and by uid if it says one. */
export function isMeantFor({ spec }: Volume, { metadata }: Claim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== metadata?.name || reference.namespace !== metadata?.namespace) return false;
  return isEmpty(reference.uid) || reference.uid === metadata?.uid;
}

/** Whether a volume is meant for this claim, by uid. */
export function isClaimedBy(volume: Volume, claim: Claim): boolean {
  return isMeantFor(volume, claim) && !isEmpty(volume.spec?.claimRef?.uid);
}

/** Why a claim that should have been made for a pod is another's; undefined where it is the pod's. */
export function notMadeFor({ object, namespace, name }: PodFacts, claim: Claim): string | undefined {
  if (isControlledBy(claim, object)) return undefined;
  return `PVC ${claimKey(claim)} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** Whether a pod names a claim. */
export function usesClaim({ namespace, volumeClaims }: PodFacts, { metadata }: Claim): boolean {
  return metadata?.namespace === namespace && volumeClaims.some(({ claim }) => claim === metadata.name);
}

/** `namespace/name`. */
export function claimKey({ metadata }: Claim): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

/** What users read of an object that is not there. */
export function notFoundText(resource: 'persistentvolumeclaim' | 'persistentvolume' | 'storageclass.storage.k8s.io' | 'node' | 'pod', name: string): string {
  return `${resource} ${quote(name)} not found`;
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
