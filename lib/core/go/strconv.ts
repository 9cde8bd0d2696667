// Whole numbers in text, read as Go's strconv reads them, and its error messages, which Kubernetes passes on to
// clients. Every function is linear in the length of its input, since labels and queries hold any number of digits.
import { quote } from './format.js';

/** Returns the int64 that the text is in base 10, with an optional sign; undefined if it is none. As ParseInt. */
export function int64Of(text: string): bigint | undefined {
  const match = /^([+-]?)0*([0-9]{1,19})$/.exec(text);
  if (match === null) return undefined;
  const magnitude = BigInt(match[2] ?? '');
  const value = match[1] === '-' ? -magnitude : magnitude;
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** Returns the message of strconv's NumError for a text that the function refuses. */
export function numError(called: 'Atoi' | 'ParseInt' | 'ParseUint', text: string): string {
  const isNumber = (called === 'ParseUint' ? unsigned : signed).test(text);
  return `strconv.${called}: parsing ${quote(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
}

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const signed = /^[-+]?[0-9]+$/;
const unsigned = /^[0-9]+$/;
