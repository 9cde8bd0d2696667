// The effect of a StorageClass on claims: when they are bound, and which class is the default.
// As component-helpers/storage/volume, IsDelayBindingMode, and pkg/volume/util/storageclass.go.
import { quote } from '../go/format.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { StorageClass } from '../types/storage-v1.generated.js';

/** The provisioner of classes without dynamic provisioning. */
export const noProvisioner = 'kubernetes.io/no-provisioner';

/** Returns whether claims of a class wait until a pod that uses them has a node. Claims without a class do not. */
export function waitsForConsumer(storageClass: Frozen<StorageClass> | undefined): boolean {
  if (storageClass === undefined) return false;
  const { metadata, volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined)
    throw new Error(`VolumeBindingMode not set for StorageClass ${quote(metadata?.name ?? '')}`);
  return volumeBindingMode === 'WaitForFirstConsumer';
}

/** Returns whether a class is for claims that name none. */
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

/** Orders objects by creation, the newest first, and those of one second by name. */
export function newestFirst({ metadata: one }: Frozen<ApiObject>, { metadata: other }: Frozen<ApiObject>): number {
  // Times are printed in one form, to the second: their order is that of their texts.
  const [time, otherTime] = [one?.creationTimestamp ?? '', other?.creationTimestamp ?? ''];
  if (time !== otherTime) return time > otherTime ? -1 : 1;
  return (one?.name ?? '') < (other?.name ?? '') ? -1 : 1;
}
