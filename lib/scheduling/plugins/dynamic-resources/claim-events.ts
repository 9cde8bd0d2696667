// What brings back pods that DynamicResources rejected: their own claims coming to be, or changing; devices that
// anybody gave back; and more nodes, devices or classes. As pkg/scheduler/framework/plugins/dynamicresources,
// EventsToRegister.
import { deepEqual } from '../../../core/index.js';
import { on } from '../../framework/event-interest.js';
import type { EventInterest, HintAnswer } from '../../framework/event-interest.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { podFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { isItself } from '../pod-events.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { claimLedger } from './claim-ledger.js';
import { podResourceClaims } from './pod-claims.js';

/** The events that may help. */
export function claimEvents({ cluster }: Pick<PluginTools, 'cluster'>): readonly EventInterest[] {
  return [
    on('Node', actions.add | actions.updateNodeLabel | actions.updateNodeAllocatable),
    on('resource.k8s.io/ResourceClaim', actions.add | actions.update, (pod, old, claim) => {
      const claims = podResourceClaims(pod, claimLedger(cluster));
      // As long as another claim is missing the pod cannot go on, whatever happened to this one.
      return typeof claims === 'string' || claim === undefined ? 'skip' : afterClaimChange(claims, old, claim);
    }),
    on('Pod', actions.updatePodGeneratedResourceClaim, (pod, _old, changed) => {
      if (changed === undefined || !isItself(pod, changed)) return 'skip';
      return typeof podResourceClaims(podFacts(changed), claimLedger(cluster)) === 'string' ? 'skip' : 'queue';
    }),
    on('resource.k8s.io/DeviceClass', actions.add | actions.update),
    on('resource.k8s.io/ResourceSlice', actions.add | actions.update),
  ];
}

function afterClaimChange(
  claims: readonly FrozenResourceClaim[],
  old: FrozenResourceClaim | undefined,
  claim: FrozenResourceClaim,
): HintAnswer {
  if (old?.status?.allocation !== undefined && claim.status?.allocation === undefined) return 'queue';
  if (!claims.some(({ metadata }) => metadata?.uid === claim.metadata?.uid)) return 'skip';
  return old === undefined || !deepEqual(old.status, claim.status) ? 'queue' : 'skip';
}
