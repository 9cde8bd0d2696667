// The ResourceClaims of a pod, and the events that requeue pods that wait for them. Each claim must exist and not be
// terminating; one from a template must be owned by the pod. As pkg/scheduler/framework/plugins/dynamicresources,
// foreachPodResourceClaim and EventsToRegister.
import { isControlledBy, isTerminating, quote, deepEqual } from '../../../core/index.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { on } from '../../framework/queueing-hints.js';
import type { ClusterEventWithHint, QueueingHint } from '../../framework/queueing-hints.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { podFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { isSamePod } from '../pod-predicates.js';
import { claimTracker } from './claim-tracker.js';

/** Reads claims. */
export interface ClaimReader {
  /** Returns a claim by `namespace/name`. */
  get(key: string): FrozenResourceClaim | undefined;
}

/** Returns the claims of a pod, or a message if one is missing or invalid. */
export function podResourceClaims(pod: PodFacts, claims: ClaimReader): readonly FrozenResourceClaim[] | string {
  const { namespace, name: podName } = pod;
  const found: FrozenResourceClaim[] = [];
  for (const { claim: name, fromTemplate } of pod.deviceClaims) {
    if (name === null) continue; // no claim is needed
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

/** Returns whether a claim is reserved for the pod. */
export function isReservedFor(claim: FrozenResourceClaim, { uid }: PodFacts): boolean {
  return claim.status?.reservedFor?.some((user) => user.uid === uid) ?? false;
}

/** Returns the event registrations of DynamicResources. */
export function claimEvents({ cluster }: Pick<PluginTools, 'cluster'>): readonly ClusterEventWithHint[] {
  return [
    on('Node', actions.add | actions.updateNodeLabel | actions.updateNodeAllocatable),
    on('resource.k8s.io/ResourceClaim', actions.add | actions.update, (pod, old, claim) => {
      const claims = podResourceClaims(pod, claimTracker(cluster));
      // While another claim is missing the pod stays unschedulable.
      return typeof claims === 'string' || claim === undefined ? 'skip' : afterClaimChange(claims, old, claim);
    }),
    on('Pod', actions.updatePodGeneratedResourceClaim, (pod, _old, changed) => {
      if (changed === undefined || !isSamePod(pod, changed)) return 'skip';
      return typeof podResourceClaims(podFacts(changed), claimTracker(cluster)) === 'string' ? 'skip' : 'queue';
    }),
    on('resource.k8s.io/DeviceClass', actions.add | actions.update),
    on('resource.k8s.io/ResourceSlice', actions.add | actions.update),
  ];
}

function afterClaimChange(
  claims: readonly FrozenResourceClaim[],
  old: FrozenResourceClaim | undefined,
  claim: FrozenResourceClaim,
): QueueingHint {
  if (old?.status?.allocation !== undefined && claim.status?.allocation === undefined) return 'queue';
  if (!claims.some(({ metadata }) => metadata?.uid === claim.metadata?.uid)) return 'skip';
  return old === undefined || !deepEqual(old.status, claim.status) ? 'queue' : 'skip';
}
