// Built-in kinds as types of CEL, to check the expressions of a policy against the kinds that it matches. Types are
// made when a field of them is first looked up.
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from '../cel-type.js';
import type { CelType, FieldDeclaration, ObjectType } from '../cel-type.js';
import type { Shape, StructType } from '../../core/index.js';

/** Returns the types of structures; each is made once. */
export function kindTypes(): (type: StructType) => ObjectType {
  return typesOfShapes().typeOf;
}

/** Returns the types of shapes; that of a structure is made once. */
export function shapeTypes(): (shape: Shape) => CelType {
  return typesOfShapes().shapeType;
}

interface TypesOfShapes {
  readonly typeOf: (type: StructType) => ObjectType;
  readonly shapeType: (shape: Shape) => CelType;
}

function typesOfShapes(): TypesOfShapes {
  const known = new WeakMap<StructType, ObjectType>();
  const typeOf = (struct: StructType): ObjectType => {
    let found = known.get(struct);
    if (found === undefined) known.set(struct, (found = objectOf(struct, shapeType)));
    return found;
  };
  const shapeType = (shape: Shape): CelType => {
    switch (shape.kind) {
      case 'struct':
        return typeOf(shape);
      case 'list':
        return listType(shapeType(shape.items));
      case 'map':
        return mapType(stringType, shapeType(shape.values));
      case 'union':
        return dynType;
      default:
        return scalarTypes[shape.kind];
    }
  };
  return { typeOf, shapeType };
}

function objectOf(struct: StructType, shapeType: (shape: Shape) => CelType): ObjectType {
  const declared = new Map<string, FieldDeclaration>();
  return {
    kind: 'object',
    name: struct.name,
    field: (name) => {
      const known = declared.get(name);
      if (known !== undefined) return known;
      const property = name.startsWith('__') ? unescaped(name) : name;
      const field = struct.fields.get(property);
      if (field === undefined) return undefined;
      const declaration = { type: shapeType(field.shape), ...(property !== name && { property }) };
      declared.set(name, declaration);
      return declaration;
    },
    get fieldNames() {
      return [...struct.fields.keys()];
    },
  };
}

/** Reserved words of CEL are written between underscores: `__namespace__`. */
function unescaped(name: string): string {
  return name.replace(/^__(.+)__$/, '$1');
}

const scalarTypes: Readonly<Record<Exclude<Shape['kind'], 'struct' | 'list' | 'map' | 'union'>, CelType>> = {
  string: stringType,
  bool: boolType,
  int32: intType,
  int64: intType,
  double: doubleType,
  bytes: bytesType,
  quantity: dynType,
  'int-or-string': dynType,
  time: timestampType,
  'micro-time': timestampType,
  raw: dynType,
  json: dynType,
};
