// Binds a claim to a volume: sets the claim in the volume and its phase, then the volume in the claim and its phase.
// Completed steps are skipped, so a call finishes an interrupted binding. The volume is written first: it can then be
// found by its claim, and no other claim can take it. As bind and unbindVolume in pv_controller.go.
import {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  deepEqual,
  deleteIn,
  givenTo,
  namespacedName,
  parseQuantity,
  quote,
  setIn,
  volumeNameOf,
} from '../../core/index.js';
import type { FrozenClaim, Frozen } from '../../core/index.js';
import type { PersistentVolumeClaimPhase, PersistentVolumeClaimStatus } from '../../core/types/index.js';
import { writeClaim, writeClaimStatus, writeVolume, writeVolumePhase } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim, StoredVolume } from './storage.js';

/** Binds a claim and a volume, or finishes their binding. */
export async function bind(
  volume: StoredVolume,
  claim: StoredClaim,
  storage: Storage,
): Promise<StorageOutcome | undefined> {
  const wanted = givenTo(claim, volume);
  const given = wanted === volume ? volume : await writeVolume(wanted, storage);
  const boundVolume = await writeVolumePhase(given, 'Bound', storage);
  const taker = withVolume(claim, boundVolume.metadata.name);
  const taken = taker === claim ? claim : await writeClaim(taker, storage);
  const boundClaim = await settleClaim(taken, 'Bound', storage, boundVolume);
  if (boundVolume === volume && boundClaim === claim) return undefined;
  return { type: 'bound', claim: namespacedName(claim), volume: volume.metadata.name };
}

/** Unbinds a volume from its claim. A volume that a user reserved for a claim of that name stays reserved. */
export async function unbind(volume: StoredVolume, storage: Storage): Promise<StorageOutcome> {
  const wasChosen = volume.metadata.annotations?.[boundByControllerAnnotation] !== undefined;
  const freed = wasChosen
    ? deleteIn(deleteIn(volume, ['spec', 'claimRef']), ['metadata', 'annotations', boundByControllerAnnotation])
    : deleteIn(volume, ['spec', 'claimRef', 'uid']);
  await writeVolumePhase(await writeVolume(freed, storage), 'Available', storage);
  return { type: 'available', volume: volume.metadata.name };
}

/** Writes the phase of a claim and the status that follows from its volume, if any. */
export async function settleClaim(
  claim: StoredClaim,
  phase: PersistentVolumeClaimPhase,
  storage: Storage,
  volume?: StoredVolume,
): Promise<StoredClaim> {
  const status = statusOf(claim, phase, volume);
  return deepEqual(status, claim.status ?? {}) ? claim : writeClaimStatus(claim, status, storage);
}

/**
 * Returns the claim with its volume. An annotation records that the controller chose it, unless the user had named it.
 */
function withVolume(claim: StoredClaim, volumeName: string): FrozenClaim {
  const named =
    volumeNameOf(claim.spec) === volumeName
      ? claim
      : setIn(
          setIn(claim, ['spec', 'volumeName'], volumeName),
          ['metadata', 'annotations', boundByControllerAnnotation],
          'yes',
        );
  return named.metadata.annotations?.[bindCompletedAnnotation] === undefined
    ? setIn(named, ['metadata', 'annotations', bindCompletedAnnotation], 'yes')
    : named;
}

function statusOf(
  claim: StoredClaim,
  phase: PersistentVolumeClaimPhase,
  volume: StoredVolume | undefined,
): Frozen<PersistentVolumeClaimStatus> {
  const { accessModes: _modes, capacity, currentVolumeAttributesClassName: attributes, ...status } = claim.status ?? {};
  if (volume === undefined) return { ...status, phase };
  const { accessModes, volumeAttributesClassName } = volume.spec ?? {};
  const amounts = status.phase === phase ? capacity : capacityOf(volume, capacity);
  const attributesNow = status.phase === 'Pending' ? volumeAttributesClassName : attributes;
  return {
    ...status,
    phase,
    ...(accessModes !== undefined && { accessModes }),
    ...(amounts !== undefined && { capacity: amounts }),
    ...(attributesNow !== undefined && { currentVolumeAttributesClassName: attributesNow }),
  };
}

/** Returns the capacity of a newly bound claim. During a resize the previous capacity counts. */
function capacityOf(
  { metadata, spec }: StoredVolume,
  before: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const storage = spec?.capacity?.storage;
  if (storage === undefined) throw new Error(`PersistentVolume ${quote(metadata.name)} is without a storage capacity`);
  const former = metadata.annotations?.[preResizeAnnotation];
  if (former === undefined) return spec?.capacity ?? {};
  return { ...before, storage: isQuantity(former) ? former : storage };
}

const preResizeAnnotation = 'volume.alpha.kubernetes.io/pre-resize-capacity';

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
