// Values of CEL. JSON is used as it is, without conversion:
//
//   null, booleans, strings      themselves (a string's positions count code points)
//   numbers with an integer value   int                              numbers without one (also NaN, Infinity)   double
//   arrays                       list                                objects                                    map
//
// What JSON does not have is a class below, or a native type: `bigint` is an int outside of ±(2^53 - 1), `Double` is
// a double with an integer value, `Uint8Array` is bytes. Each value has one form: `int()` and `double()` make it.
// Evaluation never mutates a value.
import type { CelType } from './cel-type.js';

/** A value of CEL. */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Double
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | ListValue
  | MapValue
  | FieldsValue
  | readonly CelValue[]
  | { readonly [key: string]: CelValue };

/** A double whose value is an integer, to tell it from an int. */
export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** An unsigned integer below 2^64. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time: whole seconds since 1970 and 0 to 999,999,999 nanoseconds. */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

/** A duration in nanoseconds, in the range of int64. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value: `type(1)`, `int`. */
export class TypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** An optional value: `optional.of(x)` or `optional.none()`. */
export class OptionalValue {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A value of a type that a library defines. Subclasses hold the content. */
export abstract class OpaqueValue {
  abstract readonly type: CelType;
  /** Returns the result of CEL's `==`. */
  abstract equals(other: CelValue): boolean;
}

/** A list that is not an array: its elements are converted when they are read. */
export abstract class ListValue {
  abstract readonly length: number;
  /** Returns the element at an index from 0 to the size less one. */
  abstract at(index: number): CelValue;
  /** Compares where the list has an equality of its own, such as that of a set; undefined for the usual one. */
  equals?(other: CelValue): boolean;
  /** Concatenates where the list has a rule of its own. */
  concatenate?(other: CelValue): CelValue;
}

/** A map that is not a JSON object: with keys of other types than string, or values converted when they are read. */
export abstract class MapValue {
  abstract readonly size: number;
  /** Returns whether the map has a key that equals this one. */
  abstract has(key: CelValue): boolean;
  /** Returns the value of a key, undefined where the map does not have it. */
  abstract get(key: CelValue): CelValue | undefined;
  /** Returns the keys in the order in which macros visit them. */
  abstract keys(): Iterable<CelValue>;
}

/** A value of an object type whose fields are converted, or computed, when they are read. */
export abstract class FieldsValue {
  abstract readonly type: CelType;
  /** Returns whether `has(value.name)` holds. */
  abstract has(name: string): boolean;
  /** Returns the field, or undefined where it is absent. */
  abstract get(name: string): CelValue | undefined;
  /** Returns the result of CEL's `==`. */
  abstract equals(other: CelValue): boolean;
}

/** Returns an optional with a value, or without one. */
export const optionalOf = (value: CelValue | undefined): OptionalValue => new OptionalValue(value);

/** Returns the int of a bigint: a number where it is safe. The caller has checked the range of int64. */
export function int(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** Returns the double of a number. */
export function double(value: number): number | Double {
  return Number.isInteger(value) ? new Double(value) : value;
}
