// Reconciles a claim. An unbound claim gets the volume that it names or the best match; otherwise it waits for its pod
// to be scheduled, for a provisioner or for a new volume. A bound claim keeps its volume and becomes Lost if the volume
// is deleted: binding it to another volume would hide the loss of data. As syncClaim in pv_controller.go.
import {
  bestVolumeFor,
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  claimKey,
  classOfClaim,
  classOfVolume,
  defaultClass,
  hasAccessModes,
  hasSameAttributes,
  hasSameMode,
  isLargeEnough,
  isMeantFor,
  namespacedName,
  quote,
  selectedNodeOf,
  setIn,
  statedClass,
  volumeNameOf,
  waitsForConsumer,
} from '../../core/index.js';
import { ignoreError } from '../ignore-error.js';
import { bind, settleClaim } from './binding.js';
import { migrateClaim } from './migration.js';
import { unscheduledPodsOf } from './pods-of-claim.js';
import { provision } from './provisioning.js';
import { recordForClaim, writeClaim } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim, StoredVolume } from './storage.js';

/** Reconciles a claim. */
export async function syncClaim(known: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const claim = await migrateClaim(known, storage);
  if (claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined) return keep(claim, storage);
  return volumeNameOf(claim.spec) === '' ? choose(claim, storage) : take(claim, storage);
}

/** Chooses a volume for a claim that names none. */
async function choose(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const waits = waitsForConsumer(storage.classes.get(classOfClaim(claim)));
  const volume = bestVolumeFor(claim, storage.volumes.list(), waits);
  if (volume !== undefined) return bind(volume, claim, storage);
  const classified = await classify(claim, storage);
  if (classified !== undefined) return classified;
  if (waits && selectedNodeOf(claim) === undefined) recordAwaitedPods(claim, storage);
  else if (classOfClaim(claim) !== '') return provision(claim, storage);
  else
    recordForClaim(
      claim,
      {
        type: 'Normal',
        reason: 'FailedBinding',
        message: 'no persistent volumes available for this claim and no storage class is set',
      },
      storage,
    );
  await settleClaim(claim, 'Pending', storage);
  return undefined;
}

/** Sets the default class on a claim without one, if there is a default class. */
async function classify(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  if (statedClass(claim) !== undefined) return undefined;
  const className = defaultClass(storage.classes.list())?.metadata?.name;
  if (className === undefined) return undefined;
  await writeClaim(setIn(claim, ['spec', 'storageClassName'], className), storage);
  return { type: 'classified', claim: namespacedName(claim), className };
}

function recordAwaitedPods(claim: StoredClaim, storage: Storage): void {
  const pods = unscheduledPodsOf(claim, storage.pods);
  const message =
    pods.length === 0
      ? 'waiting for first consumer to be created before binding'
      : `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  recordForClaim(
    claim,
    { type: 'Normal', reason: pods.length === 0 ? 'WaitForFirstConsumer' : 'WaitForPodScheduled', message },
    storage,
  );
}

/** Binds the volume that the claim names. */
async function take(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const volume = storage.volumes.get(volumeNameOf(claim.spec));
  if (volume === undefined) return wait(claim, storage);
  const { name } = volume.metadata;
  if (volume.spec?.claimRef === undefined) {
    const problem = mismatch(volume, claim);
    if (problem === undefined) return bind(volume, claim, storage);
    recordForClaim(
      claim,
      {
        type: 'Warning',
        reason: 'VolumeMismatch',
        message: `Cannot bind to requested volume ${quote(name)}: ${problem}`,
      },
      storage,
    );
    return wait(claim, storage);
  }
  if (isMeantFor(volume, claim)) return bind(volume, claim, storage);
  recordForClaim(
    claim,
    { type: 'Warning', reason: 'FailedBinding', message: `volume ${quote(name)} already bound to a different claim.` },
    storage,
  );
  if (claim.metadata.annotations?.[boundByControllerAnnotation] === undefined) return wait(claim, storage);
  // The bind-completed annotation of the claim was removed.
  const { namespace = '', name: other = '' } = volume.spec.claimRef;
  throw new Error(
    `invalid binding of claim ${quote(claimKey(claim))} to volume ${quote(name)}: volume already claimed by ${quote(`${namespace}/${other}`)}`,
  );
}

async function wait(claim: StoredClaim, storage: Storage): Promise<undefined> {
  await settleClaim(claim, 'Pending', storage);
}

/** Returns why a claim cannot be bound to the volume that it names. */
function mismatch(volume: StoredVolume, claim: StoredClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${quote(volume.metadata.name)}`;
  if (!isLargeEnough(volume, claim)) return 'requested PV is too small';
  if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Reconciles a claim that was bound before. */
async function keep(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const name = volumeNameOf(claim.spec);
  if (name === '')
    return lose(
      claim,
      storage,
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
  // The cache may be stale: confirm with a live GET before the claim becomes Lost.
  const volume =
    storage.volumes.get(name) ??
    (await ignoreError(
      'NotFound',
      storage.client.kind('v1', 'PersistentVolume').get(name, { signal: storage.signal }),
    ));
  if (volume === undefined)
    return lose(claim, storage, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const reference = volume.spec?.claimRef;
  if (reference === undefined || reference.uid === claim.metadata.uid) return bind(volume, claim, storage);
  return lose(
    claim,
    storage,
    'ClaimMisbound',
    'Two claims are bound to the same volume, this one is bound incorrectly',
  );
}

async function lose(
  claim: StoredClaim,
  storage: Storage,
  reason: string,
  message: string,
): Promise<StorageOutcome | undefined> {
  if (claim.status?.phase === 'Lost') return undefined;
  const lost = await settleClaim(claim, 'Lost', storage);
  recordForClaim(lost, { type: 'Warning', reason, message }, storage);
  return { type: 'lost', claim: namespacedName(claim) };
}
