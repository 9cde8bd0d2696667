// Collects the rejections of nodes during one search.
import type { NodeView } from '../cluster/node-view.js';
import type { Diagnosis } from './placement.js';
import type { PreFilterOutcome } from './pre-filter.js';
import { unresolvable } from './rejection.js';
import type { Rejected, Rejection, RejectionCode } from './rejection.js';

/** The rejections of a search by node, and their totals. */
export class NodeDiagnosis implements Diagnosis {
  readonly nodeCount: number;
  readonly rejectors: Set<string>;
  readonly pending: Set<string> = new Set<string>();
  readonly preFilterMessage?: string;
  readonly #nodes: readonly NodeView[];
  readonly #byNode = new Map<string, Rejected>();
  /** The rejection of all nodes that were not evaluated individually. */
  readonly #defaultRejection: Rejected | undefined;

  constructor(nodes: readonly NodeView[], { rejection, nodeNames, narrowedBy }: PreFilterOutcome) {
    this.nodeCount = nodes.length;
    this.#nodes = nodes;
    this.rejectors = new Set(narrowedBy);
    if (rejection !== undefined) {
      this.preFilterMessage = rejection.reasons.join(', ');
      this.#defaultRejection = this.#addRejector({ plugin: '', ...rejection });
    } else if (nodeNames !== undefined) {
      this.#defaultRejection = {
        ...unresolvable(`node(s) didn't satisfy plugin(s) [${narrowedBy.join(' ')}]`),
        plugin: '',
      };
    }
  }

  /** The number of nodes that were rejected individually. */
  get size(): number {
    return this.#byNode.size;
  }

  get reasons(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const count = ({ reasons }: Rejection, nodes: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
    };
    for (const rejected of this.#byNode.values()) count(rejected, 1);
    if (this.#defaultRejection !== undefined && this.nodeCount > this.#byNode.size)
      count(this.#defaultRejection, this.nodeCount - this.#byNode.size);
    return counts;
  }

  rejectionOf(node: NodeView): Rejected | undefined {
    return this.#byNode.get(node.name) ?? this.#defaultRejection;
  }

  slotsRejected(code: RejectionCode): Int32Array {
    return Int32Array.from(
      this.#nodes.filter((node) => this.rejectionOf(node)?.code === code),
      ({ slot }) => slot,
    );
  }

  /** Records the rejection of a node. */
  reject(node: NodeView, rejected: Rejected): void {
    this.#byNode.set(node.name, this.#addRejector(rejected));
  }

  #addRejector(rejected: Rejected): Rejected {
    if (rejected.plugin === '') return rejected;
    this.rejectors.add(rejected.plugin);
    if (rejected.code === 'Pending') this.pending.add(rejected.plugin);
    return rejected;
  }
}
