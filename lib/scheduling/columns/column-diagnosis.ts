// Why no node would do, from columns: each node has the number of a reason, and reasons are few. So thousands of nodes are
// told apart without an entry for each.
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from '../framework/placement.js';
import type { Rejected } from '../framework/rejection.js';

/** Reasons by node. */
export class ColumnDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: Set<string>;
  readonly pending: Set<string>;
  readonly #reasonOf: Int32Array;
  readonly #numbers = new Map<Rejected, number>();
  readonly #rejections: Rejected[] = [];
  /** Nodes by number of rejection. */
  readonly #counts: number[] = [];

  /** `capacity` is above all slots. */
  constructor(nodeCount: number, capacity: number) {
    this.nodeCount = nodeCount;
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

  /** The number of a rejection: one that is new gets the next. What rejects nothing has number 0. */
  numberOf(rejected: Rejected | undefined): number {
    return rejected === undefined ? 0 : (this.#numbers.get(rejected) ?? this.#learn(rejected));
  }

  /** A node was refused by the rejection of a number. */
  refuse(slot: number, number: number): void {
    this.#reasonOf[slot] = number;
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  #learn(rejected: Rejected): number {
    const number = this.#rejections.push(rejected);
    this.#numbers.set(rejected, number);
    this.rejectors.add(rejected.plugin);
    if (rejected.code === 'Pending') this.pending.add(rejected.plugin);
    return number;
  }
}
