// What is done about a volume. One that is nobody's is available; one whose claim has it is bound; one whose claim took
// another is set free; and one whose claim is gone is released, and reclaimed by its policy. A claim of the same name
// is not the same claim: the uid decides. As syncVolume in pv_controller.go.
import { hasSameMode, namespacedName, quote, volumeNameOf } from '../../core/index.js';
import { unless } from '../unless.js';
import { unbind } from './binding.js';
import { madeByAnnotation, migrateVolume } from './migration.js';
import { reclaim } from './reclaiming.js';
import { tellOfClaim, tellOfVolume, writeVolumePhase } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim, StoredVolume } from './storage.js';

/** Does what is to be done about a volume. */
export async function syncVolume(known: StoredVolume, storage: Storage): Promise<StorageOutcome | undefined> {
  const volume = await migrateVolume(known, storage);
  const { name } = volume.metadata;
  if ((volume.spec?.claimRef?.uid ?? '') === '')
    return (await writeVolumePhase(volume, 'Available', storage)) === volume
      ? undefined
      : { type: 'available', volume: name };
  const claim = await claimOf(volume, storage);
  if (claim === undefined) return release(volume, storage);
  const taken = volumeNameOf(claim.spec);
  if (taken === name)
    return (await writeVolumePhase(volume, 'Bound', storage)) === volume
      ? undefined
      : { type: 'bound', claim: namespacedName(claim), volume: name };
  if (taken === '') {
    offer(volume, claim, storage);
    return undefined;
  }
  const wasMade =
    volume.metadata.annotations?.[madeByAnnotation] !== undefined &&
    volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  // It was made for this claim only, which has another: nobody needs it.
  return wasMade ? release(volume, storage) : unbind(volume, storage);
}

/** The `namespace/name` of the claim that a volume points at; undefined where it points at none. */
export function claimNamedBy({ spec }: StoredVolume): string | undefined {
  return spec?.claimRef && `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;
}

/**
 * The claim that a volume is given to. No volume is released because of what a snapshot does not know: the server is
 * asked.
 */
async function claimOf(volume: StoredVolume, { claims, client, signal }: Storage): Promise<StoredClaim | undefined> {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  const known = claims.get(claimNamedBy(volume) ?? '');
  if (known?.metadata.uid === uid) return known;
  if (known === undefined && isReleased(volume)) return undefined;
  const live = await unless(
    'NotFound',
    client.kind('v1', 'PersistentVolumeClaim').get({ namespace, name }, { signal }),
  );
  return live?.metadata.uid === uid ? live : undefined;
}

/** The claim may have the volume, and has not taken it yet. */
function offer(volume: StoredVolume, claim: StoredClaim, storage: Storage): void {
  if (hasSameMode(volume, claim)) {
    storage.requeueClaim(claimNamedBy(volume) ?? '');
    return;
  }
  const reason = 'VolumeMismatch';
  tellOfVolume(
    volume,
    {
      type: 'Warning',
      reason,
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${quote(claim.metadata.name)} due to incompatible volumeMode.`,
    },
    storage,
  );
  tellOfClaim(
    claim,
    {
      type: 'Warning',
      reason,
      message: `Cannot bind PersistentVolume ${quote(volume.metadata.name)} to requested PersistentVolumeClaim due to incompatible volumeMode.`,
    },
    storage,
  );
}

async function release(volume: StoredVolume, storage: Storage): Promise<StorageOutcome | undefined> {
  const released = isReleased(volume) ? volume : await writeVolumePhase(volume, 'Released', storage);
  const outcome = await reclaim(released, storage);
  return outcome ?? (released === volume ? undefined : { type: 'released', volume: volume.metadata.name });
}

function isReleased({ status }: StoredVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}
