// Moments in API objects: metav1.Time, RFC 3339 in UTC to the second, and MicroTime, the same with six digits of
// fraction. As apimachinery/pkg/apis/meta/v1/time.go and micro_time.go over Go's time.Parse, whose leniency (an hour of
// one digit, a comma before the fraction, an offset of 24:60) and error messages are kept. Date.parse takes part in
// nothing: it accepts far more. Inside the engine a moment is a number of milliseconds since 1970, as a Clock gives it.

import { ParseError } from './parse-error.js';

/** The moment in whole milliseconds since 1970, finer digits cut off. Throws ParseError with Go's message. */
export function parseTime(text: string): number {
  return epochMs(parseMoment(text, rfc3339));
}

/** The moment as metav1.Time encodes it, cut to the second: `2026-01-02T03:04:05Z`. */
export function printTime(epochMs: number): string {
  return printed(Math.floor(epochMs / 1000)).utc;
}

/**
 * A metav1.Time as Kubernetes answers it: in UTC, cut to the second; null for Go's zero time, the first second of year
 * 1, which it writes as null. Throws ParseError with Go's message.
 */
export function canonicalTime(text: string): string | null {
  if (text.length === 20 && text.charCodeAt(19) === letterZ && isPlainSeconds(text)) return text;
  const moment = parseMoment(text, rfc3339);
  return isZeroTime(moment) ? null : printed(moment.seconds).utc;
}

/** As parseTime, of a MicroTime: exactly six digits of fraction are required. */
export function parseMicroTime(text: string): number {
  return epochMs(parseMoment(text, rfc3339Micro));
}

/** The moment as MicroTime encodes it: `2026-01-02T03:04:05.678000Z`. */
export function printMicroTime(epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  return printMicros(seconds, Math.floor((epochMs - seconds * 1000) * 1000));
}

/** As canonicalTime, of a MicroTime; every microsecond of the text is kept. */
export function canonicalMicroTime(text: string): string | null {
  if (text.length === 27 && text.charCodeAt(26) === letterZ && isPlainSeconds(text) && isPlainFraction(text)) {
    return text;
  }
  const moment = parseMoment(text, rfc3339Micro);
  return isZeroTime(moment) ? null : printMicros(moment.seconds, moment.nanos / 1000);
}

/**
 * Text in quotes as Go's time package prints it in errors: control and non-ASCII characters as their UTF-8 bytes. Cut
 * after 1024 characters, so that a refusal stays cheap.
 */
export function quoteBytes(text: string): string {
  const inside = text
    .slice(0, 1024)
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7f]+/g, escapeBytes);
  return `"${inside}"`;
}

const rfc3339 = '2006-01-02T15:04:05Z07:00';
const rfc3339Micro = '2006-01-02T15:04:05.000000Z07:00';
const letterZ = 0x5a;

/** Seconds since 1970 and what is beyond them. */
interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

function epochMs(moment: Moment): number {
  return moment.seconds * 1000 + Math.floor(moment.nanos / 1_000_000);
}

function isZeroTime(moment: Moment): boolean {
  return moment.seconds === -62_135_596_800 && moment.nanos === 0;
}

/** Returns whether the text starts with a well-formed date and time of the years 1000 to 9999. */
function isPlainSeconds(text: string): boolean {
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  return (
    year >= 1000 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysIn(year, month)) &&
    inRange(digitsAt(text, 11, 2), 23) &&
    inRange(digitsAt(text, 14, 2), 59) &&
    inRange(digitsAt(text, 17, 2), 59) &&
    text.charCodeAt(4) === 0x2d &&
    text.charCodeAt(7) === 0x2d &&
    text.charCodeAt(10) === 0x54 &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a
  );
}

function isPlainFraction(text: string): boolean {
  return text.charCodeAt(19) === 0x2e && digitsAt(text, 20, 6) >= 0;
}

function inRange(value: number, max: number): boolean {
  return value >= 0 && value <= max;
}

/** Reads the text element by element, as Go's time.Parse does: the first error is the one that is reported. */
function parseMoment(text: string, layout: typeof rfc3339 | typeof rfc3339Micro): Moment {
  let at = 0;

  const number = (element: string, digits: number = element.length): number => {
    const value = digitsAt(text, at, digits);
    if (value < 0) throw cannotParse(text, layout, at, element);
    at += digits;
    return value;
  };
  const separator = (element: string): void => {
    if (text.charAt(at) !== element) throw cannotParse(text, layout, at, element);
    at++;
  };

  const year = number('2006');
  separator('-');
  const month = number('01');
  if (month < 1 || month > 12) throw outOfRange(text, 'month');
  separator('-');
  const day = number('02');
  separator('T');
  // The one element that may have a single digit.
  const hour = number('15', digitsAt(text, at, 2) < 0 ? 1 : 2);
  if (hour > 23) throw outOfRange(text, 'hour');
  separator(':');
  const minute = number('04');
  if (minute > 59) throw outOfRange(text, 'minute');
  separator(':');
  const second = number('05');
  if (second > 59) throw outOfRange(text, 'second');
  const fraction = layout === rfc3339Micro ? sixDigits(text, at) : anyFraction(text, at);
  at += fraction.length;
  const zone = zoneAt(text, layout, at);
  at += zone.length;
  if (at < text.length) throw refusal(text, `extra text: ${quoteBytes(text.slice(at))}`);
  if (day < 1 || day > daysIn(year, month)) throw outOfRange(text, 'day');

  // Date.UTC takes the years 0 to 99 for 1900 to 1999; the calendar repeats every 400 years.
  const utc = Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - secondsIn400Years;
  return { seconds: utc - zone.offsetSeconds, nanos: fraction.nanos };
}

const secondsIn400Years = 146_097 * 86_400;

interface Fraction {
  readonly length: number;
  readonly nanos: number;
}

/** An optional fraction of any length after a point or comma, cut to nine digits. */
function anyFraction(text: string, from: number): Fraction {
  if (!isFractionMark(text.charAt(from)) || digitsAt(text, from + 1, 1) < 0) return { length: 0, nanos: 0 };
  let end = from + 1;
  while (digitsAt(text, end, 1) >= 0) end++;
  return { length: end - from, nanos: Number(text.slice(from + 1, Math.min(end, from + 10)).padEnd(9, '0')) };
}

/** The fraction of a MicroTime. Go reads its six characters as a number, so the first may be a sign. */
function sixDigits(text: string, from: number): Fraction {
  const digits = text.slice(from + 1, from + 7);
  if (!isFractionMark(text.charAt(from)) || !/^[-+0-9][0-9]{5}$/.test(digits)) {
    throw cannotParse(text, rfc3339Micro, from, '.000000');
  }
  if (Number(digits) < 0) throw outOfRange(text, 'fractional second');
  return { length: 7, nanos: Math.abs(Number(digits)) * 1000 };
}

function isFractionMark(character: string): boolean {
  return character === '.' || character === ',';
}

interface Zone {
  readonly length: number;
  readonly offsetSeconds: number;
}

/** `Z` or an offset. Bounds are checked before the sign, and 24 hours and 60 minutes pass, as in Go. */
function zoneAt(text: string, layout: string, at: number): Zone {
  const sign = text.charAt(at);
  if (sign === 'Z') return { length: 1, offsetSeconds: 0 };
  const hours = text.charAt(at + 3) === ':' && text.length >= at + 6 ? digitsAt(text, at + 1, 2) : -1;
  const minutes = hours < 0 ? -1 : digitsAt(text, at + 4, 2);
  if (minutes > 60) throw outOfRange(text, 'time zone offset minute');
  if (hours > 24) throw outOfRange(text, 'time zone offset hour');
  if (minutes < 0 || (sign !== '+' && sign !== '-')) throw cannotParse(text, layout, at, 'Z07:00');
  const offsetSeconds = (hours * 60 + minutes) * 60;
  return { length: 6, offsetSeconds: sign === '-' ? -offsetSeconds : offsetSeconds };
}

/** The number in exactly so many digits, -1 where one is missing. */
function digitsAt(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    // Written so that NaN, past the end, is refused too.
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function cannotParse(text: string, layout: string, at: number, element: string): ParseError {
  const rest = quoteBytes(text.slice(at));
  return new ParseError(`parsing time ${quoteBytes(text)} as "${layout}": cannot parse ${rest} as "${element}"`);
}

function outOfRange(text: string, what: string): ParseError {
  return refusal(text, `${what} out of range`);
}

function refusal(text: string, why: string): ParseError {
  return new ParseError(`parsing time ${quoteBytes(text)}: ${why}`);
}

function escapeBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

function printMicros(seconds: number, micros: number): string {
  return `${printed(seconds).local}.${padded(micros, 6)}Z`;
}

/** A second, with its zone and without. */
interface PrintedSecond {
  readonly seconds: number;
  readonly local: string;
  readonly utc: string;
}

function printed(seconds: number): PrintedSecond {
  if (seconds !== lastPrinted.seconds) {
    const local = dateAndTime(seconds);
    lastPrinted = { seconds, local, utc: `${local}Z` };
  }
  return lastPrinted;
}

/** A server writes thousands of objects in one second. */
let lastPrinted: PrintedSecond = { seconds: Number.NaN, local: '', utc: '' };

/** From the parts of a Date: twice as fast as its toISOString, and years beyond 9999 as in Go. */
function dateAndTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year)) throw new RangeError(`not a moment: ${seconds} s`);
  const era = year < 0 ? '-' : '';
  const day = `${padded(Math.abs(year), 4)}-${padded(date.getUTCMonth() + 1)}-${padded(date.getUTCDate())}`;
  const time = `${padded(date.getUTCHours())}:${padded(date.getUTCMinutes())}:${padded(date.getUTCSeconds())}`;
  return `${era}${day}T${time}`;
}

function padded(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}
