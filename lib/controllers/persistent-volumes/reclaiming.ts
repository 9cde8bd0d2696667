// Reclaims released volumes. Retained volumes stay as they are. Volumes to be deleted belong to the driver that
// provisioned them; of the in-tree plugins only host paths below /tmp can be deleted: the object is deleted, and the
// files stay, since this engine accesses no machine. Recycling needs a pod that erases the volume, which is not
// supported: such a volume fails, so that no data reaches the next claim. As reclaimVolume in pv_controller.go and
// pkg/volume/hostpath.
import { quote } from '../../core/index.js';
import { ignoreError } from '../ignore-error.js';
import { deletionFinalizer, madeByAnnotation, migratedToAnnotation } from './migration.js';
import { recordForVolume, writeVolume, writeVolumePhase } from './storage.js';
import type { Storage, StorageOutcome, StoredVolume } from './storage.js';

/** Applies the reclaim policy of a released volume. */
export async function reclaim(volume: StoredVolume, storage: Storage): Promise<StorageOutcome | undefined> {
  if ((volume.metadata.annotations?.[migratedToAnnotation] ?? '') !== '') return undefined;
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return undefined;
    case 'Delete': {
      const deleter = deleterOf(volume);
      if (deleter === 'another') return undefined;
      return 'problem' in deleter
        ? fail(volume, 'VolumeFailedDelete', deleter.problem, storage)
        : remove(volume, storage);
    }
    case 'Recycle':
      return fail(volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!', storage);
    default:
      return fail(
        volume,
        'VolumeUnknownReclaimPolicy',
        'Volume has unrecognized PersistentVolumeReclaimPolicy',
        storage,
      );
  }
}

/** The deleter of a volume: another component, none (a problem), or this controller. */
type Deleter = 'another' | { readonly problem: string } | { readonly path: string };

function deleterOf({ metadata, spec = {} }: StoredVolume): Deleter {
  const madeBy = metadata.annotations?.[madeByAnnotation] ?? '';
  if (madeBy !== '' && madeBy !== hostPath) {
    if (!madeBy.startsWith('kubernetes.io/')) return 'another';
    return { problem: madeBy === nfs ? notDeletable : `no volume plugin matched name: ${madeBy}` };
  }
  if (spec.csi !== undefined) return 'another';
  const { hostPath: host } = spec;
  if (host === undefined)
    return {
      problem: `error getting deleter volume plugin for volume ${quote(metadata.name)}: ${spec.nfs === undefined ? 'no volume plugin matched' : notDeletable}`,
    };
  return /\/tmp\/./.test(host.path)
    ? host
    : { problem: `host_path deleter only supports /tmp/.+ but received provided ${host.path}` };
}

const hostPath = 'kubernetes.io/host-path';
const nfs = 'kubernetes.io/nfs';
const notDeletable = 'no deletable volume plugin matched';

async function fail(
  volume: StoredVolume,
  reason: string,
  message: string,
  storage: Storage,
): Promise<StorageOutcome | undefined> {
  const failed = await writeVolumePhase(volume, 'Failed', storage, message);
  if (failed === volume) return undefined;
  recordForVolume(failed, { type: 'Warning', reason, message }, storage);
  return { type: 'not-reclaimed', volume: volume.metadata.name };
}

async function remove(volume: StoredVolume, storage: Storage): Promise<StorageOutcome | undefined> {
  const { client, signal, cause } = storage;
  const { name, uid, finalizers = [], deletionTimestamp } = volume.metadata;
  const others = finalizers.filter((each) => each !== deletionFinalizer);
  if (others.length < finalizers.length)
    await ignoreError(
      'NotFound',
      writeVolume({ ...volume, metadata: { ...volume.metadata, finalizers: others } }, storage),
    );
  if (deletionTimestamp !== undefined) return undefined;
  const volumes = client.kind('v1', 'PersistentVolume');
  await ignoreError('NotFound', volumes.delete(name, { preconditions: { uid }, signal, cause }));
  return { type: 'deleted', volume: name };
}
