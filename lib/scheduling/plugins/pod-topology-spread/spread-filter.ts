// The hard constraints: no node on which the pod would make its domain lie too far ahead of the emptiest one. What was
// counted can be told of pods that come and go, so that preemption need not count again.
// As the plugin PodTopologySpread, filtering.go; unlike there, a pod that comes or goes counts by the same rules as one
// that was there from the beginning: a terminating one does not.
import { matchesLabels } from '../../../core/index.js';
import type { NodeView } from '../../cluster/node-view.js';
import { domainOf, hasAllDomains } from '../../cluster/topology-domain.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, MemoryKey } from '../../framework/cycle.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { DomainCounts } from './domain-counts.js';
import { leastCount, skewOf } from './spread-arithmetic.js';
import { countOn, countsFor, takesPart } from './spread-counting.js';

/** A node without the label of a constraint. */
export const missingLabel: Rejection = unresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

/** A node whose domain has too many pods already. */
export const tooUneven: Rejection = unschedulable("node(s) didn't match pod topology spread constraints");

/** Counts for the hard constraints of a pod. */
export class HardSpread {
  readonly #pod: PodFacts;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #counted: readonly CountedConstraint[];

  constructor(pod: PodFacts, counted: readonly CountedConstraint[]) {
    this.#pod = pod;
    this.#constraints = counted.map(({ constraint }) => constraint);
    this.#counted = counted;
  }

  /** Why the node does not do. */
  rejectionOf({ labels }: NodeView): Rejection | undefined {
    for (const { constraint, counts, selfMatch } of this.#counted) {
      const domain = domainOf(labels, constraint.topologyKey);
      if (domain === undefined) return missingLabel;
      const least = leastCount(counts.least, counts.domains, constraint);
      if (skewOf(counts.of(domain), selfMatch, least) > constraint.maxSkew) return tooUneven;
    }
    return undefined;
  }

  /** Counts a pod that came to a node (1) or left it (-1). */
  count(pod: PodFacts, node: NodeView, by: 1 | -1): void {
    if (!hasAllDomains(node.labels, this.#constraints)) return;
    for (const { constraint, counts } of this.#counted) {
      if (!countsFor(constraint, this.#pod.namespace, pod) || !takesPart(constraint, this.#pod, node)) continue;
      counts.add(domainOf(node.labels, constraint.topologyKey) ?? '', by);
    }
  }

  copy(): HardSpread {
    return new HardSpread(
      this.#pod,
      this.#counted.map((each) => ({ ...each, counts: each.counts.copy() })),
    );
  }
}

/** A constraint and what was counted for it. */
export interface CountedConstraint {
  readonly constraint: SpreadConstraint;
  readonly counts: DomainCounts;
  /** 1 if the pod that is placed would count itself. */
  readonly selfMatch: 0 | 1;
}

/** Where the counts of a cycle are. */
export const hardSpreadKey: MemoryKey<HardSpread> = memoryKey<HardSpread>('PodTopologySpread filter');

/** Counts the pods of the cluster for hard constraints. */
export function countHardSpread({ pod, cluster }: Cycle, constraints: readonly SpreadConstraint[]): HardSpread {
  const counted = constraints.map((constraint): CountedConstraint => {
    return {
      constraint,
      counts: new DomainCounts(),
      selfMatch: matchesLabels(constraint.selector, pod.labels) ? 1 : 0,
    };
  });
  for (const node of cluster.nodes) {
    if (!hasAllDomains(node.labels, constraints)) continue;
    for (const { constraint, counts } of counted) {
      if (takesPart(constraint, pod, node))
        counts.add(domainOf(node.labels, constraint.topologyKey) ?? '', countOn(node, constraint, pod.namespace));
    }
  }
  return new HardSpread(pod, counted);
}
