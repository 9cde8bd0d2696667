// The function of mutating policies that writes JSON patches: escaping a key for a path.
import { stringType } from '../cel-type.js';
import type { Library } from '../library.js';
import { copiesFirst, traversalCost } from './costs.js';
import { declareFunction, globalOverload } from './overloads.js';

/** `jsonpatch.escapeKey(key)`. */
export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    declareFunction(
      'jsonpatch.escapeKey',
      globalOverload(
        'string_jsonpatch_escapeKey_string',
        [stringType],
        stringType,
        (key) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
        { cost: ([key]) => traversalCost(key), estimate: copiesFirst },
      ),
    ),
  ],
};
