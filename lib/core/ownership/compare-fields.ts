// Compares two versions of an object by their type: which fields were set or changed, and which were removed. As
// structured-merge-diff/v6/typed/compare.go; added and modified fields are one set here, since every use joins them.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { deepEqual, isJsonObject } from '../objects/json.js';
import type { ApplyList, ApplyMap, ApplyShape, ApplyType } from './apply-type.js';
import { memberTypeOf, shapeOf } from './apply-type.js';
import type { DraftSet, FieldSet } from './field-set.js';
import { addMember, canonicalSet, draftBelow, emptySet } from './field-set.js';
import { itemsByElement } from './list-items.js';
import { fieldElement } from './path-element.js';

/** The fields in which an object differs from another. */
export interface FieldChanges {
  /** Fields that the new object added or set to another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Which of the two objects are complete: in those, a field that Go prints as null is null where it is absent. A
 * configuration is not complete, nor is what it was merged into.
 */
export type CompleteObjects = 'both' | 'old' | 'none';

/** Returns the changes from one object to another of the same type. Throws ItemKeyError. */
export function compareFields(
  old: JsonValue,
  next: JsonValue,
  type: ApplyType,
  complete: CompleteObjects,
): FieldChanges {
  if (old === next) return noChanges;
  const root: Place = { parent: undefined, element: '', changed: {}, removed: {}, complete };
  visit(shapeOf(type, next), old, next, type, root);
  return { changed: canonicalSet(root.changed ?? {}), removed: canonicalSet(root.removed ?? {}) };
}

/** No change. */
export const noChanges: FieldChanges = Object.freeze({ changed: emptySet, removed: emptySet });

type Value = JsonValue | undefined;

/** A container on the way. Drafts are made when the first change below it is found. */
interface Place {
  readonly parent: Place | undefined;
  readonly element: string;
  changed: DraftSet | undefined;
  removed: DraftSet | undefined;
  readonly complete: CompleteObjects;
}

function changedBelow(place: Place): DraftSet {
  if (place.changed !== undefined || place.parent === undefined) return (place.changed ??= {});
  return (place.changed = draftBelow(changedBelow(place.parent), place.element));
}

function removedBelow(place: Place): DraftSet {
  if (place.removed !== undefined || place.parent === undefined) return (place.removed ??= {});
  return (place.removed = draftBelow(removedBelow(place.parent), place.element));
}

function addChanged({ parent, element }: Place): void {
  if (parent !== undefined) addMember(changedBelow(parent), element);
}

function addRemoved({ parent, element }: Place): void {
  if (parent !== undefined) addMember(removedBelow(parent), element);
}

/** Compares a member or item; one of the two may be undefined. */
function compareAt(old: Value, next: Value, type: ApplyType, parent: Place, element: string): void {
  if (old === next) return;
  const place: Place = { parent, element, changed: undefined, removed: undefined, complete: parent.complete };
  let isLeaf: boolean;
  if (next === undefined) isLeaf = visit(shapeOf(type, old), old, next, type, place);
  else {
    const shape = shapeOf(type, next);
    const oldShape = old === undefined ? shape : shapeOf(type, old);
    // The shape changed: what was below the old value is removed.
    if (oldShape !== shape) visit(oldShape, old, next, type, place);
    isLeaf = visit(shape, old, next, type, place);
  }
  if (isLeaf) return;
  if (old === undefined) addChanged(place);
  else if (next === undefined) addRemoved(place);
}

/** Returns whether the value is a leaf, which is then compared as a whole. */
function visit(shape: ApplyShape, old: Value, next: Value, type: ApplyType, place: Place): boolean {
  if (shape === 'map' && type.map !== undefined) {
    const before = isJsonObject(old) ? old : undefined;
    const after = isJsonObject(next) ? next : undefined;
    if (!type.map.isAtomic && (hasMembers(before) || hasMembers(after))) {
      compareMembers(before, after, type.map, place);
      return false;
    }
  } else if (shape === 'list' && type.list !== undefined) {
    const before = asList(old);
    const after = asList(next);
    if (type.list.relation !== 'atomic' && (before.length > 0 || after.length > 0)) {
      compareItems(before, after, type.list, place);
      return false;
    }
  }
  if (old === undefined) addChanged(place);
  else if (next === undefined) addRemoved(place);
  else if (!deepEqual(old, next)) addChanged(place);
  return true;
}

function hasMembers(object: JsonObject | undefined): boolean {
  for (const _ in object) return true;
  return false;
}

function asList(value: Value): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function compareMembers(old: JsonObject | undefined, next: JsonObject | undefined, map: ApplyMap, place: Place): void {
  for (const name in old) {
    const field = map.fields[name];
    let after = next === undefined ? undefined : memberOf(next, name);
    if (after === undefined && field?.isNullable === true && place.complete === 'both' && next !== undefined)
      after = null;
    if (field === undefined) compareAt(old[name], after, memberTypeOf(map, name), place, fieldElement(name));
    else compareAt(old[name], after, field.type, place, field.element);
  }
  for (const name in next) {
    if (old !== undefined && memberOf(old, name) !== undefined) continue;
    const field = map.fields[name];
    if (field === undefined) compareAt(undefined, next[name], memberTypeOf(map, name), place, fieldElement(name));
    else {
      const isNull = field.isNullable && place.complete !== 'none' && old !== undefined;
      compareAt(isNull ? null : undefined, next[name], field.type, place, field.element);
    }
  }
  // A structure that is new, or gone, has its null members too.
  if (map.nullFields === undefined) return;
  if (next === undefined ? place.complete !== 'none' : old === undefined && place.complete === 'both')
    compareNulls(old, next, map, place);
}

function compareNulls(old: JsonObject | undefined, next: JsonObject | undefined, map: ApplyMap, place: Place): void {
  for (const name of map.nullFields ?? []) {
    const field = map.fields[name];
    if (field === undefined || Object.hasOwn(old ?? next ?? {}, name)) continue;
    addMember(old === undefined ? changedBelow(place) : removedBelow(place), field.element);
  }
}

/** Own members only: a map may have keys such as `constructor`. */
function memberOf(object: JsonObject, name: string): Value {
  const value = object[name];
  return value !== undefined && (typeof value === 'function' || name === '__proto__') && !Object.hasOwn(object, name)
    ? undefined
    : value;
}

function compareItems(old: readonly JsonValue[], next: readonly JsonValue[], list: ApplyList, place: Place): void {
  // Naming items costs more than comparing them, and most lists do not change.
  if (old.length === next.length && deepEqual(old, next)) return;
  const before = itemsByElement(list, old);
  const after = itemsByElement(list, next);
  for (const [element, items] of before) compareSame(items, after.get(element) ?? [], element, list, place);
  for (const [element, items] of after) if (!before.has(element)) compareSame([], items, element, list, place);
}

/** Compares the items of one element. Duplicates are owned as a whole. */
function compareSame(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  element: string,
  list: ApplyList,
  place: Place,
): void {
  if (before.length <= 1 && after.length <= 1) compareAt(before[0], after[0], list.items, place, element);
  else if (before.length >= 2 && after.length >= 2) {
    if (!deepEqual(before, after)) addMember(changedBelow(place), element);
  } else if (before.length >= 2) {
    if (after.length > 0) compareAt(undefined, after[0], list.items, place, element);
    addMember(removedBelow(place), element);
  } else {
    if (before.length > 0) compareAt(before[0], undefined, list.items, place, element);
    addMember(changedBelow(place), element);
  }
}
