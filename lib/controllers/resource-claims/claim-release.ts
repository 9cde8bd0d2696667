// What the resource claim controller does for a claim: it removes consumers that are done, deallocates a claim without
// consumers, and deletes the claim of a pod that is done.
import type { Stored } from '../../client/index.js';
import { controllerOf, isApiError } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { resourceV1, ResourceClaimConsumerReference } from '../../core/types/index.js';
import { ignoreError } from '../ignore-error.js';
import type { ClaimContext } from './pod-claim-creation.js';
import { isPodDone, isPodReference } from './pod-resource-claims.js';

/** Releases what a claim holds without need. Rejects on a conflict, so that the newest claim is looked at. */
export async function releaseClaim(claim: Stored<resourceV1.ResourceClaim>, context: ClaimContext): Promise<void> {
  const { namespace = '', name } = claim.metadata;
  const { reservedFor = [] } = claim.status ?? {};
  const remaining: Frozen<ResourceClaimConsumerReference>[] = [];
  for (const consumer of reservedFor)
    if (!isPodReference(consumer) || (await mayUse(consumer, namespace, context))) remaining.push(consumer);
  const isReleased = remaining.length < reservedFor.length;
  const isUnused = remaining.length === 0;
  const isDeallocated =
    isUnused && hasFinalizer(claim) && (isReleased || claim.metadata.deletionTimestamp !== undefined);
  let newest = claim;
  if (isReleased || (isDeallocated && claim.status?.allocation !== undefined)) {
    newest = await writeStatus(claim, { remaining, keepsAllocation: !isDeallocated }, context);
    context.emit({ type: isDeallocated ? 'deallocated' : 'released', claim: { namespace, name } });
  }
  if (isDeallocated) await removeFinalizerOf(newest, context);
  if (isUnused) await deleteUnused(claim, context);
}

/** Returns whether the pod of a reservation may still use the claim. A pod that the informer does not know is read. */
async function mayUse(
  { name, uid }: Frozen<ResourceClaimConsumerReference>,
  namespace: string,
  { client, signal, pods }: ClaimContext,
): Promise<boolean> {
  const known = pods.get(`${namespace}/${name}`);
  if (known !== undefined) return known.metadata.uid === uid && !isPodDone(known);
  const live = await ignoreError('NotFound', client.kind('v1', 'Pod').in(namespace).get(name, { signal }));
  return live?.metadata.uid === uid;
}

interface NextStatus {
  readonly remaining: readonly Frozen<ResourceClaimConsumerReference>[];
  readonly keepsAllocation: boolean;
}

function writeStatus(
  claim: Stored<resourceV1.ResourceClaim>,
  { remaining, keepsAllocation }: NextStatus,
  { client, signal, cause }: ClaimContext,
): Promise<Stored<resourceV1.ResourceClaim>> {
  const { allocation, reservedFor: _, ...rest } = claim.status ?? {};
  const status = {
    ...rest,
    ...(keepsAllocation && allocation !== undefined && { allocation }),
    ...(remaining.length > 0 && { reservedFor: remaining }),
  };
  const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim').in(claim.metadata.namespace ?? '');
  return claims.status.update({ ...claim, status }, { signal, cause });
}

async function removeFinalizerOf(
  claim: Stored<resourceV1.ResourceClaim>,
  { client, signal, cause }: ClaimContext,
): Promise<void> {
  if (!hasFinalizer(claim)) return;
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== allocationFinalizer);
  const next = { ...claim, metadata: { ...claim.metadata, finalizers } };
  const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim').in(claim.metadata.namespace ?? '');
  await ignoreError('NotFound', claims.update(next, { signal, cause }));
}

/** Deletes a claim that was created for a pod which is done, or replaced by another of its name. */
async function deleteUnused(
  claim: Stored<resourceV1.ResourceClaim>,
  { client, signal, cause, pods, emit }: ClaimContext,
): Promise<void> {
  const { namespace = '', name, uid, deletionTimestamp } = claim.metadata;
  const owner = controllerOf(claim);
  if (deletionTimestamp !== undefined || owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return;
  const pod = pods.get(`${namespace}/${owner.name}`);
  if (pod === undefined || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
  const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim').in(namespace);
  try {
    await claims.delete(name, { preconditions: { uid }, signal, cause });
    emit({ type: 'deleted', claim: { namespace, name } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function hasFinalizer({ metadata }: Stored<resourceV1.ResourceClaim>): boolean {
  return (metadata.finalizers ?? []).includes(allocationFinalizer);
}

/** The scheduler adds it when it allocates a claim. */
const allocationFinalizer = 'resource.kubernetes.io/delete-protection';
