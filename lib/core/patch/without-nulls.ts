// Dropping nulls from a value that a patch brings to a place where nothing was: there is nothing for them to delete.
import { isJsonObject } from '../objects/json.js';
import type { JsonValue } from '../objects/json.js';
import { MapDraft } from './map-draft.js';

/** The value without the null members of its objects, itself if it has none. Null elements of lists stay. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) return unlessSame(value, value.map(withoutNulls));
  const draft = new MapDraft(value);
  for (const key in value) {
    const member = value[key];
    if (member === null) draft.delete(key);
    else if (member !== undefined) draft.set(key, withoutNulls(member));
  }
  return draft.finish();
}

/** The second list, or the first when the elements are the same. */
export function unlessSame(list: readonly JsonValue[], other: readonly JsonValue[]): readonly JsonValue[] {
  return list.length === other.length && other.every((value, index) => value === list[index]) ? list : other;
}
