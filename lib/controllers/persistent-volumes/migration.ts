// Claims and volumes that name a plugin which is no longer built in are handed to the driver in its place: an
// annotation says so. Volumes that a built-in plugin made, and shall unmake, are kept until it has, by a finalizer.
// As updateMigrationAnnotations and modifyDeletionFinalizers in pv_controller_base.go.
import { deepEqual, driverInPlaceOf } from '../../core/index.js';
import { writeClaim, writeVolume } from './storage.js';
import type { Storage, StoredClaim, StoredVolume } from './storage.js';

/** On a claim: who shall make its volume. */
export const provisionerAnnotation = 'volume.kubernetes.io/storage-provisioner';

/** The same, as it was called once; v1.36 still writes both. */
export const provisionerBetaAnnotation = 'volume.beta.kubernetes.io/storage-provisioner';

/** On a volume: who made it. */
export const madeByAnnotation = 'pv.kubernetes.io/provisioned-by';

/** On either: the driver that is in charge now. */
export const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** On a volume: a built-in plugin has to unmake it. */
export const deletionFinalizer = 'kubernetes.io/pv-controller';

type Annotations = Readonly<Record<string, string>>;

/** Annotations that name the driver in the place of a plugin, and none where there is no such driver. */
export function migratedAnnotations(annotations: Annotations, plugin: string): Annotations {
  const { [migratedToAnnotation]: _former, ...others } = annotations;
  const driver = driverInPlaceOf(plugin);
  return driver === undefined ? others : { ...others, [migratedToAnnotation]: driver };
}

/** Hands a claim over. */
export async function migrateClaim(claim: StoredClaim, storage: Storage): Promise<StoredClaim> {
  const { annotations = {} } = claim.metadata;
  const plugin = annotations[provisionerAnnotation] ?? annotations[provisionerBetaAnnotation];
  if (plugin === undefined) return claim;
  const wanted = migratedAnnotations(annotations, plugin);
  return deepEqual(wanted, annotations)
    ? claim
    : writeClaim({ ...claim, metadata: { ...claim.metadata, annotations: wanted } }, storage);
}

/** Hands a volume over, and keeps it for who has to unmake it. */
export async function migrateVolume(volume: StoredVolume, storage: Storage): Promise<StoredVolume> {
  const { annotations = {}, finalizers = [] } = volume.metadata;
  const plugin = annotations[madeByAnnotation];
  if (plugin === undefined) return volume;
  const wanted = { annotations: migratedAnnotations(annotations, plugin), finalizers: finalizersOf(volume, plugin) };
  return deepEqual(wanted, { annotations, finalizers })
    ? volume
    : writeVolume({ ...volume, metadata: { ...volume.metadata, ...wanted } }, storage);
}

function finalizersOf(
  { metadata: { finalizers = [], deletionTimestamp }, spec }: StoredVolume,
  plugin: string,
): readonly string[] {
  if (driverInPlaceOf(plugin) !== undefined) return finalizers.filter((name) => name !== deletionFinalizer);
  if (!plugin.startsWith('kubernetes.io/')) return finalizers;
  const others = finalizers.filter((name) => name !== driverFinalizer);
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete') return others.filter((name) => name !== deletionFinalizer);
  // What is on its way out takes no new ones.
  return others.includes(deletionFinalizer) || deletionTimestamp !== undefined
    ? others
    : [...others, deletionFinalizer];
}

/** What a driver keeps its volumes by. */
const driverFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
