// Reading a part of a value: an element of a list, the value of a key, a field. `qualify` fails where it is missing,
// `lookUp` returns undefined.
import type { CelValue } from '../cel-value.js';
import { Double, FieldsValue, Uint } from '../cel-value.js';
import { literalType } from '../check/literal-type.js';
import { typeName } from '../check/type-names.js';
import { EvaluationError } from '../library.js';
import { EvaluationFailure } from './failure.js';
import { elementAt, isList } from './lists.js';
import { isMap, mapGet } from './maps.js';
import { printKey } from './print.js';

/** Returns the part of a value; a failure where it is missing. */
export function qualify(owner: CelValue, key: CelValue): CelValue | EvaluationFailure {
  const found = lookUp(owner, key);
  if (found !== undefined) return found;
  if (isList(owner)) return new EvaluationFailure(`index out of bounds: ${printKey(key)}`);
  if (owner instanceof FieldsValue) return new EvaluationFailure(`no such key: ${printKey(key)}`);
  return new EvaluationFailure(`no such key: ${printKey(key)}`);
}

/** Returns the part of a value; undefined where it is missing, a failure where the key cannot be one. */
export function lookUp(owner: CelValue, key: CelValue): CelValue | EvaluationFailure | undefined {
  if (typeof owner !== 'object' || owner === null) return undefined;
  if (isList(owner)) {
    const position = listPosition(key);
    if (typeof position !== 'number') return position;
    return position >= 0 && position < owner.length ? elementAt(owner, position) : undefined;
  }
  if (isMap(owner)) return mapGet(owner, key);
  return owner instanceof FieldsValue && typeof key === 'string' ? fieldOf(owner, key) : undefined;
}

/** Fields may be computed when they are read, and fail. */
function fieldOf(owner: FieldsValue, name: string): CelValue | EvaluationFailure | undefined {
  try {
    return owner.get(name);
  } catch (error) {
    if (error instanceof EvaluationError) return new EvaluationFailure(error.message);
    throw error;
  }
}

/** Returns the index that a key is for a list. Other numbers than ints are allowed where they are whole. */
function listPosition(key: CelValue): number | EvaluationFailure {
  if (typeof key === 'number') return Number.isInteger(key) ? key : unsupportedIndex(key);
  if (key instanceof Double) return key.value;
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === 'bigint') return -1;
  if (key === null) return new EvaluationFailure('invalid qualifier type: <nil>');
  return new EvaluationFailure(`unsupported index type '${typeName(literalType(key))}' in list`);
}

function unsupportedIndex(key: number): EvaluationFailure {
  return new EvaluationFailure(`unsupported index value ${key} in list`);
}
