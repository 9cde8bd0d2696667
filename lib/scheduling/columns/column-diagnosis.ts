// Why no node would do, from columns. Reasons are counted already; what each node said is looked up where it is kept.
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from '../framework/placement.js';
import type { Rejected, RejectionCode } from '../framework/rejection.js';
import type { CountedReason, ReasonColumn } from './reason-column.js';

/** Reasons by node. */
export class ColumnDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: ReadonlySet<string>;
  readonly pending: ReadonlySet<string>;
  readonly #order: Int32Array;
  readonly #column: ReasonColumn;
  readonly #counted: readonly CountedReason[];

  /** Of nodes with these slots, in their order. */
  constructor(order: Int32Array, column: ReasonColumn) {
    this.nodeCount = order.length;
    this.#order = order;
    this.#column = column;
    this.#counted = column.reasons();
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

  slotsRefused(code: RejectionCode): Int32Array {
    const isMeant = (rejected: Rejected): boolean => rejected.code === code;
    // One code for all nodes is the rule where a cluster is full.
    const isAll = this.#column.fitting === 0 && this.#counted.every(({ rejected }) => isMeant(rejected));
    return isAll ? this.#order : this.#column.slotsWith(isMeant, this.#order);
  }
}

function pluginsOf(counted: readonly CountedReason[]): ReadonlySet<string> {
  return new Set(counted.map(({ rejected }) => rejected.plugin));
}
