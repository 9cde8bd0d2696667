// Walks through all schemas inside a schema. As apiextensions-apiserver/pkg/apis/apiextensions/validation, SchemaHas.
import type { Schema } from './schema-value.js';

/** Returns whether the schema or any schema inside it, wherever that stands, is as asked. */
export function someSchema(schema: Schema, asked: (schema: Schema) => boolean): boolean {
  return asked(schema) || subschemas(schema).some((inner) => someSchema(inner, asked));
}

/** The schema of a list's items; lists of schemas have none. */
export function itemSchema({ items }: Schema): Schema | undefined {
  return items === undefined || isSchemaList(items) ? undefined : items;
}

/** The schema of a map's values. */
export function valueSchema({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Returns whether items are described one by one, which only old schemas do. */
export function isSchemaList(items: NonNullable<Schema['items']>): items is readonly Schema[] {
  return Array.isArray(items);
}

/** Returns whether a dependency is a schema, and not a list of properties. */
export function isSchema(dependency: NonNullable<Schema['dependencies']>[string]): dependency is Schema {
  return !Array.isArray(dependency);
}

function subschemas(schema: Schema): readonly Schema[] {
  const { items = [], allOf = [], anyOf = [], oneOf = [], not, additionalProperties, additionalItems } = schema;
  return [
    ...(isSchemaList(items) ? items : [items]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === undefined ? [] : [not]),
    ...Object.values(schema.properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...Object.values(schema.patternProperties ?? {}),
    ...(typeof additionalItems === 'object' ? [additionalItems] : []),
    ...Object.values(schema.definitions ?? {}),
    ...Object.values(schema.dependencies ?? {}).filter(isSchema),
  ];
}
