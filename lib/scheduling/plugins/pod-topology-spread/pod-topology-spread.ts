// The plugin PodTopologySpread: pods of a kind are to lie evenly over zones, hosts or other domains of nodes. Hard
// constraints filter, soft ones score. As pkg/scheduler/framework/plugins/podtopologyspread.
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { applicableConstraints, needsAllLabels, spreadDefaults } from './applicable-constraints.js';
import { countHardSpread, hardSpreadKey } from './spread-filter.js';
import { spreadEvents } from './spread-hints.js';
import { countSoftSpread, normalizeSpread, rawScore, softSpreadKey } from './spread-score.js';

/** Makes the plugin. */
export function podTopologySpread(
  { cluster }: PluginTools,
  args: PluginArguments['PodTopologySpread'],
): SchedulingPlugin {
  const defaults = spreadDefaults(args);
  return {
    name: 'PodTopologySpread',
    events: spreadEvents((pod) => applicableConstraints('hard', pod, cluster.objects, defaults)),

    preFilter: (cycle) => {
      const hard = applicableConstraints('hard', cycle.pod, cycle.cluster.objects, defaults);
      if (hard.length === 0) return 'skip';
      cycle.memory.set(hardSpreadKey, countHardSpread(cycle, hard));
      return undefined;
    },
    filter: ({ memory }, node) => memory.recall(hardSpreadKey).rejectionOf(node),
    addPod: ({ memory }, pod, node) => memory.recall(hardSpreadKey).count(pod, node, 1),
    removePod: ({ memory }, pod, node) => memory.recall(hardSpreadKey).count(pod, node, -1),

    preScore: (cycle, nodes) => {
      const soft = applicableConstraints('soft', cycle.pod, cycle.cluster.objects, defaults);
      if (soft.length === 0) return 'skip';
      cycle.memory.set(softSpreadKey, countSoftSpread(cycle, soft, nodes, needsAllLabels(cycle.pod, defaults)));
      return undefined;
    },
    score: ({ memory, pod }, node) => rawScore(memory.recall(softSpreadKey), pod, node),
    normalizeScores: ({ memory }, scores, nodes) => normalizeSpread(memory.recall(softSpreadKey), scores, nodes),
  };
}
