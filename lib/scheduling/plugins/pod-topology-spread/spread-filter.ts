// Hard constraints: filters nodes on which the pod would exceed the skew of its domain. Counts can be updated for added
// and removed pods, so that preemption need not recount. As the plugin PodTopologySpread, filtering.go; unlike there,
// added and removed pods follow the same rules as existing ones: a terminating pod does not count.
import { matchesLabels } from '../../../core/index.js';
import type { NodeView } from '../../cluster/node-view.js';
import { domainOf, hasAllDomains } from '../../cluster/topology-domain.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateKey } from '../../framework/cycle-state.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { leastCount, skewOf } from './spread-arithmetic.js';
import { countPodsOn, isPodCounted, isNodeIncluded } from './spread-counting.js';

/** The rejection of a node without the label of a constraint. */
export const missingLabel: Rejection = unresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

/** The rejection of a node whose domain would exceed the skew. */
export const skewTooLarge: Rejection = unschedulable("node(s) didn't match pod topology spread constraints");

/** Pod counts for the hard constraints of a pod. */
export class HardSpread {
  readonly #pod: PodFacts;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #counted: readonly CountedConstraint[];

  constructor(pod: PodFacts, counted: readonly CountedConstraint[]) {
    this.#pod = pod;
    this.#constraints = counted.map(({ constraint }) => constraint);
    this.#counted = counted;
  }

  /** Returns why the node is infeasible. */
  rejectionOf({ labels }: NodeView): Rejection | undefined {
    for (const { constraint, counts, selfMatch } of this.#counted) {
      const domain = domainOf(labels, constraint.topologyKey);
      if (domain === undefined) return missingLabel;
      const least = leastCount(counts.least, counts.domains, constraint);
      if (skewOf(counts.of(domain), selfMatch, least) > constraint.maxSkew) return skewTooLarge;
    }
    return undefined;
  }

  /** Counts a pod that was added to a node (1) or removed from it (-1). */
  count(pod: PodFacts, node: NodeView, by: 1 | -1): void {
    if (!hasAllDomains(node.labels, this.#constraints)) return;
    for (const { constraint, counts } of this.#counted) {
      if (!isPodCounted(constraint, this.#pod.namespace, pod) || !isNodeIncluded(constraint, this.#pod, node)) continue;
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

/** A constraint and its pod counts. */
export interface CountedConstraint {
  readonly constraint: SpreadConstraint;
  readonly counts: DomainCounts;
  /** 1 if the pod matches its own constraint. */
  readonly selfMatch: 0 | 1;
}

/** The key of the counts in the cycle state. */
export const hardSpreadKey: StateKey<HardSpread> = stateKey<HardSpread>('PodTopologySpread filter');

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
      if (isNodeIncluded(constraint, pod, node))
        counts.add(domainOf(node.labels, constraint.topologyKey) ?? '', countPodsOn(node, constraint, pod.namespace));
    }
  }
  return new HardSpread(pod, counted);
}

/**
 * Pod counts by domain, with a cached minimum so that filtering node by node does not visit all domains. A counted
 * domain exists even without pods.
 */
export class DomainCounts {
  readonly #counts: Map<string, number>;
  /** Undefined if it must be recomputed. */
  #least: number | undefined;

  constructor(counts: Iterable<readonly [string, number]> = []) {
    this.#counts = new Map(counts);
  }

  /** The number of counted domains. */
  get domains(): number {
    return this.#counts.size;
  }

  /** The minimum count; Infinity without domains. */
  get least(): number {
    return (this.#least ??= leastOf(this.#counts.values()));
  }

  /** Returns the count of a domain; 0 if it was not counted. */
  of(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }

  /** Adds pods to a domain; a negative number removes them, 0 registers the domain. */
  add(domain: string, pods: number): void {
    const before = this.#counts.get(domain);
    const after = (before ?? 0) + pods;
    this.#counts.set(domain, after);
    if (this.#least === undefined) return;
    if (after <= this.#least) this.#least = after;
    else if (before === this.#least) this.#least = undefined; // it may have been the only minimum
  }

  copy(): DomainCounts {
    const copy = new DomainCounts(this.#counts);
    copy.#least = this.#least;
    return copy;
  }
}

function leastOf(counts: Iterable<number>): number {
  let least = Infinity;
  for (const count of counts) if (count < least) least = count;
  return least;
}
