// What a strategic merge patch asks of the schema, in the words of Go's reflection, which its messages use. As
// apimachinery/pkg/util/strategicpatch/meta.go, PatchMetaFromStruct, over third_party/forked/golang/json/fields.go.
import type { Field, Shape } from '../schema/type.js';
import { PatchError } from './patch-error.js';

/** A type as a Go field or element has it: a shape, perhaps behind a pointer. */
export type Typed = Pick<Field, 'shape' | 'presence'>;

/** The type of a list's elements and how a patch treats the list. */
export interface ListMember {
  readonly element: Typed;
  readonly merges: boolean;
  /** Empty for a list of scalars and for one that is replaced. */
  readonly mergeKey: string;
}

/** The field of a structure that a JSON name means; anything else has no fields, maps included. */
export function memberOf(parent: Typed, name: string): Field {
  const { shape } = parent;
  if (shape.kind === 'struct') {
    const found = shape.named[name] ?? ignoringCase(shape.fields.values(), name);
    if (found !== undefined) return found;
  } else if (shape.kind !== 'union' && kindOf(shape) !== 'struct') {
    throw new PatchError(
      'internal',
      `merging an object in json but data type is not struct, instead is: ${kindOf(shape)}`,
    );
  }
  const typeName = shape.goType.slice(shape.goType.lastIndexOf('.') + 1);
  throw new PatchError(
    'internal',
    `unable to find api field in struct ${typeName} for the json field ${JSON.stringify(name)}`,
  );
}

/** The same for a field that holds a list. A pointer passes for a list of what it points to, as in Kubernetes. */
export function listMemberOf(parent: Typed, name: string): ListMember {
  const { shape, presence, patch } = memberOf(parent, name);
  const { mergeKey = '' } = patch;
  const merges = patch.strategy === 'merge';
  if (shape.kind === 'list') {
    if (kindOf(shape.items) === 'slice') throw new PatchError('internal', 'unexpected slice of slice');
    return { element: { shape: shape.items, presence: 'value' }, merges, mergeKey };
  }
  if (shape.kind !== 'bytes' && presence !== 'pointer') {
    throw new PatchError('internal', `expected slice or array type, but got: ${kindName(parent)}`);
  }
  return { element: { shape, presence: 'value' }, merges, mergeKey };
}

/** The reflect.Kind of a type. */
export function kindName({ shape, presence }: Typed): string {
  return presence === 'pointer' ? 'ptr' : kindOf(shape);
}

/** Returns whether a map is taken from the patch as it is, as the selector of a PodDisruptionBudget. */
export function isReplacedMap(parent: Typed, name: string): boolean {
  return parent.shape.kind === 'struct' && parent.shape.named[name]?.patch.strategy === 'replace';
}

function kindOf(shape: Shape): string {
  switch (shape.kind) {
    case 'list':
    case 'bytes':
      return 'slice';
    case 'double':
      return 'float64';
    case 'map':
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
      return shape.kind;
    default:
      return 'struct';
  }
}

function ignoringCase(fields: Iterable<Field>, name: string): Field | undefined {
  const folded = name.toLowerCase();
  for (const field of fields) if (field.name.toLowerCase() === folded) return field;
  return undefined;
}
