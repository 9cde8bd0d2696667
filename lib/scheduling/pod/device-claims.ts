// The claims for devices that a pod names in spec.resourceClaims. Names only; the claims themselves are looked up by
// who needs them. As dynamic-resource-allocation/resourceclaim.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** A ResourceClaim of a pod. */
export interface PodDeviceClaim {
  /** How containers refer to it. */
  readonly name: string;
  /** In the pod's namespace; undefined while nobody has made it, null where none is needed. */
  readonly claim: string | null | undefined;
  readonly fromTemplate: boolean;
}

/** The claims for devices. Those from a template are in the pod's status once they have been made. */
export function deviceClaims({ spec, status }: Frozen<Pod>): readonly PodDeviceClaim[] {
  const { resourceClaims = [] } = spec ?? {};
  if (resourceClaims.length === 0) return noDeviceClaims;
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName ?? null]),
  );
  return resourceClaims.map(({ name, resourceClaimName }) => ({
    name,
    claim: resourceClaimName ?? made.get(name),
    fromTemplate: resourceClaimName === undefined,
  }));
}

const noDeviceClaims: readonly PodDeviceClaim[] = [];
