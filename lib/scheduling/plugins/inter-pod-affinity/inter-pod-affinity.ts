// The plugin InterPodAffinity: places pods near others or apart from them, by topology domain. Required terms filter,
// preferred ones score. Its queueing hints are broader than those of Kubernetes, where pods with several terms can miss
// helpful events: any matching term counts, namespace labels are read, and a pod that only the terms of others exclude
// is requeued for every node event. As pkg/scheduler/framework/plugins/interpodaffinity.
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { countRequiredAffinity, requiredAffinityKey } from './affinity-filter.js';
import { hasPreferences, normalizeAffinity, preferredAffinityKey, weighPreferredAffinity } from './affinity-score.js';
import type { Frozen } from '../../../core/index.js';
import type { Node, Pod } from '../../../core/types/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import { domainOf } from '../../cluster/topology-domain.js';
import { on } from '../../framework/queueing-hints.js';
import type { ClusterEventWithHint, QueueingHint } from '../../framework/queueing-hints.js';
import { podFacts } from '../../pod/pod-facts.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { isSamePod, isAssignedOrNominated } from '../pod-predicates.js';
import { allTermsMatchPod, anyTermMatchesPod, termMatchesPod } from './term-matching.js';

/** Creates the plugin. */
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
      cycle.state.set(requiredAffinityKey, counted);
      return undefined;
    },
    filter: ({ state }, node) => state.read(requiredAffinityKey).rejectionOf(node),
    addPod: ({ state }, pod, node) => state.read(requiredAffinityKey).count(pod, node, 1),
    removePod: ({ state }, pod, node) => state.read(requiredAffinityKey).count(pod, node, -1),

    preScore: (cycle) => {
      if (args.ignorePreferredTermsOfExistingPods && !hasPreferences(cycle.pod)) return 'skip';
      const sums = weighPreferredAffinity(cycle, args);
      if (sums.isEmpty) return 'skip';
      cycle.state.set(preferredAffinityKey, sums);
      return undefined;
    },
    score: ({ state }, node) => state.read(preferredAffinityKey).total(node.labels),
    normalizeScores: (_, scores) => normalizeAffinity(scores),
  };
}

/** Returns the event registrations of the plugin. The cluster is read when an event occurs. */
export function affinityEvents(cluster: ClusterView): readonly ClusterEventWithHint[] {
  return [
    on('Pod', actions.add | actions.delete | actions.updatePodLabel, (pod, old, current) =>
      afterPodChange(pod, old, current, cluster.objects),
    ),
    on('Node', actions.add | actions.updateNodeLabel, afterNodeChange),
  ];
}

function afterPodChange(
  pod: PodFacts,
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
  objects: ObjectLister,
): QueueingHint {
  if (isSamePod(pod, current ?? old)) return 'queue'; // its labels changed: terms of others may no longer match it
  if (hasNoNode(old) || hasNoNode(current)) return 'skip';
  const before = old && podFacts(old);
  const after = current && podFacts(current);
  return changesAffinity(pod, before, after, objects) ||
    resolvesAntiAffinity(pod, before, after, objects) ||
    resolvesExistingAntiAffinity(pod, before, after, objects)
    ? 'queue'
    : 'skip';
}

/** A pod that matches the affinity was added, or was removed: if it was the last, the pod may be placed anywhere. */
function changesAffinity(
  { affinity }: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: ObjectLister,
): boolean {
  const isWanted = (pod: PodFacts | undefined): boolean =>
    pod !== undefined && allTermsMatchPod(affinity.required, pod, objects);
  return isWanted(before) !== isWanted(after);
}

/** A pod that the anti-affinity excludes was removed, or no longer matches a term. */
function resolvesAntiAffinity(
  { antiAffinity }: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: ObjectLister,
): boolean {
  if (before === undefined) return false;
  return antiAffinity.required.some(
    (term) => termMatchesPod(term, before, objects) && (after === undefined || !termMatchesPod(term, after, objects)),
  );
}

/** A pod whose anti-affinity excludes this one was removed. */
function resolvesExistingAntiAffinity(
  pod: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: ObjectLister,
): boolean {
  return before !== undefined && after === undefined && anyTermMatchesPod(before.antiAffinity.required, pod, objects);
}

function afterNodeChange(
  { affinity: { required: wanted }, antiAffinity: { required: unwanted } }: PodFacts,
  old: Frozen<Node> | undefined,
  current: Frozen<Node> | undefined,
): QueueingHint {
  if (wanted.length === 0 && unwanted.length === 0) return 'queue'; // the terms of others may have any topology key
  if (old === undefined && unwanted.length > 0) return 'queue'; // whether or not it is in a domain
  const before = (topologyKey: string): string | undefined => domainOf(old?.metadata?.labels, topologyKey);
  const after = (topologyKey: string): string | undefined => domainOf(current?.metadata?.labels, topologyKey);
  const joins = wanted.some(
    ({ topologyKey }) => after(topologyKey) !== undefined && before(topologyKey) !== after(topologyKey),
  );
  const leaves = unwanted.some(
    ({ topologyKey }) => before(topologyKey) !== undefined && before(topologyKey) !== after(topologyKey),
  );
  return joins || leaves ? 'queue' : 'skip';
}

/** Returns whether an existing pod has no node. */
function hasNoNode(pod: Frozen<Pod> | undefined): boolean {
  return pod !== undefined && !isAssignedOrNominated(pod);
}
