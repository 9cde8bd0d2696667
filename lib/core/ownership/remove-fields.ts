// Removes fields from an object, completes sets with the declared fields on the way, and adapts sets to schemas that
// changed since they were written. As structured-merge-diff/v6/typed/{remove,reconcile_schema}.go and fieldpath/set.go,
// EnsureNamedFieldsAreMembers.
import type { JsonValue } from '../objects/json.js';
import { isJsonObject, setOwn } from '../objects/json.js';
import type { ApplyType } from './apply-type.js';
import { memberTypeOf, shapeOf } from './apply-type.js';
import type { DraftSet, FieldSet } from './field-set.js';
import { emptySet, isEmptySet, isMemberNode, setNodeOf } from './field-set.js';
import { itemElement } from './list-items.js';
import { fieldElement } from './path-element.js';

/**
 * Returns the value without the fields of the set; the value itself where it has none of them. Undefined where nothing
 * is left: a leaf, or a map or list all of whose members were removed.
 */
export function removeFields(value: JsonValue, set: FieldSet, type: ApplyType): JsonValue | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return value;
  if (shape === 'map' && type.map !== undefined) {
    if (!isJsonObject(value) || type.map.isAtomic) return undefined;
    const { map } = type;
    const kept: Record<string, JsonValue> = {};
    let count = 0;
    let isPartial = false;
    for (const name of Object.keys(value)) {
      const node = setNodeOf(set, map.fields[name]?.element ?? fieldElement(name));
      const member = value[name] ?? null;
      if (node !== undefined && isMemberNode(node)) continue;
      count++;
      if (node === undefined) setOwn(kept, name, member);
      else {
        isPartial = true;
        setOwn(kept, name, removeWithin(member, node, memberTypeOf(map, name)));
      }
    }
    return count > 0 || isPartial ? kept : undefined;
  }
  if (!Array.isArray(value) || type.list === undefined || type.list.relation === 'atomic') return undefined;
  return removeItems(value as readonly JsonValue[], set, type);
}

function removeItems(items: readonly JsonValue[], set: FieldSet, { list }: ApplyType): JsonValue | undefined {
  if (list === undefined) return undefined;
  const kept: JsonValue[] = [];
  for (const item of items) {
    const node = setNodeOf(set, itemElement(list, item));
    if (node === undefined) kept.push(item);
    else if (!isMemberNode(node)) kept.push(removeWithin(item, node, list.items));
  }
  return kept.length > 0 ? kept : undefined;
}

/** Removes fields below a value that stays itself, as an empty container where need be. */
function removeWithin(value: JsonValue, node: FieldSet, type: ApplyType): JsonValue {
  const kept = removeFields(value, node, type);
  if (kept !== undefined) return kept;
  return isJsonObject(value) ? {} : Array.isArray(value) ? [] : null;
}

/**
 * Returns the set with all declared fields on the way to its members: the set `a.b.c` then has `a` if it is a declared
 * field, but not `a.b` if `a` is a map.
 */
export function withNamedFields(set: FieldSet, type: ApplyType | undefined): FieldSet {
  let out: DraftSet | undefined;
  for (const element in set) {
    const node = set[element] ?? emptySet;
    if (element === '.' || isEmptySet(node)) continue;
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const field = name === undefined ? undefined : type?.map?.fields[name];
    const below =
      name !== undefined
        ? (field?.type ?? type?.map?.values)
        : element.startsWith('k:')
          ? type?.list?.items
          : undefined;
    const named = withNamedFields(node, below);
    const next = field === undefined || isMemberNode(node) ? named : Object.freeze({ '.': emptySet, ...named });
    if (next !== node) (out ??= { ...set })[element] = next;
  }
  return out === undefined ? set : Object.freeze(out);
}

/**
 * Returns the set as the type names its fields; the set itself where nothing changed. A structure or list that became
 * atomic is owned as a whole by every manager that owned a part of it.
 */
export function reconcileFields(set: FieldSet, type: ApplyType): FieldSet {
  let out: DraftSet | undefined;
  for (const element in set) {
    const node = set[element] ?? emptySet;
    if (element === '.' || isEmptySet(node)) continue;
    const below = typeBelow(element, type);
    if (below === undefined) continue;
    const next = isAtomic(below) ? emptySet : reconcileFields(node, below);
    if (next !== node) (out ??= { ...set })[element] = next;
  }
  return out === undefined ? set : Object.freeze(out);
}

/** The type of the values that an element names; undefined for fields that the schema does not declare. */
function typeBelow(element: string, { map, list }: ApplyType): ApplyType | undefined {
  if (map === undefined) return list?.items;
  return map.fields[element.slice(2)]?.type ?? map.values;
}

function isAtomic({ map, scalar, list }: ApplyType): boolean {
  return map !== undefined ? map.isAtomic : scalar === undefined && list?.relation === 'atomic';
}
