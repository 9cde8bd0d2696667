// Merging a list of the patch into a list of the document: scalars by union, maps by their merge key. As
// strategicpatch/patch.go, mergeSlice and what it calls. Linear but for the final ordering.
import { isJsonObject } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { orderElements, positions } from './element-order.js';
import { formatGo, goType } from '../go/json-value.js';
import type { GoType } from '../go/json-value.js';
import { ownValue } from './map-draft.js';
import { PatchError } from './patch-error.js';
import {
  asMap,
  isContainer,
  noMergeKey,
  panicked,
  patchDirective,
  unknownPatchType,
  wrongType,
} from './strategic-directives.js';
import { kindName } from './strategic-schema.js';
import type { ListMember, Typed } from './strategic-schema.js';

type List = readonly JsonValue[];

/** How maps merge, with the type they have. */
export type MergeMaps = (original: JsonObject, patch: JsonObject, type: Typed) => JsonObject;

/** Two lists to be merged, and what is known of them. */
export interface ListMerge {
  readonly original: List;
  readonly patch: List;
  readonly member: ListMember;
  readonly mergeMaps: MergeMaps;
}

/** A merged list. */
export interface MergedList {
  readonly merged: List;
  /** What `$setElementOrder` has to take for the order of the document. */
  readonly serverOrder: List;
}

/** Merges two lists. */
export function mergeLists(lists: ListMerge): MergedList {
  const { original, patch, member } = lists;
  if (original.length === 0 && patch.length === 0) return { merged: original, serverOrder: original };
  if (elementType(original, patch) === 'map[string]interface {}') return mergeListsOfMaps(lists);
  const [first = null] = original.length > 0 ? original : patch;
  if (member.mergeKey !== '') throw wrongType('map[string]interface {}', first);
  const patched = new Set(patch);
  const serverOnly = [...new Set(original)].filter((element) => !patched.has(element));
  const keyOf = (element: JsonValue): JsonValue => element;
  const merged = orderElements({ patched: [...patched], serverOnly, patchOrder: patch, serverOrder: original, keyOf });
  return { merged, serverOrder: original };
}

/**
 * Takes the elements of a `$deleteFromPrimitiveList` out of a list; one of maps is merged instead, as in Kubernetes.
 */
export function deleteFromList(lists: ListMerge): List {
  const { original, patch } = lists;
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) === 'map[string]interface {}') return mergeListsOfMaps(lists).merged;
  const deleted = new Set(patch);
  return original.filter((element) => !deleted.has(element));
}

/** The one type that all elements must have. */
export function elementType(...lists: readonly List[]): GoType {
  let known: GoType | undefined;
  for (const list of lists) {
    for (const element of list) {
      const type = goType(element);
      if (known === undefined && element === null) throw panicked();
      if (known === undefined && type === '[]interface {}')
        throw new PatchError('invalid', 'lists of lists are not supported');
      known ??= type;
      if (known !== type) throw new PatchError('internal', `list element types are not identical: ${formatGo(lists)}`);
    }
  }
  if (known === undefined) throw new PatchError('internal', 'no elements in any of the given slices');
  return known;
}

/** The identity of a map in a list. */
export function mergeKeyOf(mergeKey: string): (element: JsonValue) => JsonValue | undefined {
  return (element) => {
    const value = isJsonObject(element) ? ownValue(element, mergeKey) : null;
    if (isContainer(value)) throw panicked();
    return value;
  };
}

function mergeListsOfMaps(lists: ListMerge): MergedList {
  const { original, member, mergeMaps } = lists;
  const { element: type, mergeKey } = member;
  if (mergeKey === '') throw new PatchError('internal', `cannot merge lists without merge key for ${kindName(type)}`);
  const keyOf = mergeKeyOf(mergeKey);
  const { base, patch, deletions } = followElementDirectives(lists);
  const merged = [...base];
  const places = positions(base, keyOf);
  // True while the list of the patch requests no other order than the elements have: the usual case.
  let ordered = places.size === base.length && !places.has(undefined);
  let previous = -1;
  for (const element of patch) {
    const key = keyOf(element);
    if (key === undefined) throw noMergeKey(element, mergeKey);
    const place = places.get(key);
    if (place === undefined) places.set(key, merged.push(element) - 1);
    else merged[place] = mergeMaps(asMap(merged[place] ?? null), element, type);
    ordered &&= place !== undefined && place > previous;
    previous = place ?? previous;
  }
  // Deleting moves the rest of a Go slice forward and appending then writes over its tail, which `$setElementOrder`
  // still sees: as many new elements as there were deletions count as elements of the document.
  const serverOrder = deletions === 0 ? original : [...base, ...merged.slice(base.length, base.length + deletions)];
  if (ordered) return { merged, serverOrder };
  const inPatch = new Set(patch.map(keyOf));
  const [patched, serverOnly] = partition(merged, mergeKey, (key) => inPatch.has(key));
  return { merged: orderElements({ patched, serverOnly, patchOrder: patch, serverOrder: base, keyOf }), serverOrder };
}

/** Splits maps by whether their merge key is wanted; every one must have it. */
export function partition(
  list: List,
  mergeKey: string,
  wanted: (key: JsonValue) => boolean,
): [wanted: JsonObject[], others: JsonObject[]] {
  const keyOf = mergeKeyOf(mergeKey);
  const [yes, no]: [JsonObject[], JsonObject[]] = [[], []];
  for (const element of list) {
    const map = asMap(element);
    const key = keyOf(map);
    if (key === undefined) throw noMergeKey(map, mergeKey);
    (wanted(key) ? yes : no).push(map);
  }
  return [yes, no];
}

interface Directed {
  /** What is merged into. */
  readonly base: List;
  /** The elements that are data. */
  readonly patch: readonly JsonObject[];
  readonly deletions: number;
}

/** As mergeSliceWithSpecialElements: elements with `$patch` delete their like, or make the rest replace the list. */
function followElementDirectives({ original, patch, member: { mergeKey } }: ListMerge): Directed {
  const keyOf = mergeKeyOf(mergeKey);
  const data: JsonObject[] = [];
  const deleted = new Set<JsonValue | undefined>();
  let replaces = false;
  for (const element of patch.map(asMap)) {
    const directive = ownValue(element, patchDirective);
    if (directive === undefined) data.push(element);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge')
      throw new PatchError('internal', 'merging lists cannot yet be specified in the patch');
    else if (directive !== 'delete') throw unknownPatchType(directive, element);
    else if (keyOf(element) === undefined) throw noMergeKey(element, mergeKey);
    else deleted.add(keyOf(element));
  }
  if (replaces) return { base: data, patch: [], deletions: 0 };
  if (deleted.size === 0) return { base: original, patch: data, deletions: 0 };
  const base = original.filter((element) => !deleted.has(keyOf(element)));
  return { base, patch: data, deletions: original.length - base.length };
}
