// Writes what was decided for the claims of a pod: the allocation, and that the pod uses it. Whoever wrote in between
// is read and the claim tried again, unless what was decided no longer holds. Then waits for devices that have to be
// made ready. As pkg/scheduler/framework/plugins/dynamicresources, bindClaim and PreBind.
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
import { isOverdue, readiness, takesTime } from './binding-conditions.js';
import type { ClaimLedger } from './claim-ledger.js';
import type { ClaimState, PodClaim } from './claim-state.js';
import type { ExtendedClaim, ExtendedDecision } from './extended-resources.js';
import { isReservedFor } from './pod-claims.js';

/** What is needed to write claims. */
export interface ClaimOrder {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly state: ClaimState;
  readonly ledger: ClaimLedger;
  /** How long devices may take to be made ready. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Writes and waits. Rejects with what went wrong. */
export async function bindClaims(tools: PluginTools, order: ClaimOrder): Promise<void> {
  const { pod, state, ledger } = order;
  for (const each of state.claims) {
    if (isReservedFor(each.claim, pod)) continue;
    const decidedFor = each.claim;
    each.claim = await written(tools, each, order);
    ledger.written(decidedFor, each.claim);
  }
  if (state.extended?.decided !== undefined) await bindExtended(tools, state.extended, state.extended.decided, order);
  const claims = [...state.claims, ...(state.extended?.isStored === true ? [state.extended] : [])].map(
    ({ claim }) => claim,
  );
  if (claims.some(({ status }) => takesTime(status?.allocation))) await untilReady(tools, claims, order);
}

/** Stores the claim for extended resources, and tells the pod of it. */
async function bindExtended(
  tools: PluginTools,
  extended: ExtendedClaim,
  { claim, allocation, mappings }: ExtendedDecision,
  order: ClaimOrder,
): Promise<void> {
  const { pod, ledger, signal } = order;
  const { client } = tools;
  const { namespace = '', generateName = '', ownerReferences = [], annotations = {} } = claim.metadata ?? {};
  extended.claim = await client
    .kind('resource.k8s.io/v1', 'ResourceClaim')
    .create({ metadata: { namespace, generateName, ownerReferences, annotations }, spec: claim.spec }, { signal });
  extended.isStored = true;
  extended.claim = await written(tools, { claim: extended.claim, decided: allocation }, order);
  ledger.written(claim, extended.claim);
  const extendedResourceClaimStatus = {
    requestMappings: mappings,
    resourceClaimName: extended.claim.metadata?.name ?? '',
  };
  await client
    .kind('v1', 'Pod')
    .status.patch(namespacedName(pod.object), { strategic: { status: { extendedResourceClaimStatus } } }, { signal });
}

const triesMax = 5;

async function written(
  { client, clock }: PluginTools,
  { claim: first, decided }: PodClaim,
  { pod, signal }: ClaimOrder,
): Promise<FrozenResourceClaim> {
  const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim');
  const what = decided === undefined ? 'reservation' : 'allocation and reservation';
  const key = objectKey(first);
  let claim = first;
  for (let tries = 1; ; tries++) {
    refuseOvertaken(claim, decided !== undefined);
    try {
      if (decided !== undefined && !(claim.metadata?.finalizers ?? []).includes(protection)) {
        claim = await claims.update(
          {
            ...claim,
            metadata: { ...claim.metadata, finalizers: [...(claim.metadata?.finalizers ?? []), protection] },
          },
          { signal },
        );
      }
      const allocation = { allocationTimestamp: printTime(clock.now()), ...(decided ?? claim.status?.allocation) };
      const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: 'pods', name: pod.name, uid: pod.uid }];
      return await claims.status.update({ ...claim, status: { ...claim.status, allocation, reservedFor } }, { signal });
    } catch (error) {
      if (tries >= triesMax || !isApiError(error, 'Conflict'))
        throw new Error(`add ${what} to claim ${key}: ${errorText(error)}`, { cause: error });
    }
    claim = await claims.get(namespacedName(claim), { signal });
  }
}

/** Keeps the claim as long as anybody uses its devices. */
export const protection = 'resource.kubernetes.io/delete-protection';

function refuseOvertaken(claim: FrozenResourceClaim, isDecided: boolean): void {
  const isAllocated = claim.status?.allocation !== undefined;
  if (isTerminating(claim)) throw new Error(`claim ${objectKey(claim)} got deleted in the meantime`);
  if (isDecided && isAllocated) throw new Error(`claim ${objectKey(claim)} got allocated elsewhere in the meantime`);
  if (!isDecided && !isAllocated)
    throw new Error(`claim ${objectKey(claim)} got deallocated elsewhere in the meantime`);
}

const pollMs = 5000;

async function untilReady(
  tools: PluginTools,
  claims: readonly FrozenResourceClaim[],
  { pod, nodeName, ledger, timeoutMs, signal }: ClaimOrder,
): Promise<void> {
  tools.note({
    about: pod.object,
    type: 'Normal',
    reason: 'BindingConditionsPending',
    action: 'Scheduling',
    note: `waiting for binding conditions for device on node ${nodeName}`,
  });
  const deadline = tools.clock.now() + timeoutMs;
  for (;;) {
    if (claims.every((each) => isReady(each, ledger, tools.clock.now(), timeoutMs))) return;
    const leftMs = deadline - tools.clock.now();
    if (leftMs <= 0) throw new Error('device binding timeout: context deadline exceeded');
    await pause(tools.clock, Math.min(pollMs, leftMs), signal);
  }
}

function isReady(written: FrozenResourceClaim, ledger: ClaimLedger, nowMs: number, timeoutMs: number): boolean {
  const key = objectKey(written);
  const claim = ledger.get(key);
  if (claim === undefined) throw new Error(`could not find ResourceClaim ${quote(key)}`);
  const answer = readiness(claim);
  if (typeof answer === 'object') throw new Error(answer.failed);
  if (answer === 'not yet' && isOverdue(claim, nowMs, timeoutMs))
    throw new Error(`device binding timeout: claim=${claim.metadata?.name ?? ''}`);
  return answer === 'ready';
}
