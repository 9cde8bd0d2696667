// Numbers of the three numeric types: recognition and comparison across types by their mathematical value.
import type { CelValue } from '../cel-value.js';
import { Double, Uint } from '../cel-value.js';

/** Returns whether a value is an int. */
export function isInt(value: CelValue): value is number | bigint {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint';
}

/** Returns the number of a double; undefined for other values. */
export function doubleOf(value: CelValue): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? undefined : value;
  return value instanceof Double ? value.value : undefined;
}

/** Returns the mathematical value of a number of any type; undefined for other values. */
export function numericOf(value: CelValue): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Double || value instanceof Uint ? value.value : undefined;
}

/** Returns whether two numbers are equal. A large int meets a double as the nearest double. */
export function equalNumbers(one: number | bigint, other: number | bigint): boolean {
  return typeof one === typeof other ? one === other : Number(one) === Number(other);
}

/** Returns the order of two numbers as `-1`, `0` or `1`; NaN where one of them is. */
export function compareNumbers(one: number | bigint, other: number | bigint): number {
  if (typeof one !== typeof other) return compareNumbers(Number(one), Number(other));
  return one < other ? -1 : one > other ? 1 : one === other ? 0 : Number.NaN;
}
