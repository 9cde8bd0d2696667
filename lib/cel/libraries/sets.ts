// Lists as sets: containment, equivalence and intersection, whatever the order and the number of equal elements.
import { boolType, listType, typeParameter } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { FunctionDeclaration, Library, ValueEstimate } from '../library.js';
import { equalValues } from '../values/equality.js';
import { costSize } from '../standard/costs.js';
import { addRanges, multiplyRanges } from '../cost/shape.js';
import { exactly, sizeEstimate } from './costs.js';
import { listElements } from './list-elements.js';
import { declareFunction, globalOverload } from './overloads.js';

type Elements = readonly CelValue[];

const list = listType(typeParameter('T'));

/** The functions of sets. */
export const setsLibrary: Library = {
  name: 'sets',
  functions: [
    declareSet('contains', 1, contains),
    declareSet('equivalent', 2, (a, b) => contains(a, b) && contains(b, a)),
    declareSet('intersects', 1, (a, b) => a.some((item) => includes(b, item))),
  ],
};

/** Declares a function that compares each element with each, a number of times. */
function declareSet(name: string, times: number, holds: (a: Elements, b: Elements) => boolean): FunctionDeclaration {
  return declareFunction(
    `sets.${name}`,
    globalOverload(
      `list_sets_${name}_list`,
      [list, list],
      boolType,
      (a, b) => holds(listElements(a), listElements(b)),
      {
        cost: ([a, b]) => 1 + times * costSize(a) * costSize(b),
        estimate: ([a, b]: readonly ValueEstimate[]) => ({
          cost: addRanges(exactly(1), multiplyRanges(exactly(times), multiplyRanges(sizeEstimate(a), sizeEstimate(b)))),
        }),
      },
    ),
  );
}

function contains(a: Elements, b: Elements): boolean {
  return b.every((item) => includes(a, item));
}

function includes(items: Elements, wanted: CelValue): boolean {
  return items.some((item) => equalValues(item, wanted));
}
