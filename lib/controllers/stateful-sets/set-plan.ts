// The decision of the StatefulSet controller: from what is observed of a set, its pods and claims to the writes that
// come next and the status. Pure; the driver performs the plan and stops at the first error.
//
// Pods in range are visited from the first ordinal up. With OrderedReady the visit ends at the first pod that is not
// available, so one pod is created, replaced or deleted at a time and later ones wait; with Parallel all are handled at
// once. Then pods out of range are deleted from the highest ordinal down, and then pods of an old revision, down to the
// partition. As pkg/controller/statefulset/stateful_set_control.go, updateStatefulSet.
import type { Stored } from '../../client/index.js';
import { isPodAvailable, isPodReady, isTerminating, scaledValue } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type {
  PersistentVolumeClaim,
  Pod,
  PodTemplateSpec,
  StatefulSet,
  StatefulSetStatus,
} from '../../core/types/index.js';
import { replicasOf } from '../workloads/replicas.js';
import { hasDesiredOwners, isStaleClaim } from './claim-retention.js';
import {
  claimsOf,
  hasIdentity,
  hasStorage,
  isOrdinalInRange,
  newPod,
  ordinalOf,
  podRevision,
  startOrdinal,
} from './pod-identity.js';

/** A revision of a set: the name of its ControllerRevision, and the pod template of that revision. */
export interface SetRevision {
  readonly name: string;
  readonly template: Frozen<PodTemplateSpec>;
}

/** What the plan is made from. */
export interface ObservedSet {
  readonly set: Stored<StatefulSet>;
  /** The pods that belong to the set. */
  readonly pods: readonly Stored<Pod>[];
  /** Returns the claim of that name in the namespace of the set. */
  readonly claim: (name: string) => Stored<PersistentVolumeClaim> | undefined;
  /** The revision of pods that are not updated yet. */
  readonly current: SetRevision;
  /** The revision of the spec. */
  readonly update: SetRevision;
  readonly collisionCount: number;
  readonly nowMs: number;
  /** Whether spec.updateStrategy.rollingUpdate.maxUnavailable is respected. Otherwise it is 1. */
  readonly respectsMaxUnavailable: boolean;
}

/** A step of a plan. */
export type SetStep =
  /** Creates the claims of the pod that are missing, and then the pod. */
  | { readonly type: 'create'; readonly pod: Frozen<Pod> }
  | { readonly type: 'delete'; readonly pod: Stored<Pod> }
  /** Creates the claims of a pending pod that are missing, and corrects their owners. */
  | { readonly type: 'create-claims'; readonly pod: Stored<Pod> }
  /** Corrects the identity and the volumes of a pod, and the owners of its claims. */
  | { readonly type: 'correct'; readonly pod: Stored<Pod> }
  /** Corrects the owners of the claims of a pod that is to be deleted. */
  | { readonly type: 'correct-claims'; readonly pod: Stored<Pod> };

/** Steps that do not depend on each other. Each task is a sequence. */
export interface SetRound {
  readonly tasks: readonly (readonly SetStep[])[];
  /** Tasks run one after the other, or in batches that double. */
  readonly inBatches: boolean;
  /** Each deletion takes a pod from the current revision. */
  readonly isUpdate: boolean;
}

/** The rounds in their order, and the status before the update round. */
export interface SetPlan {
  readonly rounds: readonly SetRound[];
  readonly status: StatefulSetStatus;
}

/** Decides the next writes of a set and its status. */
export function planSet(observed: ObservedSet): SetPlan {
  const { set, pods } = observed;
  if (isTerminating(set)) return { rounds: [], status: statusOf(observed, pods) };
  const replicas = replicasIn(observed);
  const condemned = pods.filter((pod) => ordinalOf(pod) >= 0 && !isOrdinalInRange(set, ordinalOf(pod)));
  condemned.sort((one, other) => ordinalOf(other) - ordinalOf(one));
  const existing = replicas.flatMap(({ pod }) => pod ?? []);
  const status = statusOf(observed, [...existing, ...condemned]);
  if (set.spec?.podManagementPolicy !== 'Parallel') return { rounds: inOrder(observed, replicas, condemned), status };
  const rounds = [
    inBatches(replicas.map((replica) => visitReplica(observed, replica).steps)),
    inBatches(condemned.map((pod) => correctClaims(observed, pod))),
    inBatches(condemned.map((pod) => (isTerminating(pod) ? [] : [{ type: 'delete', pod }]))),
    updateRound(observed, replicas),
  ];
  return { rounds: rounds.filter(({ tasks }) => tasks.length > 0), status };
}

/** Returns the status after some pods of the current revision were deleted for the update. */
export function finalStatus({
  set,
  status,
  deletions,
}: {
  readonly set: Frozen<StatefulSet>;
  readonly status: StatefulSetStatus;
  readonly deletions: number;
}): StatefulSetStatus {
  const { updatedReplicas = 0, readyReplicas = 0, updateRevision = '' } = status;
  const replicas = replicasOf(set);
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [updatedReplicas, readyReplicas, status.replicas].every((count) => count === replicas);
  if (isComplete) return { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision };
  return { ...status, currentReplicas: Math.max(0, (status.currentReplicas ?? 0) - deletions) };
}

/** An ordinal in range: its pod, or the one to create. */
interface Replica {
  readonly pod: Stored<Pod> | undefined;
  readonly missing: () => Frozen<Pod>;
}

function replicasIn(observed: ObservedSet): readonly Replica[] {
  const { set, pods, current, update } = observed;
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const revision = index < notUpdated(set) ? current : update;
    return { pod: byOrdinal.get(start + index), missing: () => newPod(set, revision, start + index) };
  });
}

/** Returns how many pods from the first are created from the current revision. */
function notUpdated({ spec, status }: Stored<StatefulSet>): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (rollingUpdate !== undefined) return rollingUpdate.partition ?? 0;
  return type === 'RollingUpdate' ? (status?.currentReplicas ?? 0) : 0;
}

/** With OrderedReady: everything in sequence, up to the first pod to wait for. */
function inOrder(
  observed: ObservedSet,
  replicas: readonly Replica[],
  condemned: readonly Stored<Pod>[],
): readonly SetRound[] {
  const steps: SetStep[] = [];
  for (const replica of replicas) {
    const visit = visitReplica(observed, replica);
    steps.push(...visit.steps);
    if (visit.isBlocked) return [inSequence(steps)];
  }
  for (const pod of condemned) steps.push(...correctClaims(observed, pod));
  const [highest] = condemned;
  if (highest !== undefined) {
    // All replicas are available here, so the first unavailable pod is the lowest condemned one.
    const firstUnavailable = condemned.findLast((pod) => isUnavailable(observed, pod));
    const isHealthy = isRunning(highest) && isAvailable(observed, highest);
    if (!isTerminating(highest) && (isHealthy || highest === firstUnavailable))
      steps.push({ type: 'delete', pod: highest });
    return [inSequence(steps)];
  }
  return [inSequence(steps), updateRound(observed, replicas)];
}

/** Returns the steps for an ordinal, and whether OrderedReady waits for it before it goes on. */
function visitReplica(
  observed: ObservedSet,
  { pod, missing }: Replica,
): { readonly steps: readonly SetStep[]; readonly isBlocked: boolean } {
  const { set } = observed;
  if (pod === undefined) {
    const created = missing();
    const isStale = claimsIn(observed, created).some((claim) => isStaleClaim({ claim, set, pod: created }));
    return { steps: isStale ? [] : [{ type: 'create', pod: created }], isBlocked: true };
  }
  // Also pods that succeeded: a stopped pod is replaced whatever its exit code.
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded')
    return { steps: isTerminating(pod) ? [] : [{ type: 'delete', pod }], isBlocked: true };
  const steps: SetStep[] = pod.status?.phase === 'Pending' ? pendingClaims(observed, pod) : [];
  const isBlocked = isTerminating(pod) || !isRunning(pod) || !isAvailable(observed, pod);
  if (isBlocked && set.spec?.podManagementPolicy !== 'Parallel') return { steps, isBlocked };
  const isCorrect = hasIdentity(set, pod) && hasStorage(set, pod) && hasClaimOwners(observed, pod);
  return { steps: isCorrect ? steps : [...steps, { type: 'correct', pod }], isBlocked };
}

/** Deletes pods of old revisions, the highest ordinal first, within what may be unavailable. */
function updateRound(observed: ObservedSet, replicas: readonly Replica[]): SetRound {
  const { set, update } = observed;
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return { ...inSequence([]), isUpdate: true };
  const isOld = (pod: Stored<Pod> | undefined): pod is Stored<Pod> =>
    pod !== undefined && podRevision(pod) !== update.name && !isTerminating(pod);
  const steps: SetStep[] = [];
  const candidates = replicas.slice(rollingUpdate?.partition ?? 0).map(({ pod }) => pod);
  if (observed.respectsMaxUnavailable) {
    const unavailable = replicas.filter(({ pod }) => pod === undefined || isUnavailable(observed, pod)).length;
    const deletable = maxUnavailableOf(set) - unavailable;
    if (deletable > 0) steps.push(...candidates.filter(isOld).slice(-deletable).reverse().map(deleteStep));
  } else {
    // The first one from the end that is old, or that is not available and so has to be waited for.
    const next = candidates.findLast((pod) => pod === undefined || isOld(pod) || isUnavailable(observed, pod));
    if (isOld(next)) steps.push(deleteStep(next));
  }
  return { ...inSequence(steps), isUpdate: true };
}

function maxUnavailableOf(set: Stored<StatefulSet>): number {
  const { maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  return Math.max(1, scaledValue(maxUnavailable, replicasOf(set), false));
}

function deleteStep(pod: Stored<Pod>): SetStep {
  return { type: 'delete', pod };
}

/** A pending pod may wait for a claim that was deleted. */
function pendingClaims(observed: ObservedSet, pod: Stored<Pod>): SetStep[] {
  const isComplete =
    claimsIn(observed, pod).length === (observed.set.spec?.volumeClaimTemplates ?? []).length &&
    claimsIn(observed, pod).every((claim) => !isTerminating(claim)) &&
    hasClaimOwners(observed, pod);
  return isComplete ? [] : [{ type: 'create-claims', pod }];
}

function correctClaims(observed: ObservedSet, pod: Stored<Pod>): readonly SetStep[] {
  return hasClaimOwners(observed, pod) ? [] : [{ type: 'correct-claims', pod }];
}

function hasClaimOwners(observed: ObservedSet, pod: Stored<Pod>): boolean {
  const { set } = observed;
  return claimsIn(observed, pod).every((claim) => hasDesiredOwners({ claim, set, pod }));
}

/** Returns the claims of a pod that exist. */
function claimsIn({ set, claim }: ObservedSet, pod: Frozen<Pod>): readonly Stored<PersistentVolumeClaim>[] {
  return claimsOf(set, ordinalOf(pod)).flatMap(({ metadata }) => claim(metadata?.name ?? '') ?? []);
}

function statusOf(observed: ObservedSet, pods: readonly Stored<Pod>[]): StatefulSetStatus {
  const { set, current, update, collisionCount } = observed;
  // The server sets the phase, so only a pod that it does not have has none.
  const created = pods.filter(({ status }) => (status?.phase ?? '') !== '');
  const running = created.filter(isRunning);
  const ofRevision = (name: string): number =>
    created.filter((pod) => !isTerminating(pod) && podRevision(pod) === name).length;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: created.length,
    readyReplicas: running.length,
    currentReplicas: ofRevision(current.name),
    updatedReplicas: ofRevision(update.name),
    currentRevision: current.name,
    updateRevision: update.name,
    collisionCount,
    availableReplicas: running.filter((pod) => isAvailable(observed, pod)).length,
  };
}

function isRunning(pod: Stored<Pod>): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod);
}

function isAvailable({ set, nowMs }: ObservedSet, pod: Stored<Pod>): boolean {
  return isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);
}

function isUnavailable(observed: ObservedSet, pod: Stored<Pod>): boolean {
  return !isAvailable(observed, pod) || isTerminating(pod);
}

function inSequence(steps: readonly SetStep[]): SetRound {
  return { tasks: steps.length === 0 ? [] : [steps], inBatches: false, isUpdate: false };
}

function inBatches(tasks: readonly (readonly SetStep[])[]): SetRound {
  return { tasks: tasks.filter((steps) => steps.length > 0), inBatches: true, isUpdate: false };
}
