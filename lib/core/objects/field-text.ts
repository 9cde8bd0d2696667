// Fields by path, as printer columns and selectable fields name them: `.spec.color`, `.status.conditions[0].type`. The
// part of JSONPath that CustomResourceDefinitions use most; what is beyond it is refused when the kind is defined.
import type { JsonValue } from './json.js';
import { isJsonObject } from './json.js';
import type { ApiObject, Frozen } from './meta.js';

/** Reads a value; undefined where the object has none. */
export type ValueReader = (object: Frozen<ApiObject>) => JsonValue | undefined;

/** A reader of the value at a path. Throws Error for a path that is not one. */
export function valueReader(path: string): ValueReader {
  if (!pathForm.test(path)) throw new Error(`not a simple path to a field: ${path}`);
  const steps = [...path.matchAll(stepForm)].map(([, name, index]) => name ?? Number(index));
  return (object) =>
    steps.reduce<JsonValue | undefined>((value, step) => {
      if (typeof step === 'number') return Array.isArray(value) ? (value[step] as JsonValue | undefined) : undefined;
      return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }, object);
}

/** A reader of the same as text, the empty text where there is none: for selectors. */
export function fieldReader(path: string): (object: Frozen<ApiObject>) => string {
  const read = valueReader(path);
  return (object) => {
    const value = read(object) ?? '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
}

const pathForm = /^(?:\.[A-Za-z_][\w-]*|\[\d{1,9}\])+$/;
const stepForm = /\.([A-Za-z_][\w-]*)|\[(\d{1,9})\]/g;
