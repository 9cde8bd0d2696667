// Schedules in the language of cron: five fields, or a name such as `@daily`, or `@every 90m`; behind `TZ=⟨zone⟩ ` for
// those who still write it there. A field is a list of numbers, names, ranges and steps: `*/15`, `MON-FRI`, `1,15`.
// As github.com/robfig/cron/v3, ParseStandard, with its words, which clients read.
import { numError } from '../../go/strconv.js';
import { parseDuration } from '../../go/duration.js';
import { ParseError, isParseError } from '../../objects/parse-error.js';
import { trimSpace } from '../../go/trim-space.js';
import { checkTimeZone } from './time-zone.js';

/** The values of a field. A day is meant by either of its two fields, unless one of them names no day in particular. */
export interface CronField {
  /** In ascending order. */
  readonly values: readonly number[];
  /** Written as `*` or `?`, without a step. */
  readonly any: boolean;
}

/** When something is due: at moments of the calendar, or again and again. */
export type CronSchedule =
  | {
      readonly minutes: CronField;
      readonly hours: CronField;
      readonly daysOfMonth: CronField;
      /** January is 1. */
      readonly months: CronField;
      /** Sunday is 0. */
      readonly daysOfWeek: CronField;
      /** The zone that stood in the text itself. */
      readonly timeZone?: string;
    }
  | { readonly everySeconds: number };

/** Reads a schedule. Throws ParseError. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new ParseError('empty spec string');
  const prefix = /^(?:CRON_)?TZ=/.exec(text)?.[0];
  if (prefix === undefined) return parseFields(text);
  const space = text.indexOf(' ');
  // What Go says when it cuts a text before its beginning; Kubernetes passes it on.
  if (space < 0) throw new ParseError('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  const timeZone = text.slice(prefix.length, space);
  withContext(`provided bad location ${timeZone}`, () => checkTimeZone(timeZone));
  const schedule = parseFields(trimSpace(text.slice(space)));
  return 'everySeconds' in schedule ? schedule : { ...schedule, timeZone: timeZone === '' ? 'UTC' : timeZone };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const minutes: Bounds = { min: 0, max: 59 };
const hours: Bounds = { min: 0, max: 23 };
const daysOfMonth: Bounds = { min: 1, max: 31 };
const months: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const daysOfWeek: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

function parseFields(text: string): CronSchedule {
  if (text.startsWith('@')) return parseDescriptor(text);
  const fields = text.split(spaces).filter((field) => field !== '');
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (
    fields.length > 5 ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined
  ) {
    throw new ParseError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  return {
    minutes: parseField(minute, minutes),
    hours: parseField(hour, hours),
    daysOfMonth: parseField(dayOfMonth, daysOfMonth),
    months: parseField(month, months),
    daysOfWeek: parseField(dayOfWeek, daysOfWeek),
  };
}

/** White space as Go has it. */
const spaces = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

function parseDescriptor(text: string): CronSchedule {
  const fields = descriptors.get(text);
  if (fields !== undefined) return parseFields(fields);
  const every = '@every ';
  if (!text.startsWith(every)) throw new ParseError(`unrecognized descriptor: ${text}`);
  const nanos = withContext(`failed to parse duration ${text}`, () => parseDuration(text.slice(every.length)));
  return { everySeconds: Math.max(1, Number(nanos / 1_000_000_000n)) };
}

function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(',')) {
    if (part === '') continue;
    const range = parseRange(part, bounds);
    any ||= range.any;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return { values: [...values].sort((a, b) => a - b), any };
}

function parseRange(
  text: string,
  bounds: Bounds,
): { readonly start: number; readonly end: number; readonly step: number; readonly any: boolean } {
  const [range = '', stepText, ...tooManySteps] = text.split('/');
  const [low = '', high, ...tooManyHyphens] = range.split('-');
  const star = low === '*' || low === '?';
  const start = star ? bounds.min : parseNumberOrName(low, bounds);
  let end = bounds.max;
  if (!star) {
    if (tooManyHyphens.length > 0) throw new ParseError(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseNumberOrName(high, bounds);
  }
  if (tooManySteps.length > 0) throw new ParseError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  // From a single value a step leads on to the last.
  if (stepText !== undefined && high === undefined) end = bounds.max;

  if (start < bounds.min) throw new ParseError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) throw new ParseError(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw new ParseError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ParseError(`step of range should be a positive number: ${text}`);
  return { start, end, step, any: star && step <= 1 };
}

function parseNumberOrName(text: string, { names = [], min }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? parseNumber(text) : index + min;
}

/** Numbers beyond 2^53 are rounded; they are far outside every range. */
function parseNumber(text: string): number {
  const value = /^[-+]?[0-9]+$/.test(text) ? Number(text) : NaN;
  if (Math.abs(value) < 2 ** 63) {
    if (value < 0) throw new ParseError(`negative number (${value}) not allowed: ${text}`);
    return value;
  }
  throw new ParseError(`failed to parse int from ${text}: ${numError('Atoi', text)}`);
}

function withContext<T>(context: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isParseError(error)) throw new ParseError(`${context}: ${error.message}`);
    throw error;
  }
}
