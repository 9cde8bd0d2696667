// What a StorageClass means to claims: when they get their volumes, and which class is for those that name none.
// As component-helpers/storage/volume, IsDelayBindingMode, and pkg/volume/util/storageclass.go.
import { quote } from '../errors/go-format.js';
import type { Frozen } from '../objects/meta.js';
import type { StorageClass } from '../types/storage-v1.generated.js';

/** A provisioner that makes nothing: volumes of the class are there, or they are not. */
export const noProvisioner = 'kubernetes.io/no-provisioner';

/** Whether claims of a class wait until a pod that uses them has a node. Claims without a class do not. */
export function waitsForConsumer(storageClass: Frozen<StorageClass> | undefined): boolean {
  if (storageClass === undefined) return false;
  const { metadata, volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined)
    throw new Error(`VolumeBindingMode not set for StorageClass ${quote(metadata?.name ?? '')}`);
  return volumeBindingMode === 'WaitForFirstConsumer';
}

/** Whether a class is for claims that name none. */
export function isDefaultClass({ metadata }: Pick<Frozen<StorageClass>, 'metadata'>): boolean {
  return defaultAnnotations.some((name) => metadata?.annotations?.[name] === 'true');
}

/** The class for claims that name none: of several the newest, and of those the first by name. */
export function defaultClass(classes: readonly Frozen<StorageClass>[]): Frozen<StorageClass> | undefined {
  return classes.filter(isDefaultClass).toSorted(newestFirst)[0];
}

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function newestFirst({ metadata: one }: Frozen<StorageClass>, { metadata: other }: Frozen<StorageClass>): number {
  // Times are printed in one form, to the second: their order is that of their texts.
  const [time, otherTime] = [one?.creationTimestamp ?? '', other?.creationTimestamp ?? ''];
  if (time !== otherTime) return time > otherTime ? -1 : 1;
  return (one?.name ?? '') < (other?.name ?? '') ? -1 : 1;
}
