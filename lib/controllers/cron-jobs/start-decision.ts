// Decides whether a CronJob starts a Job now: the schedule, the deadline, and what Jobs of before allow. Pure. As
// pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob.
import type { EventDetails } from '../../client/index.js';
import {
  checkTimeZone,
  isParseError,
  isTerminating,
  ownerReference,
  parseTime,
  printTime,
  quote,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { CronJob, Job, ObjectReference } from '../../core/types/index.js';
import { cronTimes, zoneOffset } from './cron-times.js';
import type { CronTimes } from './cron-times.js';
import { delayUntilNextStart, dueStart } from './missed-starts.js';

/** An Event about a CronJob. */
export type CronJobEvent = Omit<EventDetails, 'regarding'>;

/** The result of a decision. */
export interface StartDecision {
  readonly events: readonly CronJobEvent[];
  /** The times of the schedule; absent while the CronJob starts nothing, whatever the time. */
  readonly times?: CronTimes;
  /** The start that is due. */
  readonly start?: CronJobStart;
}

/** A Job to start. */
export interface CronJobStart {
  readonly scheduledMs: number;
  readonly job: Frozen<Job>;
  /** Jobs that still run and are deleted first. */
  readonly replaced: readonly Frozen<ObjectReference>[];
}

/** The kind of the owners. */
export const cronJobKind = { apiVersion: 'batch/v1', kind: 'CronJob' };

/** Decides what a CronJob starts at `nowMs`. Its status lists the Jobs that run. */
export function decideStart(cronJob: Frozen<CronJob>, nowMs: number): StartDecision {
  const { spec, status = {} } = cronJob;
  const { active = [], lastScheduleTime } = status;
  if (isTerminating(cronJob)) return { events: [] };
  const zoneProblem = parseProblem(() => checkTimeZone(spec.timeZone ?? ''));
  if (zoneProblem !== undefined) {
    const message = `invalid timeZone: ${quote(spec.timeZone ?? '')}: ${zoneProblem}`;
    return { events: [{ type: 'Warning', reason: 'UnknownTimeZone', message }] };
  }
  if (spec.suspend === true) return { events: [] };
  const events: CronJobEvent[] = [];
  if (spec.schedule.includes('TZ'))
    events.push({
      type: 'Warning',
      reason: 'UnsupportedSchedule',
      message: `CRON_TZ or TZ used in schedule ${quote(spec.schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
    });
  const parsed = readSchedule(cronJob);
  if (typeof parsed === 'string') {
    const message = `unparseable schedule: ${quote(spec.schedule)} : ${parsed}`;
    return { events: [...events, { type: 'Warning', reason: 'UnparseableSchedule', message }] };
  }
  const { latestMs, missed, problem } = dueStart(cronJob, parsed, nowMs);
  if (problem !== undefined) {
    const message = `invalid schedule: ${spec.schedule} : ${problem}`;
    return { events: [...events, { type: 'Warning', reason: 'InvalidSchedule', message }] };
  }
  const idle = { events, times: parsed };
  if (latestMs === undefined) return idle;
  if (missed === 'many')
    events.push({
      type: 'Warning',
      reason: 'TooManyMissedTimes',
      message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    });
  const { startingDeadlineSeconds = Infinity, concurrencyPolicy } = spec;
  if (latestMs + startingDeadlineSeconds * 1000 < nowMs) {
    const message = `Missed scheduled time to start a job: ${printRfc1123(latestMs)}`;
    events.push({ type: 'Warning', reason: 'MissSchedule', message });
    return idle;
  }
  const job = jobOf(cronJob, latestMs);
  const isStarted = active.some(({ name }) => name === job.metadata?.name);
  if (isStarted || (lastScheduleTime !== undefined && parseTime(lastScheduleTime) === latestMs)) return idle;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    events.push({ type: 'Normal', reason: 'JobAlreadyActive', message });
    return idle;
  }
  return { ...idle, start: { scheduledMs: latestMs, job, replaced: concurrencyPolicy === 'Replace' ? active : [] } };
}

/**
 * Returns after how long a CronJob is reconciled whose schedule or zone has changed; undefined if the schedule cannot
 * be parsed or is never due.
 */
export function delayAfterScheduleChange(cronJob: Frozen<CronJob>, nowMs: number): number | undefined {
  const parsed = readSchedule(cronJob);
  return typeof parsed === 'string' ? undefined : (delayUntilNextStart(cronJob, parsed, nowMs) ?? 0);
}

/** Returns the times of a schedule, or why it cannot be parsed. An unknown zone is left out. */
export function readSchedule({ spec: { schedule, timeZone } }: Frozen<CronJob>): CronTimes | string {
  const isKnown = timeZone !== undefined && parseProblem(() => checkTimeZone(timeZone)) === undefined;
  try {
    return cronTimes(schedule, isKnown ? timeZone : undefined);
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
}

/**
 * Returns the Job of a scheduled time. Its name has the minutes since 1970, so that a time has one Job however often it
 * is tried.
 */
function jobOf(cronJob: Frozen<CronJob>, scheduledMs: number): Frozen<Job> {
  const { metadata = {}, spec } = cronJob;
  const { jobTemplate, timeZone = '' } = spec;
  const scheduled = { [scheduledAnnotation]: printTimeIn(timeZone, scheduledMs) };
  const owner = ownerReference({ ...cronJobKind, metadata }, { controller: true, blockOwnerDeletion: true });
  return {
    metadata: {
      name: `${metadata.name ?? ''}-${Math.floor(scheduledMs / 60_000)}`,
      labels: { ...jobTemplate.metadata?.labels },
      annotations: { ...jobTemplate.metadata?.annotations, ...scheduled },
      ownerReferences: [owner],
    },
    ...(jobTemplate.spec !== undefined && { spec: jobTemplate.spec }),
  };
}

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** As RFC 3339, with the offset of the zone. */
function printTimeIn(timeZone: string, atMs: number): string {
  const offsetMinutes = Math.round(zoneOffset(timeZone)(atMs) / 60_000);
  if (offsetMinutes === 0) return printTime(atMs);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const digits = (number: number): string => String(number).padStart(2, '0');
  return `${printTime(atMs + offsetMinutes * 60_000).slice(0, -1)}${sign}${digits(hours)}:${digits(minutes)}`;
}

/** As RFC 1123 with a numeric zone: `Tue, 01 Jan 2030 00:01:00 +0000`. */
function printRfc1123(atMs: number): string {
  return new Date(atMs).toUTCString().replace('GMT', '+0000');
}

function parseProblem(parse: () => void): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
}
