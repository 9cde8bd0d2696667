// What a Job needs: whether it has ended, and otherwise which pods are created or deleted. Pure: the view of a Job goes
// in, the decision comes out. As pkg/controller/job/job_controller.go, syncJob and manageJob.
import type { Stored } from '../../client/index.js';
import { isPodTerminating, parseTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Job, JobCondition, JobSpec, Pod } from '../../core/types/index.js';
import { byDeletionOrder } from './active-pods.js';
import {
  completionIndexOf,
  indexCount,
  firstMissingIndexes,
  mergeIndexSets,
  metSuccessRule,
  withIndexes,
} from './completion-indexes.js';
import { absoluteFailuresOf, indexesOf, isFailedPod, replacesOnlyFailedPods } from './job-view.js';
import type { JobIndexes, JobView } from './job-view.js';
import { finishedAtMs, remainingBackoffMs } from './pod-backoff.js';
import { judgeFailure } from './pod-failure-policy.js';

/** How a Job ends. The interim condition is written first, the final one when no pod is left. */
export interface JobEnd {
  readonly interim: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly final: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
  /** Whether the interim condition is in the status already. */
  readonly isRecorded: boolean;
}

/** What is to be done about the pods of a Job. */
export type PodPlan =
  | { readonly type: 'delete'; readonly pods: readonly Stored<Pod>[] }
  /** Without `indexes` the pods have none. */
  | { readonly type: 'create'; readonly count: number; readonly indexes?: readonly number[] }
  /** Failed pods are replaced after a back-off. */
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'none' };

/** The most pods that are created or deleted by one sync. */
export const podsPerSyncMax = 500;

/** Returns how a Job ends, unless that depends on pods that are still to be created or deleted. */
export function decideEnd(view: JobView, nowMs: number): JobEnd | undefined {
  const { job, pods, indexes } = view;
  const { spec } = job;
  const succeeded = findTrue(job, 'SuccessCriteriaMet');
  if (succeeded !== undefined) return success(succeeded, true);
  const failed = findTrue(job, 'FailureTarget');
  if (failed !== undefined) return failure(failed.reason ?? '', failed.message ?? '', true);

  for (const pod of spec.podFailurePolicy === undefined ? [] : pods) {
    const message = isFailedPod(pod, spec) ? judgeFailure(spec.podFailurePolicy, pod).failJobMessage : undefined;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  if (view.failed > (spec.backoffLimit ?? 0) || hasTooManyRestarts(view))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (remainingDeadlineMs(view, nowMs) === 0)
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  return indexes && decideIndexedEnd(indexes, spec);
}

function decideIndexedEnd({ completions, succeeded, failed }: JobIndexes, spec: Frozen<JobSpec>): JobEnd | undefined {
  const failures = indexCount(failed ?? []);
  if (spec.maxFailedIndexes !== undefined && failures > spec.maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failures > 0 && failures + indexCount(succeeded) >= completions)
    return failure('FailedIndexes', 'Job has failed indexes');
  const rule = metSuccessRule(spec.successPolicy, succeeded, completions);
  return rule === undefined
    ? undefined
    : success({ reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` });
}

/** Returns how a Job ends that has enough successes; `active` pods run after those that are needed were created. */
export function decideCompletion({ job: { spec }, succeeded }: JobView, active: number): JobEnd | undefined {
  // Without a number of completions one success means that the work is done, and the others finish.
  const isReached = spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (!isReached || active > 0) return undefined;
  return success({ reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' });
}

/** Returns how long a Job may stay active; Infinity without a deadline or while it is suspended. */
export function remainingDeadlineMs({ job: { spec, status } }: JobView, nowMs: number): number {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend === true) return Infinity;
  const startMs = status?.startTime === undefined ? nowMs : parseTime(status.startTime);
  return Math.max(0, startMs + spec.activeDeadlineSeconds * 1000 - nowMs);
}

/** Decides which pods are created or deleted. Never both in one sync; deletions come first. */
export function planPods(view: JobView, nowMs: number): PodPlan {
  const { activePods, terminating } = view;
  const { spec } = view.job;
  const active = activePods.length;
  if (spec.suspend === true) return { type: 'delete', pods: podsToRemove(view, active) };
  const wanted = wantedActive(view);
  const superfluous = podsToRemove(view, Math.max(0, active - wanted)).slice(0, podsPerSyncMax);
  if (superfluous.length > 0) return { type: 'delete', pods: superfluous };

  const missing = wanted - active - (replacesOnlyFailedPods(spec) ? terminating : 0);
  if (missing <= 0) return { type: 'none' };
  if (spec.backoffLimitPerIndex === undefined) {
    const waitMs = remainingBackoffMs(view.streak, nowMs);
    if (waitMs > 0) return { type: 'wait', ms: waitMs };
  }
  const count = Math.min(missing, podsPerSyncMax);
  return view.indexes === undefined ? { type: 'create', count } : planIndexes(view, view.indexes, { count, nowMs });
}

function planIndexes(
  view: JobView,
  { completions, succeeded, failed = [], toReplace }: JobIndexes,
  { count, nowMs }: { readonly count: number; readonly nowMs: number },
): PodPlan {
  const { activePods, pods } = view;
  const { spec } = view.job;
  const terminating = replacesOnlyFailedPods(spec) ? indexesOf(pods.filter(isPodTerminating)) : [];
  const taken = mergeIndexSets(withIndexes(succeeded, [...indexesOf(activePods), ...terminating]), failed);
  const pending = firstMissingIndexes(taken, count, completions);
  if (spec.backoffLimitPerIndex === undefined) return { type: 'create', count: pending.length, indexes: pending };
  const waits = pending.map((index) => indexBackoffMs(toReplace.get(index), nowMs));
  const due = pending.filter((_, position) => waits[position] === 0);
  const waitMs = Math.min(...waits);
  if (due.length === 0 && pending.length > 0) return { type: 'wait', ms: waitMs };
  return { type: 'create', count: due.length, indexes: due };
}

function indexBackoffMs(failed: Frozen<Pod> | undefined, nowMs: number): number {
  if (failed === undefined) return 0;
  return remainingBackoffMs({ failures: absoluteFailuresOf(failed) + 1, lastAtMs: finishedAtMs(failed) }, nowMs);
}

function wantedActive({ job, activePods, succeeded }: JobView): number {
  const { parallelism = 0, completions } = job.spec;
  if (completions === undefined) return succeeded > 0 ? activePods.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/**
 * Returns at least `count` active pods to delete. Of an Indexed Job all pods without a valid index and all but one of
 * an index go in any case; then the pods whose loss costs least.
 */
function podsToRemove({ activePods, indexes }: JobView, count: number): readonly Stored<Pod>[] {
  if (indexes === undefined) return count === 0 ? [] : [...activePods].sort(byDeletionOrder).slice(0, count);
  const removed: Stored<Pod>[] = [];
  const kept: Stored<Pod>[] = [];
  for (const [index, pods] of groupByIndex(activePods)) {
    const isValid = index !== undefined && index < indexes.completions;
    const ordered = pods.length === 1 ? pods : pods.sort(byDeletionOrder);
    removed.push(...(isValid ? ordered.slice(0, -1) : ordered));
    kept.push(...(isValid ? ordered.slice(-1) : []));
  }
  if (removed.length >= count) return removed;
  return [...removed, ...kept.sort(byDeletionOrder).slice(0, count - removed.length)];
}

/** In the order of the indexes, pods without one first. */
function groupByIndex(pods: readonly Stored<Pod>[]): ReadonlyMap<number | undefined, Stored<Pod>[]> {
  const groups = new Map<number | undefined, Stored<Pod>[]>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [pod]);
    else group.push(pod);
  }
  return new Map([...groups].sort(([one = -1], [other = -1]) => one - other));
}

/** Containers that are restarted in place count as failures too. */
function hasTooManyRestarts({ job: { spec }, pods }: JobView): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount;
  }
  return spec.backoffLimit === 0 ? restarts > 0 : restarts >= (spec.backoffLimit ?? 0);
}

function findTrue({ status }: Stored<Job>, type: string): Frozen<JobCondition> | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

function success(
  { reason = '', message = '' }: { readonly reason?: string; readonly message?: string },
  isRecorded = false,
): JobEnd {
  return { interim: 'SuccessCriteriaMet', final: 'Complete', reason, message, isRecorded };
}

function failure(reason: string, message: string, isRecorded = false): JobEnd {
  return { interim: 'FailureTarget', final: 'Failed', reason, message, isRecorded };
}
