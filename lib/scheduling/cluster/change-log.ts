// The log of changes to nodes and the pods on them. Caches read it to re-evaluate only what changed. It is bounded; a
// reader that falls behind rebuilds its cache.
import type { Log } from '../bounded-log.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { LogReader } from '../bounded-log.js';
import type { NodeView } from './node-view.js';
import type { ClusterView } from './cluster-view.js';

/**
 * One change. The node already includes all later changes when the entry is read. Pods are identified by uid: an update
 * that does not affect scheduling replaces the facts of a pod without an entry.
 */
export type ClusterChange =
  /** A pod was added to a node or removed from it. An updated pod is removed and added. */
  | { readonly type: 'pod-added' | 'pod-removed'; readonly pod: PodFacts; readonly node: NodeView }
  /**
   * The object of a node changed: labels, taints, allocatable resources or images. Its position in the order may
   * differ.
   */
  | { readonly type: 'node-changed'; readonly node: NodeView }
  /**
   * A node was added or removed, with the pods on it. The slot of a removed node is reused. The order of nodes changed.
   */
  | { readonly type: 'node-added' | 'node-removed'; readonly node: NodeView };

/** The log, for readers. */
export type ChangeLog = Log<ClusterChange>;

/** A position in the change log. Each cache has its own reader, and reads when it is used. */
export class ChangeReader extends LogReader<ClusterChange> {}

/** Reads the change log and the log of nominations together. */
export class ChangedNodes {
  readonly #cluster: ClusterView;
  readonly #changes: LogReader<ClusterChange>;
  readonly #nominations: LogReader<string>;

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
    this.#changes = new LogReader(cluster.changes);
    this.#nominations = new LogReader(cluster.nominationChanges);
  }

  /**
   * Returns the slots of nodes that changed, or whose nominated pods changed, since the last call. Undefined if it may
   * be any node.
   */
  read(): ReadonlySet<number> | undefined {
    const changes = this.#changes.read();
    const names = this.#nominations.read();
    if (changes === undefined || names === undefined) return undefined;
    if (changes.length + names.length === 0) return none;
    const slots = new Set<number>();
    for (const { node } of changes) slots.add(node.slot);
    for (const name of names) {
      // a node that does not exist yet gets an entry when it is added
      const node = this.#cluster.node(name);
      if (node !== undefined) slots.add(node.slot);
    }
    return slots;
  }
}

const none: ReadonlySet<never> = new Set();
