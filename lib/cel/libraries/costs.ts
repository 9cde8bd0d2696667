// Costs of calls as Kubernetes counts them: a tenth of a unit per character that is read, a unit per element, and so
// on. At run time a cost is a whole number made from the arguments; before it is a range made from the range of their
// sizes. The factors are those that a v1.36 API server reports for the functions of its libraries.
import type { CelType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { costSize } from '../standard/costs.js';
import type { CallEstimate, EstimateRange, ValueEstimate } from '../library.js';

/** The cost of reading one character of a string, or one byte. */
export const traversalFactor = 0.1;

/** The size of a value of which nothing is known. */
export const unknownSize: EstimateRange = { min: 0, max: Infinity };

/** Returns the cost of reading a value as a whole, rounded up. */
export function traversalCost(value: CelValue | undefined, factor: number = traversalFactor): number {
  return Math.ceil(costSize(value) * factor);
}

/** Returns the range of the cost of reading a value of a size. */
export function traversalEstimate(size: EstimateRange, factor: number = traversalFactor): EstimateRange {
  return { min: Math.ceil(size.min * factor), max: Math.ceil(size.max * factor) };
}

/** Returns the size of an argument; unknown where the argument is missing. */
export function sizeEstimate(value: ValueEstimate | undefined): EstimateRange {
  return value?.size ?? unknownSize;
}

/** Returns the size of the elements of a list; unknown where nothing is known of them. */
export function elementSize(value: ValueEstimate | undefined): EstimateRange {
  return value?.element?.size ?? unknownSize;
}

/** Returns a range of one number. */
export function exactly(cost: number): EstimateRange {
  return { min: cost, max: cost };
}

/** The estimate of a function that reads its first argument once and whose result has no size. */
export function readsFirst([first]: readonly ValueEstimate[]): CallEstimate {
  return { cost: traversalEstimate(sizeEstimate(first)) };
}

/** The estimate of a function that reads its first argument once and returns a value of the same size. */
export function copiesFirst([first]: readonly ValueEstimate[]): CallEstimate {
  const size = sizeEstimate(first);
  return { cost: traversalEstimate(size), resultSize: size };
}

/** Returns whether values of a type have a length that comparing them reads. */
export function isText(type: CelType): boolean {
  return type.kind === 'string' || type.kind === 'bytes';
}
