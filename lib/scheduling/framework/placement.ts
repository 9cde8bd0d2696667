// The result of a search for a node, and the contract of placers. There are two: the plain placer runs every plugin for
// every node, the fast placer (fast-path/) reuses cached results and recomputes only what changed. Both return the same
// result.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle-state.js';
import type { Rejected, RejectionCode } from './rejection.js';

/** The chosen node. */
export interface Placement {
  readonly node: NodeView;
  /** The number of nodes evaluated, and how many of them are feasible. */
  readonly evaluated: number;
  readonly feasible: number;
}

/** The reasons why no node is feasible. */
export interface Diagnosis {
  /** The number of nodes in the cluster. */
  readonly nodeCount: number;
  /** The message of a PreFilter rejection, which applies to all nodes. */
  readonly preFilterMessage?: string;
  /** The number of nodes by reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The names of the plugins that rejected, and of those that returned Pending. */
  readonly rejectors: ReadonlySet<string>;
  readonly pending: ReadonlySet<string>;
  /** Returns the rejection by the first plugin that rejected the node. */
  rejectionOf(node: NodeView): Rejected | undefined;
  /** Returns the slots of nodes rejected with a code, in node order. Read-only. */
  slotsRejected(code: RejectionCode): Int32Array;
}

/** The outcome of a search that found no feasible node. */
export interface NoPlacement {
  readonly diagnosis: Diagnosis;
}

/** Finds the best node for a pod. Throws what plugins throw. */
export interface Placer {
  /** Returns the best node, or the diagnosis if none is feasible. */
  place(cycle: Cycle): Placement | NoPlacement;
}

/** Returns whether a node was found. */
export function isPlaced(outcome: Placement | NoPlacement): outcome is Placement {
  return 'node' in outcome;
}
