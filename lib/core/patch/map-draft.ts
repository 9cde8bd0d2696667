// A JSON object being edited by copy: the original is never touched, nothing is copied before the first real change,
// and without one `finish` returns the original itself. Any key is plain data, `__proto__` included.
// Deletions wait until `finish`, which leaves the keys out of a fresh object: `delete` would turn the copy into a slow
// dictionary, and patched objects live long.
import { deepEqual, setOwn } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';

/** Edits of one JSON object. */
export class MapDraft {
  readonly #original: JsonObject;
  #copy: Record<string, JsonValue> | undefined;
  #deleted: Set<string> | undefined;

  constructor(original: JsonObject) {
    this.#original = original;
  }

  /** The current value, undefined when there is none. */
  get(key: string): JsonValue | undefined {
    if (this.#deleted?.has(key) === true) return undefined;
    return ownValue(this.#copy ?? this.#original, key);
  }

  set(key: string, value: JsonValue): void {
    if (this.#deleted?.delete(key) !== true && ownValue(this.#copy ?? this.#original, key) === value) return;
    this.#copy ??= { ...this.#original };
    setOwn(this.#copy, key, value);
  }

  delete(key: string): void {
    if (!Object.hasOwn(this.#copy ?? this.#original, key)) return;
    this.#deleted ??= new Set();
    this.#deleted.add(key);
  }

  /** Deletes every key that is not wanted. */
  retain(wanted: (key: string) => boolean): void {
    for (const key in this.#original) if (!wanted(key)) this.delete(key);
  }

  /** The edited object. */
  finish(): JsonObject {
    const edited = this.#copy ?? this.#original;
    if (this.#deleted === undefined || this.#deleted.size === 0) return edited;
    const kept: Record<string, JsonValue> = {};
    for (const key in edited) if (!this.#deleted.has(key)) setOwn(kept, key, edited[key]);
    return kept;
  }
}

/** An own member of a JSON object; inherited names such as `constructor` are no members. */
export function ownValue(map: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The second value, or the first when it says the same: what did not change stays the same reference. */
export function unlessEqual<T extends JsonValue>(value: T, other: T): T {
  return typeof other === 'object' && deepEqual(value, other) ? value : other;
}
