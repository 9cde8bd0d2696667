// Numbers in ascending order, each once. Whoever wants the one at some place of several lists together finds it without
// merging them.

/** How many of the numbers are below one. */
export function countBelow(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the numbers in all lists are below one. */
export function countAllBelow(lists: readonly (readonly number[])[], number: number): number {
  let count = 0;
  for (const list of lists) count += countBelow(list, number);
  return count;
}

/** The number in all lists, below `end`, that has so many below it. */
export function numberAfter(lists: readonly (readonly number[])[], count: number, end: number): number {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only[count] ?? end;
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (countAllBelow(lists, middle + 1) <= count) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds a number that is not there. */
export function insert(sorted: number[], number: number): void {
  const last = sorted.at(-1);
  if (last === undefined || last < number) sorted.push(number);
  else sorted.splice(countBelow(sorted, number), 0, number);
}

/** Takes out a number that is there. */
export function remove(sorted: number[], number: number): void {
  sorted.splice(countBelow(sorted, number), 1);
}
