// Nodes that are the same to pods of a kind in all that counts: they score alike by themselves, and their domains are
// the same or hold the same numbers of pods. There are few groups of such nodes where there are thousands of nodes, so
// a search asks and scores groups. A pod that is placed moves one node from a group to another, and no other node is
// looked at.
import { ChangeReader } from './change-reader.js';
import { intAt } from './column-element.js';
import { grown, grownFloats } from './grown.js';
import type { NodeColumns } from './node-columns.js';
import { countAllBelow, insert, numberAfter, remove } from './sorted-numbers.js';

/** Something that tells nodes apart. It changes where the log of changes names the node, and nowhere else. */
export interface Trait {
  /** What the node of a slot has of it, a whole number. */
  at(slot: number): number;
  /** Another number whenever any node may have changed without a word in the log. */
  version(): number;
}

/** The number of the group of nodes that do not fit. */
export const unfitting = 0;

/** The nodes of a cluster by what they have of some traits. */
export class NodeGroups {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #rank: Trait;
  readonly #traits: readonly Trait[];
  readonly #root: Branch = branch();
  #groupOf: Int32Array = new Int32Array(0);
  #sizes: Int32Array = new Int32Array(1);
  /** Where the nodes of each group stand in the order of nodes, and that order. */
  #members: number[][] = [];
  #order: Int32Array = new Int32Array(0);
  /** By trait, then by group. */
  readonly #values: Float64Array[];
  /** Groups have the numbers below this; empty ones stay until all nodes are grouped anew. */
  #end = 1;
  #occupied = 0;
  #version = -1;

  /** A node whose rank is 0 does not fit, and nobody asks for its other traits. */
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

  /** How many nodes each group has. */
  get sizes(): Int32Array {
    return this.#sizes;
  }

  /** Every group has a number below this. */
  get end(): number {
    return this.#end;
  }

  /** The groups of nodes that fit by themselves. */
  occupied(): number[] {
    const groups: number[] = [];
    for (let group = unfitting + 1; group < this.#end; group++) if (intAt(this.#sizes, group) > 0) groups.push(group);
    return groups;
  }

  /**
   * The slot of one of the nodes of some groups: of the one that so many are before, in the order of nodes from `start`
   * on. Nodes of the slots in `without` are passed over.
   */
  nodeAfter(
    count: number,
    groups: readonly number[],
    { start, without }: { readonly start: number; readonly without: readonly number[] },
  ): number {
    const members = groups.map((group) => this.#members[group] ?? []);
    const all = members.reduce((sum, { length }) => sum + length, 0);
    const before = countAllBelow(members, start);
    const passedOver = without
      .filter((slot) => groups.includes(intAt(this.#groupOf, slot)))
      .map((slot) => (countAllBelow(members, intAt(this.#columns.places, slot)) - before + all) % all)
      .sort((one, other) => one - other);
    let ahead = count;
    for (const place of passedOver) if (place <= ahead) ahead += 1;
    return intAt(this.#order, numberAfter(members, (before + ahead) % all, this.#order.length));
  }

  /** Whether nodes are told apart by these traits, besides their rank. */
  isBy(traits: readonly Trait[]): boolean {
    return (
      this.#traits.length === traits.length + 1 && traits.every((trait, index) => this.#traits[index + 1] === trait)
    );
  }

  /** The rank of each group. */
  get ranks(): Float64Array {
    return this.valuesOf(this.#rank);
  }

  /** What each group has of a trait. */
  valuesOf(trait: Trait): Float64Array {
    const values = this.#values[this.#traits.indexOf(trait)];
    if (values === undefined) throw new Error('nodes are not told apart by this');
    return values;
  }

  /** Catches up with the cluster; the traits have done so before. */
  follow(): void {
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
    this.#groupOf = grown(this.#groupOf, this.#columns.capacity).fill(unfitting);
    for (const slot of this.#order) this.#group(slot);
  }

  #group(slot: number): void {
    const was = intAt(this.#groupOf, slot);
    const group = this.#rank.at(slot) === 0 ? unfitting : this.#groupFor(slot);
    if (was === group) return;
    this.#groupOf[slot] = group;
    const place = intAt(this.#columns.places, slot);
    if (was !== unfitting) {
      remove(this.#members[was] ?? [], place);
      this.#resize(was, -1);
    }
    if (group !== unfitting) {
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
    if (at.group === unfitting) at.group = this.#begin(slot);
    return at.group;
  }

  #begin(slot: number): number {
    const group = this.#end++;
    this.#sizes = grown(this.#sizes, this.#end);
    for (const [index, trait] of this.#traits.entries()) {
      const values = grownFloats(this.#values[index] ?? new Float64Array(0), this.#end);
      values[group] = trait.at(slot);
      this.#values[index] = values;
    }
    return group;
  }
}

/** So many empty groups are no reason to begin anew. */
const emptyMax = 64;

/** A beginning of what nodes have of the traits: how it goes on, and the group where it is complete. */
interface Branch {
  readonly branches: Map<number, Branch>;
  group: number;
}

function branch(): Branch {
  return { branches: new Map(), group: unfitting };
}
