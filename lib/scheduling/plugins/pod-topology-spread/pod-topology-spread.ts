// The plugin PodTopologySpread: spreads pods evenly over zones, hosts or other topology domains. Hard constraints
// filter, soft ones score. Rejected pods are requeued when pods of their namespace start or stop matching, when nodes
// join or leave a domain, and when the pod itself changes. As pkg/scheduler/framework/plugins/podtopologyspread.
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { applicableConstraints, needsAllLabels, spreadDefaults } from './applicable-constraints.js';
import { countHardSpread, hardSpreadKey } from './spread-filter.js';
import { countSoftSpread, normalizeSpread, rawScore, softSpreadKey } from './spread-score.js';
import { deepEqual, matchesLabels } from '../../../core/index.js';
import type { Frozen, Selector } from '../../../core/index.js';
import type { Node, Pod } from '../../../core/types/index.js';
import { hasAllDomains } from '../../cluster/topology-domain.js';
import { on } from '../../framework/queueing-hints.js';
import type { ClusterEventWithHint, QueueingHint } from '../../framework/queueing-hints.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { actions } from '../../queue/cluster-event.js';
import { isSamePod, isAssignedOrNominated } from '../pod-predicates.js';

/** Creates the plugin. */
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
      cycle.state.set(hardSpreadKey, countHardSpread(cycle, hard));
      return undefined;
    },
    filter: ({ state }, node) => state.read(hardSpreadKey).rejectionOf(node),
    addPod: ({ state }, pod, node) => state.read(hardSpreadKey).count(pod, node, 1),
    removePod: ({ state }, pod, node) => state.read(hardSpreadKey).count(pod, node, -1),

    preScore: (cycle, nodes) => {
      const soft = applicableConstraints('soft', cycle.pod, cycle.cluster.objects, defaults);
      if (soft.length === 0) return 'skip';
      cycle.state.set(softSpreadKey, countSoftSpread(cycle, soft, nodes, needsAllLabels(cycle.pod, defaults)));
      return undefined;
    },
    score: ({ state, pod }, node) => rawScore(state.read(softSpreadKey), pod, node),
    normalizeScores: ({ state }, scores, nodes) => normalizeSpread(state.read(softSpreadKey), scores, nodes),
  };
}

/** Returns the event registrations of the plugin. `constraintsOf` returns the current hard constraints of a pod. */
export function spreadEvents(
  constraintsOf: (pod: PodFacts) => readonly SpreadConstraint[],
): readonly ClusterEventWithHint[] {
  return [
    on(
      'Pod',
      actions.add | actions.delete | actions.updatePodLabel | actions.updatePodToleration,
      (pod, old, current) => afterPodChange(pod, constraintsOf(pod), old, current),
    ),
    on('Node', actions.add | actions.delete | actions.updateNodeLabel | actions.updateNodeTaint, (pod, old, current) =>
      afterNodeChange(constraintsOf(pod), old, current),
    ),
  ];
}

function afterPodChange(
  pod: PodFacts,
  constraints: readonly SpreadConstraint[],
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
): QueueingHint {
  if (isSamePod(pod, current ?? old)) return afterOwnChange(constraints, old, current);
  if (isUnrelated(pod, old) || isUnrelated(pod, current)) return 'skip';
  for (const { selector } of constraints) if (selects(selector, old) !== selects(selector, current)) return 'queue';
  return 'skip';
}

function afterOwnChange(
  constraints: readonly SpreadConstraint[],
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
): QueueingHint {
  if (!deepEqual(old?.metadata?.labels, current?.metadata?.labels)) return 'queue';
  const tolerates = !deepEqual(old?.spec?.tolerations, current?.spec?.tolerations);
  return tolerates && constraints.some(({ honorsTaints }) => honorsTaints) ? 'queue' : 'skip';
}

/**
 * A label or taint that no constraint names may still decide whether the node is included, so it is not inspected
 * further.
 */
function afterNodeChange(
  constraints: readonly SpreadConstraint[],
  old: Frozen<Node> | undefined,
  current: Frozen<Node> | undefined,
): QueueingHint {
  const counts = [old, current].some((node) => node !== undefined && hasAllDomains(node.metadata?.labels, constraints));
  return counts ? 'queue' : 'skip';
}

/** Returns whether another pod does not affect how the pod is spread. */
function isUnrelated({ namespace }: PodFacts, other: Frozen<Pod> | undefined): boolean {
  return other !== undefined && (other.metadata?.namespace !== namespace || !isAssignedOrNominated(other));
}

/** An absent pod is not selected. */
function selects(selector: Selector, pod: Frozen<Pod> | undefined): boolean {
  return pod !== undefined && matchesLabels(selector, pod.metadata?.labels);
}
