// Deallocates claims that make all nodes infeasible, and removes the reservations of a pod that is unreserved. The
// latter is written in the background. As pkg/scheduler/framework/plugins/dynamicresources, PostFilter and Unreserve.
import { isApiError, namespacedName } from '../../../core/index.js';
import type { PostFilterResult } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { unschedulable } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { claimFinalizer } from './bind-claims.js';
import type { ClaimTracker } from './claim-tracker.js';
import type { ClaimState } from './claim-state.js';
import { isReservedFor } from './pod-claims.js';

const nothingToDeallocate: PostFilterResult = { rejection: unschedulable('no new claims to deallocate') };
const deallocated: PostFilterResult = { rejection: unschedulable('deallocation of ResourceClaim completed') };
const deleted: PostFilterResult = { rejection: unschedulable('deletion of ResourceClaim completed') };
const stillNot: PostFilterResult = { rejection: unschedulable('still not schedulable') };

/**
 * Deallocates one claim that no other pod uses, so that it can be allocated elsewhere. Rejects with the error of the
 * write.
 */
export function deallocateClaim(
  pod: PodFacts,
  { claims, extended, unavailable }: ClaimState,
  tools: PluginTools,
  signal: AbortSignal,
): PostFilterResult | Promise<PostFilterResult> {
  if (claims.length === 0 && extended === undefined) return nothingToDeallocate;
  if (extended?.isOrphaned === true) return deleteOrphanedClaim(pod, extended.claim, tools, signal);
  const free = claims.find(
    (each) => unavailable.has(each) && (each.claim.status?.reservedFor ?? []).every(({ uid }) => uid === pod.uid),
  );
  return free === undefined ? stillNot : deallocate(free.claim, tools, signal);
}

async function deallocate(
  claim: FrozenResourceClaim,
  { client }: PluginTools,
  signal: AbortSignal,
): Promise<PostFilterResult> {
  await client.kind('resource.k8s.io/v1', 'ResourceClaim').status.update({ ...claim, status: {} }, { signal });
  return deallocated;
}

/** Deletes the claim and activates the pod: no event is registered for deleted claims. */
async function deleteOrphanedClaim(
  pod: PodFacts,
  claim: FrozenResourceClaim,
  tools: PluginTools,
  signal: AbortSignal,
): Promise<PostFilterResult> {
  await deleteClaim(claim, tools, signal);
  tools.activate([pod.object]);
  return deleted;
}

/**
 * Removes pending allocations. A claim that was already written keeps its devices, but loses the reservation of the
 * pod.
 */
export function unreserveClaims(
  pod: PodFacts,
  { claims, extended }: ClaimState,
  ledger: ClaimTracker,
  tools: PluginTools,
): void {
  for (const { claim } of claims) {
    ledger.removePending(claim);
    if (claim.status?.allocation === undefined || !isReservedFor(claim, pod)) continue;
    const { uid = '' } = claim.metadata ?? {};
    const resource = tools.client.kind('resource.k8s.io/v1', 'ResourceClaim');
    const patch = { strategic: { metadata: { uid }, status: { reservedFor: [{ $patch: 'delete', uid: pod.uid }] } } };
    tools.runInBackground(
      async (signal) => {
        await resource.status.patch(namespacedName(claim), patch, { signal });
      },
      () => undefined, // the pod is retried, and the resource claim controller cleans up
    );
  }
  if (extended?.decided === undefined) return;
  ledger.removePending(extended.decided.claim);
  if (!extended.isStored) return;
  tools.runInBackground(
    async (signal) => {
      await deleteClaim(extended.claim, tools, signal);
      ledger.forget(extended.claim);
    },
    () => undefined, // a later attempt finds the orphaned claim
  );
}

const triesMax = 5;

/** Removes the finalizer of a claim created here and deletes it. It may already be gone. */
async function deleteClaim(claim: FrozenResourceClaim, { client }: PluginTools, signal: AbortSignal): Promise<void> {
  const resource = client.kind('resource.k8s.io/v1', 'ResourceClaim');
  const place = namespacedName(claim);
  for (let tries = 1; ; tries++) {
    try {
      const { metadata, ...rest } = await resource.get(place, { signal });
      await resource.update(
        {
          ...rest,
          metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((each) => each !== claimFinalizer) },
        },
        { signal },
      );
      await resource.delete(place, { signal });
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (tries >= triesMax || !isApiError(error, 'Conflict')) throw error;
    }
  }
}
