// JSON values: their types, equality, freezing and copies. Untrusted documents enter the engine as `JsonValue` and
// leave the schema walker as objects of a known type. They are frozen once, where they enter storage, and shared by
// reference from there on; where the places of a change are known, a path copy (path-copy.ts) is far cheaper than
// `deepCopy`.
// Invariant of the code base: a frozen object is frozen all the way down, so a frozen subtree is taken as done. That
// makes re-freezing a path copy cost only the path. Never Object.freeze a container of unfrozen objects by hand.
// Equality and freezing walk with their own stack, so hostile nesting cannot overflow the call stack.
import type { Frozen } from './meta.js';

/** Any JSON value. Read-only: documents are values, changed by copying. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets an own property whatever its name: a plain assignment to `__proto__` would change the prototype instead,
 * and a ConfigMap may well have a key of that name.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/**
 * Semantic equality of JSON values: maps without regard to key order, lists in order. Only own properties count, so
 * hostile key names compare like any other; a property that holds undefined is not the same as no property. Equal
 * references end the comparison: two revisions that share most of their tree cost only the path between them. About
 * 6 µs for two equal pods of 2.3 kB that share nothing.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const pending: unknown[] = [a, b];
  while (pending.length > 0) {
    const right = pending.pop();
    const left = pending.pop();
    if (!isContainer(left) || !isContainer(right)) return false;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || !compareLists(left, right, pending)) return false;
    } else if (Array.isArray(right) || !compareMaps(left, right, pending)) {
      return false;
    }
  }
  return true;
}

/** False when the lists differ at this level; pairs of containers still to compare go to `pending`. */
function compareLists(left: readonly unknown[], right: readonly unknown[], pending: unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!compareChildren(left[index], right[index], pending)) return false;
  }
  return true;
}

function compareMaps(left: Container, right: Container, pending: unknown[]): boolean {
  const keys = Object.keys(left);
  const rightKeys = Object.keys(right);
  if (keys.length !== rightKeys.length) return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? '';
    // Revisions of one object nearly always keep their key order, which spares the look-up.
    if (rightKeys[index] !== key && !Object.hasOwn(right, key)) return false;
    if (!compareChildren(left[key], right[key], pending)) return false;
  }
  return true;
}

function compareChildren(left: unknown, right: unknown, pending: unknown[]): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  pending.push(left, right);
  return true;
}

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Freezes a JSON value in place, with all it contains, and returns it. About 6 µs for a pod of 2.3 kB. */
export function deepFreeze<T>(value: T): Frozen<T>;
export function deepFreeze(value: unknown): unknown {
  if (!isThawed(value)) return value;
  const pending: Record<string, unknown>[] = [value];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    // By index and by key list: measurably cheaper than for-in or Object.values. Code that is not optimized yet, as at
    // the start of a server, also allocates for every step of an iterator.
    if (Array.isArray(node)) {
      for (let index = node.length - 1; index >= 0; index--) {
        const child: unknown = node[index];
        if (isThawed(child)) pending.push(child);
      }
    } else {
      const keys = Object.keys(node);
      for (let index = keys.length - 1; index >= 0; index--) {
        const child = node[keys[index] ?? ''];
        if (isThawed(child)) pending.push(child);
      }
    }
    Object.freeze(node);
  }
  return value;
}

/** Returns whether nothing reachable can be written. Trusts no invariant: for tests and assertions. */
export function isDeepFrozen(value: unknown): boolean {
  const seen = new Set<unknown>();
  const pending = [value];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    if (!Object.isFrozen(node)) return false;
    seen.add(node);
    for (const child of Object.values(node)) pending.push(child);
  }
  return true;
}

function isThawed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}

/**
 * Copies a JSON value, frozen or not, whose depth is bounded, as that of decoded objects is. About 5 µs for a pod of
 * 2.3 kB.
 */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => (typeof item === 'object' ? deepCopy(item) : item));
  // Spreading makes `__proto__` an own property like any other, and keeps the hidden class that reading is fast with.
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) setOwn(copy, key, deepCopy(member));
  }
  return copy;
}

/**
 * Returns a JSON value that can be changed in place: frozen parts are replaced by copies, all others are kept. Relies
 * on the invariant above, that a frozen part is frozen all the way down.
 */
export function thaw<T>(value: T): T;
export function thaw(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Object.isFrozen(value)) return deepCopy(value);
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const member = record[key];
    if (typeof member !== 'object' || member === null) continue;
    const own = thaw(member);
    if (own !== member) setOwn(record, key, own);
  }
  return value;
}
