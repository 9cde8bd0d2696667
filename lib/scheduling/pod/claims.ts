// The claims that a pod names: for storage through its volumes, for devices through spec.resourceClaims. Names only; the
// claims themselves are looked up by who needs them. As component-helpers/storage/ephemeral and
// dynamic-resource-allocation/resourceclaim.
import type { Frozen } from '../../core/index.js';
import type { Pod, Volume } from '../../core/types/index.js';

/** A PersistentVolumeClaim that a volume stands for. */
export interface VolumeClaim {
  /** In the pod's namespace. */
  readonly claim: string;
  /** Made for this pod: the claim must be controlled by it. */
  readonly ephemeral: boolean;
}

/** A ResourceClaim of a pod. */
export interface DeviceClaim {
  /** How containers refer to it. */
  readonly name: string;
  /** In the pod's namespace; undefined while nobody has made it, null where none is needed. */
  readonly claim: string | null | undefined;
  readonly fromTemplate: boolean;
}

/** The claims of a pod's volumes, in the order of the volumes. */
export function volumeClaims({ spec, metadata }: Frozen<Pod>): readonly VolumeClaim[] {
  let found: VolumeClaim[] | undefined;
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) (found ??= []).push({ claim: persistentVolumeClaim.claimName, ephemeral: false });
    else if (ephemeral !== undefined) (found ??= []).push({ claim: `${metadata?.name ?? ''}-${name}`, ephemeral: true });
  }
  return found ?? noVolumeClaims;
}

/** How many volumes of a pod a driver may have to attach to a node: no fewer than it will. */
export function attachableVolumes({ spec }: Frozen<Pod>): number {
  let count = 0;
  for (const volume of spec?.volumes ?? []) if (!isAtHand(volume)) count += 1;
  return count;
}

/** Volumes that a node makes of what it has, or of what the API tells. Nearly every pod has some. */
function isAtHand({ emptyDir, configMap, secret, projected, downwardAPI, hostPath }: Frozen<Volume>): boolean {
  return (emptyDir ?? configMap ?? secret ?? projected ?? downwardAPI ?? hostPath) !== undefined;
}

/** The claims for devices. Those from a template are in the pod's status once they have been made. */
export function deviceClaims({ spec, status }: Frozen<Pod>): readonly DeviceClaim[] {
  const { resourceClaims = [] } = spec ?? {};
  if (resourceClaims.length === 0) return noDeviceClaims;
  const made = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName ?? null]));
  return resourceClaims.map(({ name, resourceClaimName }) => ({
    name,
    claim: resourceClaimName ?? made.get(name),
    fromTemplate: resourceClaimName === undefined,
  }));
}

const noVolumeClaims: readonly VolumeClaim[] = [];
const noDeviceClaims: readonly DeviceClaim[] = [];
