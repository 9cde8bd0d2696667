// The document of a JSON Patch between its operations. It starts as the original, of which nothing is ever changed:
// each operation copies the containers on its path and shares the rest. Containers copied once are ours and change in
// place afterwards, so that ten thousand operations on one large map cost ten thousand writes, not ten thousand copies.
//
// Invariant: a container of ours has exactly one parent. `share` gives up ownership of a whole subtree, because a
// copied value hangs in two places.
import { deepEqual, isJsonObject, setOwn } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { elementIndex, printPointer } from './json-pointer.js';
import type { Pointer } from './json-pointer.js';
import { ownValue } from './map-draft.js';
import { PatchError } from './patch-error.js';

type List = readonly JsonValue[];
type Container = List | JsonObject;

/**
 * Copies may add this much text to a document, counted as JSON. As apiserver/pkg/server/config.go,
 * JSONPatchMaxCopyBytes.
 */
const copiedBytesMax = 3 * 1024 * 1024;

/**
 * Insertions into and removals from lists may move this many elements in all: about 0.4 s. Kubernetes has no such
 * limit; ten thousand insertions at the front of a list of ten thousand elements stay below it.
 */
const movedElementsMax = 150_000_000;

/** A JSON document under change. Operations that do not fit it throw PatchError. */
export class PatchedDocument {
  #root: JsonValue;
  /** The containers that are ours, each as what it is: writable. */
  readonly #maps = new Map<JsonObject, Record<string, JsonValue>>();
  readonly #lists = new Map<List, JsonValue[]>();
  #copiedBytes = 0;
  #movedElements = 0;

  constructor(original: JsonValue) {
    this.#root = original;
  }

  /** The document as it is now. */
  get root(): JsonValue {
    return this.#root;
  }

  /** The value at a pointer; null for a member that a map does not have. */
  read(pointer: Pointer): JsonValue {
    if (pointer.length === 0) return this.#root;
    const { parent, name } = this.#find(pointer);
    return child(parent, name) ?? null;
  }

  /** Returns whether a map has the member; for an element of a list, which `read` has found, always. */
  has(pointer: Pointer): boolean {
    const { parent, name } = this.#find(pointer);
    return !isJsonObject(parent) || Object.hasOwn(parent, name);
  }

  /** Sets a member of a map, or inserts an element before the one that the index means; `-` means the end. */
  add(pointer: Pointer, value: JsonValue): void {
    const place = this.#find(pointer);
    const { parent, name } = place;
    if (isJsonObject(parent)) {
      this.#set(place, value);
      return;
    }
    const index = name === '-' ? parent.length : elementIndex(name, parent.length + 1);
    this.#countMoves(parent.length - index);
    const list = this.#writableList(parent);
    list.splice(index, 0, value);
    this.#link(place, list);
  }

  /** Sets a member of a map or an existing element of a list, or the whole document. */
  replace(pointer: Pointer, value: JsonValue): void {
    if (pointer.length > 0) {
      this.#set(this.#find(pointer), value);
      return;
    }
    if (typeof value !== 'object' || value === null)
      throw new PatchError('invalid', 'replace operation value must be object or array');
    if (!deepEqual(this.#root, value)) this.#root = value;
  }

  /** Takes away a member or an element that must be there. */
  remove(pointer: Pointer): void {
    const place = this.#find(pointer);
    const { parent, name } = place;
    if (!isJsonObject(parent)) {
      const index = elementIndex(name, parent.length);
      this.#countMoves(parent.length - index);
      const list = this.#writableList(parent);
      list.splice(index, 1);
      this.#link(place, list);
      return;
    }
    if (!Object.hasOwn(parent, name)) throw new PatchError('invalid', `Unable to remove nonexistent key: ${name}`);
    this.#link(place, this.#without(parent, name));
  }

  /**
   * Prepares a value of this document for a second place in it. The sum of all such values is bounded: a map copied
   * into itself thirty times would fill any memory once it is written down.
   */
  share(value: JsonValue): JsonValue {
    const pending: JsonValue[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.#copiedBytes += ownBytes(next);
      if (this.#copiedBytes > copiedBytesMax)
        throw new PatchError('invalid', `copies exceed the limit of ${copiedBytesMax} bytes`);
      if (typeof next !== 'object' || next === null) continue;
      if (isJsonObject(next)) {
        this.#maps.delete(next);
        for (const key in next) pending.push(next[key] ?? null);
      } else {
        this.#lists.delete(next);
        for (const element of next) pending.push(element);
      }
    }
    return value;
  }

  #countMoves(elements: number): void {
    this.#movedElements += elements;
    if (this.#movedElements > movedElementsMax)
      throw new PatchError('tooLarge', `The patch moves more than ${movedElementsMax} elements of lists`);
  }

  #find(pointer: Pointer): Place {
    const above: Container[] = [];
    const last = pointer.length - 1;
    let parent = container(this.#root, pointer);
    for (let depth = 0; depth < last; depth += 1) {
      above.push(parent);
      parent = container(child(parent, pointer[depth] ?? ''), pointer);
    }
    return { pointer, above, parent, name: pointer[last] ?? '' };
  }

  #set(place: Place, value: JsonValue): void {
    const current = child(place.parent, place.name);
    if (current !== undefined && deepEqual(current, value)) return;
    this.#link(place, this.#with(place.parent, place.name, value));
  }

  /** Puts a changed parent in its place, copying upwards as far as the containers are not ours. */
  #link({ pointer, above, parent }: Place, changed: Container): void {
    let before = parent;
    let after = changed;
    for (let depth = above.length - 1; before !== after; depth -= 1) {
      const holder = above[depth];
      if (holder === undefined) {
        this.#root = after;
        return;
      }
      before = holder;
      after = this.#with(holder, pointer[depth] ?? '', after);
    }
  }

  #with(holder: Container, name: string, value: JsonValue): Container {
    if (!isJsonObject(holder)) {
      const list = this.#writableList(holder);
      list[elementIndex(name, list.length)] = value;
      return list;
    }
    let map = this.#maps.get(holder);
    if (map === undefined) {
      map = { ...holder };
      this.#maps.set(map, map);
    }
    setOwn(map, name, value);
    return map;
  }

  #without(holder: JsonObject, name: string): JsonObject {
    const map = this.#maps.get(holder);
    if (map !== undefined) {
      delete map[name];
      return map;
    }
    const rest: Record<string, JsonValue> = {};
    for (const key in holder) if (key !== name) setOwn(rest, key, holder[key]);
    this.#maps.set(rest, rest);
    return rest;
  }

  #writableList(list: List): JsonValue[] {
    const own = this.#lists.get(list);
    if (own !== undefined) return own;
    const copy = list.slice();
    this.#lists.set(copy, copy);
    return copy;
  }
}

/** Where a pointer leads: the container and the name in it, and the containers above from the root down. */
interface Place {
  readonly pointer: Pointer;
  readonly above: readonly Container[];
  readonly parent: Container;
  readonly name: string;
}

function container(value: JsonValue | undefined, pointer: Pointer): Container {
  if (typeof value === 'object' && value !== null) return value;
  throw new PatchError('invalid', `doc is missing path: ${printPointer(pointer)}`);
}

/** A member, undefined when absent, or an element, which must exist. */
function child(container: Container, name: string): JsonValue | undefined {
  return isJsonObject(container) ? ownValue(container, name) : container[elementIndex(name, container.length)];
}

/** The text that a value takes in JSON, without what is inside it. Exact for ASCII. */
function ownBytes(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object') return String(value).length;
  if (value === null) return 4;
  if (!isJsonObject(value)) return 2 + value.length;
  let bytes = 2;
  for (const key in value) bytes += key.length + 4;
  return bytes;
}
