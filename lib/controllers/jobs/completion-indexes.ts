// Sets of completion indexes of Indexed Jobs, as `status.completedIndexes` writes them: `0,2-5,8,9`. A set is a list of
// intervals in ascending order with gaps between them, so its cost grows with the number of gaps, not of indexes.
// As pkg/controller/job/indexed_job_utils.go.
import type { Frozen } from '../../core/index.js';
import type { Pod, SuccessPolicy } from '../../core/types/index.js';

/** The indexes `first` to `last`, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** A set of indexes: intervals in ascending order with gaps between them. */
export type IndexSet = readonly IndexInterval[];

/** The annotation and label with the index of a pod. */
export const completionIndexKey = 'batch.kubernetes.io/job-completion-index';

/** Returns the index of a pod; undefined if it has none, or one that is not a number from 0 on. */
export function completionIndexOf(pod: Frozen<Pod>): number | undefined {
  const index = readInteger(pod.metadata?.annotations?.[completionIndexKey]);
  return index === undefined || index < 0 ? undefined : index;
}

/** Reads an integer as Go's strconv.Atoi; undefined for any other text. */
export function readInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^[-+]?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Reads a set; indexes from `completions` on are left out, and so are parts that are no interval. */
export function parseIndexSet(text: string | undefined, completions: number): IndexSet {
  if (text === undefined || text === '') return [];
  const set: IndexInterval[] = [];
  for (const part of text.split(',')) {
    const [low, high] = part.split('-');
    const first = readInteger(low);
    if (first === undefined) continue;
    if (first >= completions) break;
    const last = high === undefined ? first : readInteger(high);
    if (last === undefined) continue;
    appendInterval(set, { first, last: Math.min(last, completions - 1) });
  }
  return set;
}

/** Writes a set: two indexes in a row are listed, three or more are a range. */
export function printIndexSet(set: IndexSet): string {
  return set
    .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}

/** How many indexes a set has. */
export function indexCount(set: IndexSet): number {
  return set.reduce((count, { first, last }) => count + last - first + 1, 0);
}

/** Whether a set has an index. */
export function hasIndex(set: IndexSet, index: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle]?.last ?? 0) >= index) high = middle;
    else low = middle + 1;
  }
  const found = set[low];
  return found !== undefined && found.first <= index;
}

/** The union of two sets. */
export function mergeIndexSets(one: IndexSet, other: IndexSet): IndexSet {
  if (other.length === 0) return one;
  const merged: IndexInterval[] = [];
  for (const interval of [...one, ...other].sort((a, b) => a.first - b.first)) appendInterval(merged, interval);
  return merged;
}

/** A set with further indexes, in any order. */
export function withIndexes(set: IndexSet, indexes: Iterable<number>): IndexSet {
  return mergeIndexSets(
    set,
    [...indexes].map((index) => ({ first: index, last: index })).sort((a, b) => a.first - b.first),
  );
}

/** Returns the first `count` indexes below `completions` that a set does not have. */
export function firstMissingIndexes(set: IndexSet, count: number, completions: number): readonly number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...set, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && missing.length < count; candidate += 1) missing.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}

/** Returns the position of the first rule of a success policy that the succeeded indexes meet. */
export function metSuccessRule(
  policy: Frozen<SuccessPolicy> | undefined,
  succeeded: IndexSet,
  completions: number,
): number | undefined {
  if (policy === undefined || succeeded.length === 0) return undefined;
  const position = policy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && indexCount(succeeded) >= succeededCount;
    const required = parseIndexSet(succeededIndexes, completions);
    if (required.length === 0) return false;
    const contained = countCommonIndexes(required, succeeded);
    return contained === indexCount(required) || (succeededCount !== undefined && contained >= succeededCount);
  });
  return position < 0 ? undefined : position;
}

function countCommonIndexes(one: IndexSet, other: IndexSet): number {
  let count = 0;
  let at = 0;
  for (const { first, last } of one) {
    // The previous interval of `one` may have ended within this one of `other`.
    for (let interval = other[at]; interval !== undefined && interval.first <= last; interval = other[at]) {
      count += Math.max(0, Math.min(last, interval.last) - Math.max(first, interval.first) + 1);
      if (interval.last > last) break;
      at += 1;
    }
  }
  return count;
}

/** Adds an interval whose first index is not below that of the last one. */
function appendInterval(set: IndexInterval[], interval: IndexInterval): void {
  const end = set.at(-1);
  if (end === undefined || interval.first > end.last + 1) set.push(interval);
  else if (interval.last > end.last) set[set.length - 1] = { first: end.first, last: interval.last };
}
