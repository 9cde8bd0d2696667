// The cluster as a scheduling cycle reads it. It does not change during a cycle: watch events are buffered until the
// cycle ends. So no snapshot is copied.
import type { Log } from '../bounded-log.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ChangeLog } from './change-log.js';
import type { ObjectLister } from './object-lister.js';
import type { ImageState, NodeView } from './node-view.js';

/** Nodes, the pods on them, and other objects. */
export interface ClusterView {
  /** In scheduling order, alternating between zones. The array is replaced when the order changes. */
  readonly nodes: readonly NodeView[];
  /** Nodes with pods that have affinity or anti-affinity terms, in no particular order. */
  readonly nodesWithAffinity: ReadonlySet<NodeView>;
  /** Returns the node with this name, if it is in `nodes`. */
  node(name: string): NodeView | undefined;
  /** Returns an image that at least one node has, by its full name. */
  image(name: string): ImageState | undefined;
  /** Number of pod volumes on all nodes that use a claim, by `namespace/name`. */
  claimUses(claim: string): number;
  /** The pods nominated to a node. Pods in flight have only a name here: no requests and no priority. */
  nominatedTo(nodeName: string): readonly PodFacts[];
  /** The names of nodes with nominated pods. */
  nominatedNodes(): Iterable<string>;
  /** The node that the pod with this uid is nominated to. */
  nominationOf(uid: string): string | undefined;
  readonly objects: ObjectLister;
  /** Log of changes to nodes and their pods, for caches. */
  readonly changes: ChangeLog;
  /** Log of the names of nodes whose nominated pods changed, for caches. */
  readonly nominationChanges: Log<string>;
}
