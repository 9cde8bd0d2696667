// Preferred terms between a pod and those on nodes, in both directions. Weights are summed per topology domain. As the
// plugin InterPodAffinity, scoring.go.
import type { NodeView } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateKey } from '../../framework/cycle-state.js';
import type { AffinityTerm, WeightedAffinityTerm } from '../../pod/pod-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { termMatchesPod } from './term-matching.js';
import { TopologySums } from './topology-sums.js';

/** The key of the weights in the cycle state. */
export const preferredAffinityKey: StateKey<TopologySums> = stateKey<TopologySums>('InterPodAffinity score');

/** Returns whether a pod has preferred terms. */
export function hasPreferences({ affinity, antiAffinity }: PodFacts): boolean {
  return affinity.preferred.length > 0 || antiAffinity.preferred.length > 0;
}

/**
 * Sums the weights of all pods of the cluster. For a pod without preferred terms only pods with terms matter. Required
 * affinity terms of existing pods count with the profile's weight.
 */
export function weighPreferredAffinity(
  { pod, cluster }: Cycle,
  { hardPodAffinityWeight }: PluginArguments['InterPodAffinity'],
): TopologySums {
  const sums = new TopologySums();
  const prefers = hasPreferences(pod);
  for (const node of prefers ? cluster.nodes : cluster.nodesWithAffinity) {
    for (const existing of prefers ? node.pods : node.podsWithAffinity) {
      weighAll(pod.affinity.preferred, 1, existing, node);
      weighAll(pod.antiAffinity.preferred, -1, existing, node);
      for (const term of existing.affinity.required) weigh(term, hardPodAffinityWeight, pod, node);
      weighAll(existing.affinity.preferred, 1, pod, node);
      weighAll(existing.antiAffinity.preferred, -1, pod, node);
    }
  }
  return sums;

  function weighAll(terms: readonly WeightedAffinityTerm[], sign: 1 | -1, target: PodFacts, node: NodeView): void {
    for (const term of terms) weigh(term, sign * term.weight, target, node);
  }

  function weigh(term: AffinityTerm, weight: number, target: PodFacts, { labels }: NodeView): void {
    if (termMatchesPod(term, target, cluster.objects)) sums.add(labels, term.topologyKey, weight);
  }
}

/** Normalizes sums of weights to scores from 0 to 100, in place. */
export function normalizeAffinity(scores: number[]): void {
  let least = Infinity;
  let most = -Infinity;
  for (const raw of scores) {
    least = Math.min(least, raw);
    most = Math.max(most, raw);
  }
  for (const [index, raw] of scores.entries()) scores[index] = normalizedAffinityScore(raw, least, most);
}

/**
 * Returns the score from 0 to 100 by the minimum and maximum of all nodes. The order of floating-point operations
 * affects the result.
 */
export function normalizedAffinityScore(raw: number, least: number, most: number): number {
  return most > least ? Math.trunc(100 * ((raw - least) / (most - least))) : 0;
}
