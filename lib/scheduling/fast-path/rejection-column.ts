// The rejection of every node for a pod, by slot. Rejections are numbered because a cluster has few distinct ones.
// `RejectionCache` keeps a column between the searches of a pod class: a full cluster rejects thousands of pods for the
// same reasons, and between two searches only a few nodes change.
import type { Rejected, RejectionCode } from '../framework/rejection.js';
import { ChangedNodes } from '../cluster/change-log.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from '../framework/placement.js';
import { intAt, ensureLength } from './column-arrays.js';
import type { NominatedVerdicts } from './nominated-verdicts.js';
import type { PodClassColumns } from './pod-class-columns.js';
import type { NodeColumns } from './cluster-columns.js';

/** A rejection and the number of nodes that have it. */
export interface RejectionCount {
  readonly rejected: Rejected;
  readonly count: number;
}

/** Rejections by slot, with the number of nodes per rejection. */
export class RejectionColumn {
  /** Per slot: 0 = no node, 1 = feasible, otherwise the number of a rejection. */
  #numbers: Int32Array;
  readonly #numberOf = new Map<Rejected, number>();
  readonly #rejections: Rejected[] = [];
  /** Number of nodes, by number of the rejection. */
  readonly #counts: number[] = [0, 0];

  /** Creates a column without nodes. `capacity` is above all slots. */
  constructor(capacity: number) {
    this.#numbers = new Int32Array(capacity);
  }

  /** Number of feasible nodes. */
  get feasible(): number {
    return this.#counts[feasible] ?? 0;
  }

  /** Returns the rejections that at least one node has. */
  counts(): readonly RejectionCount[] {
    const counted = this.#rejections.map((rejected, index) => ({
      rejected,
      count: this.#counts[index + firstRejection] ?? 0,
    }));
    return counted.filter(({ count }) => count > 0);
  }

  /** The rejection of a slot's node; undefined if the node is feasible. */
  at(slot: number): Rejected | undefined {
    return this.#rejections[(this.#numbers[slot] ?? absent) - firstRejection];
  }

  /** Returns those of `slots` whose rejection satisfies the predicate. */
  slotsWith(matches: (rejected: Rejected) => boolean, slots: Int32Array): Int32Array {
    const isMatch = [false, false, ...this.#rejections.map(matches)];
    return slots.filter((slot) => isMatch[intAt(this.#numbers, slot)] ?? false);
  }

  /** Sets the rejection of a slot's node; undefined marks it feasible. */
  set(slot: number, rejected: Rejected | undefined): void {
    this.#renumber(slot, rejected === undefined ? feasible : (this.#numberOf.get(rejected) ?? this.#number(rejected)));
  }

  /** Removes the node of a slot. */
  clear(slot: number): void {
    this.#renumber(slot, absent);
  }

  /** Makes the column long enough for slots below `capacity`. */
  grow(capacity: number): void {
    this.#numbers = ensureLength(this.#numbers, capacity);
  }

  #renumber(slot: number, number: number): void {
    const was = intAt(this.#numbers, slot);
    if (was === number) return;
    this.#numbers[slot] = number;
    if (was !== absent) this.#counts[was] = (this.#counts[was] ?? 0) - 1;
    if (number !== absent) this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  #number(rejected: Rejected): number {
    const number = this.#rejections.push(rejected) - 1 + firstRejection;
    this.#numberOf.set(rejected, number);
    this.#counts.push(0);
    return number;
  }
}

const absent = 0;
const feasible = 1;
const firstRejection = 2;

/** The caches that rejections are computed from. If one is replaced, all rejections are computed again. */
export interface RejectionSources {
  readonly podClass: PodClassColumns;
  readonly nominated: NominatedVerdicts | undefined;
}

/** Rejections of a pod class (node signature and priority) whose filters all depend on the node alone. */
export class RejectionCache {
  readonly #columns: NodeColumns;
  readonly #changed: ChangedNodes;
  #sources: RejectionSources | undefined;
  #column: RejectionColumn;

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#changed = new ChangedNodes(columns.cluster);
    this.#column = new RejectionColumn(columns.capacity);
  }

  /**
   * Applies changes since the last call and returns the column. `reasonAt` computes the rejection of a slot; if it
   * throws, the cache is rebuilt at the next call.
   */
  sync({ podClass, nominated }: RejectionSources, reasonAt: (slot: number) => Rejected | undefined): RejectionColumn {
    const isKept = this.#sources?.podClass === podClass && this.#sources.nominated === nominated;
    const changed = this.#changed.read();
    this.#sources = undefined;
    if (isKept && changed !== undefined) this.#updateSlots(changed, reasonAt);
    else this.#rebuild(reasonAt);
    this.#sources = { podClass, nominated };
    return this.#column;
  }

  #updateSlots(slots: ReadonlySet<number>, reasonAt: (slot: number) => Rejected | undefined): void {
    if (slots.size > 0) this.#column.grow(this.#columns.capacity);
    for (const slot of slots) {
      if (this.#columns.at(slot) === undefined) this.#column.clear(slot);
      else this.#column.set(slot, reasonAt(slot));
    }
  }

  #rebuild(reasonAt: (slot: number) => Rejected | undefined): void {
    this.#column = new RejectionColumn(this.#columns.capacity);
    for (const slot of this.#columns.order) this.#column.set(slot, reasonAt(slot));
  }
}

/** A diagnosis that reads a rejection column. */
export class CachedDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: ReadonlySet<string>;
  readonly pending: ReadonlySet<string>;
  readonly #order: Int32Array;
  readonly #column: RejectionColumn;
  readonly #counted: readonly RejectionCount[];

  /** For the nodes with the slots `order`. */
  constructor(order: Int32Array, column: RejectionColumn) {
    this.nodeCount = order.length;
    this.#order = order;
    this.#column = column;
    this.#counted = column.counts();
    this.rejectors = pluginsOf(this.#counted);
    this.pending = pluginsOf(this.#counted.filter(({ rejected }) => rejected.code === 'Pending'));
  }

  get reasons(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { rejected, count } of this.#counted) {
      for (const reason of rejected.reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
    return counts;
  }

  rejectionOf({ slot }: NodeView): Rejected | undefined {
    return this.#column.at(slot);
  }

  slotsRejected(code: RejectionCode): Int32Array {
    const matches = (rejected: Rejected): boolean => rejected.code === code;
    // In a full cluster all nodes usually have the same code.
    const isAll = this.#column.feasible === 0 && this.#counted.every(({ rejected }) => matches(rejected));
    return isAll ? this.#order : this.#column.slotsWith(matches, this.#order);
  }
}

function pluginsOf(counted: readonly RejectionCount[]): ReadonlySet<string> {
  return new Set(counted.map(({ rejected }) => rejected.plugin));
}
