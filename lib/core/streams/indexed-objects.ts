// Objects by key, and by any number of indexes kept in step with every write. Only `snapshot.ts` uses it: there two of
// them, the known and the arriving, change places in one go.
// As client-go/tools/cache/thread_safe_store.go, storeIndex.

import { objectKey, type ApiObject, type Frozen } from '../objects/meta.js';

/** The values under which an index files an object; none leaves it out. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** The indexes of a collection by name. */
export type Indexes<T, Index extends string> = Readonly<Record<Index, IndexFunction<T>>>;

/** A collection that answers by key and by index, in the order in which objects came. */
export class IndexedObjects<T extends Frozen<ApiObject>, Index extends string> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;

  constructor(indexes: Indexes<T, Index>) {
    const entries: [string, IndexFunction<T>][] = Object.entries(indexes);
    this.#indexes = new Map(entries.map(([name, valuesOf]) => [name, new ObjectIndex(valuesOf)]));
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(object: T): boolean {
    return this.#objects.has(objectKey(object));
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  by(index: Index, value: string): T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`no index ${JSON.stringify(index)}`);
    return found.get(value);
  }

  /** Adds the object, or puts it in the place of the one with its key. */
  set(object: T): void {
    const key = objectKey(object);
    for (const index of this.#indexes.values()) index.set(key, object);
    this.#objects.set(key, object);
  }

  /** Removes the object with the key of this one. */
  delete(object: T): void {
    const key = objectKey(object);
    for (const index of this.#indexes.values()) index.delete(key);
    this.#objects.delete(key);
  }
}

class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #byValue = new Map<string, Map<string, T>>();
  /** What each object is filed under: to take it out again needs no second opinion of the index function. */
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

  // A value nobody has any more is forgotten, or an index over names would grow for ever.
  #unfile(value: string, key: string): void {
    const objects = this.#byValue.get(value);
    objects?.delete(key);
    if (objects?.size === 0) this.#byValue.delete(value);
  }
}
