// Objects by key and by any number of indexes, which every write updates. Indexes are identified by their function, so
// readers that use the same function share one index, and two readers can use one name for different functions. An
// index may be added at any time. Used by `snapshot.ts`. As client-go/tools/cache/thread_safe_store.go, storeIndex.

import { objectKey, type ApiObject, type Frozen } from '../objects/meta.js';

/** Returns the values under which an index files an object; an empty list leaves the object out. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** The indexes of a collection by name. */
export type Indexes<T, Index extends string> = Readonly<Record<Index, IndexFunction<T>>>;

/** A collection with look-up by key and by index. Lists are in the order in which objects were added. */
export class IndexedObjects<T extends Frozen<ApiObject>> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<IndexFunction<T>, ObjectIndex<T>>();
  #list: readonly T[] | undefined;

  constructor(indexes: Iterable<IndexFunction<T>> = []) {
    for (const valuesOf of indexes) this.addIndex(valuesOf);
  }

  /** The functions of all indexes. */
  get indexes(): Iterable<IndexFunction<T>> {
    return this.#indexes.keys();
  }

  /** Adds an index over the objects present. Does nothing if it exists. */
  addIndex(valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(valuesOf)) return;
    const index = new ObjectIndex(valuesOf);
    for (const [key, object] of this.#objects) index.set(key, object);
    this.#indexes.set(valuesOf, index);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(object: T): boolean {
    return this.#objects.has(objectKey(object));
  }

  /** All objects. The same array until the next write. */
  list(): readonly T[] {
    return (this.#list ??= [...this.#objects.values()]);
  }

  /** The objects that the index files under a value. Throws if the index was never added. */
  by(valuesOf: IndexFunction<T>, value: string): T[] {
    const found = this.#indexes.get(valuesOf);
    if (found === undefined) throw new RangeError('no such index');
    return found.get(value);
  }

  /** Adds the object, or replaces the one with its key. Returns the replaced one. */
  set(object: T): T | undefined {
    const key = objectKey(object);
    const old = this.#objects.get(key);
    for (const index of this.#indexes.values()) index.set(key, object);
    this.#objects.set(key, object);
    this.#list = undefined;
    return old;
  }

  /** Removes the object with the key of this one. */
  delete(object: T): void {
    const key = objectKey(object);
    for (const index of this.#indexes.values()) index.delete(key);
    this.#objects.delete(key);
    this.#list = undefined;
  }
}

class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #byValue = new Map<string, Map<string, T>>();
  /** The values of each object, so that removing one does not call the index function again. */
  readonly #filed = new Map<string, readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): T[] {
    return [...(this.#byValue.get(value)?.values() ?? [])];
  }

  set(key: string, object: T): void {
    const values = this.#valuesOf(object);
    const before = this.#filed.get(key) ?? [];
    for (const value of before) if (!values.includes(value)) this.#unfile(value, key);
    for (const value of values) {
      const objects = this.#byValue.get(value);
      if (objects === undefined) this.#byValue.set(value, new Map([[key, object]]));
      else objects.set(key, object);
    }
    if (values.length > 0) this.#filed.set(key, values);
    else this.#filed.delete(key);
  }

  delete(key: string): void {
    for (const value of this.#filed.get(key) ?? []) this.#unfile(value, key);
    this.#filed.delete(key);
  }

  // Values without objects are removed; an index over names would otherwise grow without bound.
  #unfile(value: string, key: string): void {
    const objects = this.#byValue.get(value);
    objects?.delete(key);
    if (objects?.size === 0) this.#byValue.delete(value);
  }
}
