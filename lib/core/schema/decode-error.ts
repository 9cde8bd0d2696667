// Refusals of the decoder, in the words of Go's JSON decoder, which Kubernetes passes on to its clients.
import { jsonType } from '../go/encoding-json.js';
import type { Field, Shape, StructType } from './type.js';

/** A document that does not have the shape its type demands. The message is what Kubernetes would say. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** Returns whether an error is a DecodeError, by its name, so that two copies of the package agree. */
export function isDecodeError(error: unknown): error is DecodeError {
  return error instanceof Error && error.name === 'DecodeError';
}

/** One step from the root to a value: a field of a structure, an index of a list or a key of a map. */
export type RouteStep = Field | number | string;

/** The way from the root of a document to a value, for messages. */
export interface ValueRoute {
  readonly root: StructType;
  readonly steps: readonly RouteStep[];
}

/** The refusal of a value of the wrong JSON type. */
export function typeMismatch(route: ValueRoute, shape: Shape, value: unknown): DecodeError {
  const type = expectedType(shape);
  const literal =
    typeof value === 'number' && (type === 'int32' || type === 'int64' || type === 'float64') ? ` ${value}` : '';
  return new DecodeError(
    `json: cannot unmarshal ${jsonType(value)}${literal} into Go ${target(route)} of type ${type}`,
  );
}

/** The path as field validation prints it: `spec.containers[0].image`. */
export function printSteps(steps: readonly RouteStep[], last?: string): string {
  let path = '';
  for (const step of last === undefined ? steps : [...steps, last]) {
    if (typeof step === 'number') path += `[${step}]`;
    else path += (path === '' ? '' : '.') + (typeof step === 'string' ? step : step.name);
  }
  return path;
}

/** Go names the innermost structure and the path of fields to the value, embedded structures included. */
function target({ root, steps }: ValueRoute): string {
  const fields = steps.filter((step) => typeof step === 'object');
  const owner = fields.slice(0, -1).reduce((type, { shape }) => innermostStruct(shape) ?? type, root);
  if (fields.length === 0) return 'value';
  return `struct field ${owner.name.slice(owner.name.lastIndexOf('.') + 1)}.${fields.flatMap(({ embedded, name }) => [...embedded, name]).join('.')}`;
}

function innermostStruct(shape: Shape): StructType | undefined {
  switch (shape.kind) {
    case 'struct':
      return shape;
    case 'list':
      return innermostStruct(shape.items);
    case 'map':
      return innermostStruct(shape.values);
    case 'union':
      return shape.options.map((option) => innermostStruct(option.shape)).find((found) => found !== undefined);
    default:
      return undefined;
  }
}

/** Types with a decoder of their own speak of what that decoder reads. */
function expectedType(shape: Shape): string {
  switch (shape.kind) {
    case 'int-or-string':
      return 'int32';
    case 'time':
    case 'micro-time':
      return 'string';
    default:
      return shape.goType;
  }
}
