// A value of an update and the value that it replaces, so that validation can ratchet: errors of a value that did not
// change are dropped. Members of objects correlate by name and items of `map` lists by their keys; items of other lists
// do not correlate. As apiserver/pkg/cel/common/equality.go, CorrelatedObject.
import { sortedJson } from '../../go/struct-form.js';
import { deepEqual, isJsonObject } from '../../objects/json.js';
import type { Schema } from './schema-value.js';
import { itemSchema, valueSchema } from './schema-walk.js';

/** A value with its predecessor. */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  #isUnchanged: boolean | undefined;
  #oldItems: ReadonlyMap<string, unknown> | undefined;

  constructor(schema: Schema, value: unknown, old: unknown) {
    this.#schema = schema;
    this.value = value;
    this.old = old;
  }

  /** Whether the value equals its predecessor. Compared once. */
  get isUnchanged(): boolean {
    return (this.#isUnchanged ??= this.value === this.old || deepEqual(this.value, this.old));
  }

  /** The correlation of a member; undefined where one of the objects does not have it, or the schema does not. */
  member(name: string): Correlation | undefined {
    const { value, old } = this;
    if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const { properties = {} } = this.#schema;
    const schema = Object.hasOwn(properties, name) ? properties[name] : valueSchema(this.#schema);
    return schema && new Correlation(schema, value[name], old[name]);
  }

  /** The correlation of an item of a `map` list; undefined in other lists, and where no old item has its keys. */
  item(index: number): Correlation | undefined {
    const { value, old } = this;
    const schema = itemSchema(this.#schema);
    const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = this.#schema;
    if (schema === undefined || listType !== 'map' || !Array.isArray(value) || !Array.isArray(old)) return undefined;
    this.#oldItems ??= itemsByKey(old, keys);
    const key = keyOf(value[index], keys);
    if (key === undefined || !this.#oldItems.has(key)) return undefined;
    return new Correlation(schema, value[index], this.#oldItems.get(key));
  }
}

/** The items of a `map` list by their keys; of several with the same keys the first. */
function itemsByKey(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const item of items) {
    const key = keyOf(item, keys);
    if (key !== undefined && !found.has(key)) found.set(key, item);
  }
  return found;
}

function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  return isJsonObject(item) ? JSON.stringify(keys.map((key) => sortedJson(item[key] ?? null))) : undefined;
}
