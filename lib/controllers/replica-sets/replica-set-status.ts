// The status of a ReplicaSet or ReplicationController: counts of its pods, and the condition ReplicaFailure while pods
// cannot be created or deleted. As pkg/controller/replicaset/replica_set_utils.go.
import type { Stored } from '../../client/index.js';
import {
  availableAtMs,
  deepEqual,
  errorText,
  isPodAvailable,
  isPodReady,
  matchesLabels,
  printTime,
  selectorFromLabels,
} from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { Pod, PodTemplateSpec, ReplicaSetCondition, ReplicaSetStatus } from '../../core/types/index.js';
import { replicasOf } from '../workloads/replicas.js';

/** A ReplicaSet or a ReplicationController, apart from the selector. */
export interface Replicated extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

/** What a status is calculated from. */
export interface ReplicaObservations {
  readonly owner: Stored<Replicated>;
  readonly active: readonly Stored<Pod>[];
  /** The number of terminating pods; undefined where the kind does not report it. */
  readonly terminating: number | undefined;
  /** Why pods could not be created or deleted. */
  readonly failure: unknown;
  readonly nowMs: number;
}

/** Returns the status, except for the observed generation. */
export function replicaStatus({ owner, active, terminating, failure, nowMs }: ReplicaObservations): ReplicaSetStatus {
  const { spec, status } = owner;
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  const templateLabels = selectorFromLabels(spec?.template?.metadata?.labels);
  const ready = active.filter(isPodReady);
  const labeled = active.filter(({ metadata }) => matchesLabels(templateLabels, metadata.labels)).length;
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length;
  const conditions = withFailure(status?.conditions ?? [], failure, active.length - replicasOf({ spec }), nowMs);
  return {
    replicas: active.length,
    ...(labeled > 0 && { fullyLabeledReplicas: labeled }),
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(available > 0 && { availableReplicas: available }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(conditions.length > 0 && { conditions: [...conditions] }),
  };
}

/** Returns whether the owner has this status and it is that of its generation. */
export function isCurrentStatus({ metadata, status }: Stored<Replicated>, next: ReplicaSetStatus): boolean {
  const { observedGeneration = 0, ...rest } = status ?? {};
  return observedGeneration === (metadata.generation ?? 0) && deepEqual(rest, next);
}

/**
 * Returns after how many milliseconds a ready pod becomes available; undefined if no pod is waited for. `status` was
 * calculated at `nowMs` from these pods.
 */
export function nextAvailabilityMs(
  { spec }: Stored<Replicated>,
  { readyReplicas, availableReplicas }: ReplicaSetStatus,
  active: readonly Stored<Pod>[],
  nowMs: number,
): number | undefined {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0 || readyReplicas === availableReplicas) return undefined;
  const next = Math.min(...active.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => atMs > nowMs));
  return Number.isFinite(next) ? next - nowMs : minReadySeconds * 1000;
}

/** A condition that exists keeps its message, also if the failure is another by now. */
function withFailure(
  conditions: readonly Frozen<ReplicaSetCondition>[],
  failure: unknown,
  surplus: number,
  nowMs: number,
): readonly Frozen<ReplicaSetCondition>[] {
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (failure === undefined) return others.length === conditions.length ? conditions : others;
  if (others.length < conditions.length) return conditions;
  const reason = surplus < 0 ? 'FailedCreate' : surplus > 0 ? 'FailedDelete' : undefined;
  const added = {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: printTime(nowMs),
    ...(reason !== undefined && { reason }),
    message: errorText(failure),
  } as const;
  return [...conditions, added];
}
