// Properties of claims and volumes that the scheduler and the binder share: their class, whether a claim has
// its volume, whether a volume is reserved for a claim. As component-helpers/storage/volume.
import { deepFreeze } from '../objects/json.js';
import type { Frozen } from '../objects/meta.js';
import { objectReference } from '../objects/object-reference.js';
import { setIn } from '../objects/path-copy.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../types/core-v1.generated.js';

/** A claim as it is known. */
export type FrozenClaim = Frozen<PersistentVolumeClaim>;

/** A volume as it is known. */
export type FrozenVolume = Frozen<PersistentVolume>;

/** On a claim: the binder has completed the binding. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/**
 * On a volume, that its claim was chosen for it, and on a claim, that its volume was: not written there by a person.
 */
export const boundByControllerAnnotation = 'pv.kubernetes.io/bound-by-controller';

/** On a claim: the node for which its volume is to be made. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** The class that a claim requests; empty where it requests none. */
export function classOfClaim(claim: FrozenClaim): string {
  return statedClass(claim) ?? '';
}

/**
 * The class that a claim names, which may be empty: none, and not the default either. Undefined where it leaves that
 * open.
 */
export function statedClass({ metadata, spec }: FrozenClaim): string | undefined {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName;
}

/** The class that a volume is of. */
export function classOfVolume({ metadata, spec }: FrozenVolume): string {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? '';
}

/** Returns whether a claim has its volume for good. */
export function isFullyBound({ metadata, spec }: FrozenClaim): boolean {
  return volumeNameOf(spec) !== '' && metadata?.annotations?.[bindCompletedAnnotation] !== undefined;
}

/** The name of the volume that a claim has, or is to have; empty while there is none. */
export function volumeNameOf(spec: FrozenClaim['spec']): string {
  return spec?.volumeName ?? '';
}

/** The node for which the volume of a claim is to be made. */
export function selectedNodeOf({ metadata }: FrozenClaim): string | undefined {
  return metadata?.annotations?.[selectedNodeAnnotation];
}

/** Returns whether a volume is meant for this claim: by name, and by uid if it says one. */
export function isMeantFor({ spec }: FrozenVolume, { metadata }: FrozenClaim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== metadata?.name || reference.namespace !== metadata?.namespace)
    return false;
  return isEmpty(reference.uid) || reference.uid === metadata?.uid;
}

/** Returns whether a volume is meant for this claim, by uid. */
export function isClaimedBy(volume: FrozenVolume, claim: FrozenClaim): boolean {
  return isMeantFor(volume, claim) && !isEmpty(volume.spec?.claimRef?.uid);
}

/**
 * Returns the volume bound to the claim, with the annotation of the controller, unless a user had reserved it for the
 * claim.
 */
export function givenTo(claim: FrozenClaim, volume: FrozenVolume): FrozenVolume {
  if (isClaimedBy(volume, claim)) return volume;
  const given = setIn(
    volume,
    ['spec', 'claimRef'],
    objectReference({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, claim),
  );
  return deepFreeze(
    isMeantFor(volume, claim) ? given : setIn(given, ['metadata', 'annotations', boundByControllerAnnotation], 'yes'),
  );
}

/** `namespace/name`. */
export function claimKey({ metadata }: FrozenClaim): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
