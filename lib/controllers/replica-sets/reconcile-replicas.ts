// One reconcile of a ReplicaSet or ReplicationController: claims pods, creates missing ones or deletes those that are
// too many, and writes the status. As pkg/controller/replicaset, syncReplicaSet and manageReplicas.
import type { Client, Informers, OwnWrites, Stored } from '../../client/index.js';
import {
  isControlledBy,
  isPodActive,
  isPodTerminating,
  isTerminating,
  matchesLabels,
  namespacedName,
  objectKey,
  printNamespacedName,
} from '../../core/index.js';
import type { Clock, Informer, NamespacedName, Selector } from '../../core/index.js';
import type { Pod, ReplicaSetStatus } from '../../core/types/index.js';
import { claimObjects } from '../workloads/claim-objects.js';
import { podsToDelete } from '../workloads/deletion-order.js';
import type { Expectations } from '../workloads/expectations.js';
import { dependentsAndOrphans, dependentsOf } from '../workloads/owned-pods.js';
import type { ControllerIndex } from '../workloads/owned-pods.js';
import { firstFailure, isNamespaceTerminating, slowStartBatch } from '../workloads/pod-control.js';
import type { CallContext, OwnerKind, PodControl } from '../workloads/pod-control.js';
import { replicasOf } from '../workloads/replicas.js';
import { isCurrentStatus, nextAvailabilityMs, replicaStatus } from './replica-set-status.js';
import type { Replicated } from './replica-set-status.js';

/** What is particular to a kind. */
export interface ReplicatedKind<T extends Replicated> {
  readonly name: string;
  /** The source of Events. */
  readonly component: string;
  readonly kind: OwnerKind;
  readonly reportsTerminating: boolean;
  readonly informerOf: (shared: Informers) => Informer<Stored<T>>;
  readonly selectorOf: (owner: Stored<T>) => Selector;
  readonly writeStatus: (client: Client, owner: Stored<T>, context: CallContext) => Promise<Stored<T>>;
  readonly read: (client: Client, name: NamespacedName, context: CallContext) => Promise<Stored<T>>;
}

/** One run of a controller. */
export interface Run<T extends Replicated> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ReplicatedKind<T>;
  readonly pods: Informer<Stored<Pod>, ControllerIndex>;
  readonly owners: Informer<Stored<T>, 'namespace' | ControllerIndex>;
  /** The owners, with the status that was last written. */
  readonly known: OwnWrites<Stored<T>>;
  readonly expectations: Expectations;
  readonly control: PodControl;
}

/** What a reconcile did. */
export interface ReplicasOutcome {
  readonly created: number;
  readonly deleted: number;
  readonly failure?: Error | undefined;
  /** After how long pods are to be looked at again. */
  readonly nextMs?: number | undefined;
}

/** Brings the number of pods to that of the owner, and writes its status. */
export async function reconcileReplicas<T extends Replicated>(
  item: NamespacedName,
  run: Run<T>,
  context: CallContext,
): Promise<ReplicasOutcome> {
  const { client, clock, kind, pods, known, expectations } = run;
  const key = printNamespacedName(item);
  const owner = known.get(key);
  if (owner === undefined) {
    expectations.forget(key);
    return unchanged;
  }
  const mayChange = expectations.isSatisfied(key) && !isTerminating(owner);
  const selector = kind.selectorOf(owner);
  const all = dependentsAndOrphans(pods, owner);
  const active = await claimObjects<Pod>(all.filter(isPodActive), {
    ...context,
    client,
    owner,
    ownerKind: kind.kind,
    kind: podKind,
    selector,
  });
  const terminating = all.filter(
    (pod) => isPodTerminating(pod) && isControlledBy(pod, owner) && matchesLabels(selector, pod.metadata.labels),
  );
  const outcome = mayChange ? await changeReplicas(owner, active, run, context) : unchanged;
  const nowMs = clock.now();
  const status = replicaStatus({
    owner,
    active,
    terminating: kind.reportsTerminating ? terminating.length : undefined,
    failure: outcome.failure,
    nowMs,
  });
  if (!isCurrentStatus(owner, status)) await writeStatus(owner, status, run, context);
  return { ...outcome, nextMs: nextAvailabilityMs(owner, status, active, nowMs) };
}

const unchanged: ReplicasOutcome = Object.freeze({ created: 0, deleted: 0 });
const podKind = { apiVersion: 'v1', kind: 'Pod' };
/** The most pods that are created or deleted at once. */
const burst = 500;

async function changeReplicas<T extends Replicated>(
  owner: Stored<T>,
  active: readonly Stored<Pod>[],
  run: Run<T>,
  context: CallContext,
): Promise<ReplicasOutcome> {
  const surplus = active.length - replicasOf(owner);
  if (surplus < 0) return await createPods(owner, Math.min(-surplus, burst), run, context);
  if (surplus > 0) return await deletePods(owner, active, Math.min(surplus, burst), run, context);
  return unchanged;
}

async function createPods<T extends Replicated>(
  owner: Stored<T>,
  count: number,
  { expectations, control }: Run<T>,
  context: CallContext,
): Promise<ReplicasOutcome> {
  const key = objectKey(owner);
  expectations.expectCreations(key, count);
  const { successes, failure } = await slowStartBatch(count, async () => {
    try {
      await control.create(owner, owner.spec?.template ?? {}, context);
    } catch (error) {
      // Every creation would fail. The expectation stays, so that none is tried for a while.
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  // No event comes for pods that were not created.
  expectations.creationObserved(key, count - successes);
  return { created: successes, deleted: 0, failure };
}

async function deletePods<T extends Replicated>(
  owner: Stored<T>,
  active: readonly Stored<Pod>[],
  count: number,
  run: Run<T>,
  context: CallContext,
): Promise<ReplicasOutcome> {
  const { clock, expectations, control } = run;
  const key = objectKey(owner);
  const chosen = podsToDelete(active, relatedPods(owner, run), count, clock.now());
  const uids = chosen.map(({ metadata }) => metadata.uid);
  expectations.expectDeletions(key, uids);
  const results = await Promise.allSettled(
    chosen.map(async (pod) => {
      let isDeleted = false;
      try {
        isDeleted = await control.delete(owner, pod, context);
        return isDeleted;
      } finally {
        if (!isDeleted) expectations.deletionObserved(key, pod.metadata.uid);
      }
    }),
  );
  const deleted = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  return { created: 0, deleted, failure: firstFailure(results) };
}

/** The pods of all owners that have the same controller, such as all ReplicaSets of a Deployment. */
function relatedPods<T extends Replicated>(owner: Stored<T>, { owners, pods }: Run<T>): readonly Stored<Pod>[] {
  const controllers = owner.metadata.ownerReferences?.filter((reference) => reference.controller === true) ?? [];
  return controllers
    .flatMap(({ uid }) => owners.by('controller', uid))
    .flatMap((related) => dependentsOf(pods, related));
}

/** After a failure the status is written once more, over the newest object: it is still that of this generation. */
async function writeStatus<T extends Replicated>(
  owner: Stored<T>,
  status: ReplicaSetStatus,
  { client, kind, known }: Run<T>,
  context: CallContext,
): Promise<void> {
  const { generation } = owner.metadata;
  const withStatus = (object: Stored<T>): Stored<T> => ({
    ...object,
    status: { ...status, ...(generation !== undefined && { observedGeneration: generation }) },
  });
  try {
    known.wrote(await kind.writeStatus(client, withStatus(owner), context));
  } catch {
    const newest = await kind.read(client, namespacedName(owner), context);
    if (newest.metadata.uid === owner.metadata.uid)
      known.wrote(await kind.writeStatus(client, withStatus(newest), context));
  }
}
