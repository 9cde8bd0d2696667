// The arithmetic operators and order. Ints are numbers while they are safe and bigints beyond; every result is checked
// against the range of its type.
import type { CelValue } from '../cel-value.js';
import { Duration, ListValue, Timestamp, Uint, double, int } from '../cel-value.js';
import { EvaluationFailure, integerOverflow, noSuchOverload, unsignedOverflow, failedWith } from './failure.js';
import type { AnyList } from './lists.js';
import { elementAt, elementsOf, isList } from './lists.js';
import { compareNumbers, doubleOf, isInt, numericOf } from './numbers.js';
import { addDuration, durationOf, timeDifference } from './time.js';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

/** Returns the int of a bigint; an overflow outside of int64. */
export function checkedInt(value: bigint): number | bigint | EvaluationFailure {
  return value >= int64Min && value <= int64Max ? int(value) : integerOverflow;
}

/** Returns the uint of a bigint; an overflow outside of uint64. */
export function checkedUint(value: bigint): Uint | EvaluationFailure {
  return value >= 0n && value <= uint64Max ? new Uint(value) : unsignedOverflow;
}

/** `+`. */
export function add(one: CelValue, other: CelValue): CelValue | EvaluationFailure {
  if (typeof one === 'number' && typeof other === 'number' && Number.isInteger(one) && Number.isInteger(other)) {
    const sum = one + other;
    return Number.isSafeInteger(sum) ? sum : checkedInt(BigInt(one) + BigInt(other));
  }
  if (typeof one === 'string') return typeof other === 'string' ? joinTexts(one, other) : noSuchOverload;
  if (isInt(one)) return isInt(other) ? checkedInt(BigInt(one) + BigInt(other)) : noSuchOverload;
  const left = doubleOf(one);
  if (left !== undefined) return combineDoubles(left, other, (right) => left + right);
  if (one instanceof Uint) return other instanceof Uint ? checkedUint(one.value + other.value) : noSuchOverload;
  if (isList(one)) return isList(other) ? concatenate(one, other) : noSuchOverload;
  if (one instanceof Uint8Array) return other instanceof Uint8Array ? joinBytes(one, other) : noSuchOverload;
  if (one instanceof Timestamp) return other instanceof Duration ? addDuration(one, other.nanos) : noSuchOverload;
  if (one instanceof Duration) {
    if (other instanceof Timestamp) return addDuration(other, one.nanos);
    return other instanceof Duration ? durationOf(one.nanos + other.nanos) : noSuchOverload;
  }
  return unsupported('_+_');
}

/** `-`. */
export function subtract(one: CelValue, other: CelValue): CelValue | EvaluationFailure {
  if (typeof one === 'number' && typeof other === 'number' && Number.isInteger(one) && Number.isInteger(other)) {
    const difference = one - other;
    return Number.isSafeInteger(difference) ? difference : checkedInt(BigInt(one) - BigInt(other));
  }
  if (isInt(one)) return isInt(other) ? checkedInt(BigInt(one) - BigInt(other)) : noSuchOverload;
  const left = doubleOf(one);
  if (left !== undefined) return combineDoubles(left, other, (right) => left - right);
  if (one instanceof Uint) return other instanceof Uint ? checkedUint(one.value - other.value) : noSuchOverload;
  if (one instanceof Timestamp) {
    if (other instanceof Timestamp) return timeDifference(one, other);
    return other instanceof Duration ? addDuration(one, -other.nanos) : noSuchOverload;
  }
  if (one instanceof Duration) return other instanceof Duration ? durationOf(one.nanos - other.nanos) : noSuchOverload;
  return unsupported('_-_');
}

/** `*`. */
export function multiply(one: CelValue, other: CelValue): CelValue | EvaluationFailure {
  if (isInt(one)) {
    if (!isInt(other)) return noSuchOverload;
    if (typeof one === 'number' && typeof other === 'number') {
      const product = one * other;
      // Adding 0 turns -0, which is no int, into 0.
      if (Number.isSafeInteger(product)) return product + 0;
    }
    return checkedInt(BigInt(one) * BigInt(other));
  }
  const left = doubleOf(one);
  if (left !== undefined) return combineDoubles(left, other, (right) => left * right);
  if (one instanceof Uint) return other instanceof Uint ? checkedUint(one.value * other.value) : noSuchOverload;
  return unsupported('_*_');
}

/** `/`. Integer division is towards zero. */
export function divide(one: CelValue, other: CelValue): CelValue | EvaluationFailure {
  if (isInt(one)) {
    if (!isInt(other)) return noSuchOverload;
    if (typeof other === 'number') {
      if (other === 0) return divisionByZero;
      // Without the remainder, the quotient is exact.
      if (typeof one === 'number') return (one - (one % other)) / other + 0;
    }
    return checkedInt(BigInt(one) / BigInt(other));
  }
  const left = doubleOf(one);
  if (left !== undefined) return combineDoubles(left, other, (right) => left / right);
  if (!(one instanceof Uint)) return unsupported('_/_');
  if (!(other instanceof Uint)) return noSuchOverload;
  return other.value === 0n ? divisionByZero : new Uint(one.value / other.value);
}

/** `%`. The result has the sign of the dividend. */
export function modulo(one: CelValue, other: CelValue): CelValue | EvaluationFailure {
  if (isInt(one)) {
    if (!isInt(other)) return noSuchOverload;
    if (other === 0) return modulusByZero;
    if (typeof one === 'number' && typeof other === 'number') return (one % other) + 0;
    // The least int has no negation, so the reference calls this an overflow.
    return one === int64Min && other === -1 ? integerOverflow : int(BigInt(one) % BigInt(other));
  }
  if (!(one instanceof Uint)) return unsupported('_%_');
  if (!(other instanceof Uint)) return noSuchOverload;
  return other.value === 0n ? modulusByZero : new Uint(one.value % other.value);
}

/** `-value`. */
export function negate(value: CelValue): CelValue | EvaluationFailure {
  if (typeof value === 'number' && Number.isInteger(value)) return 0 - value;
  if (typeof value === 'bigint') return checkedInt(-value);
  const number = doubleOf(value);
  if (number !== undefined) return double(-number);
  if (typeof value === 'boolean') return noSuchOverload;
  return value instanceof Duration ? durationOf(-value.nanos) : unsupported('-_');
}

/** Returns the order of two values: below zero, zero, above zero. `operator` is for messages. */
export function compare(one: CelValue, other: CelValue, operator: string): number | EvaluationFailure {
  if (typeof one === 'string') return typeof other === 'string' ? compareText(one, other) : noSuchOverload;
  const left = numericOf(one);
  if (left !== undefined) {
    const right = numericOf(other);
    if (right === undefined) return noSuchOverload;
    const order = compareNumbers(left, right);
    return Number.isNaN(order) ? unordered : order;
  }
  if (typeof one === 'boolean') return typeof other === 'boolean' ? Number(one) - Number(other) : noSuchOverload;
  if (one instanceof Timestamp) {
    if (!(other instanceof Timestamp)) return noSuchOverload;
    return one.seconds - other.seconds || one.nanos - other.nanos;
  }
  if (one instanceof Duration) {
    if (!(other instanceof Duration)) return noSuchOverload;
    return one.nanos < other.nanos ? -1 : Number(one.nanos > other.nanos);
  }
  if (one instanceof Uint8Array) return other instanceof Uint8Array ? compareBytes(one, other) : noSuchOverload;
  return unsupported(operator);
}

const unordered = failedWith('NaN values cannot be ordered');
const divisionByZero = failedWith('division by zero');
const modulusByZero = failedWith('modulus by zero');

/** Names the operator where its left operand is of a type that has none of the kind. */
function unsupported(operator: string): EvaluationFailure {
  return new EvaluationFailure(`no such overload: ${operator}`);
}

function combineDoubles(
  _left: number,
  other: CelValue,
  combine: (right: number) => number,
): CelValue | EvaluationFailure {
  const right = doubleOf(other);
  return right === undefined ? noSuchOverload : double(combine(right));
}

/** Copies short lists. Long ones are only joined, since the cost of `+` does not depend on their length. */
function concatenate(one: AnyList, other: AnyList): CelValue {
  if (one instanceof ListValue && one.concatenate !== undefined) return one.concatenate(other);
  if (other.length === 0) return one;
  if (one.length === 0) return other;
  if (one.length + other.length > copiedMax) return new JoinedList(one, other);
  return [...elementsOf(one), ...elementsOf(other)];
}

const copiedMax = 1000;

/** Two lists one after the other. */
class JoinedList extends ListValue {
  readonly #first: AnyList;
  readonly #second: AnyList;
  readonly length: number;

  constructor(first: AnyList, second: AnyList) {
    super();
    this.#first = first;
    this.#second = second;
    this.length = first.length + second.length;
  }

  at(index: number): CelValue {
    // The depth is that of the expression, so a loop over the list is not quadratic in its length.
    let list: AnyList = index < this.#first.length ? this.#first : this.#second;
    let rest = index < this.#first.length ? index : index - this.#first.length;
    while (list instanceof JoinedList) {
      const { length } = list.#first;
      if (rest < length) list = list.#first;
      else {
        rest -= length;
        list = list.#second;
      }
    }
    return elementAt(list, rest);
  }
}

/** What any budget allows. Where types are dyn, joining costs 1 whatever the length, so it needs a limit. */
const joinedMax = 100_000_000;
const tooLarge = failedWith('string too large');

function joinTexts(one: string, other: string): string | EvaluationFailure {
  return one.length + other.length > joinedMax ? tooLarge : one + other;
}

function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array | EvaluationFailure {
  if (one.length + other.length > joinedMax) return tooLarge;
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

/** Compares by code points; UTF-16 order differs where one text has a surrogate pair. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a === b) continue;
    const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
    return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return one.length - other.length;
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const difference = (one[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
