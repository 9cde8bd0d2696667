// Things that want a node with certain labels, kept so that a node is shown only those it may suit: volumes and
// capacity are often tied to one node each, and with as many of them as nodes, to ask each about each would take for
// ever. A thing whose selector names an exact label waits under that label; the others are shown to every node.
import { exactMatches } from '../../../core/index.js';
import type { Labels, Selector } from '../../../core/index.js';

/** Things by the labels of nodes that they may suit. */
export interface LabelBuckets<T> {
  /** Lists that together have all things that may suit these labels, each in the order given, and each thing once. */
  for(labels: Labels): readonly (readonly T[])[];
}

/** Sorts things by what they demand; one without selector may suit every node. */
export function labelBuckets<T>(things: readonly T[], selectorOf: (thing: T) => Selector | undefined): LabelBuckets<T> {
  const anywhere: T[] = [];
  const byLabel = new Map<string, Map<string, T[]>>();
  for (const thing of things) bucketOf(byLabel, selectorOf(thing), anywhere).push(thing);
  return {
    for: (labels) => {
      const lists: (readonly T[])[] = anywhere.length === 0 ? [] : [anywhere];
      for (const [key, byValue] of byLabel) {
        const list = Object.hasOwn(labels, key) ? byValue.get(labels[key] ?? '') : undefined;
        if (list !== undefined) lists.push(list);
      }
      return lists;
    },
  };
}

/** The list for things with this selector: under one of the labels that it names, the first. */
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
