// The claims of a pod's volumes: named, or ephemeral ones of this pod. Names only; the claims themselves
// are looked up by the callers. As component-helpers/storage/ephemeral.
import type { Frozen } from '../objects/meta.js';
import { namespacedName, printNamespacedName } from '../objects/meta.js';
import { isControlledBy } from '../objects/owner-references.js';
import type { Pod } from '../types/core-v1.generated.js';
import { claimKey } from './claims-and-volumes.js';
import type { FrozenClaim } from './claims-and-volumes.js';

/** The PersistentVolumeClaim of a volume. */
export interface VolumeClaim {
  /** In the pod's namespace. */
  readonly claim: string;
  /** Made for this pod: the claim must be controlled by it. */
  readonly ephemeral: boolean;
}

/** The claims of a pod's volumes, in the order of the volumes. */
export function volumeClaims(pod: Frozen<Pod>): readonly VolumeClaim[] {
  let found: VolumeClaim[] | undefined;
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim !== undefined)
      (found ??= []).push({ claim: persistentVolumeClaim.claimName, ephemeral: false });
    else if (ephemeral !== undefined) (found ??= []).push({ claim: ephemeralClaimName(pod, name), ephemeral: true });
  }
  return found ?? noVolumeClaims;
}

/** Returns the name of the claim of an ephemeral volume. */
export function ephemeralClaimName({ metadata }: Frozen<Pod>, volume: string): string {
  return `${metadata?.name ?? ''}-${volume}`;
}

/** Returns the error if a claim is not owned by its pod, undefined if it is. */
export function notMadeFor(pod: Frozen<Pod>, claim: FrozenClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  return `PVC ${claimKey(claim)} was not created for pod ${printNamespacedName(namespacedName(pod))} (pod is not owner)`;
}

const noVolumeClaims: readonly VolumeClaim[] = [];
