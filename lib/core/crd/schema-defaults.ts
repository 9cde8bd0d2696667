// Defaults of structural schemas, filled in where a field is absent, or null although the schema allows none. As
// apiextensions-apiserver/pkg/apiserver/schema/defaulting/algorithm.go.
import { deepCopy, isJsonObject, setOwn } from '../objects/json.js';
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import { itemSchema, valueSchema } from '../kinds/apiextensions/schema-walk.js';

/** Fills in defaults. */
export interface SchemaDefaulter {
  /**
   * Fills in defaults at every level, in place. Parts of the value without defaults in their schema are not visited.
   * Running twice changes nothing more.
   */
  apply(value: unknown): void;
}

/** Returns the defaulter of a schema; undefined where the schema has no defaults. */
export function schemaDefaulter(schema: Schema | undefined): SchemaDefaulter | undefined {
  const node = schema && nodeOf(schema);
  return node && { apply: (value) => applyNode(node, value) };
}

/** A schema with defaults at or below it. Schemas without are not there, so that they cost nothing. */
interface DefaultNode {
  readonly properties: readonly DefaultProperty[];
  readonly others: DefaultItem | undefined;
  readonly items: DefaultItem | undefined;
  /** The names that are not `others`. */
  readonly named: ReadonlySet<string>;
}

/** What fills null, and what is below. */
interface DefaultItem {
  readonly nullable: boolean;
  readonly default: unknown;
  readonly below: DefaultNode | undefined;
}

interface DefaultProperty extends DefaultItem {
  readonly name: string;
}

function nodeOf(schema: Schema): DefaultNode | undefined {
  const { properties = {} } = schema;
  const own = Object.entries(properties).flatMap(([name, property]): readonly DefaultProperty[] => {
    const item = itemOf(property);
    return item.default === undefined && item.below === undefined ? [] : [{ name, ...item }];
  });
  const [items, others] = [itemSchema(schema), valueSchema(schema)].map((inner) => inner && itemOf(inner));
  const isEmpty = own.length === 0 && isIdle(items) && isIdle(others);
  return isEmpty ? undefined : { properties: own, others, items, named: new Set(Object.keys(properties)) };
}

function isIdle(item: DefaultItem | undefined): boolean {
  return item === undefined || (item.default === undefined && item.below === undefined);
}

function itemOf(schema: Schema): DefaultItem {
  const value = schema.default ?? undefined;
  return { nullable: schema.nullable === true, default: value, below: nodeOf(schema) };
}

function applyNode(node: DefaultNode, value: unknown): void {
  const { properties, others, items, named } = node;
  if (Array.isArray(value)) {
    if (items === undefined) return;
    for (let index = 0; index < value.length; index += 1) {
      if (value[index] === null && !items.nullable && items.default !== undefined)
        value[index] = deepCopy(items.default);
      if (items.below !== undefined) applyNode(items.below, value[index]);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  const object: Record<string, unknown> = value;
  for (const { name, nullable, default: filling, below } of properties) {
    const given = Object.hasOwn(object, name) ? object[name] : undefined;
    const isAbsent = given === undefined || (given === null && !nullable);
    if (isAbsent && filling !== undefined) setOwn(object, name, deepCopy(filling));
    if (below !== undefined && Object.hasOwn(object, name)) applyNode(below, object[name]);
  }
  if (others === undefined) return;
  for (const key of Object.keys(object)) {
    if (named.has(key)) continue;
    if (object[key] === null && !others.nullable && others.default !== undefined)
      setOwn(object, key, deepCopy(others.default));
    if (others.below !== undefined) applyNode(others.below, object[key]);
  }
}
