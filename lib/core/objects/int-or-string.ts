// Fields that hold a number or a name (a port) or a number or a share (`maxUnavailable: 25%`): a JSON number or string.
// As apimachinery/pkg/util/intstr/intstr.go. Numbers are int32; a share is a whole percentage of a total that only the
// caller knows.

import { quote } from '../go/format.js';
import { numError } from '../go/strconv.js';
import { ParseError } from './parse-error.js';

/** An int32 or a string, as in JSON. */
export type IntOrString = number | string;

/** Returns whether a decoded JSON value can be in such a field. */
export function isIntOrString(value: unknown): value is IntOrString {
  // An int32 survives being made one.
  return typeof value === 'string' || (typeof value === 'number' && (value | 0) === value);
}

/** A number where the whole text is an int32, the text itself otherwise (intstr.Parse). */
export function parseIntOrString(text: string): IntOrString {
  const value = decimalShape.test(text) ? Number(text) : NaN;
  return isIntOrString(value) ? value + 0 : text;
}

/** Returns whether the value is a well-formed percentage, such as `25%`: digits alone before the sign. */
export function isPercent(value: IntOrString): value is string {
  return typeof value === 'string' && percentShape.test(value);
}

/**
 * The number itself, or the percentage of the total, rounded up or down to a whole number
 * (GetScaledValueFromIntOrPercent). Throws ParseError for a string that is no percentage and for no value.
 */
export function scaledValue(value: IntOrString | undefined, total: number, roundUp: boolean): number {
  if (value === undefined) throw new ParseError('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const share = (percentage(value) * total) / 100;
  // Adding zero: a small negative share rounds up to 0, not -0.
  return (roundUp ? Math.ceil(share) : Math.floor(share)) + 0;
}

const decimalShape = /^[-+]?[0-9]+$/;
const percentShape = /^[0-9]+%$/;

function percentage(text: string): number {
  if (!text.endsWith('%')) throw new ParseError(`${invalid} invalid type: string is not a percentage`);
  const digits = text.slice(0, -1);
  if (!decimalShape.test(digits)) throw notANumber(text, digits);
  const value = Number(digits);
  // Doubles cannot tell 2^63-1, which Kubernetes takes, from 2^63, which it refuses.
  if (Math.abs(value) >= 2 ** 63) throw notANumber(text, digits);
  return value;
}

const invalid = 'invalid value for IntOrString:';

function notANumber(text: string, digits: string): ParseError {
  return new ParseError(`${invalid} invalid value ${quote(text)}: ${numError('Atoi', digits)}`);
}
