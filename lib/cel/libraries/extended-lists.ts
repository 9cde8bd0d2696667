// Functions of lists of the lists extension of CEL, version 3: parts, order, duplicates and nesting. The cost of a
// result that is a new list is that of creating a list, 10, one for the call, and one for each element.
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../cel-type.js';
import type { SimpleType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, EstimateRange, FunctionDeclaration, Library, ValueEstimate } from '../library.js';
import { MacroError } from '../macro.js';
import type { MacroDeclaration } from '../macro.js';
import { equalValues } from '../values/equality.js';
import { compareOrUndefined } from './ordering.js';
import { costSize } from '../standard/costs.js';
import { addRanges, multiplyRanges } from '../cost/shape.js';
import { exactly, isText, sizeEstimate } from './costs.js';
import { elementsOf, isList } from '../values/lists.js';
import { listElements } from './list-elements.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';
import { valueTypeName } from './value-texts.js';

const element = typeParameter('T');
const elements = listType(element);

/** The cost of a call that makes a list. */
const newListCost = 11;

const comparable: readonly (readonly [string, SimpleType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'slice',
    memberOverload(
      'list_slice',
      [elements, intType, intType],
      elements,
      (list, start, end) => slice(list, Number(start), Number(end)),
      {
        cost: (_, result) => newListCost + costSize(result),
        estimate: estimateSlice,
      },
    ),
  ),
  declareFunction(
    'flatten',
    memberOverload('list_flatten', [listType(elements)], elements, (list) => flatten(listElements(list), 1), {
      cost: ([list]) => newListCost + costSize(list),
      estimate: ([list]) => newList(sizeEstimate(list)),
    }),
    memberOverload(
      'list_flatten_int',
      [listType(dynType), intType],
      listType(dynType),
      (list, depth) => flattenTo(list, Number(depth)),
      {
        cost: ([list, depth]) => newListCost + costSize(list) * Number(depth),
        estimate: ([list, depth]) =>
          newList(
            multiplyRanges(
              sizeEstimate(list),
              depth?.literal === undefined ? { min: 0, max: Infinity } : exactly(Math.max(0, Number(depth.literal))),
            ),
          ),
      },
    ),
  ),
  declareFunction(
    'distinct',
    memberOverload('list_distinct', [elements], elements, (list) => distinct(listElements(list)), {
      cost: ([list]) => newListCost + quadratic(list),
      estimate: ([list]) => newList(squared(sizeEstimate(list), exactly(2)), sizeEstimate(list)),
    }),
  ),
  declareFunction(
    'reverse',
    memberOverload('list_reverse', [elements], elements, (list) => listElements(list).toReversed(), {
      cost: ([list]) => newListCost + costSize(list),
      estimate: ([list]) => newList(sizeEstimate(list)),
    }),
  ),
  declareFunction(
    'sort',
    ...comparable.map(([name, type]) =>
      memberOverload(
        `list_${name}_sort`,
        [listType(type)],
        listType(type),
        (list) => sortBy(listElements(list), listElements(list)),
        {
          cost: ([list], result) => (result === undefined ? 1 : newListCost + quadratic(list)),
          estimate: ([list]) => estimateSort(list, list),
        },
      ),
    ),
  ),
  declareFunction(
    'lists.range',
    globalOverload('lists_range', [intType], listType(intType), (count) => range(Number(count)), {
      cost: (_, result) => newListCost + costSize(result),
      estimate: ([count]) =>
        newList(
          count?.literal === undefined ? { min: Infinity, max: Infinity } : exactly(Math.max(0, Number(count.literal))),
        ),
    }),
  ),
  declareFunction(
    sortByKeys(),
    ...comparable.map(([name, type]) =>
      memberOverload(
        `list_${name}_sortByAssociatedKeys`,
        [elements, listType(type)],
        elements,
        (list, keys) => sortBy(listElements(list), listElements(keys)),
        {
          cost: ([, keys], result) => (result === undefined ? 1 : newListCost + quadratic(keys)),
          estimate: ([list, keys]) => estimateSort(list, keys),
        },
      ),
    ),
  ),
];

/** `list.sortBy(x, key)`: the list in the order of the keys of its elements. */
const sortByMacro: MacroDeclaration = {
  name: 'sortBy',
  isMember: true,
  argumentCount: 2,
  expand(target, [variable, key], make) {
    if (target === undefined || key === undefined) return undefined;
    if (variable?.kind !== 'name') throw new MacroError(variable?.at ?? make.at, 'argument is not an identifier');
    const input = '@__sortBy_input__';
    const keys = make.comprehension({ fold: 'list', range: make.name(input), variables: [variable.name], body: key });
    return make.bind(input, target, make.memberCall(make.name(input), sortByKeys(), keys));
  },
};

/** The functions of lists that came with Kubernetes 1.34. */
export const extendedListsLibrary: Library = { name: 'lists', functions, macros: [sortByMacro] };

/** The name of the function that `sortBy` calls; it cannot be written in expressions. */
function sortByKeys(): string {
  return '@sortByAssociatedKeys';
}

function slice(list: CelValue | undefined, start: number, end: number): readonly CelValue[] {
  const items = listElements(list);
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) throw new EvaluationError(`${call}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${call}, start index must be less than or equal to end index`);
  if (items.length < end) throw new EvaluationError(`${call}, list is length ${items.length}`);
  return items.slice(start, end);
}

function flattenTo(list: CelValue | undefined, depth: number): readonly CelValue[] {
  if (depth < 0) throw new EvaluationError('level must be non-negative');
  return flatten(listElements(list), depth);
}

function flatten(items: readonly CelValue[], depth: number): readonly CelValue[] {
  if (depth === 0) return items;
  return items.flatMap((item) => (isList(item) ? flatten(listElements(item), depth - 1) : [item]));
}

/** Keeps the first of equal elements. Texts and numbers are looked up; what else there is, is compared. */
function distinct(items: readonly CelValue[]): readonly CelValue[] {
  const seen = new Set<CelValue>();
  const others: CelValue[] = [];
  return items.filter((item) => {
    if (typeof item === 'string' || typeof item === 'boolean') {
      if (seen.has(item)) return false;
      seen.add(item);
      return true;
    }
    if (others.some((other) => equalValues(other, item))) return false;
    others.push(item);
    return true;
  });
}

function range(count: number): readonly number[] {
  if (count > rangeMax) throw new EvaluationError(`lists.range: ${count} exceeds the maximum of ${rangeMax}`);
  return Array.from({ length: Math.max(0, count) }, (_, index) => index);
}

/** More elements than any budget of Kubernetes allows. */
const rangeMax = 10_000_000;

function sortBy(items: readonly CelValue[], keys: readonly CelValue[]): readonly CelValue[] {
  const [first] = keys;
  if (first === undefined) return items;
  if (compareOrUndefined(first, first) === undefined) throw new EvaluationError('list elements must be comparable');
  const type = valueTypeName(first);
  if (!keys.every((key) => valueTypeName(key) === type))
    throw new EvaluationError('list elements must have the same type');
  return items
    .map((item, index) => ({ item, key: keys[index] ?? null }))
    .sort((a, b) => compareOrUndefined(a.key, b.key) ?? 0)
    .map(({ item }) => item);
}

/** Comparing each element with each: two units a pair, and a tenth more for texts. */
function quadratic(list: CelValue | undefined): number {
  if (list === undefined || !isList(list)) return 1;
  const items = elementsOf(list);
  const [first] = items;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
  return Math.trunc(items.length * items.length * factor);
}

function newList(cost: EstimateRange, size: EstimateRange = cost): CallEstimate {
  return { cost: addRanges(exactly(newListCost), cost), resultSize: size };
}

function squared(size: EstimateRange, factor: EstimateRange): EstimateRange {
  const product = multiplyRanges(multiplyRanges(size, size), factor);
  return { min: Math.ceil(product.min), max: Math.ceil(product.max) };
}

function estimateSort(list: ValueEstimate | undefined, keys: ValueEstimate | undefined): CallEstimate {
  const key = keys?.type.kind === 'list' ? keys.type.element : dynType;
  const factor = { min: isText(key) ? 2.1 : 2, max: isText(key) || key.kind === 'dyn' ? 2.1 : 2 };
  return newList(squared(sizeEstimate(list), factor), sizeEstimate(list));
}

function estimateSlice([list, start, end]: readonly ValueEstimate[]): CallEstimate {
  const size = sizeEstimate(list).max;
  const from = start?.literal === undefined ? 0 : Math.max(0, Number(start.literal));
  const to = end?.literal === undefined ? size : Number(end.literal);
  return newList(from > to ? { min: Infinity, max: Infinity } : exactly(to - from));
}
