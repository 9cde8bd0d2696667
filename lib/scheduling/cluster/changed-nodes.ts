// Which nodes a pod may have to be judged on anew: their own state changed, or other pods are to come to them than
// before. For those who keep what they found out about each node.
import { LogReader } from '../bounded-log.js';
import type { ClusterChange } from './change-log.js';
import type { ClusterView } from './cluster-view.js';

/** Reads of changes and nominations together. */
export class ChangedNodes {
  readonly #cluster: ClusterView;
  readonly #changes: LogReader<ClusterChange>;
  readonly #nominations: LogReader<string>;

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
    this.#changes = new LogReader(cluster.changes);
    this.#nominations = new LogReader(cluster.nominationChanges);
  }

  /** The slots of such nodes since it was asked last; undefined where it may be any. */
  read(): ReadonlySet<number> | undefined {
    const changes = this.#changes.read();
    const names = this.#nominations.read();
    if (changes === undefined || names === undefined) return undefined;
    if (changes.length + names.length === 0) return none;
    const slots = new Set<number>();
    for (const { node } of changes) slots.add(node.slot);
    for (const name of names) {
      // One that is not known yet will be told of when it comes.
      const node = this.#cluster.node(name);
      if (node !== undefined) slots.add(node.slot);
    }
    return slots;
  }
}

const none: ReadonlySet<never> = new Set();
