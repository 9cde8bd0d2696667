// Writes the decisions for a pod's claims: the allocation and the reservation for the pod. After a conflict the claim
// is read and written again, unless the decision is no longer valid. Then waits for devices with binding conditions. As
// pkg/scheduler/framework/plugins/dynamicresources, bindClaim and PreBind.
import {
  errorText,
  isApiError,
  isTerminating,
  namespacedName,
  objectKey,
  pause,
  printTime,
  quote,
} from '../../../core/index.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { isOverdue, readiness, hasBindingConditions } from './binding-conditions.js';
import type { ClaimTracker } from './claim-tracker.js';
import type { ClaimState, PodClaim } from './claim-state.js';
import type { ExtendedClaim, ExtendedDecision } from './extended-resources.js';
import { isReservedFor } from './pod-claims.js';

/** The claims of a pod and their context. */
export interface ClaimBinding {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly state: ClaimState;
  readonly tracker: ClaimTracker;
  /** The time limit for binding conditions. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Writes the claims and waits for their devices. Rejects with the error. */
export async function bindClaims(tools: PluginTools, order: ClaimBinding): Promise<void> {
  const { pod, state, tracker } = order;
  for (const each of state.claims) {
    if (isReservedFor(each.claim, pod)) continue;
    const decidedFor = each.claim;
    each.claim = await writeClaim(tools, each, order);
    tracker.written(decidedFor, each.claim);
  }
  if (state.extended?.decided !== undefined) await bindExtended(tools, state.extended, state.extended.decided, order);
  const claims = [...state.claims, ...(state.extended?.isStored === true ? [state.extended] : [])].map(
    ({ claim }) => claim,
  );
  if (claims.some(({ status }) => hasBindingConditions(status?.allocation)))
    await waitForConditions(tools, claims, order);
}

/** Creates the claim for extended resources and records it in the pod's status. */
async function bindExtended(
  tools: PluginTools,
  extended: ExtendedClaim,
  { claim, allocation, mappings }: ExtendedDecision,
  order: ClaimBinding,
): Promise<void> {
  const { pod, tracker, signal } = order;
  const { client } = tools;
  const { namespace = '', generateName = '', ownerReferences = [], annotations = {} } = claim.metadata ?? {};
  extended.claim = await client
    .kind('resource.k8s.io/v1', 'ResourceClaim')
    .create({ metadata: { namespace, generateName, ownerReferences, annotations }, spec: claim.spec }, { signal });
  extended.isStored = true;
  extended.claim = await writeClaim(tools, { claim: extended.claim, allocation: allocation }, order);
  tracker.written(claim, extended.claim);
  const extendedResourceClaimStatus = {
    requestMappings: mappings,
    resourceClaimName: extended.claim.metadata?.name ?? '',
  };
  await client
    .kind('v1', 'Pod')
    .status.patch(namespacedName(pod.object), { strategic: { status: { extendedResourceClaimStatus } } }, { signal });
}

const triesMax = 5;

async function writeClaim(
  { client, clock }: PluginTools,
  { claim: first, allocation: decision }: PodClaim,
  { pod, signal }: ClaimBinding,
): Promise<FrozenResourceClaim> {
  const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim');
  const what = decision === undefined ? 'reservation' : 'allocation and reservation';
  const key = objectKey(first);
  let claim = first;
  for (let tries = 1; ; tries++) {
    checkStillValid(claim, decision !== undefined);
    try {
      if (decision !== undefined && !(claim.metadata?.finalizers ?? []).includes(claimFinalizer)) {
        claim = await claims.update(
          {
            ...claim,
            metadata: { ...claim.metadata, finalizers: [...(claim.metadata?.finalizers ?? []), claimFinalizer] },
          },
          { signal },
        );
      }
      const allocation = { allocationTimestamp: printTime(clock.now()), ...(decision ?? claim.status?.allocation) };
      const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: 'pods', name: pod.name, uid: pod.uid }];
      return await claims.status.update({ ...claim, status: { ...claim.status, allocation, reservedFor } }, { signal });
    } catch (error) {
      if (tries >= triesMax || !isApiError(error, 'Conflict'))
        throw new Error(`add ${what} to claim ${key}: ${errorText(error)}`, { cause: error });
    }
    claim = await claims.get(namespacedName(claim), { signal });
  }
}

/** The finalizer that keeps a claim while its devices are in use. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';

function checkStillValid(claim: FrozenResourceClaim, isDecided: boolean): void {
  const isAllocated = claim.status?.allocation !== undefined;
  if (isTerminating(claim)) throw new Error(`claim ${objectKey(claim)} got deleted in the meantime`);
  if (isDecided && isAllocated) throw new Error(`claim ${objectKey(claim)} got allocated elsewhere in the meantime`);
  if (!isDecided && !isAllocated)
    throw new Error(`claim ${objectKey(claim)} got deallocated elsewhere in the meantime`);
}

const pollMs = 5000;

async function waitForConditions(
  tools: PluginTools,
  claims: readonly FrozenResourceClaim[],
  { pod, nodeName, tracker, timeoutMs, signal }: ClaimBinding,
): Promise<void> {
  tools.recordEvent({
    regarding: pod.object,
    type: 'Normal',
    reason: 'BindingConditionsPending',
    action: 'Scheduling',
    note: `waiting for binding conditions for device on node ${nodeName}`,
  });
  const deadline = tools.clock.now() + timeoutMs;
  for (;;) {
    if (claims.every((each) => isReady(each, tracker, tools.clock.now(), timeoutMs))) return;
    const leftMs = deadline - tools.clock.now();
    if (leftMs <= 0) throw new Error('device binding timeout: context deadline exceeded');
    await pause(tools.clock, Math.min(pollMs, leftMs), signal);
  }
}

function isReady(written: FrozenResourceClaim, ledger: ClaimTracker, nowMs: number, timeoutMs: number): boolean {
  const key = objectKey(written);
  const claim = ledger.get(key);
  if (claim === undefined) throw new Error(`could not find ResourceClaim ${quote(key)}`);
  const answer = readiness(claim);
  if (typeof answer === 'object') throw new Error(answer.failed);
  if (answer === 'not yet' && isOverdue(claim, nowMs, timeoutMs))
    throw new Error(`device binding timeout: claim=${claim.metadata?.name ?? ''}`);
  return answer === 'ready';
}
