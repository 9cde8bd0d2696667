// Merges a configuration into an object without owners: the merge of server-side apply, as mutating admission policies
// use it. It removes nothing, so values that are owned as a whole, whose fields could not be kept, must not be set.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import type { ApplyType } from './apply-type.js';
import { memberTypeOf, shapeOf } from './apply-type.js';
import { checkFields } from './check-fields.js';
import { itemElement } from './list-items.js';
import { mergeFields } from './merge-fields.js';
import { fieldElement, printElement } from './path-element.js';

/** A configuration that sets values which are owned as a whole. */
export class AtomicFieldError extends Error {
  override readonly name = 'AtomicFieldError';

  constructor(paths: readonly string[]) {
    super(`may not mutate atomic arrays, maps or structs: ${paths.join(', ')}`);
  }
}

/**
 * Returns the object with the configuration merged into it: the same reference where nothing changes. Throws
 * FieldTypeError where the configuration does not have the type, AtomicFieldError and ItemKeyError.
 */
export function mergeConfiguration(object: JsonObject, config: JsonObject, type: ApplyType): JsonObject {
  checkFields(config, type);
  const atomic: string[] = [];
  collectAtomic(config, type, '', atomic);
  if (atomic.length > 0) throw new AtomicFieldError(atomic.slice(0, pathsMax));
  return mergeFields(object, config, type) as JsonObject;
}

/** Paths that the error names; Kubernetes has no such limit. */
const pathsMax = 100;

function collectAtomic(value: JsonValue, type: ApplyType, path: string, found: string[]): void {
  if (value === null) return;
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined && isJsonObject(value)) {
    if (type.map.isAtomic) found.push(path);
    else
      for (const [name, member] of Object.entries(value))
        collectAtomic(member ?? null, memberTypeOf(type.map, name), path + printElement(fieldElement(name)), found);
  } else if (shape === 'list' && type.list !== undefined && Array.isArray(value)) {
    if (type.list.relation === 'atomic') found.push(path);
    else
      for (const item of value as readonly JsonValue[])
        collectAtomic(item, type.list.items, path + printElement(itemElement(type.list, item)), found);
  }
}
