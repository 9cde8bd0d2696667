// What the controller knows of a Job at the beginning of a sync: the Job, its pods, and what they add up to. A pod
// with the tracking finalizer is not counted yet; one without it is, so each pod is counted exactly once. Pure.
// As pkg/controller/job, syncJob up to the evaluation of the end state.
import type { Stored } from '../../client/index.js';
import { isPodActive, isPodReady, isPodTerminating, isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Job, JobSpec, Pod } from '../../core/types/index.js';
import {
  completionIndexOf,
  indexCount,
  hasIndex,
  parseIndexSet,
  readInteger,
  withIndexes,
} from './completion-indexes.js';
import type { IndexSet } from './completion-indexes.js';
import { extendStreak, finishedAtMs } from './pod-backoff.js';
import type { FailureStreak } from './pod-backoff.js';
import { judgeFailure } from './pod-failure-policy.js';

/** A Job with its spec, which the server requires. */
export type SpecifiedJob = Stored<Job> & { readonly spec: Frozen<JobSpec> };

/** A Job and its pods. */
export interface JobView {
  readonly job: SpecifiedJob;
  readonly pods: readonly Stored<Pod>[];
  readonly activePods: readonly Stored<Pod>[];
  readonly ready: number;
  /** Pods that are deleted and have not ended. */
  readonly terminating: number;
  /** Pods, or indexes of an Indexed Job, that succeeded, counted or not. */
  readonly succeeded: number;
  /** Pods that failed, counted or not, without those that the failure policy ignores. */
  readonly failed: number;
  /** The failures in a row with those that are new. */
  readonly streak: FailureStreak;
  /** Pods whose finalizer was removed by a write that the informer has not delivered yet. */
  readonly released: ReadonlySet<string>;
  /** Of Indexed Jobs. */
  readonly indexes?: JobIndexes;
}

/** The indexes of an Indexed Job. */
export interface JobIndexes {
  readonly completions: number;
  /** Those that the status has as completed. */
  readonly counted: IndexSet;
  readonly succeeded: IndexSet;
  /** With a back-off limit per index. */
  readonly failed?: IndexSet;
  /**
   * With a back-off limit per index: the failed pod of each index that keeps its finalizer until it is replaced, since
   * its annotations have the number of failures that the replacement continues.
   */
  readonly toReplace: ReadonlyMap<number, Stored<Pod>>;
}

/** What a controller remembers of a Job between two syncs. */
export interface JobMemory {
  readonly streak: FailureStreak;
  readonly released: ReadonlySet<string>;
}

/** The finalizer of pods that their Job has not counted yet. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
/** How many pods of this index failed before this one. */
export const indexFailuresKey = 'batch.kubernetes.io/job-index-failure-count';
/** How many of them the failure policy ignored. */
export const indexIgnoredFailuresKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** Adds up what is known of a Job. */
export function viewJob(job: SpecifiedJob, pods: readonly Stored<Pod>[], { streak, released }: JobMemory): JobView {
  const { spec, status } = job;
  const uncounted = {
    succeeded: new Set(status?.uncountedTerminatedPods?.succeeded),
    failed: new Set(status?.uncountedTerminatedPods?.failed),
  };
  const isNew = (pod: Stored<Pod>, counting: ReadonlySet<string>): boolean =>
    hasTrackingFinalizer(pod) &&
    !counting.has(pod.metadata.uid) &&
    !released.has(pod.metadata.uid) &&
    hasValidIndex(pod, spec);
  const succeeded = pods.filter((pod) => isNew(pod, uncounted.succeeded) && pod.status?.phase === 'Succeeded');
  const failed = pods.filter((pod) => isNew(pod, uncounted.failed) && isFailedPod(pod, spec));
  const countedFailures = failed.filter((pod) => judgeFailure(spec.podFailurePolicy, pod).isCounted);
  const activePods = pods.filter(isPodActive);
  const indexes = isIndexed(spec) ? viewIndexes(job, { pods, activePods, released }) : undefined;
  return {
    job,
    pods,
    activePods,
    ready: activePods.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    succeeded:
      indexes === undefined
        ? (status?.succeeded ?? 0) + succeeded.length + uncounted.succeeded.size
        : indexCount(indexes.succeeded),
    failed: (status?.failed ?? 0) + countedFailures.length + uncounted.failed.size,
    streak: extendStreak(streak, succeeded, failed),
    released,
    ...(indexes !== undefined && { indexes }),
  };
}

/** Whether a pod is not counted yet. */
export function hasTrackingFinalizer({ metadata }: Frozen<Pod>): boolean {
  return metadata?.finalizers?.includes(trackingFinalizer) === true;
}

/** Whether a Job has an index per completion. */
export function isIndexed({ completionMode }: Frozen<JobSpec>): boolean {
  return completionMode === 'Indexed';
}

/** Whether a replacement waits until a terminating pod has ended. */
export function replacesOnlyFailedPods({ podReplacementPolicy, podFailurePolicy }: Frozen<JobSpec>): boolean {
  return podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;
}

/**
 * Whether a pod failed. A deleted pod counts as failed at once, since it may never report an end, unless replacements
 * wait for that end.
 */
export function isFailedPod(pod: Frozen<Pod>, spec: Frozen<JobSpec>): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed') return true;
  return !replacesOnlyFailedPods(spec) && isTerminating(pod) && phase !== 'Succeeded';
}

/** Pods of an Indexed Job count only with an index below its completions. */
export function hasValidIndex(pod: Frozen<Pod>, spec: Frozen<JobSpec>): boolean {
  if (!isIndexed(spec)) return true;
  const index = completionIndexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0);
}

/** Returns the failures that a pod of an index continues, and how many of them were ignored. */
export function indexFailuresOf({ metadata }: Frozen<Pod>): { readonly counted: number; readonly ignored: number } {
  const read = (key: string): number => {
    const value = readInteger(metadata?.annotations?.[key]) ?? 0;
    return value < 0 || value > int32Max ? 0 : value;
  };
  return { counted: read(indexFailuresKey), ignored: read(indexIgnoredFailuresKey) };
}

const int32Max = 2 ** 31 - 1;

interface IndexedPods {
  readonly pods: readonly Stored<Pod>[];
  readonly activePods: readonly Stored<Pod>[];
  readonly released: ReadonlySet<string>;
}

function viewIndexes({ spec, status }: SpecifiedJob, known: IndexedPods): JobIndexes {
  const { completions = 0, backoffLimitPerIndex } = spec;
  const uncounted = known.pods.filter((pod) => hasTrackingFinalizer(pod) && hasValidIndex(pod, spec));
  const counted = parseIndexSet(status?.completedIndexes, completions);
  const succeeded = withIndexes(counted, indexesOf(uncounted.filter((pod) => pod.status?.phase === 'Succeeded')));
  if (backoffLimitPerIndex === undefined) return { completions, counted, succeeded, toReplace: new Map() };
  const failed = withIndexes(
    parseIndexSet(status?.failedIndexes, completions),
    indexesOf(uncounted.filter((pod) => isIndexFailure(pod, spec, backoffLimitPerIndex))),
  );
  const active = new Set(indexesOf(known.activePods));
  const isSettled = (index: number): boolean =>
    hasIndex(succeeded, index) || hasIndex(failed, index) || active.has(index);
  const candidates = uncounted.filter((pod) => isFailedPod(pod, spec) && !known.released.has(pod.metadata.uid));
  return { completions, counted, succeeded, failed, toReplace: podsToReplace(candidates, isSettled) };
}

/** Whether a pod is the last failure that its index may have. */
function isIndexFailure(pod: Stored<Pod>, spec: Frozen<JobSpec>, backoffLimitPerIndex: number): boolean {
  if (!isFailedPod(pod, spec)) return false;
  const { action, isCounted } = judgeFailure(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (isCounted && indexFailuresOf(pod).counted >= backoffLimitPerIndex);
}

/** Of each index without an outcome and without an active pod: the failed pod with the most failures, the latest. */
function podsToReplace(
  failed: readonly Stored<Pod>[],
  isSettled: (index: number) => boolean,
): ReadonlyMap<number, Stored<Pod>> {
  const chosen = new Map<number, Stored<Pod>>();
  for (const pod of failed) {
    const index = completionIndexOf(pod);
    if (index === undefined || isSettled(index)) continue;
    const other = chosen.get(index);
    const isLater =
      other === undefined ||
      (absoluteFailuresOf(other) <= absoluteFailuresOf(pod) && finishedAtMs(other) <= finishedAtMs(pod));
    if (isLater) chosen.set(index, pod);
  }
  return chosen;
}

/** The failures of an index before this pod, ignored ones included. */
export function absoluteFailuresOf(pod: Frozen<Pod>): number {
  const { counted, ignored } = indexFailuresOf(pod);
  return counted + ignored;
}

/** The valid indexes of pods. */
export function indexesOf(pods: readonly Frozen<Pod>[]): readonly number[] {
  return pods.map(completionIndexOf).filter((index) => index !== undefined);
}
