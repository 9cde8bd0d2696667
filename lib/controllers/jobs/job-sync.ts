// One sync of a Job: claims its pods, decides, creates and deletes pods, and counts those that ended. A write that
// fails leaves the rest to the next sync. As pkg/controller/job/job_controller.go, syncJob.
import type { Stored } from '../../client/index.js';
import { errorText, isTerminating, objectReference, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Job, JobStatus } from '../../core/types/index.js';
import type { EventSink } from '../workloads/pod-control.js';
import { decideCompletion, decideEnd, planPods, remainingDeadlineMs } from './job-decision.js';
import type { JobEnd, PodPlan } from './job-decision.js';
import { carryOut, claimPods, deleteActivePods, jobKind, releasePods } from './job-pods.js';
import type { JobPods, PodWork } from './job-pods.js';
import { finishedStatus, withPodNumbers, withSuspension } from './job-status.js';
import type { NextStatus } from './job-status.js';
import { countReleased, trackPods } from './job-tracking.js';
import { viewJob } from './job-view.js';
import type { JobView, SpecifiedJob } from './job-view.js';

/** The dependencies of a sync. */
export interface JobSync extends JobPods {
  readonly recorder: EventSink;
  readonly nowMs: number;
}

/** The result of a sync. */
export interface JobSynced {
  /** After how long the Job is synced again without a change; Infinity for never. */
  readonly requeueAfterMs: number;
  /** The end of a Job that has finished. */
  readonly end?: JobEnd;
}

/** Events of pods and changes of the status are collected for that long. */
export const batchMs = 1_000;

/** Syncs a Job that has not finished. */
export async function syncJob(cached: SpecifiedJob, sync: JobSync): Promise<JobSynced> {
  const { expectations, memories, nowMs } = sync;
  const { uid } = cached.metadata;
  const isUpToDate = expectations.isSatisfied(uid);
  const pods = await claimPods(cached, sync);
  const view = viewJob(started(cached, nowMs), pods, memories.of(uid));
  let end = decideEnd(view, nowMs);
  const deadlineMs = end === undefined ? remainingDeadlineMs(view, nowMs) : Infinity;
  let plan: PodPlan = { type: 'none' };
  let work: PodWork = { active: view.activePods.length, ready: view.ready, terminating: view.terminating };
  let isManaged = false;
  if (end !== undefined) {
    work = await deleteActivePods(view, sync);
    // There may be pods that the informer does not have yet; nothing would remove their finalizers.
    if (work.active > 0 || !isUpToDate) end = undefined;
  } else {
    if (isUpToDate && !isTerminating(cached)) {
      plan = planPods(view, nowMs);
      work = await carryOut(plan, view, sync);
      isManaged = true;
    }
    end = decideCompletion(view, work.active);
    isManaged &&= end === undefined;
  }
  const numbers = withPodNumbers(view, work);
  const next = isManaged ? withSuspension(numbers, view.job.spec.suspend === true, nowMs) : numbers;
  if (next.event !== undefined) record(view, 'Normal', next.event, sync);
  const isFinished = await countPods(view, next, end, sync);
  if (work.failure !== undefined) throw new Error(errorText(work.failure), { cause: work.failure });
  const waitMs = plan.type === 'wait' ? Math.max(plan.ms, batchMs) : Infinity;
  return { requeueAfterMs: Math.min(waitMs, deadlineMs), ...(isFinished && end !== undefined && { end }) };
}

/** A Job starts with the first sync that finds it not suspended. */
function started(job: SpecifiedJob, nowMs: number): SpecifiedJob {
  if (job.status?.startTime !== undefined || job.spec.suspend === true) return job;
  return { ...job, status: { ...job.status, startTime: printTime(nowMs) } };
}

/** Writes the status, removes finalizers, and writes the counts. Returns whether the Job has finished. */
async function countPods(
  view: JobView,
  { status: numbered, isChanged }: NextStatus,
  end: JobEnd | undefined,
  sync: JobSync,
): Promise<boolean> {
  const { memories, nowMs } = sync;
  const { status: listed, needsFlush, toRelease, tracked, isCut } = trackPods(view, numbered, end, nowMs);
  let job: Stored<Job> = { ...view.job, status: listed };
  if (isChanged || needsFlush) {
    job = await writeStatus(job, listed, sync);
    memories.setStreak(job.metadata.uid, view.streak);
  }
  const { uids, failure } = await releasePods(view, toRelease, sync);
  const before = job.status ?? {};
  const counted = countReleased(before, new Set([...tracked].filter((uid) => !uids.has(uid))));
  if (failure !== undefined) {
    if (counted !== before) await writeStatus(job, counted, sync);
    throw new Error(`tracking status: ${errorText(failure)}`, { cause: failure });
  }
  const finished = isCut ? undefined : finishedStatus(counted, end, nowMs);
  if (finished !== undefined || counted !== before) await writeStatus(job, finished ?? counted, sync);
  if (finished === undefined || end === undefined) return false;
  recordEnd(view, finished, end, sync);
  return true;
}

async function writeStatus(job: Stored<Job>, status: Frozen<JobStatus>, sync: JobSync): Promise<Stored<Job>> {
  const { client, memories, signal, cause } = sync;
  const { namespace = '' } = job.metadata;
  const written = await client
    .kind('batch/v1', 'Job')
    .in(namespace)
    .status.update({ ...job, status }, { signal, cause });
  memories.wrote(written);
  return written;
}

function recordEnd(view: JobView, status: Frozen<JobStatus>, end: JobEnd, sync: JobSync): void {
  if (end.final === 'Failed') {
    record(view, 'Warning', end, sync);
    return;
  }
  const { completions = Infinity } = view.job.spec;
  if ((status.succeeded ?? 0) > completions) record(view, 'Warning', tooManySucceeded, sync);
  record(view, 'Normal', { reason: 'Completed', message: 'Job completed' }, sync);
}

const tooManySucceeded = {
  reason: 'TooManySucceededPods',
  message: 'Too many succeeded pods running after completion count reached',
};

function record(
  { job }: JobView,
  type: 'Normal' | 'Warning',
  { reason, message }: { readonly reason: string; readonly message: string },
  { recorder }: JobSync,
): void {
  recorder.record({ regarding: objectReference(jobKind, job), type, reason, message });
}
