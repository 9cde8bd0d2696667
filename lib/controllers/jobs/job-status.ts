// The status of a Job apart from the counting of pods: numbers of running pods, suspension, and the final condition.
// Pure. As pkg/controller/job/job_controller.go, syncJob, enactJobFinished and ensureJobConditionStatus.
import { printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { JobCondition, JobStatus } from '../../core/types/index.js';
import type { JobEnd } from './job-decision.js';
import type { JobView } from './job-view.js';

/** The numbers of pods after some were created or deleted. */
export interface PodNumbers {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** A status, and whether it has to be written for its own sake. */
export interface NextStatus {
  readonly status: Frozen<JobStatus>;
  readonly isChanged: boolean;
  /** The Event about a Job that was suspended or resumed. */
  readonly event?: { readonly reason: string; readonly message: string };
}

/** Returns the status with the new numbers of pods. */
export function withPodNumbers({ job }: JobView, { active, ready, terminating }: PodNumbers): NextStatus {
  const old = job.status ?? {};
  const isChanged = active !== (old.active ?? 0) || ready !== old.ready || terminating !== old.terminating;
  return { status: { ...old, active, ready, terminating }, isChanged };
}

/** Records whether a Job is suspended. Its time of activity starts anew when it is resumed. */
export function withSuspension(next: NextStatus, isSuspended: boolean, nowMs: number): NextStatus {
  const { startTime: _, ...status } = next.status;
  const content = isSuspended
    ? { type: 'Suspended', status: 'True' as const, reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False' as const, reason: 'JobResumed', message: 'Job resumed' };
  const { conditions = [] } = status;
  const changed = withCondition(conditions, content, nowMs);
  if (changed === conditions) return next;
  return {
    status: { ...status, conditions: changed, ...(!isSuspended && { startTime: printTime(nowMs) }) },
    isChanged: true,
    event: { reason: isSuspended ? 'Suspended' : 'Resumed', message: content.message },
  };
}

/** Returns the status of a Job that has ended; undefined while pods are terminating or not counted. */
export function finishedStatus(
  status: Frozen<JobStatus>,
  end: JobEnd | undefined,
  nowMs: number,
): Frozen<JobStatus> | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (end === undefined || succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return undefined;
  const conditions = withCondition(status.conditions ?? [], { ...end, type: end.final, status: 'True' }, nowMs);
  return { ...status, conditions, ...(end.final === 'Complete' && { completionTime: printTime(nowMs) }) };
}

/** Returns the condition Complete or Failed of a Job that has finished. */
export function finishedCondition({ status }: Frozen<{ status?: JobStatus }>): Frozen<JobCondition> | undefined {
  return status?.conditions?.find(
    (condition) => (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True',
  );
}

/** A condition without its times. */
export interface ConditionContent {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Returns a condition that changed now. */
export function jobCondition({ type, status, reason, message }: ConditionContent, nowMs: number): JobCondition {
  const now = printTime(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/** Sets a condition. Returns the same list if nothing changes: a condition that is missing does not become False. */
function withCondition(
  conditions: readonly Frozen<JobCondition>[],
  content: ConditionContent,
  nowMs: number,
): readonly Frozen<JobCondition>[] {
  const old = conditions.find(({ type }) => type === content.type);
  if (old === undefined) return content.status === 'False' ? conditions : [...conditions, jobCondition(content, nowMs)];
  const isSame = old.status === content.status && old.reason === content.reason && old.message === content.message;
  return isSame ? conditions : conditions.map((each) => (each === old ? jobCondition(content, nowMs) : each));
}
