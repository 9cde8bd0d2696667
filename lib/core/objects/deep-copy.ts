// A copy of a JSON value that shares nothing with it: for drafts that are about to be changed here and there. Where the
// places are known, a path copy (path-copy.ts) is far cheaper.
import { setOwn } from './json.js';

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
 * on the invariant of freeze.ts, that a frozen part is frozen all the way down.
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
