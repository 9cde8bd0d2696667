// The times at which a cron schedule is due. The search tries one unit after the other (month, day, hour, minute,
// second): a unit that does not match goes to its next value, with all smaller ones at their beginning, until its
// parent changes, which starts the search again. Hours are added as time that passes, so the local time that daylight
// saving skips is never due, and the one that it repeats is due twice. Where the skipped hour begins at midnight,
// results are those of Kubernetes too: such a day may be skipped, or be found by an hour of the day before. As
// github.com/robfig/cron/v3, spec.go, func Next.
import { parseCronSchedule } from '../../core/index.js';
import type { CronSchedule } from '../../core/index.js';

/**
 * Returns the first time after a given one at which a schedule is due; undefined if there is none within five years.
 */
export type CronTimes = (afterMs: number) => number | undefined;

/**
 * Parses a schedule. Local times are those of the zone in the text, else of `timeZone`, else UTC. Throws ParseError.
 * The zone must be known.
 */
export function cronTimes(text: string, timeZone?: string): CronTimes {
  const isZoned = timeZone !== undefined && !text.includes('TZ');
  const schedule = parseCronSchedule(isZoned ? `TZ=${timeZone} ${text}` : text);
  if ('everySeconds' in schedule) return (afterMs) => wholeSecond(afterMs) + schedule.everySeconds * 1000;
  const calendar = zoneCalendar(schedule.timeZone ?? 'UTC');
  const units = unitsOf(schedule, calendar);
  return (afterMs) => search(units, calendar, wholeSecond(afterMs) + 1000);
}

/** Returns the offset of a zone from UTC at a time, in milliseconds. East of Greenwich is positive. */
export type ZoneOffset = (atMs: number) => number;

/** Returns the offsets of a zone that `checkTimeZone` accepts. The zone of the machine is taken to be UTC. */
export function zoneOffset(timeZone: string): ZoneOffset {
  if (timeZone === '' || timeZone === 'UTC' || timeZone === 'Local') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const measured = (atMs: number): number => {
    const parts = format.formatToParts(atMs);
    const numberOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    const [year, month, day] = [numberOf('year'), numberOf('month'), numberOf('day')];
    return Date.UTC(year, month - 1, day, numberOf('hour'), numberOf('minute'), numberOf('second')) - atMs;
  };
  // Since 2011 offsets change at quarters of an hour only. A search walks through neighbouring times.
  let quarter = NaN;
  let known = 0;
  return (atMs) => {
    const next = Math.floor(atMs / quarterMs);
    if (next !== quarter) {
      quarter = next;
      known = measured(next * quarterMs);
    }
    return known;
  };
}

/** A local time. January is 1, Sunday is 0. */
interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Converts between times and local times. Fields that are too large carry over. */
interface Calendar {
  readonly localAt: (atMs: number) => LocalTime;
  readonly timeOf: (local: Omit<LocalTime, 'weekday'>) => number;
}

function zoneCalendar(timeZone: string): Calendar {
  const offset = zoneOffset(timeZone);
  return {
    localAt(atMs) {
      const date = new Date(atMs + offset(atMs));
      return {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
        second: date.getUTCSeconds(),
      };
    },
    // A local time that is skipped becomes one an hour before or after, as with time.Date of Go.
    timeOf({ year, month, day, hour, minute, second }) {
      const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
      const offsetMs = offset(asUtc);
      return offsetMs === 0 ? asUtc : asUtc - offset(asUtc - offsetMs);
    },
  };
}

/** A unit of the calendar. */
interface Unit {
  matches(local: LocalTime): boolean;
  /** Returns the beginning of the unit that a time is in. */
  begin(atMs: number): number;
  /** Returns the beginning of the next one, for a beginning. */
  next(atMs: number): number;
  /** Returns whether `next` came to another parent. */
  hasWrapped(local: LocalTime): boolean;
}

function unitsOf(schedule: Extract<CronSchedule, { minutes: unknown }>, calendar: Calendar): readonly Unit[] {
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = schedule;
  const { localAt, timeOf } = calendar;
  const midnight = { hour: 0, minute: 0, second: 0 };
  const matchesDay = ({ day, weekday }: LocalTime): boolean => {
    const isDayOfMonth = daysOfMonth.values.includes(day);
    const isDayOfWeek = daysOfWeek.values.includes(weekday);
    return daysOfMonth.any || daysOfWeek.any ? isDayOfMonth && isDayOfWeek : isDayOfMonth || isDayOfWeek;
  };
  /** The midnight that is meant where the beginning of a day is skipped. */
  const nearestMidnight = (atMs: number): number => {
    const { hour } = localAt(atMs);
    return hour > 12 ? atMs + (24 - hour) * hourMs : atMs - hour * hourMs;
  };
  const month: Unit = {
    matches: (local) => months.values.includes(local.month),
    begin: (atMs) => timeOf({ ...localAt(atMs), day: 1, ...midnight }),
    next: (atMs) => {
      const local = localAt(atMs);
      return timeOf({ ...local, month: local.month + 1 });
    },
    hasWrapped: (local) => local.month === 1,
  };
  const day: Unit = {
    matches: matchesDay,
    begin: (atMs) => timeOf({ ...localAt(atMs), ...midnight }),
    next: (atMs) => {
      const local = localAt(atMs);
      return nearestMidnight(timeOf({ ...local, day: local.day + 1 }));
    },
    hasWrapped: (local) => local.day === 1,
  };
  const hour: Unit = {
    matches: (local) => hours.values.includes(local.hour),
    begin: (atMs) => timeOf({ ...localAt(atMs), minute: 0, second: 0 }),
    next: (atMs) => atMs + hourMs,
    hasWrapped: (local) => local.hour === 0,
  };
  const minute: Unit = {
    matches: (local) => minutes.values.includes(local.minute),
    begin: (atMs) => Math.floor(atMs / minuteMs) * minuteMs,
    next: (atMs) => atMs + minuteMs,
    hasWrapped: (local) => local.minute === 0,
  };
  const second: Unit = {
    matches: (local) => local.second === 0,
    begin: (atMs) => atMs,
    next: (atMs) => (Math.floor(atMs / minuteMs) + 1) * minuteMs,
    hasWrapped: () => true,
  };
  return [month, day, hour, minute, second];
}

function search(units: readonly Unit[], { localAt }: Calendar, fromMs: number): number | undefined {
  const lastYear = localAt(fromMs).year + yearsMax;
  let atMs = fromMs;
  let isBeginning = false;
  while (localAt(atMs).year <= lastYear) {
    let hasWrapped = false;
    for (const unit of units) {
      while (!hasWrapped && !unit.matches(localAt(atMs))) {
        if (!isBeginning) atMs = unit.begin(atMs);
        isBeginning = true;
        atMs = unit.next(atMs);
        hasWrapped = unit.hasWrapped(localAt(atMs));
      }
      if (hasWrapped) break;
    }
    if (!hasWrapped) return atMs;
  }
  return undefined;
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;

/** February 29 may be eight years away, which is then not found. */
const yearsMax = 5;
