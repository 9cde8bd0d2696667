// The claims that the volumes of a pod stand for: named, or made for this pod alone. Names only; the claims themselves
// are looked up by who needs them. As component-helpers/storage/ephemeral.
import type { Frozen } from '../objects/meta.js';
import { namespacedName, printNamespacedName } from '../objects/meta.js';
import { isControlledBy } from '../objects/owner-references.js';
import type { Pod } from '../types/core-v1.generated.js';
import { claimKey } from './claims-and-volumes.js';
import type { FrozenClaim } from './claims-and-volumes.js';

/** A PersistentVolumeClaim that a volume stands for. */
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

/** What the claim is called that is made for a volume of a pod. */
export function ephemeralClaimName({ metadata }: Frozen<Pod>, volume: string): string {
  return `${metadata?.name ?? ''}-${volume}`;
}

/** Why a claim that should have been made for a pod is another's; undefined where it is the pod's. */
export function notMadeFor(pod: Frozen<Pod>, claim: FrozenClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  return `PVC ${claimKey(claim)} was not created for pod ${printNamespacedName(namespacedName(pod))} (pod is not owner)`;
}

const noVolumeClaims: readonly VolumeClaim[] = [];
