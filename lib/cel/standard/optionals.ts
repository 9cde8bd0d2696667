// Optional values: optional.of, none, ofNonZeroValue, hasValue, value, or, orValue, the optional index, and unwrapping.
// The evaluator implements or, orValue and the indexes itself, since they do not evaluate or fail as other calls.
import { boolType, dynType, intType, listType, mapType, optionalType, typeParameter } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { Double, Duration, OptionalValue, Timestamp, TypeValue, Uint, optionalOf } from '../cel-value.js';
import type { Library } from '../library.js';
import type { EvaluationFailure } from '../values/failure.js';
import { noSuchOverload, failedWith } from '../values/failure.js';
import { elementAt, isList, sizeOf } from '../values/lists.js';
import type { StandardOperation } from './declare.js';
import { declare, method, overload } from './declare.js';
import { optionalMacros } from './macros.js';

const v = typeParameter('V');
const k = typeParameter('K');
const optionalOfV = optionalType(v);
const listOfV = listType(v);
const mapOfKV = mapType(k, v);
const none = optionalOf(undefined);
const dereference = failedWith('optional.none() dereference');

const notCalled: StandardOperation = () => noSuchOverload;

const onList = (operation: (list: readonly CelValue[]) => CelValue): StandardOperation => {
  return (value) => {
    if (!isList(value)) return noSuchOverload;
    return operation(Array.from({ length: value.length }, (_, i) => elementAt(value, i)));
  };
};

const unwrap = onList((list) =>
  list.flatMap((element) => (element instanceof OptionalValue && element.value !== undefined ? [element.value] : [])),
);

/** Optional values with their macros. */
export const optionalLibrary: Library = {
  name: 'optional',
  macros: optionalMacros,
  constants: {
    optional_type: { type: { kind: 'type', of: optionalType(dynType) }, value: new TypeValue(optionalType(dynType)) },
  },
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [v], optionalOfV, (value) => new OptionalValue(value)),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], optionalOfV, () => none),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [v], optionalOfV, (value) =>
        isZero(value) ? none : new OptionalValue(value),
      ),
    ),
    declare(
      'hasValue',
      method(
        'optional_hasValue',
        [optionalOfV],
        boolType,
        onOptional((value) => value !== undefined),
      ),
    ),
    declare(
      'value',
      method(
        'optional_value',
        [optionalOfV],
        v,
        onOptional((value) => value ?? dereference),
      ),
    ),
    declare('or', method('optional_or_optional', [optionalOfV, optionalOfV], optionalOfV, notCalled)),
    declare('orValue', method('optional_orValue_value', [optionalOfV, v], v, notCalled)),
    declare(
      '_[?_]',
      overload('list_optindex_optional_int', [listOfV, intType], optionalOfV, notCalled),
      overload('optional_list_optindex_optional_int', [optionalType(listOfV), intType], optionalOfV, notCalled),
      overload('map_optindex_optional_value', [mapOfKV, k], optionalOfV, notCalled),
      overload('optional_map_optindex_optional_value', [optionalType(mapOfKV), k], optionalOfV, notCalled),
    ),
    declare(
      'first',
      method(
        'list_first',
        [listOfV],
        optionalOfV,
        onList((list) => (list.length === 0 ? none : new OptionalValue(list[0]))),
      ),
    ),
    declare(
      'last',
      method(
        'list_last',
        [listOfV],
        optionalOfV,
        onList((list) => (list.length === 0 ? none : new OptionalValue(list.at(-1)))),
      ),
    ),
    declare('optional.unwrap', overload('optional_unwrap', [listType(optionalOfV)], listOfV, unwrap)),
    declare('unwrapOpt', method('optional_unwrapOpt', [listType(optionalOfV)], listOfV, unwrap)),
  ],
};

function onOptional(operation: (value: CelValue | undefined) => CelValue | EvaluationFailure): StandardOperation {
  return (value) => (value instanceof OptionalValue ? operation(value.value) : noSuchOverload);
}

/** Returns whether a value is the zero value of its type. */
function isZero(value: CelValue | undefined): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  if (value instanceof OptionalValue) return value.value === undefined;
  return sizeOf(value) === 0;
}
