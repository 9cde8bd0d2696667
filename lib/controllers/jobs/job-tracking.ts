// How pods are counted, each exactly once, although the controller may stop between any two writes. In three steps: the
// uids of pods that ended are added to `status.uncountedTerminatedPods`; their tracking finalizer is removed; the
// counters grow by the pods that have no finalizer any more, and their uids are removed from the list. Succeeded
// indexes are a set, so they need no list. Pure; the driver writes between the steps. As
// pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers.
import type { Stored } from '../../client/index.js';
import { isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { JobStatus, Pod } from '../../core/types/index.js';
import { completionIndexOf, indexCount, hasIndex, printIndexSet } from './completion-indexes.js';
import type { JobEnd } from './job-decision.js';
import { jobCondition } from './job-status.js';
import { hasTrackingFinalizer, hasValidIndex, isFailedPod } from './job-view.js';
import type { JobIndexes, JobView } from './job-view.js';
import { judgeFailure } from './pod-failure-policy.js';

/** The first step of counting. */
export interface TrackedPods {
  /** The status with the uids of the pods that ended and with the interim condition. */
  readonly status: Frozen<JobStatus>;
  /** Whether the status has to be written before finalizers are removed. */
  readonly needsFlush: boolean;
  /** The pods whose finalizer can then be removed. */
  readonly toRelease: readonly Stored<Pod>[];
  /** The uids of all pods with a finalizer. */
  readonly tracked: ReadonlySet<string>;
  /** Whether pods are left for the next sync. */
  readonly isCut: boolean;
}

/** The most uids in the status, which keeps it below 20 KB. */
const uncountedMax = 500;

/** Adds pods that ended to the status. `status` is that of the view with the new numbers of pods. */
export function trackPods(
  view: JobView,
  status: Frozen<JobStatus>,
  end: JobEnd | undefined,
  nowMs: number,
): TrackedPods {
  const { indexes, released } = view;
  const { spec } = view.job;
  const isTracked = (pod: Stored<Pod>): boolean => hasTrackingFinalizer(pod) && !released.has(pod.metadata.uid);
  const pods = view.pods.filter(isTracked);
  // Completed indexes become known in their order.
  if (indexes !== undefined)
    pods.sort((one, other) => (completionIndexOf(one) ?? -1) - (completionIndexOf(other) ?? -1));
  const tracked = new Set(pods.map(({ metadata }) => metadata.uid));
  const known = new Set(status.uncountedTerminatedPods?.failed);
  const knownSucceeded = new Set(status.uncountedTerminatedPods?.succeeded);
  const counted = countReleased(status, tracked);
  const succeeded = [...(counted.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(counted.uncountedTerminatedPods?.failed ?? [])];
  const toRelease: Stored<Pod>[] = [];
  let newIndexes = 0;
  let needsFlush = counted !== status;
  let isCut = false;
  for (const pod of pods) {
    const { uid } = pod.metadata;
    const isFailed = isFailedPod(pod, spec);
    if (!isReleasable(pod, view, end, isFailed)) continue;
    toRelease.push(pod);
    if (pod.status?.phase === 'Succeeded' && !known.has(uid)) {
      if (indexes !== undefined) {
        const index = completionIndexOf(pod);
        if (index !== undefined && index < indexes.completions && !hasIndex(indexes.counted, index)) newIndexes += 1;
      } else if (!knownSucceeded.has(uid)) succeeded.push(uid);
    } else if (
      // Of a failed Job every pod that has not ended counts as failed.
      (isFailed || end?.final === 'Failed') &&
      !known.has(uid) &&
      hasValidIndex(pod, spec) &&
      judgeFailure(spec.podFailurePolicy, pod).isCounted
    )
      failed.push(uid);
    if (newIndexes + succeeded.length + failed.length >= uncountedMax) {
      isCut = true;
      break;
    }
  }
  needsFlush ||= newIndexes > 0;
  needsFlush ||= succeeded.length !== (counted.uncountedTerminatedPods?.succeeded?.length ?? 0);
  needsFlush ||= failed.length !== (counted.uncountedTerminatedPods?.failed?.length ?? 0);
  const indexed = indexes === undefined ? {} : indexStatus(indexes);
  needsFlush ||=
    indexes !== undefined &&
    (indexed.completedIndexes !== (status.completedIndexes ?? '') || indexed.failedIndexes !== status.failedIndexes);
  const isNewEnd = end !== undefined && !end.isRecorded;
  needsFlush ||= isNewEnd;
  const conditions = isNewEnd
    ? [...(status.conditions ?? []), jobCondition({ ...end, type: end.interim, status: 'True' }, nowMs)]
    : status.conditions;
  return {
    status: {
      ...counted,
      ...indexed,
      uncountedTerminatedPods: { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) },
      ...(conditions && { conditions }),
    },
    needsFlush,
    toRelease,
    tracked,
    isCut,
  };
}

/**
 * Adds the pods of the list that have no finalizer any more to the counters. Returns the same status if there are none.
 */
export function countReleased(status: Frozen<JobStatus>, tracked: ReadonlySet<string>): Frozen<JobStatus> {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  const newSuccesses = succeeded.length - left.succeeded.length;
  const newFailures = failed.length - left.failed.length;
  if (newSuccesses === 0 && newFailures === 0) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + newSuccesses,
    failed: (status.failed ?? 0) + newFailures,
    uncountedTerminatedPods: {
      ...(left.succeeded.length > 0 && { succeeded: left.succeeded }),
      ...(left.failed.length > 0 && { failed: left.failed }),
    },
  };
}

/** Whether the finalizer of a pod can be removed. */
function isReleasable(
  pod: Stored<Pod>,
  { job, indexes }: JobView,
  end: JobEnd | undefined,
  isFailed: boolean,
): boolean {
  if (isTerminating(job) || end !== undefined || pod.status?.phase === 'Succeeded') return true;
  if (!isFailed) return false;
  const index = completionIndexOf(pod);
  const kept = index === undefined ? undefined : indexes?.toReplace.get(index);
  return kept?.metadata.uid !== pod.metadata.uid;
}

function indexStatus({
  succeeded,
  failed,
}: JobIndexes): Pick<JobStatus, 'succeeded' | 'completedIndexes' | 'failedIndexes'> {
  return {
    succeeded: indexCount(succeeded),
    completedIndexes: printIndexSet(succeeded),
    ...(failed && { failedIndexes: printIndexSet(failed) }),
  };
}
