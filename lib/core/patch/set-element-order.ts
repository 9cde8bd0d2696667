// `$setElementOrder/<list>`: the order that the elements of a merged list shall have, as kubectl apply sends it beside
// the list itself. Elements of the document that it does not name keep their place among the others. As
// strategicpatch/patch.go, mergePatchIntoOriginal and validatePatchWithSetOrderList.
import { isJsonObject } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { orderElements } from './element-order.js';
import { formatGo } from '../go/json-value.js';
import { ownValue, unlessEqual } from './map-draft.js';
import type { MapDraft } from './map-draft.js';
import { PatchError } from './patch-error.js';
import {
  asList,
  asMap,
  directedList,
  isContainer,
  noMergeKey,
  panicked,
  patchDirective,
  setElementOrderPrefix,
  withoutPatchDirectives,
} from './strategic-directives.js';
import { elementType, mergeKeyOf, mergeLists, partition } from './strategic-lists.js';
import type { MergedList, MergeMaps } from './strategic-lists.js';
import { listMemberOf } from './strategic-schema.js';
import type { ListMember, Typed } from './strategic-schema.js';

type List = readonly JsonValue[];

/** A map being patched. */
export interface MapMerge {
  readonly draft: MapDraft;
  readonly patch: JsonObject;
  readonly type: Typed;
  readonly mergeMaps: MergeMaps;
}

/**
 * Merges and orders the lists that the patch has an order for; returns the members of the patch that are thereby done.
 */
export function setElementOrders(map: MapMerge): Set<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(map.patch)) {
    if (!directive.startsWith(setElementOrderPrefix)) continue;
    done.add(directive);
    const order = asList(map.patch[directive] ?? null);
    const name = directedList(directive, setElementOrderPrefix);
    if (orderList(map, name, order)) done.add(name);
  }
  return done;
}

/** False when neither document nor patch have the list. */
function orderList(map: MapMerge, name: string, order: List): boolean {
  const { draft, patch, type } = map;
  const originalValue = draft.get(name);
  const patchValue = ownValue(patch, name);
  const original = originalValue === undefined ? undefined : asList(originalValue);
  const change = patchValue === undefined ? undefined : asList(patchValue);
  const member = listMemberOf(type, name);
  checkOrder(change ?? [], order, member.mergeKey);
  if (original === undefined && change === undefined) return false;
  const { merged, serverOrder } = mergeContents({ original, change, member, mergeMaps: map.mergeMaps });
  const [patched, serverOnly] = split(merged, order, member.mergeKey);
  const isMap = elementType(original ?? [], change ?? []) === 'map[string]interface {}';
  if (isMap) for (const element of [...order, ...serverOrder]) requireMergeKey(element, member.mergeKey);
  const keyOf = isMap ? mergeKeyOf(member.mergeKey) : (element: JsonValue): JsonValue => element;
  const ordered = orderElements({ patched, serverOnly, patchOrder: order, serverOrder, keyOf });
  draft.set(name, unlessEqual(original ?? ordered, ordered));
  return true;
}

interface Contents {
  readonly original: List | undefined;
  readonly change: List | undefined;
  readonly member: ListMember;
  readonly mergeMaps: MergeMaps;
}

/** The contents of the list, in any order. */
function mergeContents({ original, change, member, mergeMaps }: Contents): MergedList {
  if (change === undefined) return { merged: original ?? [], serverOrder: original ?? [] };
  if (original === undefined) return { merged: asList(withoutPatchDirectives(change) ?? []), serverOrder: [] };
  if (!member.merges) return { merged: change, serverOrder: original };
  return mergeLists({ original, patch: change, member, mergeMaps });
}

function split(merged: List, order: List, mergeKey: string): [patched: List, serverOnly: List] {
  if (mergeKey !== '') return splitMaps(merged, order, mergeKey);
  const named = new Set(order);
  if (order.some(isContainer) || merged.some(isContainer)) throw panicked();
  return [merged.filter((element) => named.has(element)), merged.filter((element) => !named.has(element))];
}

function splitMaps(merged: List, order: List, mergeKey: string): [patched: List, serverOnly: List] {
  // Kubernetes looks from the front and only trips over what it comes across.
  const firstOther = order.findIndex((element) => !isJsonObject(element));
  const named = new Set((firstOther < 0 ? order : order.slice(0, firstOther)).map(mergeKeyOf(mergeKey)));
  return partition(merged, mergeKey, (key) => {
    if (named.has(key)) return true;
    if (firstOther >= 0) throw new PatchError('internal', `value for key ${firstOther} is not a map`);
    return false;
  });
}

/** The data of the patch must be named by the order, and in that order. */
function checkOrder(change: List, order: List, mergeKey: string): void {
  if (order.length === 0 || change.length === 0) return;
  const data = mergeKey === '' ? change : change.filter((element) => asMap(element)[patchDirective] !== 'delete');
  let at = 0;
  let named = 0;
  while (at < data.length && named < order.length) {
    const element = data[at] ?? null;
    if (isJsonObject(element) && Object.hasOwn(element, patchDirective)) {
      at += 1;
      continue;
    }
    if (sameKey(element, order[named] ?? null, mergeKey)) at += 1;
    named += 1;
  }
  if (at < data.length && named >= order.length) {
    const [actual, wanted] = [formatGo(change), formatGo(order)];
    throw new PatchError(
      'internal',
      `The order in patch list:\n${actual}\n doesn't match ${setElementOrderPrefix} list:\n${wanted}\n`,
    );
  }
}

function sameKey(left: JsonValue, right: JsonValue, mergeKey: string): boolean {
  const [leftKey, rightKey] =
    mergeKey === '' ? [left, right] : [asMap(left), asMap(right)].map((map) => requireMergeKey(map, mergeKey));
  if (isContainer(leftKey) && isContainer(rightKey) && Array.isArray(leftKey) === Array.isArray(rightKey))
    throw panicked();
  return leftKey === rightKey;
}

function requireMergeKey(element: JsonValue, mergeKey: string): JsonValue {
  const map = asMap(element);
  const key = ownValue(map, mergeKey);
  if (key === undefined) throw noMergeKey(map, mergeKey);
  return key;
}
