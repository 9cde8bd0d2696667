// Gives devices back: those of claims that keep a pod from every node, and the use of claims by a pod that did not get
// its node after all. The latter is written beside the scheduling of other pods.
// As pkg/scheduler/framework/plugins/dynamicresources, PostFilter and Unreserve.
import { isApiError, namespacedName } from '../../../core/index.js';
import type { PostFilterAnswer } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { unschedulable } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { protection } from './bind-claims.js';
import type { ClaimLedger } from './claim-ledger.js';
import type { ClaimState } from './claim-state.js';
import { isReservedFor } from './pod-claims.js';

const nothingToGiveBack: PostFilterAnswer = { rejection: unschedulable('no new claims to deallocate') };
const deallocated: PostFilterAnswer = { rejection: unschedulable('deallocation of ResourceClaim completed') };
const deleted: PostFilterAnswer = { rejection: unschedulable('deletion of ResourceClaim completed') };
const stillNot: PostFilterAnswer = { rejection: unschedulable('still not schedulable') };

/**
 * Gives back the devices of one claim, if only this pod would use them: it may find others elsewhere. Rejects with what
 * went wrong.
 */
export function giveBack(
  pod: PodFacts,
  { claims, extended, unavailable }: ClaimState,
  tools: PluginTools,
  signal: AbortSignal,
): PostFilterAnswer | Promise<PostFilterAnswer> {
  if (claims.length === 0 && extended === undefined) return nothingToGiveBack;
  if (extended?.isLeftOver === true) return giveBackWhole(pod, extended.claim, tools, signal);
  const free = claims.find(
    (each) => unavailable.has(each) && (each.claim.status?.reservedFor ?? []).every(({ uid }) => uid === pod.uid),
  );
  return free === undefined ? stillNot : deallocate(free.claim, tools, signal);
}

async function deallocate(
  claim: FrozenResourceClaim,
  { client }: PluginTools,
  signal: AbortSignal,
): Promise<PostFilterAnswer> {
  await client.kind('resource.k8s.io/v1', 'ResourceClaim').status.update({ ...claim, status: {} }, { signal });
  return deallocated;
}

/** Nobody hears of claims that are gone; so the pod is called back. */
async function giveBackWhole(
  pod: PodFacts,
  claim: FrozenResourceClaim,
  tools: PluginTools,
  signal: AbortSignal,
): Promise<PostFilterAnswer> {
  await deleteClaim(claim, tools, signal);
  tools.activate([pod.object]);
  return deleted;
}

/** Forgets what was decided. A claim that was written already keeps its devices, but the pod no longer uses them. */
export function takeBack(
  pod: PodFacts,
  { claims, extended }: ClaimState,
  ledger: ClaimLedger,
  tools: PluginTools,
): void {
  for (const { claim } of claims) {
    ledger.takeBack(claim);
    if (claim.status?.allocation === undefined || !isReservedFor(claim, pod)) continue;
    const { uid = '' } = claim.metadata ?? {};
    const resource = tools.client.kind('resource.k8s.io/v1', 'ResourceClaim');
    const patch = { strategic: { metadata: { uid }, status: { reservedFor: [{ $patch: 'delete', uid: pod.uid }] } } };
    tools.background(
      async (signal) => {
        await resource.status.patch(namespacedName(claim), patch, { signal });
      },
      () => undefined, // the pod is tried again, and whoever cleans up after pods will find the rest
    );
  }
  if (extended?.decided === undefined) return;
  ledger.takeBack(extended.decided.claim);
  if (!extended.isStored) return;
  tools.background(
    async (signal) => {
      await deleteClaim(extended.claim, tools, signal);
      ledger.forget(extended.claim);
    },
    () => undefined, // a later attempt finds it left over
  );
}

const triesMax = 5;

/** A claim that was made here goes, and what protects it first. Others may have been faster. */
async function deleteClaim(claim: FrozenResourceClaim, { client }: PluginTools, signal: AbortSignal): Promise<void> {
  const resource = client.kind('resource.k8s.io/v1', 'ResourceClaim');
  const place = namespacedName(claim);
  for (let tries = 1; ; tries++) {
    try {
      const { metadata, ...rest } = await resource.get(place, { signal });
      await resource.update(
        {
          ...rest,
          metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((each) => each !== protection) },
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
