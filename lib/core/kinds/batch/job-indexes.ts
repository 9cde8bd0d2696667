// Sets of indexes of an Indexed Job, as text: `1,3-5,7`, each interval above the last.
// As pkg/apis/batch/validation/validation.go, validateIndexesFormat and validateFailedIndexesNotOverlapCompleted.
import { quote } from '../../go/format.js';
import { ParseError, isParseError } from '../../objects/parse-error.js';

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** How many indexes the text names, all below `completions`. Throws ParseError in Kubernetes' words. */
export function countIndexes(text: string, completions: number): number {
  if (text === '') return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const { first, last } = parseInterval(part, completions);
    if (previous !== undefined && previous >= first) throw decreasing(previous, first);
    // An int32 that overflows wraps around.
    total = (total + last - first + 1) | 0;
    previous = last;
  }
  return total;
}

/** The first index that both name, in the order of their intervals; intervals that cannot be read are passed over. */
export function firstOverlap(completed: string, failed: string, completions: number): number | undefined {
  if (completed === '' || failed === '') return undefined;
  const left = readableIntervals(completed, completions);
  const right = readableIntervals(failed, completions);
  for (let i = 0, j = 0; ;) {
    const a = left[i];
    const b = right[j];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i++;
    else j++;
  }
}

function parseInterval(text: string, completions: number): Interval {
  const limits = text.split('-');
  if (limits.length > 2) {
    throw new ParseError(
      `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  }
  const [from = '', to] = limits;
  const first = parseIndex(from, completions);
  if (to === undefined) return { first, last: first };
  const last = parseIndex(to, completions);
  if (first >= last) throw decreasing(first, last);
  return { first, last };
}

function parseIndex(text: string, completions: number): number {
  // Beyond int64 Go does not read it; doubles cannot tell the last few.
  const value = /^[-+]?[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!(Math.abs(value) < 2 ** 63)) throw new ParseError(`cannot convert string to integer for index: ${quote(text)}`);
  if (value >= completions) throw new ParseError(`too large index: ${quote(text)}`);
  return value;
}

function readableIntervals(text: string, completions: number): readonly Interval[] {
  return text.split(',').flatMap((part) => {
    try {
      return [parseInterval(part, completions)];
    } catch (error) {
      if (isParseError(error)) return [];
      throw error;
    }
  });
}

function decreasing(previous: number, current: number): ParseError {
  return new ParseError(`non-increasing order, previous: ${previous}, current: ${current}`);
}
