// Spans of time in API objects (metav1.Duration): text such as `1h2m3.5s`, read and printed as Go's time.Duration, with
// its error messages. Nanoseconds as a bigint, so that every text comes back exactly; milliseconds where a clock is
// meant. Also the short ages of kubectl's tables, which cannot be read back.

import { ParseError } from '../objects/parse-error.js';
import { quoteBytes } from '../objects/time.js';

/** Reads a duration of up to 256 characters into nanoseconds, an int64. Throws ParseError with Go's message. */
export function parseDuration(text: string): bigint {
  if (text.length > 256) throw invalid(text);
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);

  let total = 0n;
  while (rest !== '') {
    const part = readPart(rest, text);
    total += part.nanos;
    if (total > magnitudeMax) throw invalid(text);
    rest = rest.slice(part.length);
  }
  // An int64 reaches one further below zero than above.
  if (total === magnitudeMax && !negative) throw invalid(text);
  return negative ? -total : total;
}

/** Nanoseconds as Go prints them: `1h2m3.5s`, `1.5ms`, `0s`. */
export function printDuration(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : '';
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude === 0n) return '0s';
  if (magnitude < 1_000n) return `${sign}${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${sign}${withFraction(magnitude, 3)}µs`;
  if (magnitude < second) return `${sign}${withFraction(magnitude, 6)}ms`;
  const hours = magnitude / hour;
  const minutes = (magnitude % hour) / minute;
  const seconds = `${withFraction(magnitude % minute, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

/** A duration as Kubernetes prints it: `60m` is `1h0m0s`. Throws ParseError with Go's message. */
export function canonicalDuration(text: string): string {
  return printDuration(parseDuration(text));
}

/** The milliseconds of a duration text, with what is finer as a fraction. Throws ParseError with Go's message. */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** An age or a remaining time in two units at most: as apimachinery/pkg/util/duration, HumanDuration. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // Clocks disagree by a second.
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(seconds, 0)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;
const magnitudeMax = 2n ** 63n;

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', minute],
  ['h', hour],
]);

/** The number and unit a text starts with. */
function readPart(rest: string, text: string): { readonly nanos: bigint; readonly length: number } {
  const whole = run(rest, 0, isDigit);
  const pointed = rest.charAt(whole) === '.';
  const numberEnd = pointed ? run(rest, whole + 1, isDigit) : whole;
  if (numberEnd === (pointed ? 1 : 0)) throw invalid(text);
  const units = BigInt(rest.slice(0, whole));
  if (units > magnitudeMax) throw invalid(text);

  const unitEnd = run(rest, numberEnd, isUnit);
  if (unitEnd === numberEnd) throw refusal('missing unit in duration', text);
  const unit = rest.slice(numberEnd, unitEnd);
  const nanosPerUnit = unitNanos.get(unit);
  if (nanosPerUnit === undefined) throw refusal(`unknown unit ${quoteBytes(unit)} in duration`, text);
  const nanos = units * nanosPerUnit + fractionNanos(rest.slice(whole + 1, numberEnd), nanosPerUnit);
  return { nanos, length: unitEnd };
}

/** In doubles, as Go computes it: `0.3333333333333333333h` is 20 minutes. */
function fractionNanos(digits: string, nanosPerUnit: bigint): bigint {
  // Go stops reading at the first digit that leaves the range of an int64.
  let used = digits.length;
  while (BigInt(digits.slice(0, used)) > magnitudeMax) used--;
  let scale = 1;
  for (let i = 0; i < used; i++) scale *= 10;
  return BigInt(Math.trunc(Number(digits.slice(0, used)) * (Number(nanosPerUnit) / scale)));
}

function run(text: string, from: number, belongs: (character: string) => boolean): number {
  let at = from;
  while (at < text.length && belongs(text.charAt(at))) at++;
  return at;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isUnit(character: string): boolean {
  return character !== '.' && !isDigit(character);
}

function invalid(text: string): ParseError {
  return refusal('invalid duration', text);
}

function refusal(why: string, text: string): ParseError {
  return new ParseError(`time: ${why} ${quoteBytes(text)}`);
}

/** The value over 10^places, without trailing zeros. */
function withFraction(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0{1,9}$/, '');
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
