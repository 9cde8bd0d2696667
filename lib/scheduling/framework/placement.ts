// What came of looking for a node, and who looks. There are two ways to look: plainly, asking every plugin about every
// node, and over columns, where results are kept and only what changed is looked at again. Both answer the same.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle.js';
import type { Rejected, RejectionCode } from './rejection.js';

/** A node for the pod. */
export interface Placement {
  readonly node: NodeView;
  /** How many nodes were looked at, and how many of them would do. */
  readonly evaluated: number;
  readonly feasible: number;
}

/** Why there is no node. */
export interface Diagnosis {
  /** Nodes of the cluster. */
  readonly nodeCount: number;
  /** Why the pod was refused before nodes were looked at. */
  readonly preFilterMessage?: string;
  /** How many nodes each reason kept away. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The plugins that refused, and of these the ones that said Pending. */
  readonly rejectors: ReadonlySet<string>;
  readonly pending: ReadonlySet<string>;
  /** What the first plugin that refused the node said. */
  rejectionOf(node: NodeView): Rejected | undefined;
  /** The slots of nodes that were refused with a code, in the order of nodes. Not to be written. */
  slotsRefused(code: RejectionCode): Int32Array;
}

/** A pod for which there is no node. */
export interface NoPlacement {
  readonly diagnosis: Diagnosis;
}

/** Looks for the best node. Throws what plugins throw. */
export interface Placer {
  /** The node, or why there is none. */
  place(cycle: Cycle): Placement | NoPlacement;
}

/** Whether a node was found. */
export function isPlaced(outcome: Placement | NoPlacement): outcome is Placement {
  return 'node' in outcome;
}
