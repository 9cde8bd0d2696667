// The types that expressions of mutating policies construct: `Object{…}` and the objects below it, whose types are
// named by their path (`Object.spec.template`), and `JSONPatch{…}`. A policy may match many kinds, so objects have any
// field; whether names follow their paths is checked when a mutation is evaluated, and fields when it is merged.
import { dynType, stringType } from '../cel-type.js';
import { Double, Duration, FieldsValue, ListValue, MapValue, OptionalValue, Timestamp, Uint } from '../cel-value.js';
import type { CelType, ObjectType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { equalValues } from '../values/equality.js';
import { encodeBase64, printTime } from '../../core/index.js';
import type { JsonObject, JsonValue } from '../../core/index.js';

/** Returns the type that a literal constructs, by name; undefined for other names. */
export function mutationType(name: string): ObjectType | undefined {
  if (name === 'JSONPatch') return patchType;
  return objectName.test(name) ? objectType(name) : undefined;
}

const objectName = /^Object(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

function objectType(name: string): ObjectType {
  const type: ObjectType = {
    kind: 'object',
    name,
    field: () => ({ type: dynType }),
    fieldNames: [],
    construct: (fields) => new ConstructedObject(type, fields),
  };
  return type;
}

const patchFields: Readonly<Record<string, CelType>> = {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
};

const patchType: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  field: (name) => {
    const type = Object.hasOwn(patchFields, name) ? patchFields[name] : undefined;
    return type && { type };
  },
  fieldNames: Object.keys(patchFields),
  construct: (fields) => new ConstructedObject(patchType, fields),
};

/** A value of a literal. */
export class ConstructedObject extends FieldsValue {
  readonly type: ObjectType;
  readonly fields: Readonly<Record<string, CelValue>>;

  constructor(type: ObjectType, fields: Readonly<Record<string, CelValue>>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.fields, name);
  }

  get(name: string): CelValue | undefined {
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
  }

  equals(other: CelValue): boolean {
    return (
      other instanceof ConstructedObject && other.type.name === this.type.name && equalValues(this.fields, other.fields)
    );
  }
}

/** Throws Error where an object, or one below it, does not have the name of its path. */
export function checkTypeNames(value: CelValue, path = 'Object'): void {
  if (value instanceof ConstructedObject) {
    const { name } = value.type;
    if (name !== path)
      throw new Error(
        `type mismatch: unexpected type name "${name}", expected "${path}", which matches field name path from root Object type`,
      );
    for (const [field, member] of Object.entries(value.fields)) checkTypeNames(member, `${path}.${field}`);
  } else for (const item of itemsOf(value)) checkTypeNames(item, path);
}

function itemsOf(value: CelValue): Iterable<CelValue> {
  if (Array.isArray(value)) return value as readonly CelValue[];
  if (value instanceof MapValue) return [...value.keys()].map((key) => value.get(key) ?? null);
  if (value instanceof ListValue) return Array.from({ length: value.length }, (_, index) => value.at(index));
  return isRecord(value) ? Object.values(value) : [];
}

/** Returns a value as JSON. Throws Error for values that JSON does not have. */
export function jsonOf(value: CelValue): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Timestamp) return printTime(value.seconds * 1000);
  if (value instanceof ConstructedObject) return jsonFields(Object.entries(value.fields));
  if (value instanceof MapValue)
    return jsonFields([...value.keys()].map((key) => [keyText(key), value.get(key) ?? null] as const));
  if (value instanceof OptionalValue || value instanceof Duration || value instanceof FieldsValue)
    throw new Error('the value has no form in JSON');
  if (value instanceof ListValue || Array.isArray(value)) return [...itemsOf(value)].map(jsonOf);
  if (isRecord(value)) return jsonFields(Object.entries(value));
  throw new Error('the value has no form in JSON');
}

/** Keys are strings, numbers or booleans. */
function keyText(key: CelValue): string {
  return typeof key === 'string' ? key : JSON.stringify(jsonOf(key));
}

function jsonFields(fields: Iterable<readonly [string, CelValue]>): JsonObject {
  return Object.fromEntries([...fields].map(([name, value]) => [name, jsonOf(value)]));
}

function isRecord(value: CelValue): value is Readonly<Record<string, CelValue>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
