// Functions on strings and sizes, and the test of a pattern. Strings are measured in code points.
import { matcher, parseGoRegexp } from '../../core/index.js';
import { boolType, bytesType, dynType, intType, listType, mapType, stringType, typeParameter } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { TypeValue } from '../cel-value.js';
import { literalType } from '../check/literal-type.js';
import type { FunctionDeclaration } from '../library.js';
import { EvaluationFailure, noSuchOverload, failedWith } from '../values/failure.js';
import { sizeOf } from '../values/lists.js';
import { patternCosts, prefixCosts, searchCosts } from './costs.js';
import type { StandardOperation } from './declare.js';
import { declare, method, overload } from './declare.js';

const a = typeParameter('A');
const b = typeParameter('B');

const size: StandardOperation = (value) => sizeOf(value) ?? noSize;
const noSize = failedWith('no such overload: size');

const sized = [
  ['string', stringType],
  ['bytes', bytesType],
  ['list', listType(a)],
  ['map', mapType(a, b)],
] as const;

/** size, contains, startsWith, endsWith, matches, type and dyn. */
export const functions: readonly FunctionDeclaration[] = [
  declare(
    'size',
    ...sized.map(([name, type]) => overload(`size_${name}`, [type], intType, size)),
    ...sized.map(([name, type]) => method(`${name}_size`, [type], intType, size)),
  ),
  declare(
    'contains',
    method(
      'contains_string',
      [stringType, stringType],
      boolType,
      onTexts((text, part) => text.includes(part)),
      searchCosts,
    ),
  ),
  declare(
    'startsWith',
    method(
      'starts_with_string',
      [stringType, stringType],
      boolType,
      onTexts((text, part) => text.startsWith(part)),
      prefixCosts,
    ),
  ),
  declare(
    'endsWith',
    method(
      'ends_with_string',
      [stringType, stringType],
      boolType,
      onTexts((text, part) => text.endsWith(part)),
      prefixCosts,
    ),
  ),
  {
    ...declare(
      'matches',
      overload('matches', [stringType, stringType], boolType, onTexts(matches)),
      method('matches_string', [stringType, stringType], boolType, onTexts(matches), patternCosts),
    ),
    validate([, pattern], facts) {
      if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
      if ('error' in parseGoRegexp(pattern.value)) facts.report(pattern, 'invalid matches argument');
    },
  },
  declare(
    'type',
    overload('type', [a], { kind: 'type', of: a }, (value) => new TypeValue(literalType(value))),
  ),
  declare(
    'dyn',
    overload('to_dyn', [a], dynType, (value) => value),
  ),
];

function onTexts(operation: (one: string, other: string) => CelValue | EvaluationFailure): StandardOperation {
  return (one, other) =>
    typeof one === 'string' && typeof other === 'string' ? operation(one, other) : noSuchOverload;
}

/** Compiled patterns. An expression that makes patterns from data compiles each once while it is in use. */
const patterns = new Map<string, ((text: string) => boolean | undefined) | EvaluationFailure>();
const patternsMax = 500;

/** Returns whether a text matches a pattern of RE2 somewhere, in linear time. */
export function matches(text: string, pattern: string): boolean | EvaluationFailure {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    const parsed = parseGoRegexp(pattern);
    compiled = 'error' in parsed ? new EvaluationFailure(parsed.error) : matcher(parsed.expression);
    if (patterns.size >= patternsMax) patterns.clear();
    patterns.set(pattern, compiled);
  }
  return compiled instanceof EvaluationFailure ? compiled : (compiled(text) ?? false);
}
