// Why no node would do, from columns: each node has the number of a reason, and reasons are few. So thousands of nodes are
// told apart without an entry for each.
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from '../framework/placement.js';
import type { Rejected, RejectionCode } from '../framework/rejection.js';
import { intAt } from './column-element.js';

/** What is known of nodes where nobody looks beyond them: all of one verdict are refused for the same reason. */
export interface SharedVerdicts {
  /** By slot, of nodes by themselves. */
  readonly alone: Int32Array;
  /** By slot, of nodes to which others are to come: 0 for no such node, below 0 where it has to be found out. */
  readonly amidst: Int32Array;
  readonly reasonOf: (slot: number) => Rejected | undefined;
}

/** Reasons by node. */
export class ColumnDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: Set<string>;
  readonly pending: Set<string>;
  readonly #order: Int32Array;
  readonly #reasonOf: Int32Array;
  readonly #numbers = new Map<Rejected, number>();
  readonly #rejections: Rejected[] = [];
  /** Nodes by number of rejection. */
  readonly #counts: number[] = [0];

  /** Of nodes with these slots, in their order; `capacity` is above all of them. */
  constructor(order: Int32Array, capacity: number) {
    this.nodeCount = order.length;
    this.#order = order;
    this.rejectors = new Set();
    this.pending = new Set();
    this.#reasonOf = new Int32Array(capacity);
  }

  get reasons(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [index, { reasons }] of this.#rejections.entries()) {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + (this.#counts[index + 1] ?? 0));
    }
    return counts;
  }

  rejectionOf({ slot }: NodeView): Rejected | undefined {
    return this.#rejections[(this.#reasonOf[slot] ?? 0) - 1];
  }

  slotsRefused(code: RejectionCode): Int32Array {
    // One code for all nodes is the rule where a cluster is full.
    if (this.#counts[0] === 0 && this.#rejections.every((rejected) => rejected.code === code)) return this.#order;
    const isMeant = [false, ...this.#rejections.map((rejected) => rejected.code === code)];
    return this.#order.filter((slot) => isMeant[intAt(this.#reasonOf, slot)] ?? false);
  }

  /** A node was refused, if there is a rejection. */
  refuse(slot: number, rejected: Rejected | undefined): void {
    const number = this.#numberOf(rejected);
    this.#reasonOf[slot] = number;
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  /** All nodes were refused, from the one at `start` on. */
  refuseAll(start: number, { alone, amidst, reasonOf }: SharedVerdicts): void {
    const order = this.#order;
    const numberOf = this.#reasonOf;
    const counts = this.#counts;
    const aloneNumbers: number[] = [0];
    const amidstNumbers: number[] = [0];
    for (let step = 0, index = start; step < order.length; step++, index = index + 1 === order.length ? 0 : index + 1) {
      const slot = intAt(order, index);
      const crowd = amidst[slot] ?? 0;
      const verdict = crowd > 0 ? crowd : intAt(alone, slot);
      const numbers = crowd > 0 ? amidstNumbers : aloneNumbers;
      let number = crowd < 0 ? undefined : numbers[verdict];
      if (number === undefined) {
        number = this.#numberOf(reasonOf(slot));
        if (crowd >= 0) numbers[verdict] = number;
      }
      numberOf[slot] = number;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  }

  /** One that is new gets the next number; 0 is for none. */
  #numberOf(rejected: Rejected | undefined): number {
    return rejected === undefined ? 0 : (this.#numbers.get(rejected) ?? this.#learn(rejected));
  }

  #learn(rejected: Rejected): number {
    const number = this.#rejections.push(rejected);
    this.#counts.push(0);
    this.#numbers.set(rejected, number);
    this.rejectors.add(rejected.plugin);
    if (rejected.code === 'Pending') this.pending.add(rejected.plugin);
    return number;
  }
}
