// The order of a merged list: the elements that the patch speaks of in the order of the patch, the others in the order
// of the document, interleaved so that an element of the document stays before those it stood before. Hence a new
// element comes first: nothing is known of its place. As strategicpatch/patch.go, normalizeElementOrder and
// mergeSortedSlice, with look-ups by key instead of scans, so that the cost is n log n.
import type { JsonValue } from '../objects/json.js';

/** Elements of a list to be brought in order. */
export interface Unordered {
  /** The elements that the patch speaks of. */
  readonly patched: readonly JsonValue[];
  readonly serverOnly: readonly JsonValue[];
  /** The order for the first, by key. */
  readonly patchOrder: readonly JsonValue[];
  /** The order for the second, and between the two. */
  readonly serverOrder: readonly JsonValue[];
  /** The identity of an element: the merge key of a map, a scalar itself. */
  readonly keyOf: (element: JsonValue) => JsonValue | undefined;
}

/** All elements in order. */
export function orderElements({ patched, serverOnly, patchOrder, serverOrder, keyOf }: Unordered): JsonValue[] {
  const serverPositions = positions(serverOrder, keyOf);
  const serverPosition = (element: JsonValue): number | undefined => serverPositions.get(keyOf(element));
  const patchPositions = positions(patchOrder, keyOf);
  const right = inOrder(patched, (element) => patchPositions.get(keyOf(element)));
  const left = inOrder(serverOnly, serverPosition);
  const ordered: JsonValue[] = [];
  let taken = 0;
  for (const element of right) {
    const position = serverPosition(element);
    for (let next = left[taken]; next !== undefined && position !== undefined; next = left[taken]) {
      const before = serverPosition(next);
      if (before === undefined || before >= position) break;
      ordered.push(next);
      taken += 1;
    }
    ordered.push(element);
  }
  return [...ordered, ...left.slice(taken)];
}

/** The position of the first element of each key. */
export function positions(list: readonly JsonValue[], keyOf: Unordered['keyOf']): Map<JsonValue | undefined, number> {
  const found = new Map<JsonValue | undefined, number>();
  list.forEach((element, position) => {
    const key = keyOf(element);
    if (!found.has(key)) found.set(key, position);
  });
  return found;
}

function inOrder(
  list: readonly JsonValue[],
  positionOf: (element: JsonValue) => number | undefined,
): readonly JsonValue[] {
  const where = list.map(positionOf);
  if (where.every((position, at) => position !== undefined && position >= (where[at - 1] ?? 0))) return list;
  const placed = list.map((element, at) => ({ element, position: where[at] }));
  if (where.includes(undefined)) sortAsGo(placed);
  else placed.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return placed.map(({ element }) => element);
}

/**
 * Kubernetes says of two elements that the first is smaller when the position of either is unknown, whichever comes
 * first. What Go's sort makes of that, up to its twenty elements of insertion sort, is the order here too: it runs
 * backwards.
 */
function sortAsGo(placed: { position: number | undefined }[]): void {
  const sorted = Math.min(placed.length, 20);
  for (let start = 1; start < sorted; start += 1) {
    for (let at = start; at > 0; at -= 1) {
      const [left, right] = [placed[at - 1], placed[at]];
      if (left === undefined || right === undefined) return;
      if (left.position !== undefined && right.position !== undefined && right.position >= left.position) break;
      placed[at - 1] = right;
      placed[at] = left;
    }
  }
}
