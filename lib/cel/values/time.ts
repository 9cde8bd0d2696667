// Timestamps and durations: arithmetic within their ranges, RFC 3339 text, and the parts of a date in a time zone.
import { Duration, Timestamp } from '../cel-value.js';
import { quote } from '../../core/index.js';
import { EvaluationFailure, integerOverflow, failedWith } from './failure.js';

const timestampOverflow = failedWith('timestamp overflow');
const secondsMin = -62_135_596_800;
const secondsMax = 253_402_300_799;
const nanosPerSecond = 1_000_000_000n;

/** Returns a timestamp; an overflow outside of the years 1 to 9999. */
export function timestampOf(seconds: number, nanos: number): Timestamp | EvaluationFailure {
  return seconds >= secondsMin && seconds <= secondsMax ? new Timestamp(seconds, nanos) : timestampOverflow;
}

/** Returns a duration; an overflow outside of int64. */
export function durationOf(nanos: bigint): Duration | EvaluationFailure {
  return nanos >= -(2n ** 63n) && nanos < 2n ** 63n ? new Duration(nanos) : integerOverflow;
}

/** Returns the timestamp that is a number of nanoseconds later. */
export function addDuration(time: Timestamp, nanos: bigint): Timestamp | EvaluationFailure {
  const total = BigInt(time.seconds) * nanosPerSecond + BigInt(time.nanos) + nanos;
  const rest = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return timestampOf(Number((total - rest) / nanosPerSecond), Number(rest));
}

/** Returns the duration between two timestamps. */
export function timeDifference(one: Timestamp, other: Timestamp): Duration | EvaluationFailure {
  return durationOf(BigInt(one.seconds - other.seconds) * nanosPerSecond + BigInt(one.nanos - other.nanos));
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Returns the timestamp of an RFC 3339 text; undefined where it is none. Digits after the ninth are dropped. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const [zoneHours, zoneMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (zoneHours > 24 || zoneMinutes > 60) return undefined;
  const offset = (zoneHours * 60 + zoneMinutes) * 60 * (match[8] === '-' ? -1 : 1);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  const result = timestampOf(seconds, Number((match[7] ?? '').slice(0, 9).padEnd(9, '0')));
  return result instanceof EvaluationFailure ? undefined : result;
}

/** Returns a timestamp as RFC 3339 text in UTC, with as many digits of the second as needed. */
export function printTimestamp({ seconds, nanos }: Timestamp): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = String(nanos).padStart(9, '0').replace(/0+$/, '');
  return `${whole}${fraction && `.${fraction}`}Z`;
}

/** Returns a duration as text in seconds: `3600s`, `-1.5s`. */
export function printSeconds({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = String(magnitude % nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${magnitude / nanosPerSecond}${fraction && `.${fraction}`}s`;
}

/** Returns the local date of a timestamp in a time zone as a Date whose UTC parts are the local ones. */
export function localDate(time: Timestamp, zone: string): Date | EvaluationFailure {
  const shifted = (seconds: number): Date => new Date((time.seconds + seconds) * 1000 + Math.floor(time.nanos / 1e6));
  if (zone === '' || zone === 'UTC' || zone === 'Local') return shifted(0);
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const offset = offsetSeconds(zone, colon);
    return offset instanceof EvaluationFailure ? offset : shifted(offset);
  }
  const offset = zoneOffset(time, zone);
  return offset === undefined ? new EvaluationFailure(`unknown time zone ${zone}`) : shifted(offset);
}

function offsetSeconds(zone: string, colon: number): number | EvaluationFailure {
  for (const part of [zone.slice(0, colon), zone.slice(colon + 1)])
    if (!/^[+-]?\d{1,9}$/.test(part))
      return new EvaluationFailure(`strconv.Atoi: parsing ${quote(part)}: invalid syntax`);
  const sign = zone.startsWith('-') ? -1 : 1;
  const hours = Math.abs(Number(zone.slice(0, colon)));
  return sign * (hours * 3600 + Number(zone.slice(colon + 1)) * 60);
}

/** Formatters by time zone: making one takes longer than a thousand uses. */
const formatters = new Map<string, Intl.DateTimeFormat | undefined>();
const formattersMax = 200;

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formatters.has(zone)) return formatters.get(zone);
  let formatter: Intl.DateTimeFormat | undefined;
  try {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    // The time zone database of the reference is case-sensitive.
    if (formatter.resolvedOptions().timeZone !== zone && zone === zone.toLowerCase()) formatter = undefined;
  } catch {
    formatter = undefined;
  }
  if (formatters.size >= formattersMax) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

function zoneOffset(time: Timestamp, zone: string): number | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone)) return undefined;
  const formatter = formatterOf(zone);
  if (formatter === undefined) return undefined;
  const name = formatter.formatToParts(new Date(time.seconds * 1000)).find(({ type }) => type === 'timeZoneName');
  const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name?.value ?? '');
  if (match === null) return undefined;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
