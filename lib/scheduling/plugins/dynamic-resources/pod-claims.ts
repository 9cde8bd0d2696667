// The claims of a pod, by the names it gives them. Each must be there and stay, and one that was made from a template
// must have been made for this very pod. As pkg/scheduler/framework/plugins/dynamicresources, foreachPodResourceClaim.
import { isControlledBy, isTerminating, quote } from '../../../core/index.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { FrozenResourceClaim } from './allocation/devices.js';

/** Where claims are found. */
export interface ClaimReader {
  /** By `namespace/name`. */
  get(key: string): FrozenResourceClaim | undefined;
}

/** The claims of a pod, or what is wrong with them in words. */
export function podResourceClaims(pod: PodFacts, claims: ClaimReader): readonly FrozenResourceClaim[] | string {
  const { namespace, name: podName } = pod;
  const found: FrozenResourceClaim[] = [];
  for (const { claim: name, fromTemplate } of pod.deviceClaims) {
    if (name === null) continue; // none is needed
    if (name === undefined) return `pod ${quote(`${namespace}/${podName}`)}: ResourceClaim not created yet`;
    const claim = claims.get(`${namespace}/${name}`);
    if (claim === undefined) return `could not find ResourceClaim ${quote(`${namespace}/${name}`)}`;
    if (isTerminating(claim)) return `resourceclaim ${quote(name)} is being deleted`;
    if (fromTemplate && !isControlledBy(claim, pod.object))
      return `ResourceClaim ${namespace}/${name} was not created for Pod ${namespace}/${podName} (Pod is not owner)`;
    found.push(claim);
  }
  return found;
}

/** Whether a claim has the pod among its users. */
export function isReservedFor(claim: FrozenResourceClaim, { uid }: PodFacts): boolean {
  return claim.status?.reservedFor?.some((user) => user.uid === uid) ?? false;
}
