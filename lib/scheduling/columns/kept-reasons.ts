// Why nodes refuse pods of one node signature and one priority where nobody looks beyond the node: kept from one search
// to the next. A full cluster refuses thousands of pods for the same reasons, and between two of them a few nodes
// changed.
import { ChangedNodes } from '../cluster/changed-nodes.js';
import type { Rejected } from '../framework/rejection.js';
import type { CrowdColumn } from './crowd-column.js';
import type { NodeClass } from './node-class.js';
import type { NodeColumns } from './node-columns.js';
import { ReasonColumn } from './reason-column.js';

/** What reasons are found from: where another takes its place all is found anew. */
export interface ReasonSources {
  readonly nodeClass: NodeClass;
  readonly crowds: CrowdColumn | undefined;
}

/** Reasons for the next pod that is alike. */
export class KeptReasons {
  readonly #columns: NodeColumns;
  readonly #changed: ChangedNodes;
  #sources: ReasonSources | undefined;
  #column: ReasonColumn;

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#changed = new ChangedNodes(columns.cluster);
    this.#column = new ReasonColumn(columns.capacity);
  }

  /**
   * Catches up with the cluster. Asks why nodes refuse, or undefined where they fit; if that throws nothing is kept.
   */
  follow({ nodeClass, crowds }: ReasonSources, reasonAt: (slot: number) => Rejected | undefined): ReasonColumn {
    const isKept = this.#sources?.nodeClass === nodeClass && this.#sources.crowds === crowds;
    const changed = this.#changed.read();
    this.#sources = undefined;
    if (isKept && changed !== undefined) this.#lookAgain(changed, reasonAt);
    else this.#lookAtAll(reasonAt);
    this.#sources = { nodeClass, crowds };
    return this.#column;
  }

  #lookAgain(slots: ReadonlySet<number>, reasonAt: (slot: number) => Rejected | undefined): void {
    if (slots.size > 0) this.#column.grow(this.#columns.capacity);
    for (const slot of slots) {
      if (this.#columns.at(slot) === undefined) this.#column.clear(slot);
      else this.#column.set(slot, reasonAt(slot));
    }
  }

  #lookAtAll(reasonAt: (slot: number) => Rejected | undefined): void {
    this.#column = new ReasonColumn(this.#columns.capacity);
    for (const slot of this.#columns.order) this.#column.set(slot, reasonAt(slot));
  }
}
