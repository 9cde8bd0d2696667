/**
 * The meaning of an unquoted scalar in Kubernetes' YAML: YAML 1.1 as go-yaml v2 reads it (as its resolve.go, resolve).
 * `yes` and `on` are booleans, `010` is eight, `1_000` a thousand; but `12:30` is a string, and so is a date, which is
 * only remembered to be one so that the printer quotes it.
 */

/** The meaning of a plain word. */
export interface PlainScalar {
  readonly tag: ScalarTag;
  readonly value: null | boolean | number | string;
}

/** The types that go-yaml distinguishes. */
export type ScalarTag = 'null' | 'bool' | 'int' | 'float' | 'timestamp' | 'str';

/** Finds the meaning of a plain word. Integers beyond 2^53 are the nearest number. */
export function resolvePlain(text: string): PlainScalar {
  const constant = constants.get(text);
  if (constant !== undefined) return constant;
  const first = text.charCodeAt(0);
  if (first === point) {
    const value = decimal.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
  }
  if (!(first >= zero && first <= nine) && first !== plus && first !== minus) return { tag: 'str', value: text };
  return isTimestamp(text) ? { tag: 'timestamp', value: text } : resolveNumber(text);
}

const constants: ReadonlyMap<string, PlainScalar> = new Map([
  ...words('bool', true, 'y Y yes Yes YES true True TRUE on On ON'),
  ...words('bool', false, 'n N no No NO false False FALSE off Off OFF'),
  ...words('null', null, '~ null Null NULL'),
  ...words('float', Number.NaN, '.nan .NaN .NAN'),
  ...words('float', Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF'),
  ...words('float', Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF'),
  ['', { tag: 'null', value: null }],
]);

function words(tag: ScalarTag, value: PlainScalar['value'], spellings: string): [string, PlainScalar][] {
  return spellings.split(' ').map((spelling) => [spelling, { tag, value }]);
}

const point = 0x2e;
const plus = 0x2b;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/** The year has four digits; the time is either complete with a zone or, after a space, without one. */
const timestamp =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d))| (\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;

function isTimestamp(text: string): boolean {
  const [whole, year, month, day, ...time] = timestamp.exec(text) ?? [];
  if (whole === undefined) return false;
  const [hour = 0, minute = 0, second = 0] = time.filter((part: string | undefined) => part !== undefined).map(Number);
  // Day 0 of the next month is the last of this one; the calendar repeats every 400 years.
  const days = new Date(Date.UTC(Number(year) + 400, Number(month), 0)).getUTCDate();
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  return isDate && hour < 24 && minute < 60 && second < 60;
}

function resolveNumber(text: string): PlainScalar {
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  const whole = integerOf(plain);
  // Beyond 64 bits an integer is a float.
  if (whole !== undefined && Math.abs(whole) < 2 ** 64) return { tag: 'int', value: whole };
  const value = decimal.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
}

/** A leading zero means octal. With a digit that is not, as in 08, the word is no integer but still a float. */
function integerOf(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  const magnitude = /^0[0-7]+$/.test(digits)
    ? Number(`0o${digits}`)
    : integer.test(digits)
      ? Number(digits)
      : undefined;
  return magnitude === undefined ? undefined : magnitude === 0 ? 0 : sign * magnitude;
}

const integer = /^(?:0|[1-9]\d*|0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/;
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
