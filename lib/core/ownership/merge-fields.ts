// Merges an applied configuration into an object. As structured-merge-diff/v6/typed/merge.go: no field is removed, and
// a leaf that both have takes the value of the configuration.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { deepEqual, isJsonObject, setOwn } from '../objects/json.js';
import type { ApplyList, ApplyMap, ApplyType } from './apply-type.js';
import { memberTypeOf, shapeOf } from './apply-type.js';
import { itemElement } from './list-items.js';

/**
 * Returns the object with the configuration merged into it: the same reference where nothing changes, and shared parts
 * elsewhere. Throws ItemKeyError.
 */
export function mergeFields(live: JsonValue, config: JsonValue, type: ApplyType): JsonValue {
  const shape = shapeOf(type, config);
  if (shape === 'map' && type.map !== undefined && !type.map.isAtomic) {
    const old = isJsonObject(live) ? live : noMembers;
    const next = isJsonObject(config) ? config : noMembers;
    if (hasMembers(old) || hasMembers(next)) return mergeMembers(old, next, type.map);
  } else if (shape === 'list' && type.list !== undefined && type.list.relation !== 'atomic') {
    const old = asItems(live);
    const next = asItems(config);
    if (old.length > 0 || next.length > 0) return mergeItems(old, next, type.list);
  }
  return deepEqual(live, config) ? live : config;
}

const noMembers: JsonObject = Object.freeze({});
const noItems: readonly JsonValue[] = Object.freeze([]);

function asItems(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : noItems;
}

function hasMembers(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}

function mergeMembers(old: JsonObject, next: JsonObject, map: ApplyMap): JsonObject {
  let merged: Record<string, JsonValue> | undefined;
  for (const name of Object.keys(next)) {
    const value = next[name] ?? null;
    const before = Object.hasOwn(old, name) ? old[name] : undefined;
    const after = before === undefined ? value : mergeFields(before, value, memberTypeOf(map, name));
    if (after !== before) setOwn((merged ??= { ...old }), name, after);
  }
  return merged ?? old;
}

/**
 * Items of the configuration follow its order. Items that only the object has come before the next item that both have,
 * where that is still ahead in the object, and otherwise before the rest of the configuration. Duplicates of the object
 * are replaced by the item of the configuration, and not merged with it.
 */
function mergeItems(old: readonly JsonValue[], next: readonly JsonValue[], list: ApplyList): readonly JsonValue[] {
  const oldElements = old.map((item) => itemElement(list, item));
  const nextElements = next.map((item) => itemElement(list, item));
  const applied = new Set(nextElements);
  const live = new Map<string, LiveItem>();
  for (const [index, element] of oldElements.entries())
    live.set(element, { last: index, value: live.has(element) ? null : (old[index] ?? null) });
  const anchors = nextElements.filter((element) => live.has(element));
  const out: JsonValue[] = [];
  let position = 0;
  /** Adds the items that only the object has, up to an item that is ahead or to the end. */
  const addUpTo = (anchor: string | undefined): void => {
    const isAhead = anchor !== undefined && (live.get(anchor)?.last ?? -1) >= position;
    for (; position < old.length && !(isAhead && oldElements[position] === anchor); position++)
      if (!applied.has(oldElements[position] ?? '')) out.push(old[position] ?? null);
  };
  let anchored = 0;
  for (const [index, element] of nextElements.entries()) {
    addUpTo(anchors[anchored]);
    const before = live.get(element);
    const value = next[index] ?? null;
    out.push(before === undefined ? value : mergeFields(before.value, value, list.items));
    if (before === undefined) continue;
    anchored++;
    if (oldElements[position] === element) position++;
  }
  addUpTo(undefined);
  return out.length === old.length && out.every((item, index) => item === old[index]) ? old : out;
}

/** An item of the object: its last position, and its value unless it occurs twice. */
interface LiveItem {
  readonly last: number;
  readonly value: JsonValue;
}
