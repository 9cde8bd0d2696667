// Required terms: where the pods are that the pod must be close to, those it must keep away from, and those that keep
// it away. What was counted can be told of pods that come and go. Terminating pods count.
// As the plugin InterPodAffinity, filtering.go.
import type { Labels } from '../../../core/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, MemoryKey } from '../../framework/cycle.js';
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { allMeanPod, meansPod } from './term-matching.js';
import { TopologySums } from './topology-sums.js';

/** The pods that the pod wants are not close to the node. */
export const affinityUnmet: Rejection = unresolvable("node(s) didn't match pod affinity rules");

/** Pods that the pod does not want are close to the node. */
export const antiAffinityUnmet: Rejection = unschedulable("node(s) didn't match pod anti-affinity rules");

/** Pods close to the node do not want the pod. */
export const existingAntiAffinityUnmet: Rejection = unschedulable(
  "node(s) didn't satisfy existing pods anti-affinity rules",
);

/** What is counted, by topology key and domain. */
export interface AffinityCounts {
  /** Pods that all affinity terms of the pod mean, under the key of each term. */
  readonly wanted: TopologySums;
  /** Pods that an anti-affinity term of the pod means. */
  readonly unwanted: TopologySums;
  /** Pods with an anti-affinity term that means the pod. */
  readonly hostile: TopologySums;
}

/** Counts for the required terms between a pod and those on nodes. */
export class RequiredAffinity {
  readonly #pod: PodFacts;
  readonly #objects: KnownObjects;
  readonly #counts: AffinityCounts;
  /** The pod is one of those that it wants. */
  readonly #wantsItself: boolean;

  constructor(
    pod: PodFacts,
    objects: KnownObjects,
    counts: AffinityCounts = { wanted: new TopologySums(), unwanted: new TopologySums(), hostile: new TopologySums() },
  ) {
    this.#pod = pod;
    this.#objects = objects;
    this.#counts = counts;
    this.#wantsItself = allMeanPod(pod.affinity.required, pod, objects);
  }

  /** Nothing to filter by: the pod has no terms, and nobody keeps it away. */
  get isIdle(): boolean {
    return (
      this.#counts.hostile.isEmpty &&
      this.#pod.affinity.required.length === 0 &&
      this.#pod.antiAffinity.required.length === 0
    );
  }

  /** Why the node does not do. */
  rejectionOf({ labels }: NodeView): Rejection | undefined {
    if (!this.#hasWanted(labels)) return affinityUnmet;
    for (const { topologyKey } of this.#pod.antiAffinity.required)
      if ((this.#counts.unwanted.at(labels, topologyKey) ?? 0) > 0) return antiAffinityUnmet;
    return this.#counts.hostile.reaches(labels) ? existingAntiAffinityUnmet : undefined;
  }

  /** Counts a pod that came to a node (1) or left it (-1). */
  count(existing: PodFacts, { labels }: NodeView, by: 1 | -1): void {
    const { affinity, antiAffinity } = this.#pod;
    if (allMeanPod(affinity.required, existing, this.#objects))
      for (const { topologyKey } of affinity.required) this.#counts.wanted.add(labels, topologyKey, by);
    for (const term of antiAffinity.required)
      if (meansPod(term, existing, this.#objects)) this.#counts.unwanted.add(labels, term.topologyKey, by);
    for (const term of existing.antiAffinity.required)
      if (meansPod(term, this.#pod, this.#objects)) this.#counts.hostile.add(labels, term.topologyKey, by);
  }

  copy(): RequiredAffinity {
    const { wanted, unwanted, hostile } = this.#counts;
    return new RequiredAffinity(this.#pod, this.#objects, {
      wanted: wanted.copy(),
      unwanted: unwanted.copy(),
      hostile: hostile.copy(),
    });
  }

  /**
   * A node must lie in a domain of every key. The first pod of a series that wants itself finds its like nowhere, and
   * may begin anywhere.
   */
  #hasWanted(labels: Labels): boolean {
    let found = true;
    for (const { topologyKey } of this.#pod.affinity.required) {
      const count = this.#counts.wanted.at(labels, topologyKey);
      if (count === undefined) return false;
      if (count <= 0) found = false;
    }
    return found || (this.#counts.wanted.isEmpty && this.#wantsItself);
  }
}

/** Where the counts of a cycle are. */
export const requiredAffinityKey: MemoryKey<RequiredAffinity> = memoryKey<RequiredAffinity>('InterPodAffinity filter');

/**
 * Counts the pods of the cluster for required terms. Without terms of its own only those that keep others away matter.
 */
export function countRequiredAffinity({ pod, cluster }: Cycle): RequiredAffinity {
  const counted = new RequiredAffinity(pod, cluster.objects);
  const hasTerms = pod.affinity.required.length > 0 || pod.antiAffinity.required.length > 0;
  for (const node of hasTerms ? cluster.nodes : cluster.nodesWithAffinity) {
    for (const existing of hasTerms ? node.pods : node.podsWithRequiredAntiAffinity) counted.count(existing, node, 1);
  }
  return counted;
}
