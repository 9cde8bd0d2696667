// Looks up the claims of pods, and words the messages for missing objects. Rules about claims and volumes themselves
// are in core.
import { quote } from '../../../core/index.js';
import type { FrozenClaim } from '../../../core/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { PodFacts } from '../../pod/pod-facts.js';

/** Returns a claim of a pod by name. */
export function claimOf(objects: ObjectLister, { namespace }: PodFacts, name: string): FrozenClaim | undefined {
  return objects.get('PersistentVolumeClaim', `${namespace}/${name}`);
}

/** Returns whether a pod uses a claim. */
export function usesClaim({ namespace, volumeClaims }: PodFacts, { metadata }: FrozenClaim): boolean {
  return metadata?.namespace === namespace && volumeClaims.some(({ claim }) => claim === metadata.name);
}

/** Returns the message for a missing object. */
export function notFoundText(
  resource: 'persistentvolumeclaim' | 'persistentvolume' | 'storageclass.storage.k8s.io' | 'node' | 'pod',
  name: string,
): string {
  return `${resource} ${quote(name)} not found`;
}
