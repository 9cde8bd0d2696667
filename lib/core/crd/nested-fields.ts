// Fields of unstructured objects by a path of names, for the scale subresource. Messages are those of
// apimachinery/pkg/apis/meta/v1/unstructured/helpers.go.
import { isJsonObject, setOwn } from '../objects/json.js';
import { formatGo, goType } from '../go/json-value.js';
import type { JsonValue } from '../objects/json.js';

/** A value, its absence, or why the path leads nowhere. */
export type Nested<T> = { readonly value: T | undefined } | { readonly error: string };

/** `.spec.replicas` as names. */
export function fieldNames(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

/** Reads a whole number. */
export function nestedInteger(object: unknown, path: string): Nested<number> {
  return typed(object, path, 'int64', (value): value is number => typeof value === 'number' && Number.isInteger(value));
}

/** Reads a text. */
export function nestedText(object: unknown, path: string): Nested<string> {
  return typed(object, path, 'string', (value): value is string => typeof value === 'string');
}

/** Sets a field in place, with the objects on the way to it. Returns why that cannot be done. */
export function setNested(object: Record<string, unknown>, path: string, value: unknown): string | undefined {
  const names = fieldNames(path);
  let inner = object;
  for (const [index, name] of names.slice(0, -1).entries()) {
    const next = Object.hasOwn(inner, name) ? inner[name] : undefined;
    if (next !== undefined && !isJsonObject(next))
      return `value cannot be set because .${names.slice(0, index + 1).join('.')} is not a map[string]interface{}`;
    const copy: Record<string, unknown> = { ...next };
    setOwn(inner, name, copy);
    inner = copy;
  }
  setOwn(inner, names.at(-1) ?? '', value);
  return undefined;
}

function typed<T>(object: unknown, path: string, type: string, is: (value: unknown) => value is T): Nested<T> {
  const names = fieldNames(path);
  let value = object as JsonValue;
  for (const [index, name] of names.entries()) {
    // Null has no members, and no error.
    if (value === null) return { value: undefined };
    if (!isJsonObject(value)) return { error: accessorError(names.slice(0, index), value, 'map[string]interface{}') };
    if (!Object.hasOwn(value, name)) return { value: undefined };
    value = value[name] ?? null;
  }
  return is(value) ? { value } : { error: accessorError(names, value, type) };
}

function accessorError(names: readonly string[], value: JsonValue, expected: string): string {
  const type = value === null ? '<nil>' : goType(value);
  return `.${names.join('.')} accessor error: ${formatGo(value)} is of the type ${type}, expected ${expected}`;
}
