// Amounts of resources as objects hold them, texts such as `500m` and `128Mi`: as apimachinery/pkg/api/resource,
// quantity.go, ParseQuantity and CanonicalizeBytes. The canonical form has no fraction and the largest suffix that
// keeps the mantissa whole: `0.5` is `500m`, `1024Mi` is `1Gi`, `1.5Gi` is `1536Mi`. Oddities that clients see stay:
// a short text that passes for canonical is printed as read (`1.500`, `+1`), no digits at all is zero (`Mi`), and
// 1000E, having no larger suffix, prints `1`. Two bounds are ours, so that no text is expensive: more than 256
// characters, or an exponent beyond ±999, is refused. Everyday texts, up to nine digits and a suffix, cost the last
// four functions some dozen nanoseconds and no bigint. For sums and comparisons see quantity-arithmetic.ts.

import { ParseError } from './parse-error.js';
import {
  divideAwayFromZero,
  nanosPerUnit,
  quantityToInteger,
  quantityToMilli,
  roundUpToMilli,
} from './quantity-arithmetic.js';
import type { Quantity, QuantityFormat } from './quantity-arithmetic.js';

/** Reads a quantity. Throws ParseError with one of Kubernetes' three messages. */
export function parseQuantity(text: string): Quantity {
  const suffix = canonicalSuffix(text);
  return suffix === undefined ? parseAny(text) : parseCanonical(text, suffix);
}

/** The text of a quantity as Kubernetes encodes it. */
export function printQuantity(q: Quantity): string {
  if (q.spelling !== undefined) return q.spelling;
  if (q.nanos === 0n) return '0';
  const sign = q.nanos < 0n ? '-' : '';
  const magnitude = q.nanos < 0n ? -q.nanos : q.nanos;
  if (q.format === 'BinarySI' && magnitude >= 1024n * nanosPerUnit && magnitude % nanosPerUnit === 0n) {
    return sign + printBinary(magnitude / nanosPerUnit);
  }
  return sign + printDecimal(magnitude, q.format);
}

/**
 * What Kubernetes answers for a quantity of a JSON document: a string, or a number as JavaScript spells it. Blanks
 * around the text are dropped. Throws ParseError for anything that is no quantity, whatever its type.
 */
export function canonicalQuantity(input: unknown): string {
  if (typeof input === 'number') return canonicalQuantity(String(input));
  if (typeof input !== 'string') throw new ParseError(shapeWrong);
  return canonicalSuffix(input) === undefined ? printQuantity(parseAny(trimmed(input))) : input;
}

/** The text rounded up to whole thousandths: what defaulting makes of each value of a resource list. */
export function canonicalMilliQuantity(text: string): string {
  const suffix = canonicalSuffix(text);
  return suffix !== undefined && suffix.divisor <= 1000 ? text : printQuantity(roundUpToMilli(parseQuantity(text)));
}

/** Whole thousandths of the quantity in a text, rounded away from zero; beyond ±(2^53-1) that bound. */
export function milliValue(text: string): number {
  const plain = plainAmount(text, 1000);
  return plain >= 0 ? plain : safeNumber(quantityToMilli(parseQuantity(text)));
}

/** Whole units of the quantity in a text, rounded away from zero; beyond ±(2^53-1) that bound. */
export function integerValue(text: string): number {
  const plain = plainAmount(text, 1);
  return plain >= 0 ? plain : safeNumber(quantityToInteger(parseQuantity(text)));
}

const shapeWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numberWrong = 'unable to parse numeric part of quantity';
const suffixWrong = "unable to parse quantity's suffix";

const textLengthMax = 256;
const exponentMax = 999;
/** Kubernetes caps only what is written with a binary suffix: 2^63-1 units. */
const binaryNanosMax = (2n ** 63n - 1n) * nanosPerUnit;

function parseAny(text: string): Quantity {
  if (text === '') throw new ParseError(shapeWrong);
  if (text.length > textLengthMax) throw new ParseError(numberWrong);
  const negative = text.startsWith('-');
  const start = negative || text.startsWith('+') ? 1 : 0;
  const wholeEnd = skipDigits(text, start);
  const fractionEnd = text.charAt(wholeEnd) === '.' ? skipDigits(text, wholeEnd + 1) : wholeEnd;
  const whole = text.slice(skipZeros(text, start), wholeEnd) || '0';
  const fraction = text.slice(wholeEnd + 1, fractionEnd);
  const { format, exponent } = readSuffix(text.slice(fractionEnd));

  const digits = whole + fraction;
  const scale = (format === 'BinarySI' ? 0 : exponent) - fraction.length;
  // Kubernetes holds a short number as a scaled int64: only that form may keep its spelling or do without any digit.
  const short =
    format === 'BinarySI'
      ? fraction === '' && whole.length <= 14 - (exponent * 3) / 10
      : digits.length <= 18 && scale >= -9;
  if (!short && wholeEnd === start && fraction === '') throw new ParseError(numberWrong);

  const mantissa = format === 'BinarySI' ? BigInt(digits) << BigInt(exponent) : BigInt(digits);
  let magnitude = scaleToNanos(mantissa, scale);
  if (format === 'BinarySI' && magnitude > binaryNanosMax) magnitude = binaryNanosMax;
  return Object.freeze({
    nanos: negative ? -magnitude : magnitude,
    format: format === 'BinarySI' && magnitude > 0n && magnitude < nanosPerUnit ? 'DecimalSI' : format,
    spelling: short && keepsSpelling(digits, scale, format) ? text : undefined,
  });
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** The exponent is of ten, or of two for BinarySI. */
interface Suffix {
  readonly format: QuantityFormat;
  readonly exponent: number;
}

/** A suffix with a name also stands for `multiple / divisor` units, one of which is 1. */
interface NamedSuffix extends Suffix {
  readonly multiple: number;
  readonly divisor: number;
}

const namedSuffixes: ReadonlyMap<string, NamedSuffix> = new Map([
  ...decimalSuffixes.map((text, i) => [text, decimalSuffix(3 * i - 9)] as const),
  ...binarySuffixes.slice(1).map((text, i) => [text, binarySuffix(10 * i + 10)] as const),
]);

function decimalSuffix(exponent: number): NamedSuffix {
  const [multiple, divisor] = exponent < 0 ? [1, 10 ** -exponent] : [10 ** exponent, 1];
  return { format: 'DecimalSI', exponent, multiple, divisor };
}

function binarySuffix(exponent: number): NamedSuffix {
  return { format: 'BinarySI', exponent, multiple: 2 ** exponent, divisor: 1 };
}

function readSuffix(text: string): Suffix {
  const named = namedSuffixes.get(text);
  if (named !== undefined) return named;
  if (!/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(text)) throw new ParseError(shapeWrong);
  const exponent = /^[eE][-+]?[0-9]+$/.test(text) ? Number(text.slice(1)) : Infinity;
  if (Math.abs(exponent) > exponentMax) throw new ParseError(suffixWrong);
  return { format: 'DecimalExponent', exponent };
}

/** What is finer than a billionth counts as one: who requests something gets something. */
function scaleToNanos(mantissa: bigint, scale: number): bigint {
  const shift = scale + 9;
  return shift >= 0 ? mantissa * powerOfTen(shift) : divideAwayFromZero(mantissa, powerOfTen(-shift));
}

const powersOfTen: readonly bigint[] = Array.from({ length: 28 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent);
}

/** Kubernetes' quick test for a text that needs no canonical form; it overlooks signs, points and leading zeros. */
function keepsSpelling(digits: string, scale: number, format: QuantityFormat): boolean {
  if (format === 'BinarySI') return Number(digits) % 8 !== 0;
  return scale % 3 === 0 && !digits.startsWith('0') && !digits.endsWith('000');
}

function printBinary(units: bigint): string {
  let mantissa = units;
  let power = 0;
  for (; (mantissa & 1023n) === 0n; power++) mantissa >>= 10n;
  return `${mantissa}${binarySuffixes[power] ?? ''}`;
}

function printDecimal(nanos: bigint, format: QuantityFormat): string {
  const digits = nanos.toString();
  let zeros = 0;
  while (digits.charCodeAt(digits.length - 1 - zeros) === zero) zeros++;
  // Only every third power of ten has a suffix: one or two zeros may stay with the mantissa.
  const power = Math.floor(zeros / 3);
  const mantissa = digits.slice(0, digits.length - 3 * power);
  if (format === 'DecimalExponent') return power === 3 ? mantissa : `${mantissa}e${3 * power - 9}`;
  return mantissa + (decimalSuffixes[power] ?? '');
}

/** Go's strings.TrimSpace over what may stand unescaped in a JSON string; an escaped blank is refused. */
function trimmed(text: string): string {
  if (text.length > textLengthMax) return text;
  let start = 0;
  let end = text.length;
  while (start < end && blanks.includes(text.charAt(start))) start++;
  while (end > start && blanks.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const blanks =
  ' \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

const zero = 0x30;

function skipDigits(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= zero && code <= 0x39; code = text.charCodeAt(at)) at++;
  return at;
}

function skipZeros(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === zero) at++;
  return at;
}

/** The suffix of a text that is surely canonical: up to nine digits without leading zero. Undefined says nothing. */
function canonicalSuffix(text: string): NamedSuffix | undefined {
  const end = skipDigits(text, 0);
  if (end === 0 || end > 9 || text.charCodeAt(0) === zero) return text === '0' ? unit : undefined;
  const suffix = suffixAt(text, end);
  if (suffix === undefined) return undefined;
  const mantissa = mantissaBefore(text, end);
  // Multiplying by a power of two is exact, and so is the comparison with the cap.
  const canonical =
    suffix.format === 'BinarySI'
      ? mantissa % 1024 !== 0 && mantissa * suffix.multiple < 2 ** 63
      : mantissa % 1000 !== 0;
  return canonical ? suffix : undefined;
}

function parseCanonical(text: string, { format, exponent }: NamedSuffix): Quantity {
  const mantissa = BigInt(mantissaBefore(text, skipDigits(text, 0)));
  const nanos =
    format === 'BinarySI' ? (mantissa * nanosPerUnit) << BigInt(exponent) : mantissa * powerOfTen(exponent + 9);
  return Object.freeze({ nanos, format, spelling: text });
}

/** Units of 1/perUnit, rounded up, where the text has up to nine digits and a suffix; else -1: it must be parsed. */
function plainAmount(text: string, perUnit: 1 | 1000): number {
  const end = skipDigits(text, 0);
  const suffix = suffixAt(text, end);
  if (end === 0 || end > 9 || suffix === undefined) return -1;
  const amount = mantissaBefore(text, end) * perUnit;
  // Less than 10^12 over at most 10^9: no quotient is so close below an integer that it rounds to it.
  return suffix.divisor > 1 ? Math.ceil(amount / suffix.divisor) : Math.min(amount * suffix.multiple, safeMax);
}

function mantissaBefore(text: string, end: number): number {
  let mantissa = 0;
  for (let at = 0; at < end; at++) mantissa = mantissa * 10 + text.charCodeAt(at) - zero;
  return mantissa;
}

/** The named suffix that is the rest of the text, found by its first letter. */
function suffixAt(text: string, at: number): NamedSuffix | undefined {
  const length = text.length - at;
  if (length === 1) return decimalByCode[text.charCodeAt(at)];
  if (length === 2 && text.charAt(at + 1) === 'i') return binaryByCode[text.charCodeAt(at)];
  return length === 0 ? unit : undefined;
}

const unit = decimalSuffix(0);
const decimalByCode = Array.from({ length: 128 }, (_, code) => namedSuffixes.get(String.fromCharCode(code)));
const binaryByCode = Array.from({ length: 128 }, (_, code) => namedSuffixes.get(`${String.fromCharCode(code)}i`));

const safeMax = Number.MAX_SAFE_INTEGER;

function safeNumber(amount: bigint): number {
  return Math.max(-safeMax, Math.min(Number(amount), safeMax));
}
