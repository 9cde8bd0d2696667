// Types of CEL from structural schemas, with what cost estimates have to know: how many elements or characters a
// value has at most, and how many bytes of JSON it takes at least. A request has at most three megabytes, so an
// unbounded list has as many elements as fit in.
import { itemSchema, valueSchema } from '../../core/index.js';
import type { CustomSchema } from '../../core/index.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from '../cel-type.js';
import type { CelType, FieldDeclaration, ObjectType } from '../cel-type.js';
import {
  listConverter,
  mapConverter,
  readBytes,
  readDate,
  readDateTime,
  readDouble,
  readDuration,
} from './schema-values.js';
import type { SchemaConverter } from './schema-values.js';

/** The type of the values of a schema. */
export interface SchemaType {
  readonly type: CelType;
  /** Characters of a text, bytes, or elements of a list or map, at most. */
  readonly sizeMax: number;
  /** Bytes of JSON, at least. */
  readonly bytesMin: number;
  readonly element?: SchemaType;
  /** Fields by their names in expressions. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
  /** Converts JSON; undefined where JSON is used as it is. */
  readonly read?: SchemaConverter | undefined;
}

/** Bytes of a request at most. */
export const requestBytesMax: number = 3 * 1024 * 1024;

/** A request without the two characters that delimit a text, a list or an object. */
const contentMax = requestBytesMax - 2;

/** Bytes of a character in UTF-8 at most. */
const characterBytesMax = 4;

/**
 * Returns the type of a schema; undefined where its values are not visible in expressions. `isResource` adds the fields
 * of every resource. `name` is that of the type in messages.
 */
export function schemaType(schema: CustomSchema, name: string, isResource: boolean): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: dynType, sizeMax: textMax(schema), bytesMin: 1 };
  switch (schema.type) {
    case 'array':
      return listOf(schema, name);
    case 'object':
      return isResource || schema['x-kubernetes-embedded-resource'] === true
        ? objectOf(resourceSchema(schema), name)
        : valueSchema(schema) === undefined
          ? objectOf(schema, name)
          : mapOf(schema, name);
    case 'boolean':
      return { type: boolType, sizeMax: 0, bytesMin: 4 };
    case 'number':
      return { type: doubleType, sizeMax: 0, bytesMin: 1, read: readDouble };
    case 'integer':
      return { type: intType, sizeMax: 0, bytesMin: 1 };
    case 'string':
      return textOf(schema);
    default:
      return undefined;
  }
}

function textOf(schema: CustomSchema): SchemaType {
  switch (schema.format) {
    case 'byte':
      return { type: bytesType, sizeMax: schema.maxLength ?? contentMax, bytesMin: 2, read: readBytes };
    case 'duration':
      return { type: durationType, sizeMax: 32, bytesMin: 3, read: readDuration };
    case 'date':
      return { type: timestampType, sizeMax: 12, bytesMin: 12, read: readDate };
    case 'date-time':
      return { type: timestampType, sizeMax: 32, bytesMin: 21, read: readDateTime };
    default:
      return { type: stringType, sizeMax: textMax(schema), bytesMin: 2 };
  }
}

function textMax({ maxLength, enum: values = [] }: CustomSchema): number {
  if (maxLength !== undefined) return maxLength * characterBytesMax;
  if (values.length === 0) return contentMax;
  return Math.max(...values.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0)));
}

function listOf(schema: CustomSchema, name: string): SchemaType | undefined {
  const items = itemSchema(schema);
  const element = items && schemaType(items, `${name}.@idx`, items['x-kubernetes-embedded-resource'] === true);
  if (element === undefined) return undefined;
  const { 'x-kubernetes-list-type': kind, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  return {
    type: listType(element.type),
    sizeMax: schema.maxItems ?? Math.floor(contentMax / (element.bytesMin + 1)),
    bytesMin: 2,
    element,
    read: listConverter({ element: element.read, isSet: kind === 'set', keys: kind === 'map' ? keys : undefined }),
  };
}

/** A pair takes at least the quotation marks of the key, a colon, a comma and what delimits the pair. */
const pairBytes = 6;

function mapOf(schema: CustomSchema, name: string): SchemaType | undefined {
  const values = valueSchema(schema);
  const element = values && schemaType(values, `${name}.@elem`, values['x-kubernetes-embedded-resource'] === true);
  if (element === undefined) return undefined;
  return {
    type: mapType(stringType, element.type),
    sizeMax: schema.maxProperties ?? Math.floor(contentMax / (element.bytesMin + pairBytes)),
    bytesMin: 2,
    element,
    read: mapConverter(element.read),
  };
}

function objectOf(schema: CustomSchema, name: string): SchemaType {
  const fields = new Map<string, SchemaType>();
  const declarations = new Map<string, FieldDeclaration>();
  const required = new Set(schema.required);
  let bytesMin = 2;
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapePropertyName(property);
    const type = schemaType(inner, `${name}.${property}`, inner['x-kubernetes-embedded-resource'] === true);
    if (type === undefined) continue;
    if (required.has(property) && inner.default === undefined) bytesMin += property.length + type.bytesMin + 4;
    if (escaped === undefined) continue;
    fields.set(escaped, type);
    declarations.set(escaped, {
      type: type.type,
      ...(escaped !== property && { property }),
      ...(type.read && { read: type.read }),
    });
  }
  const type: ObjectType = {
    kind: 'object',
    name,
    field: (field) => declarations.get(field),
    fieldNames: [...declarations.keys()],
  };
  return { type, sizeMax: 0, bytesMin, fields };
}

/** Of metadata only the names are visible, whatever the schema describes. */
function resourceSchema(schema: CustomSchema): CustomSchema {
  const text = { type: 'string' };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: text,
      kind: text,
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
  };
}

/** Returns the name of a property in expressions: escaped where it is no identifier, undefined where it has none. */
function escapePropertyName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => escapes.get(part) ?? part);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

const reserved: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop namespace null package return true var ' +
    'void while'
  ).split(' '),
);
