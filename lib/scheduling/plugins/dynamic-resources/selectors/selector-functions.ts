// What device selectors may call. The name of a method stands with a dot: `.compareTo`.
import {
  compareValues,
  failure,
  isMaybe,
  isQuantity,
  isVersion,
  quantityValue,
  versionValue,
} from './selector-values.js';
import type { Value } from './selector-values.js';

/** Functions by name; a method is given the value it is called on first. */
export const selectorFunctions: ReadonlyMap<string, (...values: readonly Value[]) => Value> = new Map<
  string,
  (...values: readonly Value[]) => Value
>([
  ['quantity', ofTexts(1, (text) => quantityValue(text))],
  ['semver', ofTexts(1, (text) => versionValue(text))],
  ['.compareTo', ofAmounts((one, other) => BigInt(Math.sign(compareValues(one, other))))],
  ['.isGreaterThan', ofAmounts((one, other) => compareValues(one, other) > 0)],
  ['.isLessThan', ofAmounts((one, other) => compareValues(one, other) < 0)],
  ['.startsWith', ofTexts(2, (text, start) => text.startsWith(start))],
  ['.endsWith', ofTexts(2, (text, end) => text.endsWith(end))],
  ['.contains', ofTexts(2, (text, part) => text.includes(part))],
  ['.lowerAscii', ofTexts(1, (text) => text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()))],
  ['.upperAscii', ofTexts(1, (text) => text.replace(/[a-z]+/g, (lower) => lower.toUpperCase()))],
  ['.hasValue', ofMaybe((present) => present !== undefined)],
  ['.orValue', ofMaybe((present, otherwise) => present ?? otherwise)],
]);

function ofTexts(count: number, apply: (text: string, other: string) => Value): (...values: readonly Value[]) => Value {
  return (...values) => {
    const [text, other = ''] = values;
    if (values.length !== count || typeof text !== 'string' || typeof other !== 'string') throw noOverload();
    return apply(text, other);
  };
}

function ofAmounts(apply: (one: Value, other: Value) => Value): (...values: readonly Value[]) => Value {
  return (...values) => {
    const [one, other] = values;
    if (values.length !== 2 || one === undefined || other === undefined || !(isQuantity(one) || isVersion(one)))
      throw noOverload();
    return apply(one, other);
  };
}

function ofMaybe(
  apply: (present: Value | undefined, otherwise: Value) => Value,
): (...values: readonly Value[]) => Value {
  return (...values) => {
    const [maybe, otherwise = false] = values;
    if (maybe === undefined || !isMaybe(maybe)) throw noOverload();
    return apply(maybe.present, otherwise);
  };
}

function noOverload(): Error {
  return failure('no such overload');
}
