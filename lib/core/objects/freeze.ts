// Makes a JSON value immutable, once, where it enters storage; from there it is shared by reference. Also makes copies
// that may be changed again; where the places are known, a path copy (path-copy.ts) is far cheaper.
// Invariant of the code base: a frozen object is frozen all the way down, so a frozen subtree is taken as done. That
// makes re-freezing a path copy cost only the path. Never Object.freeze a container of unfrozen objects by hand.
// Walks with its own stack, so hostile nesting costs memory already paid for, never the call stack.
import { setOwn } from './json.js';
import type { Frozen } from './meta.js';

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

/** Whether nothing reachable can be written. Trusts no invariant: for tests and assertions. */
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
