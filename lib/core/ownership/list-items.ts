// Items of lists whose items have owners: the path element that names an item, and items by element. As
// structured-merge-diff/v6/typed/helpers.go.
import { quoteEach } from '../go/format.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import type { ApplyList } from './apply-type.js';
import { keyElement, valueElement } from './path-element.js';

/** An item that no path element can name. */
export class ItemKeyError extends Error {
  override readonly name = 'ItemKeyError';
}

/** Returns the path element of an item. Throws ItemKeyError. */
export function itemElement(list: ApplyList, item: JsonValue): string {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ApplyList, item: JsonValue): string {
  if (item === null) throw new ItemKeyError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new ItemKeyError('associative list with keys may not have non-map elements');
  const { keys } = list;
  if (keys.length === 1) {
    const [name = ''] = keys;
    const value = keyOf(list, item, name);
    if (value !== undefined) return keyElement([[name, value]]);
  } else {
    const fields: (readonly [string, JsonValue])[] = [];
    for (const name of keys) {
      const value = keyOf(list, item, name);
      // An item without the key is another item than one with it.
      if (value !== undefined) fields.push([name, value]);
    }
    if (fields.length > 0) return keyElement(fields);
  }
  throw new ItemKeyError(
    `associative list with keys has an element that omits all key fields ${quoteEach(keys)} (and doesn't have default values for any key fields)`,
  );
}

function keyOf(list: ApplyList, item: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(item, name)) return item[name];
  return list.items.map?.fields[name]?.default;
}

function setElement(item: JsonValue): string {
  if (item === null) throw new ItemKeyError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemKeyError('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new ItemKeyError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Returns items by element, in order. Only live objects, which older servers wrote, hold duplicates. */
export function itemsByElement(
  list: ApplyList,
  items: readonly JsonValue[],
): ReadonlyMap<string, readonly [JsonValue, ...JsonValue[]]> {
  const found = new Map<string, [JsonValue, ...JsonValue[]]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
