// Gathers why nodes were refused, node by node.
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from './placement.js';
import type { PreFilterOutcome } from './pre-filter.js';
import { unresolvable } from './rejection.js';
import type { Rejected, Rejection, RejectionCode } from './rejection.js';

/** Reasons by node, and what they come to. */
export class NodeDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: Set<string>;
  readonly pending: Set<string> = new Set<string>();
  readonly preFilterMessage?: string;
  readonly #nodes: readonly NodeView[];
  readonly #byNode = new Map<string, Rejected>();
  /** Of nodes that were not looked at one by one. */
  readonly #others: Rejected | undefined;

  constructor(nodes: readonly NodeView[], { rejection, nodeNames, narrowedBy }: PreFilterOutcome) {
    this.nodeCount = nodes.length;
    this.#nodes = nodes;
    this.rejectors = new Set(narrowedBy);
    if (rejection !== undefined) {
      this.preFilterMessage = rejection.reasons.join(', ');
      this.#others = this.#blame({ plugin: '', ...rejection });
    } else if (nodeNames !== undefined) {
      this.#others = { ...unresolvable(`node(s) didn't satisfy plugin(s) [${narrowedBy.join(' ')}]`), plugin: '' };
    }
  }

  /** How many nodes were refused one by one. */
  get size(): number {
    return this.#byNode.size;
  }

  get reasons(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const count = ({ reasons }: Rejection, nodes: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
    };
    for (const rejected of this.#byNode.values()) count(rejected, 1);
    if (this.#others !== undefined && this.nodeCount > this.#byNode.size)
      count(this.#others, this.nodeCount - this.#byNode.size);
    return counts;
  }

  rejectionOf(node: NodeView): Rejected | undefined {
    return this.#byNode.get(node.name) ?? this.#others;
  }

  slotsRefused(code: RejectionCode): Int32Array {
    return Int32Array.from(
      this.#nodes.filter((node) => this.rejectionOf(node)?.code === code),
      ({ slot }) => slot,
    );
  }

  /** A node was refused. */
  refuse(node: NodeView, rejected: Rejected): void {
    this.#byNode.set(node.name, this.#blame(rejected));
  }

  #blame(rejected: Rejected): Rejected {
    if (rejected.plugin === '') return rejected;
    this.rejectors.add(rejected.plugin);
    if (rejected.code === 'Pending') this.pending.add(rejected.plugin);
    return rejected;
  }
}
