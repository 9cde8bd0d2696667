// Functions of lists that Kubernetes adds: order, sums, extremes and positions of elements.
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../cel-type.js';
import type { CelType, SimpleType } from '../cel-type.js';
import { Double, Duration, Uint, double, int } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, FunctionDeclaration, Library, Overload, ValueEstimate } from '../library.js';
import { equalValues } from '../values/equality.js';
import { compareOrUndefined } from './ordering.js';
import { costSize } from '../standard/costs.js';
import { addRanges, multiplyRanges } from '../cost/shape.js';
import { elementSize, exactly, isText, sizeEstimate, traversalEstimate, traversalFactor } from './costs.js';
import { elementsOf, isList } from '../values/lists.js';
import { listElements } from './list-elements.js';
import { declareFunction, memberOverload } from './overloads.js';

const scalars: readonly (readonly [string, SimpleType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

const elementType = typeParameter('A');
const costs: Pick<Overload, 'cost' | 'estimate'> = { cost: ([list]) => elementsCost(list), estimate };

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'isSorted',
    ...scalars.map(([name, type]) =>
      memberOverload(`list_${name}_is_sorted_bool`, [listType(type)], boolType, isSorted, costs),
    ),
  ),
  declareFunction(
    'sum',
    ...scalars
      .filter(([name]) => ['int', 'uint', 'double', 'duration'].includes(name))
      .map(([name, type]) =>
        memberOverload(`list_${name}_sum_${name}`, [listType(type)], type, (list) => sum(list, type), costs),
      ),
  ),
  declareFunction('min', ...extremes('min')),
  declareFunction('max', ...extremes('max')),
  declareFunction(
    'indexOf',
    memberOverload(
      'list_a_index_of_int',
      [listType(elementType), elementType],
      intType,
      (list, value) => listElements(list).findIndex((item) => equalValues(item, value ?? null)),
      costs,
    ),
  ),
  declareFunction(
    'lastIndexOf',
    memberOverload(
      'list_a_last_index_of_int',
      [listType(elementType), elementType],
      intType,
      (list, value) => listElements(list).findLastIndex((item) => equalValues(item, value ?? null)),
      costs,
    ),
  ),
];

/** The functions of lists that Kubernetes adds. */
export const listsLibrary: Library = { name: 'kubernetes.lists', functions };

function extremes(name: 'max' | 'min'): readonly Overload[] {
  return scalars.map(([type, of]) =>
    memberOverload(`list_${type}_${name}_${type}`, [listType(of)], of, (list) => extreme(list, name), costs),
  );
}

/** The order of two elements. Elements without an order are refused; those of other types count as equal. */
function order(a: CelValue, b: CelValue, name: string): number {
  const compared = compareOrUndefined(a, b);
  if (compared !== undefined) return compared;
  if (compareOrUndefined(a, a) === undefined) throw new EvaluationError(`no such overload: ${name}(list)`);
  return 0;
}

function isSorted(list: CelValue | undefined): boolean {
  const items = listElements(list);
  return items.every((item, index) => index === 0 || order(items[index - 1] ?? null, item, 'isSorted') <= 0);
}

function extreme(list: CelValue | undefined, name: 'max' | 'min'): CelValue {
  const [first, ...rest] = listElements(list);
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  const sign = name === 'min' ? -1 : 1;
  order(first, first, name);
  return rest.reduce((found, item) => (order(found, item, name) * sign < 0 ? item : found), first);
}

function sum(list: CelValue | undefined, type: CelType): CelValue {
  const items = listElements(list);
  const [first] = items;
  if (first === undefined) return zeroOf(type);
  if (!isAddable(first)) throw new EvaluationError('no such overload: sum(list)');
  return items.slice(1).reduce<CelValue>(add, first);
}

function zeroOf({ kind }: CelType): CelValue {
  if (kind === 'double') return new Double(0);
  if (kind === 'uint') return new Uint(0n);
  return kind === 'duration' ? new Duration(0n) : 0;
}

function isAddable(value: CelValue): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof Double ||
    value instanceof Uint ||
    value instanceof Duration
  );
}

function add(a: CelValue, b: CelValue): CelValue {
  if (isInteger(a) && isInteger(b)) return int(inRange(BigInt(a) + BigInt(b), -(2n ** 63n), 2n ** 63n - 1n, 'integer'));
  if (a instanceof Uint && b instanceof Uint)
    return new Uint(inRange(a.value + b.value, 0n, 2n ** 64n - 1n, 'unsigned integer'));
  if (a instanceof Duration && b instanceof Duration)
    return new Duration(inRange(a.nanos + b.nanos, -(2n ** 63n), 2n ** 63n - 1n, 'integer'));
  const [x, y] = [doubleOf(a), doubleOf(b)];
  if (x === undefined || y === undefined) throw new EvaluationError('no such overload');
  return double(x + y);
}

function isInteger(value: CelValue): value is bigint | number {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

function doubleOf(value: CelValue): number | undefined {
  if (value instanceof Double) return value.value;
  return typeof value === 'number' && !Number.isInteger(value) ? value : undefined;
}

function inRange(value: bigint, min: bigint, max: bigint, name: string): bigint {
  if (value < min || value > max) throw new EvaluationError(`${name} overflow`);
  return value;
}

/** A unit for each element; of strings and bytes a tenth of their length, of lists and maps their size. */
function elementsCost(list: CelValue | undefined): number {
  if (list === undefined || !isList(list)) return 1;
  let cost = 0;
  for (const item of elementsOf(list)) {
    const isLong = typeof item === 'string' || item instanceof Uint8Array;
    cost += isLong ? Math.trunc(costSize(item) * traversalFactor) : costSize(item);
  }
  return cost;
}

function estimate([list]: readonly ValueEstimate[]): CallEstimate {
  const element = list?.type.kind === 'list' ? list.type.element : undefined;
  const each =
    element !== undefined && isText(element) ? addRanges(exactly(1), traversalEstimate(elementSize(list))) : exactly(1);
  return { cost: multiplyRanges(sizeEstimate(list), each) };
}
