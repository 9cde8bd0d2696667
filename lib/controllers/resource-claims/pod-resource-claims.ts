// The ResourceClaims of a pod: those that it names, and those that are created for it from templates, whose names are
// in its status. As dynamic-resource-allocation/resourceclaim.
import type { Stored } from '../../client/index.js';
import { controllerOf, isPodTerminal } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod, resourceV1, ResourceClaimConsumerReference } from '../../core/types/index.js';

/** An entry of `spec.resourceClaims` of a pod. */
export interface ClaimEntry {
  /** The name of the entry. */
  readonly name: string;
  /** The name of the ResourceClaim; null if none is needed, undefined if none was created yet. */
  readonly claim: string | null | undefined;
  /** The template that the claim is created from; undefined if the pod names a claim. */
  readonly template: string | undefined;
}

/** Returns the claims of a pod, in the order of its spec. */
export function podClaimsOf({ spec, status }: Frozen<Pod>): readonly ClaimEntry[] {
  return (spec?.resourceClaims ?? []).map(({ name, resourceClaimName, resourceClaimTemplateName }) => {
    const created = status?.resourceClaimStatuses?.find((each) => each.name === name);
    const named = created === undefined ? undefined : (created.resourceClaimName ?? null);
    return { name, claim: resourceClaimName ?? named, template: resourceClaimTemplateName };
  });
}

/** Returns `namespace/name` of the claims of a pod that have a name, the one of extended resources too. */
export function claimKeysOf(pod: Frozen<Pod>): readonly string[] {
  const { namespace = '' } = pod.metadata ?? {};
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const names = [...podClaimsOf(pod).map(({ claim }) => claim), extended];
  return names.flatMap((name) => (typeof name === 'string' ? [`${namespace}/${name}`] : []));
}

/** Returns `namespace/name` of the templates of a pod. */
export function templateKeysOf(pod: Frozen<Pod>): readonly string[] {
  const { namespace = '' } = pod.metadata ?? {};
  return podClaimsOf(pod).flatMap(({ template }) => (template === undefined ? [] : [`${namespace}/${template}`]));
}

/** Returns whether a claim was created for a pod. */
export function isClaimOf(pod: Stored<Pod>, claim: Frozen<resourceV1.ResourceClaim>): boolean {
  return claim.metadata?.namespace === pod.metadata.namespace && controllerOf(claim)?.uid === pod.metadata.uid;
}

/** Returns whether a claim is reserved for a pod. */
export function isReservedForPod({ metadata }: Stored<Pod>, { status }: Frozen<resourceV1.ResourceClaim>): boolean {
  return (status?.reservedFor ?? []).some((consumer) => isPodReference(consumer) && consumer.uid === metadata.uid);
}

/** Returns whether a consumer of a claim is a pod. */
export function isPodReference({ apiGroup = '', resource }: Frozen<ResourceClaimConsumerReference>): boolean {
  return apiGroup === '' && resource === 'pods';
}

/** Returns whether a pod will not run, or not any more, and so needs no claims. */
export function isPodDone(pod: Frozen<Pod>): boolean {
  const isUnscheduled = (pod.spec?.nodeName ?? '') === '';
  return isPodTerminal(pod) || (pod.metadata?.deletionTimestamp !== undefined && isUnscheduled);
}
