// Groups of indistinguishable nodes: equal rank, and equal values of all traits (raw scores, topology domains or domain
// counts). Thousands of nodes form few groups, so a search checks and scores groups. Placing a pod moves one node to
// another group; no other node is evaluated.
import { ChangeReader } from '../cluster/change-log.js';
import { intAt, ensureLength, ensureFloatLength } from './column-arrays.js';
import type { NodeColumns } from './cluster-columns.js';

/** A number per node by which nodes are grouped. It changes only for nodes that the change log names. */
export interface Trait {
  /** The value of a slot's node, an integer. */
  at(slot: number): number;
  /** Changes whenever values may have changed without an entry in the change log. */
  version(): number;
}

/** The group of infeasible nodes. */
export const infeasibleGroup = 0;

/** The nodes of a cluster, grouped by traits. */
export class NodeGroups {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #rank: Trait;
  readonly #traits: readonly Trait[];
  readonly #root: Branch = branch();
  #groupOf: Int32Array = new Int32Array(0);
  #sizes: Int32Array = new Int32Array(1);
  /** Positions in `#order` of the nodes of each group, ascending. */
  #members: number[][] = [];
  #order: Int32Array = new Int32Array(0);
  /** Trait values of each group, by trait, then by group. */
  readonly #values: Float64Array[];
  /** The next free group number. Empty groups keep their number until all nodes are regrouped. */
  #end = 1;
  #occupied = 0;
  #version = -1;

  /** A node of rank 0 is infeasible; its other traits are not read. */
  constructor(columns: NodeColumns, rank: Trait, traits: readonly Trait[]) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#rank = rank;
    this.#traits = [rank, ...traits];
    this.#values = this.#traits.map(() => new Float64Array(1));
  }

  /** The group of each slot. */
  get groupOf(): Int32Array {
    return this.#groupOf;
  }

  /** Number of nodes per group. */
  get sizes(): Int32Array {
    return this.#sizes;
  }

  /** All group numbers are below this. */
  get end(): number {
    return this.#end;
  }

  /** Returns the non-empty groups of feasible nodes. */
  occupied(): number[] {
    const groups: number[] = [];
    for (let group = infeasibleGroup + 1; group < this.#end; group++)
      if (intAt(this.#sizes, group) > 0) groups.push(group);
    return groups;
  }

  /**
   * Returns the slot of the node that follows after `count` other nodes of `groups`, in node order from index `start`.
   * Nodes with a slot in `excluded` are skipped.
   */
  nodeAfter(
    count: number,
    groups: readonly number[],
    { start, excluded }: { readonly start: number; readonly excluded: readonly number[] },
  ): number {
    const members = groups.map((group) => this.#members[group] ?? []);
    const all = members.reduce((sum, { length }) => sum + length, 0);
    const before = countAllBelow(members, start);
    const skipped = excluded
      .filter((slot) => groups.includes(intAt(this.#groupOf, slot)))
      .map((slot) => (countAllBelow(members, intAt(this.#columns.places, slot)) - before + all) % all)
      .sort((one, other) => one - other);
    let ahead = count;
    for (const place of skipped) if (place <= ahead) ahead += 1;
    return intAt(this.#order, numberAfter(members, (before + ahead) % all, this.#order.length));
  }

  /** Whether the nodes are grouped by exactly these traits, besides rank. */
  isBy(traits: readonly Trait[]): boolean {
    return (
      this.#traits.length === traits.length + 1 && traits.every((trait, index) => this.#traits[index + 1] === trait)
    );
  }

  /** The rank of each group. */
  get ranks(): Float64Array {
    return this.valuesOf(this.#rank);
  }

  /** The value of a trait for each group. */
  valuesOf(trait: Trait): Float64Array {
    const values = this.#values[this.#traits.indexOf(trait)];
    if (values === undefined) throw new Error('nodes are not grouped by this trait');
    return values;
  }

  /** Applies the changes since the last call. The traits must be up to date. */
  sync(): void {
    const changes = this.#reader.read();
    const version = this.#traits.reduce((sum, trait) => sum + trait.version(), 0);
    const isKept = changes !== undefined && version === this.#version && this.#columns.order === this.#order;
    if (!isKept || this.#end > 2 * this.#occupied + emptyMax) this.#groupAll();
    else
      for (const {
        node: { slot },
      } of changes)
        this.#group(slot);
    this.#version = version;
  }

  #groupAll(): void {
    this.#root.branches.clear();
    this.#end = 1;
    this.#occupied = 0;
    this.#sizes.fill(0);
    this.#members = [];
    this.#order = this.#columns.order;
    this.#groupOf = ensureLength(this.#groupOf, this.#columns.capacity).fill(infeasibleGroup);
    for (const slot of this.#order) this.#group(slot);
  }

  #group(slot: number): void {
    const was = intAt(this.#groupOf, slot);
    const group = this.#rank.at(slot) === 0 ? infeasibleGroup : this.#groupFor(slot);
    if (was === group) return;
    this.#groupOf[slot] = group;
    const place = intAt(this.#columns.places, slot);
    if (was !== infeasibleGroup) {
      remove(this.#members[was] ?? [], place);
      this.#resize(was, -1);
    }
    if (group !== infeasibleGroup) {
      insert((this.#members[group] ??= []), place);
      this.#resize(group, 1);
    }
  }

  #resize(group: number, by: 1 | -1): void {
    const size = intAt(this.#sizes, group) + by;
    this.#sizes[group] = size;
    if (size === 0) this.#occupied -= 1;
    else if (size === by) this.#occupied += 1;
  }

  #groupFor(slot: number): number {
    let at = this.#root;
    for (const trait of this.#traits) {
      const value = trait.at(slot);
      let next = at.branches.get(value);
      if (next === undefined) at.branches.set(value, (next = branch()));
      at = next;
    }
    if (at.group === infeasibleGroup) at.group = this.#createGroup(slot);
    return at.group;
  }

  #createGroup(slot: number): number {
    const group = this.#end++;
    this.#sizes = ensureLength(this.#sizes, this.#end);
    for (const [index, trait] of this.#traits.entries()) {
      const values = ensureFloatLength(this.#values[index] ?? new Float64Array(0), this.#end);
      values[group] = trait.at(slot);
      this.#values[index] = values;
    }
    return group;
  }
}

/** Number of empty groups that is tolerated before all nodes are regrouped. */
const emptyMax = 64;

/** A node of the trie from trait values to groups. */
interface Branch {
  readonly branches: Map<number, Branch>;
  group: number;
}

function branch(): Branch {
  return { branches: new Map(), group: infeasibleGroup };
}

// Sorted lists of distinct numbers. `numberAfter` finds the n-th number of several lists without merging them.

/** Returns how many numbers are below `number`. */
export function countBelow(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns how many numbers of all lists are below `number`. */
export function countAllBelow(lists: readonly (readonly number[])[], number: number): number {
  let count = 0;
  for (const list of lists) count += countBelow(list, number);
  return count;
}

/** Returns the number of all lists that has `count` smaller ones; `end` is above all numbers. */
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

/** Inserts a number that is not in the list. */
export function insert(sorted: number[], number: number): void {
  const last = sorted.at(-1);
  if (last === undefined || last < number) sorted.push(number);
  else sorted.splice(countBelow(sorted, number), 0, number);
}

/** Removes a number that is in the list. */
export function remove(sorted: number[], number: number): void {
  sorted.splice(countBelow(sorted, number), 1);
}
