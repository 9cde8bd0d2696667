// What is done about a claim. One that is not bound yet gets the volume that it names, or one that fits, or waits: for
// its pod to have a node, for somebody to make a volume, or for one to turn up. One that was bound keeps its volume,
// and is lost where that is gone: to bind it to another would hide that the data are. As syncClaim in pv_controller.go.
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
import { unless } from '../unless.js';
import { bind, settleClaim } from './binding.js';
import { migrateClaim } from './migration.js';
import { unscheduledPodsOf } from './pods-of-claim.js';
import { provision } from './provisioning.js';
import { tellOfClaim, writeClaim } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim, StoredVolume } from './storage.js';

/** Does what is to be done about a claim. */
export async function syncClaim(known: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const claim = await migrateClaim(known, storage);
  if (claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined) return keep(claim, storage);
  return volumeNameOf(claim.spec) === '' ? choose(claim, storage) : take(claim, storage);
}

/** Looks for a volume. */
async function choose(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const waits = waitsForConsumer(storage.classes.get(classOfClaim(claim)));
  const volume = bestVolumeFor(claim, storage.volumes.list(), waits);
  if (volume !== undefined) return bind(volume, claim, storage);
  const classified = await classify(claim, storage);
  if (classified !== undefined) return classified;
  if (waits && selectedNodeOf(claim) === undefined) tellWhoIsAwaited(claim, storage);
  else if (classOfClaim(claim) !== '') return provision(claim, storage);
  else
    tellOfClaim(
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

/** Gives a claim that leaves its class open the default one, if there is one by now. */
async function classify(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  if (statedClass(claim) !== undefined) return undefined;
  const className = defaultClass(storage.classes.list())?.metadata?.name;
  if (className === undefined) return undefined;
  await writeClaim(setIn(claim, ['spec', 'storageClassName'], className), storage);
  return { type: 'classified', claim: namespacedName(claim), className };
}

function tellWhoIsAwaited(claim: StoredClaim, storage: Storage): void {
  const pods = unscheduledPodsOf(claim, storage.pods);
  const message =
    pods.length === 0
      ? 'waiting for first consumer to be created before binding'
      : `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  tellOfClaim(
    claim,
    { type: 'Normal', reason: pods.length === 0 ? 'WaitForFirstConsumer' : 'WaitForPodScheduled', message },
    storage,
  );
}

/** Takes the volume that the claim names. */
async function take(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const volume = storage.volumes.get(volumeNameOf(claim.spec));
  if (volume === undefined) return wait(claim, storage);
  const { name } = volume.metadata;
  if (volume.spec?.claimRef === undefined) {
    const problem = mismatch(volume, claim);
    if (problem === undefined) return bind(volume, claim, storage);
    tellOfClaim(
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
  tellOfClaim(
    claim,
    { type: 'Warning', reason: 'FailedBinding', message: `volume ${quote(name)} already bound to a different claim.` },
    storage,
  );
  if (claim.metadata.annotations?.[boundByControllerAnnotation] === undefined) return wait(claim, storage);
  // Somebody took the mark away that the claim was bound.
  const { namespace = '', name: other = '' } = volume.spec.claimRef;
  throw new Error(
    `invalid binding of claim ${quote(claimKey(claim))} to volume ${quote(name)}: volume already claimed by ${quote(`${namespace}/${other}`)}`,
  );
}

async function wait(claim: StoredClaim, storage: Storage): Promise<undefined> {
  await settleClaim(claim, 'Pending', storage);
}

/** Why a claim cannot have the volume that it names. */
function mismatch(volume: StoredVolume, claim: StoredClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${quote(volume.metadata.name)}`;
  if (!isLargeEnough(volume, claim)) return 'requested PV is too small';
  if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Looks after a claim that was bound. */
async function keep(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const name = volumeNameOf(claim.spec);
  if (name === '')
    return lose(
      claim,
      storage,
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
  // Nobody loses a claim because of what a snapshot does not know: the server is asked.
  const volume =
    storage.volumes.get(name) ??
    (await unless('NotFound', storage.client.kind('v1', 'PersistentVolume').get(name, { signal: storage.signal })));
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
  tellOfClaim(lost, { type: 'Warning', reason, message }, storage);
  return { type: 'lost', claim: namespacedName(claim) };
}
