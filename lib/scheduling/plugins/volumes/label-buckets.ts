// An index of items by the node labels that they require. Volumes and capacities are often tied to one node each;
// checking each of them against each node would be quadratic. An item whose selector has an exact match is indexed
// under that label; the others are returned for every node.
import { exactMatches } from '../../../core/index.js';
import type { Labels, Selector } from '../../../core/index.js';

/** Items by required node labels. */
export interface LabelBuckets<T> {
  /**
   * Returns lists that together contain every item that may match these labels, each item once and each list in the
   * given order.
   */
  for(labels: Labels): readonly (readonly T[])[];
}

/** Builds the index; an item without a selector may match every node. */
export function labelBuckets<T>(things: readonly T[], selectorOf: (thing: T) => Selector | undefined): LabelBuckets<T> {
  const unindexed: T[] = [];
  const byLabel = new Map<string, Map<string, T[]>>();
  for (const thing of things) bucketOf(byLabel, selectorOf(thing), unindexed).push(thing);
  return {
    for: (labels) => {
      const lists: (readonly T[])[] = unindexed.length === 0 ? [] : [unindexed];
      for (const [key, byValue] of byLabel) {
        const list = Object.hasOwn(labels, key) ? byValue.get(labels[key] ?? '') : undefined;
        if (list !== undefined) lists.push(list);
      }
      return lists;
    },
  };
}

/** Returns the list for a selector: that of its first exact match. */
function bucketOf<T>(byLabel: Map<string, Map<string, T[]>>, selector: Selector | undefined, anywhere: T[]): T[] {
  const [exact] = selector === undefined ? [] : exactMatches(selector);
  if (exact === undefined) return anywhere;
  const [key, value] = exact;
  const byValue = byLabel.get(key) ?? new Map<string, T[]>();
  byLabel.set(key, byValue);
  const list = byValue.get(value) ?? [];
  byValue.set(value, list);
  return list;
}
