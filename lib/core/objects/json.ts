// JSON as TypeScript sees it. Untrusted documents enter the engine as `JsonValue` and leave the schema walker as
// objects of a known type.

/** Any JSON value. Read-only: documents are values, changed by copying. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets an own property whatever its name: a plain assignment to `__proto__` would change the prototype instead,
 * and a ConfigMap may well have a key of that name.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
