// Lists: arrays, and lists whose elements are converted when they are read. Also the sizes of all values that have one.
import type { CelValue } from '../cel-value.js';
import { ListValue } from '../cel-value.js';
import { isMap, mapSize } from './maps.js';

/** A list of either kind. */
export type AnyList = readonly CelValue[] | ListValue;

/** Returns whether a value is a list. */
export function isList(value: CelValue): value is AnyList {
  return Array.isArray(value) || value instanceof ListValue;
}

/** Returns the number of elements. */
export function listLength(list: AnyList): number {
  return list.length;
}

/** Returns an element. The index is in range. */
export function elementAt(list: AnyList, index: number): CelValue {
  return list instanceof ListValue ? list.at(index) : (list[index] as CelValue);
}

/** Returns the elements as an array. */
export function elementsOf(list: AnyList): readonly CelValue[] {
  if (!(list instanceof ListValue)) return list;
  return Array.from({ length: list.length }, (_, i) => list.at(i));
}

/** Returns the number of code points of a text. */
export function codePointLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const surrogate = /[\ud800-\udbff]/;

/** Returns the size of a string, bytes, list or map; undefined for values without one. */
export function sizeOf(value: CelValue): number | undefined {
  if (typeof value === 'string') return codePointLength(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) return value.length;
  if (value instanceof Uint8Array) return value.length;
  return isMap(value) ? mapSize(value) : undefined;
}
