// The operators of CEL as functions: arithmetic, equality, order, membership and indexing.
import type { CelType } from '../cel-type.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { OptionalValue } from '../cel-value.js';
import type { FunctionDeclaration } from '../library.js';
import { add, compare, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.js';
import { equalValues } from '../values/equality.js';
import type { EvaluationFailure } from '../values/failure.js';
import { noSuchOverload } from '../values/failure.js';
import { elementAt, isList } from '../values/lists.js';
import { isMap, mapGet } from '../values/maps.js';
import { qualify } from '../values/qualify.js';
import { comparisonCosts, concatenationCosts, listConcatenationCosts, membershipCosts } from './costs.js';
import type { StandardOverload } from './declare.js';
import { declare, overload } from './declare.js';

const a = typeParameter('A');
const b = typeParameter('B');
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

const numeric = [
  ['int64', intType],
  ['uint64', uintType],
  ['double', doubleType],
] as const;

const ordered = [
  ['bool', boolType],
  ['string', stringType],
  ['bytes', bytesType],
  ['timestamp', timestampType],
  ['duration', durationType],
] as const;

/** The operators, except those that choose what is evaluated. */
export const operators: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    ...sameTypes('add', numeric, add),
    overload('add_string', [stringType, stringType], stringType, add, concatenationCosts),
    overload('add_bytes', [bytesType, bytesType], bytesType, add, concatenationCosts),
    overload('add_list', [listOfA, listOfA], listOfA, add, listConcatenationCosts),
    overload('add_timestamp_duration', [timestampType, durationType], timestampType, add),
    overload('add_duration_timestamp', [durationType, timestampType], timestampType, add),
    overload('add_duration_duration', [durationType, durationType], durationType, add),
  ),
  declare(
    '_-_',
    ...sameTypes('subtract', numeric, subtract),
    overload('subtract_timestamp_timestamp', [timestampType, timestampType], durationType, subtract),
    overload('subtract_timestamp_duration', [timestampType, durationType], timestampType, subtract),
    overload('subtract_duration_duration', [durationType, durationType], durationType, subtract),
  ),
  declare('_*_', ...sameTypes('multiply', numeric, multiply)),
  declare('_/_', ...sameTypes('divide', numeric, divide)),
  declare('_%_', ...sameTypes('modulo', numeric.slice(0, 2), modulo)),
  declare(
    '-_',
    overload('negate_double', [doubleType], doubleType, negate),
    overload('negate_int64', [intType], intType, negate),
  ),
  declare(
    '!_',
    overload('logical_not', [boolType], boolType, (value) => (typeof value === 'boolean' ? !value : noSuchOverload)),
  ),
  declare('_==_', overload('equals', [a, a], boolType, equalValues, comparisonCosts)),
  declare(
    '_!=_',
    overload(
      'not_equals',
      [a, a],
      boolType,
      (one: CelValue, other: CelValue) => !equalValues(one, other),
      comparisonCosts,
    ),
  ),
  ordering('_<_', 'less', (order) => order < 0),
  ordering('_<=_', 'less_equals', (order) => order <= 0),
  ordering('_>_', 'greater', (order) => order > 0),
  ordering('_>=_', 'greater_equals', (order) => order >= 0),
  declare(
    '@in',
    overload('in_list', [a, listOfA], boolType, contains, membershipCosts),
    overload('in_map', [a, mapOfAB], boolType, contains),
  ),
  declare(
    '_[_]',
    overload('index_list', [listOfA, intType], a, index),
    overload('index_map', [mapOfAB, a], b, index),
    overload('optional_list_index_int', [optionalType(listOfA), intType], optionalType(a), index),
    overload('optional_map_index_value', [optionalType(mapOfAB), a], optionalType(b), index),
  ),
];

function sameTypes(
  name: string,
  types: readonly (readonly [string, CelType])[],
  operation: (one: CelValue, other: CelValue) => CelValue | EvaluationFailure,
): readonly StandardOverload[] {
  return types.map(([suffix, type]) => overload(`${name}_${suffix}`, [type, type], type, operation));
}

function ordering(operator: string, name: string, holds: (order: number) => boolean): FunctionDeclaration {
  const operation = (one: CelValue, other: CelValue) => {
    const order = compare(one, other, operator);
    return typeof order === 'number' ? holds(order) : order;
  };
  const same = ordered.map(([suffix, type]) =>
    overload(
      `${name}_${suffix}`,
      [type, type],
      boolType,
      operation,
      suffix === 'string' || suffix === 'bytes' ? comparisonCosts : {},
    ),
  );
  const mixed = numeric.flatMap(([left, one]) =>
    numeric.map(([right, other]) =>
      overload(`${name}_${left === right ? left : `${left}_${right}`}`, [one, other], boolType, operation),
    ),
  );
  return declare(operator, ...same, ...mixed);
}

/** Returns whether a list has an element, or a map a key. */
export function contains(value: CelValue, range: CelValue): CelValue | EvaluationFailure {
  if (isList(range)) {
    for (let i = 0; i < range.length; i++) if (equalValues(elementAt(range, i), value)) return true;
    return false;
  }
  return isMap(range) ? mapGet(range, value) !== undefined : noSuchOverload;
}

/** Returns the element of a list or the value of a key; of an optional, an optional. */
export function index(range: CelValue, key: CelValue): CelValue | EvaluationFailure {
  if (!(range instanceof OptionalValue)) return qualify(range, key);
  return range;
}
