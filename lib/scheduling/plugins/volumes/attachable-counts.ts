// How many volumes the pods of any one node have, followed from change to change, so that who brings some need not look
// at every node. What is known is never too low; where it may be too high, nodes are looked at once.
import { LogReader } from '../../bounded-log.js';
import type { ClusterChange } from '../../cluster/change-log.js';
import type { ClusterView } from '../../cluster/cluster-view.js';

/** The counts of a cluster. */
export function attachableOf(cluster: ClusterView): AttachableCounts {
  const known = byCluster.get(cluster);
  if (known !== undefined) return known;
  const counts = new AttachableCounts(cluster);
  byCluster.set(cluster, counts);
  return counts;
}

const byCluster = new WeakMap<ClusterView, AttachableCounts>();

/** Knows how many volumes there are on the node that has the most. */
class AttachableCounts {
  readonly #cluster: ClusterView;
  readonly #changes: LogReader<ClusterChange>;
  /** No node has more. */
  #most = 0;

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
    this.#changes = new LogReader(cluster.changes);
  }

  /** Whether no node has more than so many. */
  isAtMost(count: number): boolean {
    const changes = this.#changes.read();
    if (changes === undefined) this.#recount();
    // Those who left are not subtracted: another node may have as many.
    else for (const { node } of changes) this.#most = Math.max(this.#most, node.attachable);
    if (this.#most > count) this.#recount();
    return this.#most <= count;
  }

  #recount(): void {
    this.#most = 0;
    for (const { attachable } of this.#cluster.nodes) this.#most = Math.max(this.#most, attachable);
  }
}
