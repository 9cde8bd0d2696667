// The cluster as a scheduling cycle sees it. While a cycle lasts nothing in it changes: what the watches tell meanwhile
// waits until it is over. So no copy is made of anything.
import type { Log } from '../bounded-log.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ChangeLog } from './change-log.js';
import type { KnownObjects } from './known-objects.js';
import type { ImageState, NodeView } from './node-view.js';

/** Nodes, the pods on them, and what else there is. */
export interface ClusterView {
  /** In the order in which they are looked at: zones in turn. The array is another one whenever the order changed. */
  readonly nodes: readonly NodeView[];
  /** Those with pods that have a term about other pods, in no order. */
  readonly nodesWithAffinity: ReadonlySet<NodeView>;
  /** One that is in `nodes`. */
  node(name: string): NodeView | undefined;
  /** An image that some node has, by its complete name. */
  image(name: string): ImageState | undefined;
  /** How many volumes of pods on nodes name a claim, by `namespace/name`. */
  claimUses(claim: string): number;
  /** Pods that are to come to the node once others have left it. Those in flight show their names only. */
  nominatedTo(nodeName: string): readonly PodFacts[];
  /** The names of nodes that have such pods. */
  nominatedNodes(): Iterable<string>;
  /** The node that a pod, by its uid, is to come to. */
  nominationOf(uid: string): string | undefined;
  readonly objects: KnownObjects;
  /** What changed, for those who keep results rather than compute them. */
  readonly changes: ChangeLog;
  /** The names of nodes to which others are to come than before, for the same. */
  readonly nominationChanges: Log<string>;
}
