// What changed between two values, as errors about immutable fields show it: a unified diff, three lines of context, of
// both printed as indented JSON. Which lines count as moved and which as kept is part of what clients read, so the
// matching is that of Python's difflib, whose Go version Kubernetes uses: the longest run of equal lines first, then
// likewise on both sides of it; in texts of 200 lines and more, lines that are too common start no run.
// As apimachinery/pkg/util/diff/diff.go. The work is bounded: what would take too long counts as replaced.

/** The difference of two values in their internal form (internal-form.ts, go/struct-form.ts). */
export function printedDiff(before: unknown, after: unknown): string {
  const [a, b] = [lines(before), lines(after)];
  return groups(steps(matches(a, b), a.length, b.length))
    .map((group) => printGroup(group, a, b))
    .join('');
}

/** Equal lines: `size` of them from `a` in the one text and `b` in the other. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A stretch of both texts, kept or replaced. */
interface Step {
  readonly same: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

const context = 3;
const popularFrom = 200;
const comparisonsMax = 2_000_000;

function lines(value: unknown): readonly string[] {
  const text = JSON.stringify(value ?? null, undefined, 1);
  return text
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .split('\n');
}

/** All runs of equal lines in order. A stack instead of recursion: hostile texts nest as deep as they are long. */
function matches(a: readonly string[], b: readonly string[]): readonly Match[] {
  const places = placesOf(b);
  const found: Match[] = [];
  const pending: (readonly [aStart: number, aEnd: number, bStart: number, bEnd: number])[] = [
    [0, a.length, 0, b.length],
  ];
  let budget = comparisonsMax;
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const [aStart, aEnd, bStart, bEnd] = range;
    if (aStart >= aEnd || bStart >= bEnd || budget <= 0) continue;
    let best: Match = { a: aStart, b: bStart, size: 0 };
    let runs = new Map<number, number>();
    for (let i = aStart; i < aEnd; i++) {
      const next = new Map<number, number>();
      for (const j of places.get(a[i] ?? '') ?? []) {
        budget--;
        if (j < bStart) continue;
        if (j >= bEnd) break;
        const size = (runs.get(j - 1) ?? 0) + 1;
        next.set(j, size);
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
      }
      runs = next;
    }
    best = grown(best, range, (i, j) => a[i] === b[j]);
    if (best.size === 0) continue;
    found.push(best);
    pending.push([aStart, best.a, bStart, best.b], [best.a + best.size, aEnd, best.b + best.size, bEnd]);
  }
  return found.sort((one, other) => one.a - other.a);
}

/** Where lines occur, without those that are too common. */
function placesOf(text: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of text.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  if (text.length < popularFrom) return places;
  const most = Math.floor(text.length / 100) + 1;
  for (const [line, indices] of places) if (indices.length > most) places.delete(line);
  return places;
}

/** Common lines may still extend a run. */
function grown(
  { a, b, size }: Match,
  range: readonly [number, number, number, number],
  same: (i: number, j: number) => boolean,
): Match {
  const [aStart, aEnd, bStart, bEnd] = range;
  let before = 0;
  while (a - before > aStart && b - before > bStart && same(a - before - 1, b - before - 1)) before++;
  let end = size;
  while (a + end < aEnd && b + end < bEnd && same(a + end, b + end)) end++;
  return { a: a - before, b: b - before, size: before + end };
}

/** From runs to steps; runs that touch become one. */
function steps(found: readonly Match[], aLength: number, bLength: number): readonly Step[] {
  const made: Step[] = [];
  let [a, b] = [0, 0];
  for (const match of [...found, { a: aLength, b: bLength, size: 0 }]) {
    if (a < match.a || b < match.b) made.push({ same: false, a: [a, match.a], b: [b, match.b] });
    const last = made.at(-1);
    [a, b] = [match.a + match.size, match.b + match.size];
    if (match.size === 0) continue;
    if (last?.same === true) made[made.length - 1] = { same: true, a: [last.a[0], a], b: [last.b[0], b] };
    else made.push({ same: true, a: [match.a, a], b: [match.b, b] });
  }
  return made;
}

/** Changes that are near each other, with some lines around them. */
function groups(all: readonly Step[]): readonly (readonly Step[])[] {
  const made: Step[][] = [];
  let group: Step[] = [];
  for (const [index, step] of all.entries()) {
    if (!step.same) {
      group.push(step);
      continue;
    }
    const long = step.a[1] - step.a[0] > 2 * context;
    if (index > 0 && index < all.length - 1 && !long) group.push(step);
    else {
      if (index > 0) made.push([...group, head(step)]);
      group = index < all.length - 1 ? [tail(step)] : [];
    }
  }
  if (group.length > 0) made.push(group);
  return made.filter((steps) => steps.some(({ same }) => !same));
}

function head({ a, b }: Step): Step {
  return { same: true, a: [a[0], Math.min(a[1], a[0] + context)], b: [b[0], Math.min(b[1], b[0] + context)] };
}

function tail({ a, b }: Step): Step {
  return { same: true, a: [Math.max(a[0], a[1] - context), a[1]], b: [Math.max(b[0], b[1] - context), b[1]] };
}

function printGroup(group: readonly Step[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return '';
  const printed = [`@@ -${printRange(first.a[0], last.a[1])} +${printRange(first.b[0], last.b[1])} @@`];
  for (const step of group) {
    if (step.same) printed.push(...a.slice(...step.a).map((line) => ` ${line}`));
    else printed.push(...a.slice(...step.a).map((line) => `-${line}`), ...b.slice(...step.b).map((line) => `+${line}`));
  }
  return `${printed.join('\n')}\n`;
}

/** Lines count from one; an empty range names the line before it. */
function printRange(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
