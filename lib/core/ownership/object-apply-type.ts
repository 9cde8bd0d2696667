// The schema contract of field ownership for types of the compact schema: built-in kinds and kinds of the host.
// Created on first use, and only as deep as objects reach. As kube-openapi/pkg/schemaconv, which derives it from the
// published OpenAPI.
import type { JsonValue } from '../objects/json.js';
import type { Field, ScalarKind, Shape, StructType } from '../schema/type.js';
import { once } from '../schema/type.js';
import type { ApplyField, ApplyList, ApplyScalar, ApplyType } from './apply-type.js';
import { deducedType, noFields, untypedAtomic } from './apply-type.js';
import { fieldElement } from './path-element.js';
import { structuralApplyType } from './structural-apply-type.js';

/** The type of an object, and what a new object has before a client sets anything. */
export interface ObjectApplyType {
  readonly type: ApplyType;
  /** The zero value of the kind in Go, with what it always prints. */
  readonly zero: JsonValue;
}

/** Returns the types of objects; each is made once. A published JSON Schema takes the place of the fields. */
export function objectApplyTypes(): (type: StructType) => ObjectApplyType {
  const types = new WeakMap<StructType, ApplyType>();
  const objects = new WeakMap<StructType, ObjectApplyType>();
  const structOf = (struct: StructType): ApplyType => {
    const known = types.get(struct);
    if (known !== undefined) return known;
    const made = applyTypeOfStruct(struct, typeOf);
    types.set(struct, made);
    return made;
  };
  const typeOf = (shape: Shape, field?: Field): ApplyType => applyTypeOf(shape, field, structOf);
  return (struct) => {
    const known = objects.get(struct);
    if (known !== undefined) return known;
    const made = objectTypeOf(struct, structOf);
    objects.set(struct, made);
    return made;
  };
}

function objectTypeOf(struct: StructType, structOf: (struct: StructType) => ApplyType): ObjectApplyType {
  const { published, named } = struct;
  if (published === undefined) return { type: structOf(struct), zero: zeroOf(struct) };
  const { shape } = named.metadata ?? {};
  return {
    type: structuralApplyType(published, {
      members: {
        kind: scalarTypes.string,
        apiVersion: scalarTypes.string,
        ...(shape?.kind === 'struct' && { metadata: structOf(shape) }),
      },
    }),
    zero: emptyObject,
  };
}

const emptyObject: JsonValue = Object.freeze({});

function applyTypeOfStruct(struct: StructType, typeOf: (shape: Shape, field: Field) => ApplyType): ApplyType {
  const fields = once(() => {
    const made = noFields();
    for (const field of struct.fields.values()) made[field.name] = applyFieldOf(field, typeOf);
    return made;
  });
  const nullFields = once(() => [...struct.fields.values()].filter(isNullable).map(({ name }) => name));
  return {
    map: {
      isAtomic: struct.atomic,
      get fields() {
        return fields();
      },
      get nullFields() {
        return nullFields();
      },
    },
  };
}

function applyFieldOf(field: Field, typeOf: (shape: Shape, field: Field) => ApplyType): ApplyField {
  const type = once(() => typeOf(field.shape, field));
  return {
    element: fieldElement(field.name),
    default: field.default ?? (field.presence === 'always' ? zeroValues[field.shape.kind] : undefined),
    isNullable: isNullable(field),
    get type() {
      return type();
    },
  };
}

function applyTypeOf(shape: Shape, field: Field | undefined, structOf: (struct: StructType) => ApplyType): ApplyType {
  switch (shape.kind) {
    case 'struct':
      // A field may declare a granular structure as atomic.
      return field?.atomicMap === true ? atomicOf(structOf(shape)) : structOf(shape);
    case 'map':
      return {
        map: {
          isAtomic: field?.atomicMap ?? false,
          fields: noFields(),
          values: applyTypeOf(shape.values, undefined, structOf),
        },
      };
    case 'list':
      return { list: listOf(applyTypeOf(shape.items, undefined, structOf), field) };
    case 'union':
    case 'json':
      return deducedType;
    case 'raw':
      return untypedAtomic;
    default:
      return scalarTypes[shape.kind];
  }
}

function atomicOf({ map }: ApplyType): ApplyType {
  return map === undefined ? untypedAtomic : { map: { ...map, isAtomic: true } };
}

/** The published list type, or else the strategic merge rule. */
function listOf(items: ApplyType, field: Field | undefined): ApplyList {
  const { listType, mapKeys = [], patch } = field ?? {};
  if (listType === 'map') return { items, relation: 'map', keys: mapKeys };
  if (listType === undefined && patch?.strategy === 'merge')
    return patch.mergeKey === undefined
      ? { items, relation: 'set', keys: [] }
      : { items, relation: 'map', keys: [patch.mergeKey] };
  return { items, relation: listType ?? 'atomic', keys: [] };
}

const scalarOf = (scalar: ApplyScalar): ApplyType => ({ scalar });

const scalarTypes: Readonly<Record<Exclude<ScalarKind, 'raw' | 'json'>, ApplyType>> = {
  string: scalarOf('string'),
  bool: scalarOf('boolean'),
  int32: scalarOf('numeric'),
  int64: scalarOf('numeric'),
  double: scalarOf('numeric'),
  bytes: scalarOf('string'),
  quantity: scalarOf('untyped'),
  'int-or-string': scalarOf('untyped'),
  time: scalarOf('untyped'),
  'micro-time': scalarOf('untyped'),
};

/** What Go prints for fields that are always printed; the others print null. */
const zeroValues: Partial<Record<Shape['kind'], JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  quantity: '0',
  'int-or-string': 0,
};

function isNullable({ presence, shape: { kind } }: Field): boolean {
  return presence === 'always' && kind !== 'struct' && zeroValues[kind] === undefined;
}

function zeroOf(struct: StructType): JsonValue {
  const zero: Record<string, JsonValue> = {};
  for (const { name, presence, shape } of struct.fields.values()) {
    if (presence !== 'always') continue;
    const value = shape.kind === 'struct' ? zeroOf(shape) : zeroValues[shape.kind];
    if (value !== undefined) zero[name] = value;
  }
  return Object.freeze(zero);
}
