// The elements of lists of either form, for the functions of libraries.
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import { elementsOf, isList } from '../values/lists.js';

/** Returns the elements of a list. Throws `EvaluationError` for a value that is none. */
export function listElements(list: CelValue | undefined): readonly CelValue[] {
  if (list !== undefined && isList(list)) return elementsOf(list);
  throw new EvaluationError('no such overload');
}
