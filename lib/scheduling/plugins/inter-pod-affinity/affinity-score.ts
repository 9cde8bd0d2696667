// Preferences between a pod and those on nodes, both ways: what the pod would rather have close or not, and what they
// would. Weights add up over pods, in the domain where they are. As the plugin InterPodAffinity, scoring.go.
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, MemoryKey } from '../../framework/cycle.js';
import type { WeightedAffinityTerm } from '../../pod/pod-affinity.js';
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

/** The weights of all pods of the cluster. Where the pod has no preferences, only pods with terms have something to say. */
export function weighPreferredAffinity({ pod, cluster }: Cycle, args: PluginArguments['InterPodAffinity']): TopologySums {
  const sums = new TopologySums();
  const prefers = hasPreferences(pod);
  for (const node of cluster.nodes) {
    for (const existing of prefers ? node.pods : node.podsWithAffinity) weighPod(sums, pod, existing, node, cluster.objects, args);
  }
  return sums;
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

/** What one pod on a node weighs. Its required affinity counts as a preference of the weight that the profile gives it. */
function weighPod(sums: TopologySums, pod: PodFacts, existing: PodFacts, node: NodeView, objects: KnownObjects, { hardPodAffinityWeight }: PluginArguments['InterPodAffinity']): void {
  weighTerms(pod.affinity.preferred, existing, 1);
  weighTerms(pod.antiAffinity.preferred, existing, -1);
  for (const term of existing.affinity.required) if (meansPod(term, pod, objects)) sums.add(node.labels, term.topologyKey, hardPodAffinityWeight);
  weighTerms(existing.affinity.preferred, pod, 1);
  weighTerms(existing.antiAffinity.preferred, pod, -1);

  function weighTerms(terms: readonly WeightedAffinityTerm[], target: PodFacts, sign: 1 | -1): void {
    for (const term of terms) if (meansPod(term, target, objects)) sums.add(node.labels, term.topologyKey, sign * term.weight);
  }
}
