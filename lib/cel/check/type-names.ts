// Types as text: as the checker's messages print them, and as `type()` names them at run time.
import type { CelType } from '../cel-type.js';

/** Returns a type as messages print it: `map(string, list(int))`. */
export function printType(type: CelType): string {
  switch (type.kind) {
    case 'null_type':
      return 'null';
    case 'error':
      return '!error!';
    case 'list':
      return `list(${printType(type.element)})`;
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case 'object':
      return type.name;
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(printType).join(', ')})`;
    case 'type':
      return type.of.kind === 'dyn' && type.of === bareType ? 'type' : `type(${printType(type.of)})`;
    case 'parameter':
      return type.name.startsWith('%') ? 'dyn' : type.name;
    default:
      return type.kind;
  }
}

/** Returns whether two types are the same; type parameters that are not bound are different from each other. */
export function isSameType(one: CelType, other: CelType): boolean {
  if (one.kind === 'parameter') return other.kind === 'parameter' && one.name === other.name;
  if (one.kind === 'list') return other.kind === 'list' && isSameType(one.element, other.element);
  if (one.kind === 'map')
    return other.kind === 'map' && isSameType(one.key, other.key) && isSameType(one.value, other.value);
  if (one.kind === 'opaque')
    return (
      other.kind === 'opaque' &&
      one.name === other.name &&
      one.parameters.every((parameter, i) => isSameType(parameter, other.parameters[i] ?? bareType))
    );
  return printType(one) === printType(other);
}

/** The type that `type` itself is of: `type(type)`. */
export const bareType: CelType = { kind: 'dyn' };

/** Returns the name of a type at run time: `list`, `google.protobuf.Timestamp`. Types of one name are equal. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'object':
    case 'opaque':
    case 'parameter':
      return type.name;
    default:
      return type.kind;
  }
}
