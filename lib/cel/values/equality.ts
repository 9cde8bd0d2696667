// Equality of values. Values of different types are unequal, except numbers, which are compared by their value. NaN is
// unequal to everything. Time is linear in the smaller value; nesting is bounded by that of JSON and of expressions.
import type { CelValue } from '../cel-value.js';
import { Duration, FieldsValue, ListValue, OpaqueValue, OptionalValue, Timestamp, TypeValue } from '../cel-value.js';
import { typeName } from '../check/type-names.js';
import { elementAt, isList, listLength } from './lists.js';
import { isMap, mapGet, mapKeys, mapSize } from './maps.js';
import { equalNumbers, numericOf } from './numbers.js';

/** Returns whether two values are equal. */
export function equalValues(one: CelValue, other: CelValue): boolean {
  if (typeof one !== 'object' || one === null) {
    if (one === other) return true;
    if (typeof one !== 'number' && typeof one !== 'bigint') return false;
  }
  const number = numericOf(one);
  if (number !== undefined) {
    const otherNumber = numericOf(other);
    return otherNumber !== undefined && equalNumbers(number, otherNumber);
  }
  if (typeof other !== 'object' || other === null || typeof one !== 'object') return false;
  return equalObjects(one, other);
}

type ObjectValue = Exclude<CelValue, null | boolean | string | number | bigint>;

function equalObjects(one: ObjectValue, other: ObjectValue): boolean {
  if (one instanceof OpaqueValue || one instanceof FieldsValue) return one.equals(other);
  if (other instanceof FieldsValue) return other.equals(one);
  if (isList(one)) return isList(other) && equalLists(one, other);
  if (one instanceof Timestamp)
    return other instanceof Timestamp && one.seconds === other.seconds && one.nanos === other.nanos;
  if (one instanceof Duration) return other instanceof Duration && one.nanos === other.nanos;
  if (one instanceof Uint8Array) return other instanceof Uint8Array && equalBytes(one, other);
  if (one instanceof TypeValue) return other instanceof TypeValue && typeName(one.type) === typeName(other.type);
  if (one instanceof OptionalValue) return other instanceof OptionalValue && equalOptionals(one, other);
  if (!isMap(one) || !isMap(other)) return false;
  if (mapSize(one) !== mapSize(other)) return false;
  return mapKeys(one).every((key) => {
    const left = mapGet(one, key);
    const right = mapGet(other, key);
    return left !== undefined && right !== undefined && equalValues(left, right);
  });
}

function equalLists(one: readonly CelValue[] | ListValue, other: readonly CelValue[] | ListValue): boolean {
  if (one instanceof ListValue && one.equals !== undefined) return one.equals(other);
  if (other instanceof ListValue && other.equals !== undefined) return other.equals(one);
  const length = listLength(one);
  if (length !== listLength(other)) return false;
  for (let i = 0; i < length; i++) if (!equalValues(elementAt(one, i), elementAt(other, i))) return false;
  return true;
}

function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

function equalOptionals(one: OptionalValue, other: OptionalValue): boolean {
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return equalValues(one.value, other.value);
}
