// The order of values for sorting and extremes.
import type { CelValue } from '../cel-value.js';
import { compare } from '../values/arithmetic.js';

/** Returns the order of two values: below zero, zero or above zero; undefined where they have none. */
export function compareOrUndefined(a: CelValue, b: CelValue): number | undefined {
  const order = compare(a, b, '');
  return typeof order === 'number' ? order : undefined;
}
