// Migrates claims and volumes of removed in-tree plugins to the CSI driver that replaces them, by an annotation. A
// finalizer keeps volumes of in-tree plugins until the plugin has deleted them. As updateMigrationAnnotations and
// modifyDeletionFinalizers in pv_controller_base.go.
import { deepEqual, driverInPlaceOf } from '../../core/index.js';
import { writeClaim, writeVolume } from './storage.js';
import type { Storage, StoredClaim, StoredVolume } from './storage.js';

/** Annotation of a claim: its provisioner. */
export const provisionerAnnotation = 'volume.kubernetes.io/storage-provisioner';

/** The former name of that annotation; v1.36 still writes both. */
export const provisionerBetaAnnotation = 'volume.beta.kubernetes.io/storage-provisioner';

/** Annotation of a volume: the plugin or driver that provisioned it. */
export const madeByAnnotation = 'pv.kubernetes.io/provisioned-by';

/** Annotation of claims and volumes: the driver that replaces the plugin. */
export const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** Finalizer of a volume that an in-tree plugin has to delete. */
export const deletionFinalizer = 'kubernetes.io/pv-controller';

type Annotations = Readonly<Record<string, string>>;

/** Returns the annotations with the driver that replaces a plugin, or without one if there is none. */
export function migratedAnnotations(annotations: Annotations, plugin: string): Annotations {
  const { [migratedToAnnotation]: _former, ...others } = annotations;
  const driver = driverInPlaceOf(plugin);
  return driver === undefined ? others : { ...others, [migratedToAnnotation]: driver };
}

/** Migrates a claim. */
export async function migrateClaim(claim: StoredClaim, storage: Storage): Promise<StoredClaim> {
  const { annotations = {} } = claim.metadata;
  const plugin = annotations[provisionerAnnotation] ?? annotations[provisionerBetaAnnotation];
  if (plugin === undefined) return claim;
  const wanted = migratedAnnotations(annotations, plugin);
  return deepEqual(wanted, annotations)
    ? claim
    : writeClaim({ ...claim, metadata: { ...claim.metadata, annotations: wanted } }, storage);
}

/** Migrates a volume and updates its deletion finalizer. */
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
  // A terminating object accepts no new finalizers.
  return others.includes(deletionFinalizer) || deletionTimestamp !== undefined
    ? others
    : [...others, deletionFinalizer];
}

/** The finalizer of external provisioners. */
const driverFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
