// The types of values: of literals while checking, and of any value at run time.
import type { CelType } from '../cel-type.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  uintType,
} from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import {
  Double,
  Duration,
  FieldsValue,
  ListValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from '../cel-value.js';
import { isMap } from '../values/maps.js';
import { bareType } from './type-names.js';

const dynList = listType(dynType);
const dynMap = mapType(dynType, dynType);
const dynOptional = optionalType(dynType);
const typeType: CelType = { kind: 'type', of: bareType };

/** Returns the type of a value as far as it is known at run time: lists are `list(dyn)`. */
export function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'string':
      return stringType;
    case 'number':
      return Number.isInteger(value) ? intType : doubleType;
    case 'bigint':
      return intType;
    default:
      return value === null ? nullType : objectType(value);
  }
}

function objectType(value: Exclude<CelValue, null | boolean | string | number | bigint>): CelType {
  if (Array.isArray(value) || value instanceof ListValue) return dynList;
  if (value instanceof Double) return doubleType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof TypeValue) return typeType;
  if (value instanceof OptionalValue) return dynOptional;
  if (value instanceof OpaqueValue || value instanceof FieldsValue) return value.type;
  return dynMap;
}

/** Returns whether a value may be an argument of a type. Elements of lists and maps are not looked at. */
export function fitsType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'error':
    case 'parameter':
      return true;
    case 'object':
      return (
        value instanceof FieldsValue || isMap(value) || (value instanceof OpaqueValue && isNamed(value.type, type.name))
      );
    case 'opaque':
      if (type.name === 'optional_type') return value instanceof OptionalValue;
      return value instanceof OpaqueValue && isNamed(value.type, type.name);
    default:
      return literalType(value).kind === type.kind;
  }
}

function isNamed(type: CelType, name: string): boolean {
  return (type.kind === 'opaque' || type.kind === 'object') && type.name === name;
}
