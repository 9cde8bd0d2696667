// Maps with keys of any type, and making maps entry by entry. Only while a map is made may it change.
import type { CelValue } from '../cel-value.js';
import { MapValue } from '../cel-value.js';
import { equalValues } from './equality.js';
import type { JsonMap } from './maps.js';
import { mapGet } from './maps.js';
import { numericOf } from './numbers.js';

/** A map with keys of any type. Numbers of different types are the same key where they are equal. */
export class KeyedMap extends MapValue {
  readonly #entries = new Map<string, { readonly key: CelValue; readonly value: CelValue }>();
  /** Entries whose keys are neither bool, number nor string. */
  readonly #others: { readonly key: CelValue; value: CelValue }[] = [];

  get size(): number {
    return this.#entries.size + this.#others.length;
  }

  /** Adds or replaces an entry. Only while the map is made. */
  set(key: CelValue, value: CelValue): void {
    const index = indexOf(key);
    if (index !== undefined) {
      this.#entries.set(index, { key, value });
      return;
    }
    const entry = this.#others.find((other) => equalValues(other.key, key));
    if (entry === undefined) this.#others.push({ key, value });
    else entry.value = value;
  }

  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  get(key: CelValue): CelValue | undefined {
    const index = indexOf(key);
    if (index !== undefined) return this.#entries.get(index)?.value;
    return this.#others.find((other) => equalValues(other.key, key))?.value;
  }

  *keys(): Iterable<CelValue> {
    for (const { key } of this.#entries.values()) yield key;
    for (const { key } of this.#others) yield key;
  }
}

/** Returns one text for all keys that are equal. */
function indexOf(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  const number = numericOf(key);
  return number === undefined ? undefined : `n${number === 0 ? 0 : number}`;
}

/** Makes a map entry by entry: a JSON object as long as all keys are strings. */
export class MapBuilder {
  readonly #json: Record<string, CelValue> = {};
  #keyed: KeyedMap | undefined;

  /** Returns whether the key is present. */
  has(key: CelValue): boolean {
    return mapGet(this.map, key) !== undefined;
  }

  /** Adds or replaces an entry. */
  set(key: CelValue, value: CelValue): void {
    if (this.#keyed === undefined && typeof key === 'string') {
      setProperty(this.#json, key, value);
      return;
    }
    if (this.#keyed === undefined) {
      this.#keyed = new KeyedMap();
      for (const [name, before] of Object.entries(this.#json)) this.#keyed.set(name, before);
    }
    this.#keyed.set(key, value);
  }

  /** The map of the entries. Not to be changed after it was given away. */
  get map(): JsonMap | MapValue {
    return this.#keyed ?? this.#json;
  }
}

/** Sets an own property, whatever its name. */
export function setProperty(object: Record<string, CelValue>, name: string, value: CelValue): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
