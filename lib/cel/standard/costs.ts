// Costs that depend on sizes, with the numbers of Kubernetes: traversing a string costs 0.1 for each character,
// matching a pattern 0.25 for each of its characters and 0.1 for each of the text.
import type { CelValue } from '../cel-value.js';
import type { EstimateRange, ValueEstimate } from '../library.js';
import { sizeOf } from '../values/lists.js';
import type { Costs } from './declare.js';

const perCharacter = 0.1;
const perPatternCharacter = 0.25;

/** Returns the size of a value for costs: 1 for values without a size. */
export function costSize(value: CelValue | undefined): number {
  return value === undefined ? 1 : (sizeOf(value) ?? 1);
}

/** Returns the cost of traversing a value. Short strings need no counting of code points. */
function valueTraversal(value: CelValue | undefined): number {
  if (typeof value === 'string' && value.length <= 10) return value === '' ? 0 : 1;
  return traversal(costSize(value));
}

/** Returns the cost of traversing a number of characters. */
export function traversal(size: number): number {
  return Math.ceil(size * perCharacter);
}

/** Returns the range of a function of a size that does not decrease. */
export function costRange(size: EstimateRange, cost: (size: number) => number): EstimateRange {
  return { min: cost(size.min), max: cost(size.max) };
}

const sizeAt = (values: readonly ValueEstimate[], index: number): EstimateRange =>
  values[index]?.size ?? { min: 0, max: Infinity };

/** Costs of concatenating strings or bytes. */
export const concatenationCosts: Costs = {
  cost: ([one, other]) => traversal(costSize(one) + costSize(other)),
  estimate(values) {
    const [one, other] = [sizeAt(values, 0), sizeAt(values, 1)];
    const size = { min: one.min + other.min, max: one.max + other.max };
    return { cost: costRange(size, traversal), resultSize: size };
  },
};

/** Costs of concatenating lists: fixed, with a known size. */
export const listConcatenationCosts: Costs = {
  estimate(values) {
    const [one, other] = [sizeAt(values, 0), sizeAt(values, 1)];
    return { cost: { min: 1, max: 1 }, resultSize: { min: one.min + other.min, max: one.max + other.max } };
  },
};

/** Costs of comparing two values: the smaller one is traversed. */
export const comparisonCosts: Costs = {
  cost: ([one, other]) => traversal(Math.min(costSize(one), costSize(other))),
  estimate(values) {
    const [one, other] = [sizeAt(values, 0), sizeAt(values, 1)];
    const most = traversal(Math.min(one.max, other.max));
    // A difference may be found at once.
    return { cost: { min: Math.min(1, most), max: most } };
  },
};

/** Costs of a prefix or suffix test. */
export const prefixCosts: Costs = {
  cost: ([text]) => valueTraversal(text),
  estimate: (values) => ({ cost: costRange(sizeAt(values, 1), traversal) }),
};

/** Costs of a search for a text in a text. */
export const searchCosts: Costs = {
  cost: ([text, part]) => valueTraversal(text) * valueTraversal(part),
  estimate(values) {
    const [text, part] = [costRange(sizeAt(values, 0), traversal), costRange(sizeAt(values, 1), traversal)];
    return { cost: { min: text.min * part.min, max: product(text.max, part.max) } };
  },
};

/** Costs of matching a pattern. */
export const patternCosts: Costs = {
  cost: ([text, pattern]) => traversal(1 + costSize(text)) * Math.ceil(costSize(pattern) * perPatternCharacter),
  estimate(values) {
    const text = costRange(sizeAt(values, 0), (size) => traversal(1 + size));
    const pattern = costRange(sizeAt(values, 1), (size) => Math.ceil(size * perPatternCharacter));
    return { cost: { min: text.min * pattern.min, max: product(text.max, pattern.max) } };
  },
};

/** Costs of converting a string to bytes, up to four for each character. */
export const encodingCosts: Costs = {
  cost: ([text]) => traversal(costSize(text)),
  estimate(values) {
    const size = sizeAt(values, 0);
    return { cost: costRange(size, traversal), resultSize: { min: size.min, max: size.max * 4 } };
  },
};

/** Costs of converting bytes to a string. */
export const decodingCosts: Costs = {
  cost: ([text]) => traversal(costSize(text)),
  estimate(values) {
    const size = sizeAt(values, 0);
    return { cost: costRange(size, traversal), resultSize: { min: Math.floor(size.min / 4), max: size.max } };
  },
};

/** Costs of looking for a value in a list: one for each element. */
export const membershipCosts: Costs = {
  cost: (values) => costSize(values[1]),
  estimate: (values) => ({ cost: sizeAt(values, 1) }),
};

/** Multiplies sizes; nothing times anything is nothing. */
export function product(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other;
}
