// Searching by regular expressions in the syntax of RE2, in a time that is linear in the text: `find` and `findAll`.
import { regexpFinder } from '../../core/index.js';
import type { RegexpFinder } from '../../core/index.js';
import { intType, listType, stringType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { Expression } from '../expression.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, CallFacts, FunctionDeclaration, Library, ValueEstimate } from '../library.js';
import { costSize } from '../standard/costs.js';
import { multiplyRanges } from '../cost/shape.js';
import { sizeEstimate, traversalEstimate, traversalFactor } from './costs.js';
import { declareFunction, memberOverload } from './overloads.js';

const patternFactor = 0.25;

const functions: readonly FunctionDeclaration[] = [
  {
    ...declareFunction(
      'find',
      memberOverload(
        'string_find_string',
        [stringType, stringType],
        stringType,
        (text, pattern) => find(text as string, pattern as string, 1)[0] ?? '',
        { cost: matchCost, estimate: estimateMatch },
      ),
    ),
    validate: validatePattern,
  },
  {
    ...declareFunction(
      'findAll',
      memberOverload(
        'string_find_all_string',
        [stringType, stringType],
        listType(stringType),
        (text, pattern) => find(text as string, pattern as string, -1),
        { cost: matchCost, estimate: estimateMatch },
      ),
      memberOverload(
        'string_find_all_string_int',
        [stringType, stringType, intType],
        listType(stringType),
        (text, pattern, limit) => find(text as string, pattern as string, Number(limit)),
        { cost: matchCost, estimate: estimateMatch },
      ),
    ),
    validate: validatePattern,
  },
];

/** The functions that search by regular expressions. */
export const regexLibrary: Library = { name: 'kubernetes.regex', functions };

/** Returns the first `limit` matches, all where it is negative. */
function find(text: string, pattern: string, limit: number): readonly string[] {
  const finder = finderOf(pattern);
  if ('error' in finder) throw new EvaluationError(`Illegal regex: ${finder.error}`);
  const matches = finder.find(text, limit < 0 ? Infinity : limit);
  if (matches === undefined) throw new EvaluationError('the regular expression takes too many steps on this text');
  return matches;
}

/** Compiles a pattern. Patterns are mostly literals, which the compiler of expressions passes here again and again. */
function finderOf(pattern: string): RegexpFinder {
  return regexpFinder(pattern);
}

function validatePattern([, pattern]: readonly Expression[], facts: CallFacts): void {
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
  const finder = regexpFinder(pattern.value);
  if ('error' in finder) facts.report(pattern, `invalid matches argument`);
}

function matchCost([text, pattern]: readonly CelValue[]): number {
  return Math.ceil((1 + costSize(text)) * traversalFactor) * Math.ceil(costSize(pattern) * patternFactor);
}

function estimateMatch([text, pattern]: readonly ValueEstimate[]): CallEstimate {
  const size = sizeEstimate(text);
  const read = traversalEstimate({ min: 1 + size.min, max: 1 + size.max });
  const cost = multiplyRanges(read, traversalEstimate(sizeEstimate(pattern), patternFactor));
  return { cost, resultSize: { min: 0, max: size.max } };
}
