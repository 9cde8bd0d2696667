// Conversions between types. A text that has no value of the type fails with the names of both types.
import { parseDuration } from '../../core/index.js';
import type { CelType } from '../cel-type.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { Duration, Timestamp, Uint, double, int } from '../cel-value.js';
import { literalType } from '../check/literal-type.js';
import { typeName } from '../check/type-names.js';
import type { Expression } from '../expression.js';
import type { CallFacts, FunctionDeclaration } from '../library.js';
import { EvaluationFailure, integerOverflow, noSuchOverload, unsignedOverflow } from '../values/failure.js';
import { doubleOf, isInt, numericOf } from '../values/numbers.js';
import { printDouble } from '../values/print.js';
import { parseTimestamp, printSeconds, printTimestamp, timestampOf } from '../values/time.js';
import { decodingCosts, encodingCosts } from './costs.js';
import type { Costs } from './declare.js';
import { declare, overload } from './declare.js';

type ArgumentCheck = (values: readonly Expression[], facts: CallFacts) => void;
type Convert = (value: CelValue) => CelValue | EvaluationFailure;

/** bool, bytes, double, duration, int, string, timestamp and uint. */
export const conversions: readonly FunctionDeclaration[] = [
  conversion('bool', boolType, toBool, [
    ['bool_to_bool', boolType],
    ['string_to_bool', stringType],
  ]),
  conversion('bytes', bytesType, toBytes, [
    ['bytes_to_bytes', bytesType],
    ['string_to_bytes', stringType],
  ]),
  conversion('double', doubleType, toDouble, [
    ['double_to_double', doubleType],
    ['int64_to_double', intType],
    ['string_to_double', stringType],
    ['uint64_to_double', uintType],
  ]),
  {
    ...conversion('duration', durationType, toDuration, [
      ['duration_to_duration', durationType],
      ['int64_to_duration', intType],
      ['string_to_duration', stringType],
    ]),
    validate: literalCheck(toDuration, 'invalid duration argument'),
  },
  conversion('int', intType, toInt, [
    ['int64_to_int64', intType],
    ['double_to_int64', doubleType],
    ['duration_to_int64', durationType],
    ['string_to_int64', stringType],
    ['timestamp_to_int64', timestampType],
    ['uint64_to_int64', uintType],
  ]),
  conversion('string', stringType, toText, [
    ['string_to_string', stringType],
    ['bool_to_string', boolType],
    ['bytes_to_string', bytesType],
    ['double_to_string', doubleType],
    ['duration_to_string', durationType],
    ['int64_to_string', intType],
    ['timestamp_to_string', timestampType],
    ['uint64_to_string', uintType],
  ]),
  {
    ...conversion('timestamp', timestampType, toTimestamp, [
      ['timestamp_to_timestamp', timestampType],
      ['int64_to_timestamp', intType],
      ['string_to_timestamp', stringType],
    ]),
    validate: literalCheck(toTimestamp, 'invalid timestamp argument'),
  },
  conversion('uint', uintType, toUint, [
    ['uint64_to_uint64', uintType],
    ['double_to_uint64', doubleType],
    ['int64_to_uint64', intType],
    ['string_to_uint64', stringType],
  ]),
];

function conversion(
  name: string,
  result: CelType,
  convert: Convert,
  sources: readonly (readonly [string, CelType])[],
): FunctionDeclaration {
  const costs: Readonly<Record<string, Costs>> = { string_to_bytes: encodingCosts, bytes_to_string: decodingCosts };
  return declare(
    name,
    ...sources.map(([id, type]) => overload(id, [type], result, (value) => convert(value), costs[id] ?? {})),
  );
}

function literalCheck(convert: Convert, refusal: string): ArgumentCheck {
  return ([value], facts) => {
    if (value?.kind !== 'literal' || (typeof value.value !== 'string' && !isInt(value.value))) return;
    if (refusal.includes('duration') && typeof value.value !== 'string') return;
    if (convert(value.value) instanceof EvaluationFailure) facts.report(value, refusal);
  };
}

function refused(value: CelValue, to: string): EvaluationFailure {
  return new EvaluationFailure(`type conversion error from '${typeName(literalType(value))}' to '${to}'`);
}

function toBool(value: CelValue): CelValue | EvaluationFailure {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return noSuchOverload;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value) ? false : refused(value, 'bool');
}

function toBytes(value: CelValue): CelValue | EvaluationFailure {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' ? new TextEncoder().encode(value) : noSuchOverload;
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d{1,5})$/;
const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i;

function toDouble(value: CelValue): CelValue | EvaluationFailure {
  const number = numericOf(value);
  if (number !== undefined) return double(Number(number));
  if (typeof value !== 'string') return noSuchOverload;
  const parsed = parseDouble(value);
  return parsed === undefined ? refused(value, 'double') : double(parsed);
}

/** Returns the double of a text as strconv.ParseFloat reads it; undefined where it is none or out of range. */
function parseDouble(text: string): number | undefined {
  const named = special.exec(text);
  if (named !== null) return named[2] === undefined ? Number.NaN : named[1] === '-' ? -Infinity : Infinity;
  // Underscores may separate digits, as in Go's literals.
  const plain = /^[0-9_.eE+-]+$/.test(text) && /\d_\d/.test(text) ? text.replaceAll(/(?<=\d)_(?=\d)/g, '') : text;
  const hex = hexadecimal.exec(plain);
  if (hex !== null) {
    const [, sign = '', whole = '', fraction = '', power = '0'] = hex;
    if (whole + fraction === '') return undefined;
    const mantissa = Number.parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
    return sign === '-' ? -mantissa : mantissa;
  }
  if (!decimal.test(plain)) return undefined;
  const number = Number(plain);
  return Number.isFinite(number) ? number : undefined;
}

function toDuration(value: CelValue): CelValue | EvaluationFailure {
  if (value instanceof Duration) return value;
  if (typeof value !== 'string') return isInt(value) ? refused(value, 'google.protobuf.Duration') : noSuchOverload;
  try {
    return new Duration(parseDuration(value));
  } catch {
    return refused(value, 'google.protobuf.Duration');
  }
}

function toTimestamp(value: CelValue): CelValue | EvaluationFailure {
  if (value instanceof Timestamp) return value;
  if (isInt(value)) return timestampOf(Number(value), 0);
  if (typeof value !== 'string') return noSuchOverload;
  return parseTimestamp(value) ?? refused(value, 'google.protobuf.Timestamp');
}

function toInt(value: CelValue): CelValue | EvaluationFailure {
  if (isInt(value)) return value;
  const number = doubleOf(value);
  if (number !== undefined) return wholeInt(number);
  if (value instanceof Uint) return value.value < 2n ** 63n ? int(value.value) : integerOverflow;
  if (value instanceof Timestamp) return value.seconds;
  if (value instanceof Duration) return int(value.nanos);
  if (typeof value !== 'string') return noSuchOverload;
  if (!/^[+-]?\d{1,30}$/.test(value)) return refused(value, 'int');
  const parsed = BigInt(value.replace(/^\+/, ''));
  return parsed >= -(2n ** 63n) && parsed < 2n ** 63n ? int(parsed) : refused(value, 'int');
}

/** Doubles at the bounds themselves are refused, since the nearest ints may be on either side. */
function wholeInt(number: number): CelValue | EvaluationFailure {
  if (!(number > -(2 ** 63) && number < 2 ** 63)) return integerOverflow;
  const whole = Math.trunc(number);
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(whole);
}

function toUint(value: CelValue): CelValue | EvaluationFailure {
  if (value instanceof Uint) return value;
  if (isInt(value)) return value < 0 ? unsignedOverflow : new Uint(BigInt(value));
  const number = doubleOf(value);
  if (number !== undefined)
    return number >= 0 && number < 2 ** 64 ? new Uint(BigInt(Math.trunc(number))) : unsignedOverflow;
  if (typeof value !== 'string') return noSuchOverload;
  if (!/^\d{1,30}$/.test(value)) return refused(value, 'uint');
  const parsed = BigInt(value);
  return parsed < 2n ** 64n ? new Uint(parsed) : refused(value, 'uint');
}

function toText(value: CelValue): CelValue | EvaluationFailure {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  const number = doubleOf(value);
  if (number !== undefined) return printDouble(number);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printSeconds(value);
  return new EvaluationFailure(`no such overload: string(${typeName(literalType(value))})`);
}

function decodeUtf8(bytes: Uint8Array): string | EvaluationFailure {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new EvaluationFailure('invalid UTF-8 in bytes, cannot convert to string');
  }
}
