// Maps: JSON objects, whose keys are strings, and maps with keys of any type. Only own properties of JSON objects are
// entries: `__proto__` and `constructor` are keys as any other.
import type { CelValue } from '../cel-value.js';
import { FieldsValue, ListValue, MapValue } from '../cel-value.js';
import { Double, Duration, OpaqueValue, OptionalValue, Timestamp, TypeValue, Uint } from '../cel-value.js';

/** A JSON object as a map. */
export type JsonMap = Readonly<Record<string, CelValue>>;

/** Returns whether a value is a JSON object: none of the classes of values. */
export function isJsonMap(value: CelValue): value is JsonMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return !(
    Array.isArray(value) ||
    value instanceof Uint8Array ||
    value instanceof Double ||
    value instanceof Uint ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof TypeValue ||
    value instanceof OptionalValue ||
    value instanceof OpaqueValue ||
    value instanceof ListValue ||
    value instanceof MapValue ||
    value instanceof FieldsValue
  );
}

/** Returns whether a value is a map of any kind. */
export function isMap(value: CelValue): value is JsonMap | MapValue {
  return value instanceof MapValue || isJsonMap(value);
}

/** Returns the number of entries. */
export function mapSize(map: JsonMap | MapValue): number {
  return map instanceof MapValue ? map.size : Object.keys(map).length;
}

/** Returns the value of a key; undefined where there is none. */
export function mapGet(map: JsonMap | MapValue, key: CelValue): CelValue | undefined {
  if (map instanceof MapValue) return map.get(key);
  return typeof key === 'string' && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Returns the keys in the order of insertion. */
export function mapKeys(map: JsonMap | MapValue): readonly CelValue[] {
  return map instanceof MapValue ? [...map.keys()] : Object.keys(map);
}
