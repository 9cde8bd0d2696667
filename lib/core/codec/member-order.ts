// The order in which JSON members are printed: those of a structure as its Go type declares them, those of a map by
// name. Objects keep the order in which their members were set, so they are brought into order before they are encoded.
// What is in order already is returned as it is, without a copy: nearly every stored object is encoded once per
// revision, and a walk costs a fraction of the encoding.
//
// Names that look like array indexes come first in every JavaScript object, in numeric order; Go sorts them as text.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject, setOwn } from '../objects/json.js';
import type { Shape, StructType } from '../schema/type.js';

/** Returns the object with the members of structures in the order of the schema and those of maps sorted. */
export function inSchemaOrder(type: StructType, object: JsonObject): JsonObject {
  const { named, positions } = type;
  let last = -1;
  let isOrdered = true;
  let replaced: Record<string, JsonValue> | undefined;
  for (const name in object) {
    // Members without a field are printed last.
    const position = positions[name] ?? Infinity;
    if (position < last) isOrdered = false;
    last = position;
    const member = object[name];
    const shape = named[name]?.shape;
    if (shape === undefined || typeof member !== 'object' || member === null) continue;
    const ordered = inShapeOrder(shape, member);
    if (ordered !== member) setOwn((replaced ??= {}), name, ordered);
  }
  if (isOrdered) return replaced === undefined ? object : { ...object, ...replaced };
  const names = Object.keys(object).sort((one, other) => (positions[one] ?? Infinity) - (positions[other] ?? Infinity));
  return withNames(names, object, replaced);
}

/** Returns the object with all members sorted by name, at every depth: the order of objects without a Go type. */
export function inNameOrder(object: JsonObject): JsonObject {
  return orderMap(object, valueInNameOrder);
}

function valueInNameOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return orderItems(value, valueInNameOrder);
  return isJsonObject(value) ? inNameOrder(value) : value;
}

function inShapeOrder(shape: Shape, value: JsonValue): JsonValue {
  switch (shape.kind) {
    case 'struct':
      return isJsonObject(value) ? inSchemaOrder(shape, value) : value;
    case 'list': {
      const { items } = shape;
      return Array.isArray(value) && isComposite(items)
        ? orderItems(value, (item) => inShapeOrder(items, item))
        : value;
    }
    case 'map': {
      const { values } = shape;
      if (!isJsonObject(value)) return value;
      return orderMap(value, isComposite(values) ? (member) => inShapeOrder(values, member) : undefined);
    }
    case 'union': {
      const kind = Array.isArray(value) ? 'list' : 'struct';
      const option = shape.options.find((each) => each.shape.kind === kind);
      return option === undefined ? value : inShapeOrder(option.shape, value);
    }
    default:
      return value;
  }
}

function isComposite({ kind }: Shape): boolean {
  return kind === 'struct' || kind === 'list' || kind === 'map' || kind === 'union';
}

function orderItems(list: readonly JsonValue[], order: (item: JsonValue) => JsonValue): readonly JsonValue[] {
  let replaced: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const ordered = order(item);
    if (ordered === item) continue;
    replaced ??= [...list];
    replaced[index] = ordered;
  }
  return replaced ?? list;
}

function orderMap(map: JsonObject, order: ((member: JsonValue) => JsonValue) | undefined): JsonObject {
  let last = '';
  let isOrdered = true;
  let replaced: Record<string, JsonValue> | undefined;
  for (const name in map) {
    if (name < last) isOrdered = false;
    last = name;
    const member = map[name];
    if (order === undefined || typeof member !== 'object' || member === null) continue;
    const ordered = order(member);
    if (ordered !== member) setOwn((replaced ??= {}), name, ordered);
  }
  if (isOrdered) return replaced === undefined ? map : { ...map, ...replaced };
  return withNames(Object.keys(map).sort(), map, replaced);
}

function withNames(
  names: readonly string[],
  object: JsonObject,
  replaced: Readonly<Record<string, JsonValue>> | undefined,
): JsonObject {
  const ordered: Record<string, JsonValue> = {};
  for (const name of names)
    setOwn(ordered, name, replaced !== undefined && Object.hasOwn(replaced, name) ? replaced[name] : object[name]);
  return ordered;
}
