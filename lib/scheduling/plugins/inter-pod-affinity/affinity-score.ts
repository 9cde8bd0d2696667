// Preferences between a pod and those on nodes, both ways: what the pod would rather have close or not, and what they
// would. Weights add up over pods, in the domain where they are. As the plugin InterPodAffinity, scoring.go.
import type { NodeView } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, MemoryKey } from '../../framework/cycle.js';
import type { AffinityTerm, WeightedAffinityTerm } from '../../pod/pod-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { normalizedAffinityScore } from './affinity-arithmetic.js';
import { meansPod } from './term-matching.js';
import { TopologySums } from './topology-sums.js';

/** Where the weights of a cycle are. */
export const preferredAffinityKey: MemoryKey<TopologySums> = memoryKey<TopologySums>('InterPodAffinity score');

/** Whether a pod would rather have some pods close, or not. */
export function hasPreferences({ affinity, antiAffinity }: PodFacts): boolean {
  return affinity.preferred.length > 0 || antiAffinity.preferred.length > 0;
}

/**
 * The weights of all pods of the cluster. Where the pod has no preferences, only pods with terms have something to say.
 * The required affinity of others counts as a preference of the weight that the profile gives it.
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
    if (meansPod(term, target, cluster.objects)) sums.add(labels, term.topologyKey, weight);
  }
}

/** Makes sums of weights into scores from 0 to 100, in place. */
export function normalizeAffinity(scores: number[]): void {
  let least = Infinity;
  let most = -Infinity;
  for (const raw of scores) {
    least = Math.min(least, raw);
    most = Math.max(most, raw);
  }
  for (const [index, raw] of scores.entries()) scores[index] = normalizedAffinityScore(raw, least, most);
}
