// The plugin InterPodAffinity: pods that want to be close to others, or far from them, by the domains of their nodes.
// Required terms filter, preferred ones score. As pkg/scheduler/framework/plugins/interpodaffinity.
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { countRequiredAffinity, requiredAffinityKey } from './affinity-filter.js';
import { affinityEvents } from './affinity-hints.js';
import { hasPreferences, normalizeAffinity, preferredAffinityKey, weighPreferredAffinity } from './affinity-score.js';

/** Makes the plugin. */
export function interPodAffinity(
  { cluster }: PluginTools,
  args: PluginArguments['InterPodAffinity'],
): SchedulingPlugin {
  return {
    name: 'InterPodAffinity',
    events: affinityEvents(cluster),

    preFilter: (cycle) => {
      const counted = countRequiredAffinity(cycle);
      if (counted.isIdle) return 'skip';
      cycle.memory.set(requiredAffinityKey, counted);
      return undefined;
    },
    filter: ({ memory }, node) => memory.recall(requiredAffinityKey).rejectionOf(node),
    addPod: ({ memory }, pod, node) => memory.recall(requiredAffinityKey).count(pod, node, 1),
    removePod: ({ memory }, pod, node) => memory.recall(requiredAffinityKey).count(pod, node, -1),

    preScore: (cycle) => {
      if (args.ignorePreferredTermsOfExistingPods && !hasPreferences(cycle.pod)) return 'skip';
      const sums = weighPreferredAffinity(cycle, args);
      if (sums.isEmpty) return 'skip';
      cycle.memory.set(preferredAffinityKey, sums);
      return undefined;
    },
    score: ({ memory }, node) => memory.recall(preferredAffinityKey).total(node.labels),
    normalizeScores: (_, scores) => normalizeAffinity(scores),
  };
}
