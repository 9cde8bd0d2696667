// Fields by path, as printer columns and selectable fields name them: `.spec.color`, `.status.conditions[0].type`.
import { jsonPath } from './json-path.js';
import type { JsonValue } from './json.js';
import type { ApiObject, Frozen } from './meta.js';

/** Reads a value; undefined where the object has none. */
export type ValueReader = (object: Frozen<ApiObject>) => JsonValue | undefined;

/** A reader of the first value at a path. Throws Error for a path that is not one. */
export function valueReader(path: string): ValueReader {
  const find = jsonPath(path);
  return (object) => find(object)[0];
}

/**
 * A reader of the value at a path as text, the empty text where there is none: for selectors. Throws Error for a path
 * that may have several values.
 */
export function fieldReader(path: string): (object: Frozen<ApiObject>) => string {
  if (!simplePath.test(path)) throw new Error(`not a simple path to a field: ${path}`);
  const read = valueReader(path);
  return (object) => {
    const value = read(object) ?? '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
}

const simplePath = /^(?:\.(?:\\.|[^\\\s.,[\]$@{}*])+|\[\d{1,9}\])+$/;
