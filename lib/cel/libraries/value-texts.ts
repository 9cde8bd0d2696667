// Names and texts of values that messages of libraries print.
import type { CelType } from '../cel-type.js';
import {
  Double,
  Duration,
  FieldsValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from '../cel-value.js';
import type { CelValue } from '../cel-value.js';

/** Returns the name of a type without its parameters: `list`, `google.protobuf.Duration`, `net.IP`. */
export function typeNameOf(type: CelType): string {
  switch (type.kind) {
    case 'object':
    case 'opaque':
    case 'parameter':
      return type.name;
    case 'duration':
      return 'google.protobuf.Duration';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    default:
      return type.kind;
  }
}

/** Returns the name of the type of a value. */
export function valueTypeName(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'double';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: object | null): string {
  if (value === null) return 'null_type';
  if (value instanceof Double) return 'double';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  if (value instanceof OpaqueValue || value instanceof FieldsValue) return typeNameOf(value.type);
  return Array.isArray(value) || value instanceof ListValue ? 'list' : 'map';
}

/** Returns the entries of a map of either form; undefined for other values. */
export function mapEntries(value: CelValue): readonly (readonly [CelValue, CelValue])[] | undefined {
  if (value instanceof MapValue)
    return Array.from(value.keys(), (key) => [key, value.get(key) ?? null] as readonly [CelValue, CelValue]);
  if (valueTypeName(value) !== 'map') return undefined;
  return Object.entries(value as Readonly<Record<string, CelValue>>);
}
