// Claims of pods as the plugins that look at storage find them among the known objects, and what users read of those
// that are not there. What claims and volumes say of themselves is in the core.
import { quote } from '../../../core/index.js';
import type { FrozenClaim } from '../../../core/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { PodFacts } from '../../pod/pod-facts.js';

/** The claim of a pod by its name. */
export function claimOf(objects: KnownObjects, { namespace }: PodFacts, name: string): FrozenClaim | undefined {
  return objects.get('PersistentVolumeClaim', `${namespace}/${name}`);
}

/** Whether a pod names a claim. */
export function usesClaim({ namespace, volumeClaims }: PodFacts, { metadata }: FrozenClaim): boolean {
  return metadata?.namespace === namespace && volumeClaims.some(({ claim }) => claim === metadata.name);
}

/** What users read of an object that is not there. */
export function notFoundText(
  resource: 'persistentvolumeclaim' | 'persistentvolume' | 'storageclass.storage.k8s.io' | 'node' | 'pod',
  name: string,
): string {
  return `${resource} ${quote(name)} not found`;
}
