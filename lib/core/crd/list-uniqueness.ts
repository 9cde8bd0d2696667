// Lists whose items must differ: `set` lists as a whole, `map` lists in their keys. As
// apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
import { collect } from '../errors/collect.js';
import { fieldDuplicate, fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { sortedJson } from '../go/struct-form.js';
import { isJsonObject } from '../objects/json.js';
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import { itemSchema, someSchema, valueSchema } from '../kinds/apiextensions/schema-walk.js';

/** Returns whether a schema has lists whose items must differ. Values of others need no check. */
export function hasUniqueLists(schema: Schema): boolean {
  return someSchema(schema, ({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map');
}

/** Validates the lists of a value. Of items that are equal, the second is reported. */
export function validateUniqueItems(schema: Schema | undefined, value: unknown, path: FieldPath): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    return [
      ...validateItems(schema, value, path),
      ...(items === undefined
        ? []
        : collect(value, (item, index) => validateUniqueItems(items, item, path.index(index)))),
    ];
  }
  if (!isJsonObject(value)) return [];
  const { properties = {} } = schema;
  const values = valueSchema(schema);
  return collect(Object.entries(value), ([key, member]) => [
    ...(values === undefined ? [] : validateUniqueItems(values, member, path.key(key))),
    ...(Object.hasOwn(properties, key) ? validateUniqueItems(properties[key], member, path.child(key)) : []),
  ]);
}

function validateItems(schema: Schema, items: readonly unknown[], path: FieldPath): readonly FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(items).map((index) => fieldDuplicate(path.index(index), sortedJson(items[index])));
    case 'map':
      return validateKeys(schema['x-kubernetes-list-map-keys'] ?? [], items, path);
    default:
      return [];
  }
}

function validateKeys(names: readonly string[], items: readonly unknown[], path: FieldPath): readonly FieldError[] {
  const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    const rule = 'must be an object for an array of list-type map';
    return [fieldInvalid(path.index(wrong), sortedJson(items[wrong]), rule)];
  }
  const keys = items.map((item) =>
    Object.fromEntries(
      isJsonObject(item) ? names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]) : [],
    ),
  );
  return repeated(keys).map((index) => fieldDuplicate(path.index(index), sortedJson(keys[index])));
}

/** The index of the second of each group of equal items. */
function repeated(items: readonly unknown[]): readonly number[] {
  if (items.length < 2) return [];
  const times = new Map<string, number>();
  return items.flatMap((item, index) => {
    const text = JSON.stringify(sortedJson(item));
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}
