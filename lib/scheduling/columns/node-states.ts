// Nodes in the same state: with the same room, the same of it in use, and the same taints. Their names, labels, ports
// and images may differ, and most pods do not ask for those. A kind of pods that is seen for the first time asks about
// one node of each state; in a cluster of thousands there may be dozens.
import type { NodeView } from '../cluster/node-view.js';
import { ChangeReader } from './change-reader.js';
import { grown } from './grown.js';
import type { NodeColumns } from './node-columns.js';

/** The states of a cluster's nodes, as small numbers. */
export class NodeStates {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #numbers = new Map<string, number>();
  #bySlot: Int32Array = new Int32Array(0);

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
  }

  /** The state of each slot that has a node. */
  get bySlot(): Int32Array {
    return this.#bySlot;
  }

  /** Every number is below this. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Catches up with the cluster. */
  follow(): void {
    const changes = this.#reader.read();
    const { order, capacity, cluster } = this.#columns;
    this.#bySlot = grown(this.#bySlot, capacity);
    if (changes !== undefined && changes.length < order.length && this.#numbers.size < 2 * order.length + 64) {
      for (const {
        node: { slot },
      } of changes)
        this.#look(this.#columns.at(slot));
      return;
    }
    this.#numbers.clear();
    for (const node of cluster.nodes) this.#look(node);
  }

  #look(node: NodeView | undefined): void {
    if (node === undefined) return;
    const text = stateText(node);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#bySlot[node.slot] = number;
  }
}

function stateText({ unschedulable, taints, allocatable, requested, nonZeroRequested, podCount }: NodeView): string {
  const room = `${allocatable.milliCpu} ${allocatable.memory} ${allocatable.ephemeralStorage} ${allocatable.pods}`;
  const used = `${requested.milliCpu} ${requested.memory} ${requested.ephemeralStorage} ${podCount} ${nonZeroRequested.milliCpu} ${nonZeroRequested.memory}`;
  const isPlain = !unschedulable && taints.length + allocatable.scalars.size + requested.scalars.size === 0;
  return isPlain
    ? `${room} ${used}`
    : `${room} ${used} ${JSON.stringify([unschedulable, taints, [...allocatable.scalars], [...requested.scalars]])}`;
}
