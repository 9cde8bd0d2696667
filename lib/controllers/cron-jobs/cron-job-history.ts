// The Jobs of a CronJob: which finished ones are kept, which are listed as active, and when the last one succeeded.
// Pure. As pkg/controller/cronjob/cronjob_controllerv2.go, cleanupFinishedJobs and the first part of syncCronJob.
import type { Stored } from '../../client/index.js';
import { parseTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { CronJob, CronJobSpec, CronJobStatus, Job, ObjectReference } from '../../core/types/index.js';
import { finishedCondition } from '../jobs/job-status.js';
import type { CronJobEvent } from './start-decision.js';

/** Returns the finished Jobs beyond the limits of the history, oldest first: successful ones, then failed ones. */
export function jobsBeyondLimits(
  { successfulJobsHistoryLimit, failedJobsHistoryLimit }: Frozen<CronJobSpec>,
  jobs: readonly Stored<Job>[],
): readonly Stored<Job>[] {
  const beyond = (type: 'Complete' | 'Failed', limit: number | undefined): readonly Stored<Job>[] => {
    if (limit === undefined) return [];
    const finished = jobs.filter((job) => finishedCondition(job)?.type === type).sort(byStartTime);
    return finished.slice(0, Math.max(0, finished.length - limit));
  };
  return [...beyond('Complete', successfulJobsHistoryLimit), ...beyond('Failed', failedJobsHistoryLimit)];
}

/** What the Jobs of a CronJob add up to. */
export interface JobsObserved {
  readonly status: Frozen<CronJobStatus>;
  readonly isChanged: boolean;
  readonly events: readonly CronJobEvent[];
  /** Active references without a Job: it may be that the informer does not have the Job yet. */
  readonly missing: readonly Frozen<ObjectReference>[];
}

/** Returns the status that follows from the Jobs, without the Jobs that are missing. */
export function observeJobs({ status = {} }: Frozen<CronJob>, jobs: readonly Stored<Job>[]): JobsObserved {
  const events: CronJobEvent[] = [];
  let next = status;
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    const condition = finishedCondition(job);
    if (condition === undefined) {
      if (isActive(next, uid)) continue;
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      events.push({ type: 'Warning', reason: 'UnexpectedJob', message });
      continue;
    }
    if (isActive(next, uid)) {
      const message = `Saw completed job: ${name}, condition: ${condition.type}`;
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message });
      next = withoutActive(next, uid);
    }
    const completedAt = condition.type === 'Complete' ? job.status?.completionTime : undefined;
    const { lastSuccessfulTime } = next;
    if (completedAt === undefined) continue;
    if (lastSuccessfulTime === undefined || parseTime(completedAt) > parseTime(lastSuccessfulTime))
      next = { ...next, lastSuccessfulTime: completedAt };
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  const missing = (next.active ?? []).filter(({ uid = '' }) => !known.has(uid));
  return { status: next, isChanged: next !== status, events, missing };
}

/** Returns whether a Job is listed as active. */
export function isActive({ active = [] }: Frozen<CronJobStatus>, uid: string): boolean {
  return active.some((each) => each.uid === uid);
}

/** Returns the status without a Job that is no longer active. */
export function withoutActive(status: Frozen<CronJobStatus>, uid: string | undefined): Frozen<CronJobStatus> {
  const { active = [], ...rest } = status;
  const left = active.filter((each) => each.uid !== uid);
  if (left.length === active.length) return status;
  return left.length === 0 ? rest : { ...rest, active: left };
}

/** Jobs that have not started come last. */
function byStartTime(one: Stored<Job>, other: Stored<Job>): number {
  const [first, second] = [startedMs(one), startedMs(other)];
  if (first !== second) return first < second ? -1 : 1;
  return one.metadata.name < other.metadata.name ? -1 : 1;
}

function startedMs({ status }: Stored<Job>): number {
  return status?.startTime === undefined ? Infinity : parseTime(status.startTime);
}
