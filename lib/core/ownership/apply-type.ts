// The schema contract of field ownership and server-side apply: for each value, how managers share it. Built-in kinds
// implement it from their types (object-apply-type.ts), custom resources from their OpenAPI schema
// (structural-apply-type.ts). As sigs.k8s.io/structured-merge-diff/v6/schema, Atom.
import type { JsonValue } from '../objects/json.js';

/**
 * The shapes that a value may have. A value that has none of them is treated by the first of map, scalar and list that
 * the type has. Members may be getters, so that types can refer to each other.
 */
export interface ApplyType {
  readonly scalar?: ApplyScalar | undefined;
  readonly list?: ApplyList | undefined;
  readonly map?: ApplyMap | undefined;
}

/** A leaf, by what the configuration that is applied may hold. */
export type ApplyScalar = 'numeric' | 'string' | 'boolean' | 'untyped';

/** A list. */
export interface ApplyList {
  readonly items: ApplyType;
  /** `atomic`: owned as a whole. `set`: each value has owners. `map`: each item, named by `keys`, has owners. */
  readonly relation: 'atomic' | 'set' | 'map';
  /** The key fields of a `map`. */
  readonly keys: readonly string[];
}

/** A structure or a map. */
export interface ApplyMap {
  /** Owned as a whole. */
  readonly isAtomic: boolean;
  /** The declared fields, without prototype. */
  readonly fields: Readonly<Record<string, ApplyField | undefined>>;
  /** The type of members that are not declared; undefined where there must be none. */
  readonly values?: ApplyType | undefined;
  /** Declared fields that Go prints as null where they are absent. */
  readonly nullFields?: readonly string[];
}

/** A declared field. */
export interface ApplyField {
  /** Its path element. */
  readonly element: string;
  readonly type: ApplyType;
  /** The value that a key field has where an item omits it. */
  readonly default?: JsonValue | undefined;
  /** Whether Go prints the absent field as null. */
  readonly isNullable: boolean;
}

/** Any value, owned as a whole. */
export const untypedAtomic: ApplyType = {
  scalar: 'untyped',
  list: {
    relation: 'atomic',
    keys: [],
    get items() {
      return untypedAtomic;
    },
  },
  map: {
    isAtomic: true,
    fields: noFields(),
    get values() {
      return untypedAtomic;
    },
  },
};

/** Any value: maps are granular, lists and scalars are owned as a whole. */
export const deducedType: ApplyType = {
  scalar: 'untyped',
  list: { relation: 'atomic', keys: [], items: untypedAtomic },
  map: {
    isAtomic: false,
    fields: noFields(),
    get values() {
      return deducedType;
    },
  },
};

/** Returns a record of fields without fields. */
export function noFields(): Record<string, ApplyField> {
  return Object.create(null) as Record<string, ApplyField>;
}

/** The shape by which a value is treated. */
export type ApplyShape = 'map' | 'scalar' | 'list';

/** Returns the shape of a value in a type. */
export function shapeOf(type: ApplyType, value: JsonValue | undefined): ApplyShape {
  if (typeof value === 'object') {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (value !== null && type.map !== undefined) return 'map';
  } else if (value !== undefined && type.scalar !== undefined) return 'scalar';
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

/** Returns the type of a member of a map: of its field, or of undeclared members. */
export function memberTypeOf(map: ApplyMap, name: string): ApplyType {
  return map.fields[name]?.type ?? map.values ?? untypedAtomic;
}
