// Which start of a CronJob is due, and when the next one is. Starts are counted from the last one, or from the creation
// of the CronJob; of several that were missed only the most recent one is made up for. How many were missed is an
// estimate: the distance of the first two, over the time since. Pure. As pkg/controller/cronjob/utils.go,
// mostRecentScheduleTime.
import { parseTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { CronJob } from '../../core/types/index.js';
import type { CronTimes } from './cron-times.js';

/** The starts of a CronJob up to now. */
export interface MissedStarts {
  /** The time after which starts are counted. */
  readonly sinceMs: number;
  /** The most recent start; absent if there was none. */
  readonly latestMs?: number;
  /** Whether others were due before the most recent one; `many` if there were more than a hundred. */
  readonly missed: 'none' | 'few' | 'many';
  /** Why the schedule has no starts although it can be parsed, such as one for February 31. */
  readonly problem?: string;
}

/** Returns the start that is due. One before `startingDeadlineSeconds` is not counted. */
export function dueStart(cronJob: Frozen<CronJob>, times: CronTimes, nowMs: number): MissedStarts {
  const { startingDeadlineSeconds } = cronJob.spec;
  const deadlineMs = startingDeadlineSeconds === undefined ? -Infinity : nowMs - startingDeadlineSeconds * 1000;
  return missedStarts(Math.max(lastStartMs(cronJob), deadlineMs), times, nowMs);
}

/**
 * Returns after how long the CronJob is reconciled for its next start; undefined if it has none. The start is waited
 * for a little longer, since clocks differ.
 */
export function delayUntilNextStart(cronJob: Frozen<CronJob>, times: CronTimes, nowMs: number): number | undefined {
  const { sinceMs, latestMs, missed, problem } = missedStarts(lastStartMs(cronJob), times, nowMs);
  const isNoneMissed = problem === undefined && missed === 'none';
  const nextMs = times(problem === undefined ? (latestMs ?? (isNoneMissed ? sinceMs : nowMs)) : nowMs);
  return nextMs === undefined ? undefined : Math.max(0, nextMs + skewMs - nowMs);
}

function lastStartMs({ metadata, status }: Frozen<CronJob>): number {
  return parseTime(status?.lastScheduleTime ?? metadata?.creationTimestamp ?? '1970-01-01T00:00:00Z');
}

const skewMs = 100;
const manyMissed = 100;

function missedStarts(sinceMs: number, times: CronTimes, nowMs: number): MissedStarts {
  const firstMs = times(sinceMs);
  if (firstMs !== undefined && nowMs < firstMs) return { sinceMs, missed: 'none' };
  const secondMs = firstMs === undefined ? undefined : times(firstMs);
  if (firstMs === undefined || secondMs === undefined)
    return { sinceMs, missed: 'none', problem: 'time difference between two schedules is less than 1 second' };
  if (nowMs < secondMs) return { sinceMs, latestMs: firstMs, missed: 'none' };
  const intervalMs = secondMs - firstMs;
  const count = Math.floor((nowMs - firstMs) / intervalMs) + 1;
  let latestMs: number | undefined;
  // Two intervals back, because intervals differ; counted from the first start, because `@every` has no calendar.
  let atMs = times(firstMs + (count - 2) * intervalMs);
  while (atMs !== undefined && atMs <= nowMs) {
    latestMs = atMs;
    atMs = times(atMs);
  }
  return { sinceMs, missed: count > manyMissed ? 'many' : 'few', ...(latestMs !== undefined && { latestMs }) };
}
