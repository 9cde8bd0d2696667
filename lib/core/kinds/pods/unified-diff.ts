// The difference of two texts, line by line, as `diff -u` shows it: changed lines with three lines around them.
// Blocks that stayed are found longest first (Ratcliff and Obershelp, as in Python's difflib), so that a message shows
// the same lines as Kubernetes'. Quadratic in the worst case: texts with too many lines get no difference at all.

/** The hunks, each line ended; empty where nothing differs. */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  if (a.length > linesMax || b.length > linesMax) return '';
  return hunks(changes(a, b))
    .map((hunk) => printHunk(hunk, a, b))
    .join('');
}

const linesMax = 4000;
const contextLines = 3;

/** A stretch of both texts; `same` ones have equal lines. */
interface Stretch {
  readonly same: boolean;
  readonly a: Range;
  readonly b: Range;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function changes(a: readonly string[], b: readonly string[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = { a: 0, b: 0 };
  for (const block of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (block.a > at.a || block.b > at.b) {
      stretches.push({ same: false, a: { start: at.a, end: block.a }, b: { start: at.b, end: block.b } });
    }
    at = { a: block.a + block.size, b: block.b + block.size };
    if (block.size > 0)
      stretches.push({ same: true, a: { start: block.a, end: at.a }, b: { start: block.b, end: at.b } });
  }
  return stretches;
}

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** In order; neighbours that touch are one. */
function matchingBlocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  const places = placesOf(b);
  const found: Block[] = [];
  const pending = [{ a: { start: 0, end: a.length }, b: { start: 0, end: b.length } }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const block = longestMatch(a, b, places, part);
    if (block.size === 0) continue;
    found.push(block);
    pending.push({ a: { start: part.a.start, end: block.a }, b: { start: part.b.start, end: block.b } });
    pending.push({
      a: { start: block.a + block.size, end: part.a.end },
      b: { start: block.b + block.size, end: part.b.end },
    });
  }
  found.sort((one, other) => one.a - other.a);
  const joined: Block[] = [];
  for (const block of found) {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === block.a && last.b + last.size === block.b) {
      joined[joined.length - 1] = { ...last, size: last.size + block.size };
    } else joined.push(block);
  }
  return joined;
}

/** Where each line stands. In long texts, lines that stand everywhere are no place to start from. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  });
  if (lines.length >= 200) {
    const popular = Math.floor(lines.length / 100) + 1;
    for (const [line, at] of places) if (at.length > popular) places.delete(line);
  }
  return places;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  part: { readonly a: Range; readonly b: Range },
): Block {
  let best: Block = { a: part.a.start, b: part.b.start, size: 0 };
  // How long the match is that ends at the previous line of `a` and each line of `b`.
  let lengths = new Map<number, number>();
  for (let i = part.a.start; i < part.a.end; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < part.b.start) continue;
      if (j >= part.b.end) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: from, b: to, size } = best;
  while (from > part.a.start && to > part.b.start && a[from - 1] === b[to - 1])
    [from, to, size] = [from - 1, to - 1, size + 1];
  while (from + size < part.a.end && to + size < part.b.end && a[from + size] === b[to + size]) size += 1;
  return { a: from, b: to, size };
}

/** Groups of changes that stand near each other, with the lines around them. */
function hunks(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const groups: Stretch[][] = [];
  let group: Stretch[] = [];
  stretches.forEach((stretch, index) => {
    if (!stretch.same) {
      group.push(stretch);
      return;
    }
    const size = stretch.a.end - stretch.a.start;
    const isLast = index === stretches.length - 1;
    if (index > 0 && !isLast && size <= 2 * contextLines) {
      group.push(stretch);
      return;
    }
    if (index > 0) {
      group.push(head(stretch));
      groups.push(group);
    }
    group = isLast ? [] : [tail(stretch)];
  });
  if (group.some(({ same }) => !same)) groups.push(group);
  return groups.filter((one) => one.some(({ same }) => !same));
}

function head({ a, b }: Stretch): Stretch {
  const size = Math.min(contextLines, a.end - a.start);
  return { same: true, a: { start: a.start, end: a.start + size }, b: { start: b.start, end: b.start + size } };
}

function tail({ a, b }: Stretch): Stretch {
  const size = Math.min(contextLines, a.end - a.start);
  return { same: true, a: { start: a.end - size, end: a.end }, b: { start: b.end - size, end: b.end } };
}

function printHunk(hunk: readonly Stretch[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0];
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return '';
  let text = `@@ -${printRange(first.a.start, last.a.end)} +${printRange(first.b.start, last.b.end)} @@\n`;
  const add = (sign: string, lines: readonly string[]): void => {
    for (const line of lines) text += `${sign}${line}\n`;
  };
  for (const { same, a: from, b: to } of hunk) {
    if (same) add(' ', a.slice(from.start, from.end));
    else {
      add('-', a.slice(from.start, from.end));
      add('+', b.slice(to.start, to.end));
    }
  }
  return text;
}

/** Lines count from one; an empty range names the line before it. */
function printRange(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}
