// Types of CEL as values: what the checker infers, what declarations name. Types are compared by structure, except for
// object types, which are compared by name.
import type { CelValue } from './cel-value.js';

/** A type of CEL. */
export type CelType = SimpleType | ListType | MapType | ObjectType | OpaqueType | TypeType | TypeParameter;

/** A type without parameters. `dyn` is decided at run time; `error` is the type of what did not check. */
export interface SimpleType {
  readonly kind:
    'bool' | 'bytes' | 'double' | 'duration' | 'dyn' | 'error' | 'int' | 'null_type' | 'string' | 'timestamp' | 'uint';
}

/** `list(element)`. */
export interface ListType {
  readonly kind: 'list';
  readonly element: CelType;
}

/** `map(key, value)`. */
export interface MapType {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
}

/** A type with declared fields, such as the objects of a schema. Its values are JSON objects or `FieldsValue`s. */
export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** Returns the declaration of a field by its name in expressions; undefined where there is none. */
  field(name: string): FieldDeclaration | undefined;
  /** The names of the fields in expressions, for literals such as `Object.spec{replicas: 1}`. */
  readonly fieldNames: readonly string[];
  /** Makes the value of a literal from its fields. Default: a JSON object. */
  construct?(fields: Readonly<Record<string, CelValue>>): CelValue;
}

/** A field of an object type. */
export interface FieldDeclaration {
  readonly type: CelType;
  /** The member of the JSON object, where it differs from the name in expressions (`__dash__` and the like). */
  readonly property?: string;
  /** Converts the member's JSON value where values of this type are not plain JSON (timestamps, bytes, doubles …). */
  readonly read?: (json: unknown) => unknown;
}

/** A type that a library defines, such as `net.IP`, or `optional_type(T)`. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
  readonly parameters: readonly CelType[];
}

/** The type of types: `type(int)`. */
export interface TypeType {
  readonly kind: 'type';
  readonly of: CelType;
}

/** A type parameter of a declaration, bound anew for every call. */
export interface TypeParameter {
  readonly kind: 'parameter';
  readonly name: string;
}

/** The type `bool`. */
export const boolType: SimpleType = { kind: 'bool' };
/** The type `bytes`. */
export const bytesType: SimpleType = { kind: 'bytes' };
/** The type `double`. */
export const doubleType: SimpleType = { kind: 'double' };
/** The type `duration`. */
export const durationType: SimpleType = { kind: 'duration' };
/** The type `dyn`, which is decided at run time. */
export const dynType: SimpleType = { kind: 'dyn' };
/** The type of what did not check. */
export const errorType: SimpleType = { kind: 'error' };
/** The type `int`. */
export const intType: SimpleType = { kind: 'int' };
/** The type `null_type`. */
export const nullType: SimpleType = { kind: 'null_type' };
/** The type `string`. */
export const stringType: SimpleType = { kind: 'string' };
/** The type `timestamp`. */
export const timestampType: SimpleType = { kind: 'timestamp' };
/** The type `uint`. */
export const uintType: SimpleType = { kind: 'uint' };

/** Returns `list(element)`. */
export const listType = (element: CelType): ListType => ({ kind: 'list', element });

/** Returns `map(key, value)`. */
export const mapType = (key: CelType, value: CelType): MapType => ({ kind: 'map', key, value });

/** Returns a type that a library defines. */
export const opaqueType = (name: string, ...parameters: readonly CelType[]): OpaqueType => ({
  kind: 'opaque',
  name,
  parameters,
});

/** Returns `optional_type(of)`. */
export const optionalType = (of: CelType): OpaqueType => opaqueType('optional_type', of);

/** Returns a type parameter of a declaration. */
export const typeParameter = (name: string): TypeParameter => ({ kind: 'parameter', name });
