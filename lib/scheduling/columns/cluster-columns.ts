// What all profiles share of columns: the nodes, the terms that pods on them carry, and counts of pods. Counts are
// known by what they count, so pods of different classes that ask the same thing share one.
import type { ClusterView } from '../cluster/cluster-view.js';
import { CarriedTerms } from './carried-terms.js';
import { NodeColumns } from './node-columns.js';
import { PodCounter } from './pod-counter.js';
import type { Counted } from './pod-counter.js';
import { RecentlyUsed } from '../framework/recently-used.js';

/** The cluster in columns. */
export interface ClusterColumns {
  readonly nodes: NodeColumns;
  readonly carriedTerms: CarriedTerms;
  /** The counter of what the key says. */
  counter(key: string, counted: () => Counted): PodCounter;
}

/** Columns for a cluster; nothing is read before somebody asks. */
export function clusterColumns(cluster: ClusterView): ClusterColumns {
  const nodes = new NodeColumns(cluster);
  const counters = new RecentlyUsed<PodCounter>(countersMax);
  return {
    nodes,
    carriedTerms: new CarriedTerms(nodes),
    counter: (key, counted) => counters.get(key, () => new PodCounter(nodes, counted())),
  };
}

/** At 5 000 nodes one takes about 80 kB. */
const countersMax = 256;
