// What changed in the cluster, for whoever keeps results that depend on it.
import type { Log } from '../bounded-log.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { NodeView } from './node-view.js';

/**
 * One change. When it is read the node shows all later changes too. Pods are told apart by uid: facts are read anew
 * without a word here when an object changes in ways that scheduling does not look at.
 */
export type ClusterChange =
  /** A pod came to a node or left it. A pod that changed left and came. */
  | { readonly type: 'pod-added' | 'pod-removed'; readonly pod: PodFacts; readonly node: NodeView }
  /** The object of a node changed: labels, taints, what it can give, its images. It may be elsewhere in the order. */
  | { readonly type: 'node-changed'; readonly node: NodeView }
  /** A node came, or went, with the pods on it; then its slot may soon be another's. The order of nodes changed. */
  | { readonly type: 'node-added' | 'node-removed'; readonly node: NodeView };

/** The log, for its readers. */
export type ChangeLog = Log<ClusterChange>;
