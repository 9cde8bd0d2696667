// Reconciles a volume. Without a claim it is Available; if its claim is bound to it, Bound; if its claim chose another
// volume, it is unbound; if its claim is deleted, it is Released and reclaimed. A claim of the same name with another
// uid is another claim. As syncVolume in pv_controller.go.
import { hasSameMode, namespacedName, quote, volumeNameOf } from '../../core/index.js';
import { ignoreError } from '../ignore-error.js';
import { unbind } from './binding.js';
import { madeByAnnotation, migrateVolume } from './migration.js';
import { reclaim } from './reclaiming.js';
import { recordForClaim, recordForVolume, writeVolumePhase } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim, StoredVolume } from './storage.js';

/** Reconciles a volume. */
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
  // Provisioned for this claim only, which is bound to another volume.
  return wasMade ? release(volume, storage) : unbind(volume, storage);
}

/** Returns `namespace/name` of the claim that a volume refers to; undefined if there is none. */
export function claimNamedBy({ spec }: StoredVolume): string | undefined {
  return spec?.claimRef && `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;
}

/**
 * Returns the claim that a volume refers to. The cache may be stale: a missing claim is confirmed with a live GET
 * before the volume is released.
 */
async function claimOf(volume: StoredVolume, { claims, client, signal }: Storage): Promise<StoredClaim | undefined> {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  const known = claims.get(claimNamedBy(volume) ?? '');
  if (known?.metadata.uid === uid) return known;
  if (known === undefined && isReleased(volume)) return undefined;
  const live = await ignoreError(
    'NotFound',
    client.kind('v1', 'PersistentVolumeClaim').get({ namespace, name }, { signal }),
  );
  return live?.metadata.uid === uid ? live : undefined;
}

/** Requeues a claim that may be bound to the volume, or records why it cannot. */
function offer(volume: StoredVolume, claim: StoredClaim, storage: Storage): void {
  if (hasSameMode(volume, claim)) {
    storage.requeueClaim(claimNamedBy(volume) ?? '');
    return;
  }
  const reason = 'VolumeMismatch';
  recordForVolume(
    volume,
    {
      type: 'Warning',
      reason,
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${quote(claim.metadata.name)} due to incompatible volumeMode.`,
    },
    storage,
  );
  recordForClaim(
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
