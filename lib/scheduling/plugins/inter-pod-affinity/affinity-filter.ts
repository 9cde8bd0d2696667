// Required terms: counts, per topology domain, the pods that the pod must be near, those it must avoid, and those whose
// anti-affinity excludes it. Counts can be updated for added and removed pods. Terminating pods count. As the plugin
// InterPodAffinity, filtering.go.
import type { Labels } from '../../../core/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateKey } from '../../framework/cycle-state.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { allTermsMatchPod, termMatchesPod } from './term-matching.js';
import { TopologySums } from './topology-sums.js';

/** The rejection of a node whose domains have no pod that the affinity requires. */
export const affinityUnmet: Rejection = unresolvable("node(s) didn't match pod affinity rules");

/** The rejection of a node in a domain with a pod that the anti-affinity excludes. */
export const antiAffinityUnmet: Rejection = unschedulable("node(s) didn't match pod anti-affinity rules");

/** The rejection of a node in a domain with a pod whose anti-affinity excludes this pod. */
export const existingAntiAffinityUnmet: Rejection = unschedulable(
  "node(s) didn't satisfy existing pods anti-affinity rules",
);

/** Pod counts by topology key and domain. */
export interface AffinityCounts {
  /** Pods that match all affinity terms of the pod, under the key of each term. */
  readonly affinity: TopologySums;
  /** Pods that match an anti-affinity term of the pod. */
  readonly antiAffinity: TopologySums;
  /** Pods with an anti-affinity term that matches the pod. */
  readonly existingAntiAffinity: TopologySums;
}

/** Pod counts for the required terms between a pod and those on nodes. */
export class RequiredAffinity {
  readonly #pod: PodFacts;
  readonly #objects: ObjectLister;
  readonly #counts: AffinityCounts;
  /** Whether the pod matches its own affinity terms. */
  readonly #matchesItself: boolean;

  constructor(
    pod: PodFacts,
    objects: ObjectLister,
    counts: AffinityCounts = {
      affinity: new TopologySums(),
      antiAffinity: new TopologySums(),
      existingAntiAffinity: new TopologySums(),
    },
  ) {
    this.#pod = pod;
    this.#objects = objects;
    this.#counts = counts;
    this.#matchesItself = allTermsMatchPod(pod.affinity.required, pod, objects);
  }

  /** Whether nothing can be filtered: the pod has no required terms and no existing pod excludes it. */
  get isIdle(): boolean {
    return (
      this.#counts.existingAntiAffinity.isEmpty &&
      this.#pod.affinity.required.length === 0 &&
      this.#pod.antiAffinity.required.length === 0
    );
  }

  /** Returns why the node is infeasible. */
  rejectionOf({ labels }: NodeView): Rejection | undefined {
    if (!this.#satisfiesAffinity(labels)) return affinityUnmet;
    for (const { topologyKey } of this.#pod.antiAffinity.required)
      if ((this.#counts.antiAffinity.at(labels, topologyKey) ?? 0) > 0) return antiAffinityUnmet;
    return this.#counts.existingAntiAffinity.hasPositive(labels) ? existingAntiAffinityUnmet : undefined;
  }

  /** Counts a pod that was added to a node (1) or removed from it (-1). */
  count(existing: PodFacts, { labels }: NodeView, by: 1 | -1): void {
    const { affinity, antiAffinity } = this.#pod;
    if (allTermsMatchPod(affinity.required, existing, this.#objects))
      for (const { topologyKey } of affinity.required) this.#counts.affinity.add(labels, topologyKey, by);
    for (const term of antiAffinity.required)
      if (termMatchesPod(term, existing, this.#objects)) this.#counts.antiAffinity.add(labels, term.topologyKey, by);
    for (const term of existing.antiAffinity.required)
      if (termMatchesPod(term, this.#pod, this.#objects))
        this.#counts.existingAntiAffinity.add(labels, term.topologyKey, by);
  }

  copy(): RequiredAffinity {
    const { affinity, antiAffinity, existingAntiAffinity } = this.#counts;
    return new RequiredAffinity(this.#pod, this.#objects, {
      affinity: affinity.copy(),
      antiAffinity: antiAffinity.copy(),
      existingAntiAffinity: existingAntiAffinity.copy(),
    });
  }

  /**
   * A node needs a domain for every key. If no pod matches anywhere, a pod that matches its own terms may be placed on
   * any such node.
   */
  #satisfiesAffinity(labels: Labels): boolean {
    let found = true;
    for (const { topologyKey } of this.#pod.affinity.required) {
      const count = this.#counts.affinity.at(labels, topologyKey);
      if (count === undefined) return false;
      if (count <= 0) found = false;
    }
    return found || (this.#counts.affinity.isEmpty && this.#matchesItself);
  }
}

/** The key of the counts in the cycle state. */
export const requiredAffinityKey: StateKey<RequiredAffinity> = stateKey<RequiredAffinity>('InterPodAffinity filter');

/**
 * Counts the pods of the cluster for required terms. For a pod without terms only pods with required anti-affinity
 * matter.
 */
export function countRequiredAffinity({ pod, cluster }: Cycle): RequiredAffinity {
  const counted = new RequiredAffinity(pod, cluster.objects);
  const hasTerms = pod.affinity.required.length > 0 || pod.antiAffinity.required.length > 0;
  for (const node of hasTerms ? cluster.nodes : cluster.nodesWithAffinity) {
    for (const existing of hasTerms ? node.pods : node.podsWithRequiredAntiAffinity) counted.count(existing, node, 1);
  }
  return counted;
}
