// Defaults of a JSON Schema: filled in where a property is absent, at every level that the object has.
import { deepCopy } from '../objects/freeze.js';
import type { JsonValue } from '../objects/json.js';
import { isJsonObject, setOwn } from '../objects/json.js';

/** Fills in defaults, in place. The value is the caller's own. Running twice changes nothing more. */
export function applySchemaDefaults(schema: JsonValue | undefined, value: unknown): void {
  if (!isJsonObject(schema)) return;
  if (Array.isArray(value)) {
    for (const item of value) applySchemaDefaults(schema.items, item);
    return;
  }
  if (!isJsonObject(value)) return;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  for (const [name, property] of Object.entries(properties)) {
    const absent = isJsonObject(property) && property.default !== undefined && !Object.hasOwn(value, name);
    if (absent) setOwn(value, name, deepCopy(property.default));
    applySchemaDefaults(property, value[name]);
  }
  for (const [name, each] of Object.entries(value))
    if (!Object.hasOwn(properties, name)) applySchemaDefaults(schema.additionalProperties, each);
}
