// Explains where a pod would be scheduled: every plugin is evaluated on every node, also on nodes that another plugin
// rejected. If no node is feasible, it looks for the smallest changes of the pod that would make it fit, and verifies
// each. A pod on a node is evaluated as if it were not there. Writes nothing and preempts nothing.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { NodeView } from '../cluster/node-view.js';
import { fitErrorText } from '../fit-error.js';
import { CycleState } from '../framework/cycle-state.js';
import type { Cycle } from '../framework/cycle-state.js';
import { NodeDiagnosis } from '../framework/node-diagnosis.js';
import { activeFilters, activeWithout, runPreFilter } from '../framework/pre-filter.js';
import { profileFilters, rejectedBy } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import { unresolvable } from '../framework/rejection.js';
import type { Rejected } from '../framework/rejection.js';
import { scoresByPlugin } from '../framework/scores.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { changesFor } from './pod-change.js';
import type { PodChange } from './pod-change.js';
import { unplaced } from './without-pod.js';
import type { UnplacedPod } from './without-pod.js';

/** The result of `explain`. */
export interface Explanation {
  readonly pod: Frozen<Pod>;
  /** Rejections at PreEnqueue, such as by SchedulingGates. The rest of the explanation ignores them. */
  readonly gates: readonly Rejected[];
  /** All nodes, in the order in which they are evaluated. */
  readonly nodes: readonly NodeExplanation[];
  /** The names of the nodes with the highest score; empty if none is feasible. */
  readonly best: readonly string[];
  /** The message of the pod's condition if no node is feasible, without the part of preemption. */
  readonly message?: string;
  /** Changes that would make the pod fit, fewest first; each was verified. Empty if a node is feasible. */
  readonly remedies: readonly Remedy[];
}

/** The results of all plugins for one node. */
export interface NodeExplanation {
  readonly name: string;
  /** All rejections, in the order of the profile's filters; those of plugins without a filter come first. */
  readonly rejections: readonly Rejected[];
  /**
   * Scores by plugin, for feasible nodes. Unlike in a scheduling cycle they are also computed for a single feasible
   * node.
   */
  readonly scores: readonly { readonly plugin: string; readonly score: number; readonly weight: number }[];
  /** The weighted sum of the scores. */
  readonly total: number;
}

/** Changes of a pod that together make it fit. */
export interface Remedy {
  readonly changes: readonly PodChange[];
  /** The nodes on which it would then fit. */
  readonly nodeNames: readonly string[];
}

/** Explains a pod on the cluster of a cache. */
export function explainPod(pod: Frozen<Pod>, cache: ClusterCache, plugins: ProfilePlugins): Explanation {
  const without = unplaced(pod, cache);
  const cycle = cycleOf(without);
  const { nodes: candidates } = without.cluster;
  const gates = gatesOf(without.pod, plugins);
  const beforehand = runPreFilters(cycle, plugins);
  const inOrder = filterOrder(plugins);
  const judged = candidates.map((node): EvaluatedNode => ({
    node,
    rejections: rejectionsOf(cycle, node, beforehand).sort(inOrder),
  }));
  const fitting = judged.filter(({ rejections }) => rejections.length === 0).map(({ node }) => node);
  const scores = scoresOf(cycle, plugins, fitting);
  const nodes = judged.map(({ node, rejections }): NodeExplanation => {
    const own = scores.get(node) ?? [];
    return {
      name: node.name,
      rejections,
      scores: own,
      total: own.reduce((sum, { score, weight }) => sum + score * weight, 0),
    };
  });
  if (fitting.length > 0) return { pod, gates, nodes, best: bestOf(nodes), remedies: [] };
  return {
    pod,
    gates,
    nodes,
    best: [],
    message: messageFor(without, plugins),
    remedies: remediesFor(cycle, plugins, judged),
  };
}

/** A node and all rejections of it. */
interface EvaluatedNode {
  readonly node: NodeView;
  readonly rejections: readonly Rejected[];
}

function cycleOf({ pod, cluster }: UnplacedPod): Cycle {
  return { pod, cluster, state: new CycleState() };
}

function gatesOf(pod: PodFacts, { preEnqueue }: ProfilePlugins): readonly Rejected[] {
  return preEnqueue.flatMap((plugin) => {
    const rejection = plugin.preEnqueue(pod);
    return rejection === undefined ? [] : [rejectedBy(plugin.name, rejection)];
  });
}

/** Returns the scores of feasible nodes. */
function scoresOf(
  cycle: Cycle,
  plugins: ProfilePlugins,
  fitting: readonly NodeView[],
): ReadonlyMap<NodeView, NodeExplanation['scores']> {
  if (fitting.length === 0) return new Map();
  const scores = scoresByPlugin(cycle, plugins, fitting);
  return new Map(
    fitting.map((node, index) => [
      node,
      scores.map(({ plugin, weight, scores: all }) => ({ plugin, weight, score: all[index] ?? 0 })),
    ]),
  );
}

function bestOf(nodes: readonly NodeExplanation[]): readonly string[] {
  const fits = nodes.filter(({ rejections }) => rejections.length === 0);
  const highest = fits.reduce((most, { total }) => Math.max(most, total), -Infinity);
  return fits.filter(({ total }) => total === highest).map(({ name }) => name);
}

/** Sorts PreFilter rejections to the position of the plugin's filter. */
function filterOrder({ filter }: ProfilePlugins): (one: Rejected, other: Rejected) => number {
  const places = new Map(filter.map(({ name }, index) => [name, index]));
  const placeOf = ({ plugin }: Rejected): number => places.get(plugin) ?? -1;
  return (one, other) => placeOf(one) - placeOf(other);
}

/** The PreFilter result of a plugin. */
interface PreFilterRejection {
  readonly plugin: string;
  /** The rejection of all nodes that are not in `nodeNames`. */
  readonly rejected: Rejected;
  readonly nodeNames: ReadonlySet<string>;
}

/** Runs PreFilter of all plugins. Unlike in a scheduling cycle a rejection does not end the round. */
function runPreFilters(cycle: Cycle, plugins: ProfilePlugins): readonly PreFilterRejection[] {
  const skipped = new Set<string>();
  const rejections: PreFilterRejection[] = [];
  for (const plugin of plugins.preFilter) {
    const answer = plugin.preFilter(cycle);
    if (answer === undefined) continue;
    if (answer === 'skip') skipped.add(plugin.name);
    else if ('code' in answer) {
      skipped.add(plugin.name);
      rejections.push({ plugin: plugin.name, rejected: rejectedBy(plugin.name, answer), nodeNames: noNodes });
    } else {
      rejections.push({
        plugin: plugin.name,
        rejected: { ...unresolvable(`node(s) didn't satisfy plugin(s) [${plugin.name}]`), plugin: plugin.name },
        nodeNames: answer.nodeNames,
      });
    }
  }
  cycle.state.set(activeFilters, activeWithout(plugins, skipped));
  return rejections;
}

const noNodes: ReadonlySet<string> = new Set();

/** Returns all rejections of a node, those of PreFilter first. */
function rejectionsOf(cycle: Cycle, node: NodeView, beforehand: readonly PreFilterRejection[]): Rejected[] {
  const before = beforehand.filter(({ nodeNames }) => !nodeNames.has(node.name)).map(({ rejected }) => rejected);
  const own = cycle.state.read(activeFilters).filters.flatMap((plugin) => {
    const rejection = plugin.filter(cycle, node);
    return rejection === undefined ? [] : [rejectedBy(plugin.name, rejection)];
  });
  if (before.length + own.length > 0) return [...before, ...own];
  // Nominated pods may still make the node infeasible.
  const crowded = profileFilters.filter(cycle, node);
  return crowded === undefined ? [] : [crowded];
}

function messageFor(without: UnplacedPod, plugins: ProfilePlugins): string {
  const { nodes } = without.cluster;
  const nodeCount = nodes.length;
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const cycle = cycleOf(without);
  const outcome = runPreFilter(cycle, plugins);
  const diagnosis = new NodeDiagnosis(nodes, outcome);
  if (outcome.rejection === undefined) {
    for (const node of nodes) {
      const rejected = outcome.nodeNames?.has(node.name) === false ? undefined : profileFilters.filter(cycle, node);
      if (rejected !== undefined) diagnosis.reject(node, rejected);
    }
  }
  const { preFilterMessage, reasons } = diagnosis;
  return fitErrorText({ nodeCount, reasons, ...(preFilterMessage !== undefined && { preFilterMessage }) });
}

/** Returns remedies, those with the fewest changes first, grouped by their changes. */
function remediesFor(cycle: Cycle, plugins: ProfilePlugins, judged: readonly EvaluatedNode[]): readonly Remedy[] {
  const wanted = new Map<string, { readonly changes: readonly PodChange[]; readonly nodes: NodeView[] }>();
  for (const { node, rejections } of judged) {
    const changes = rejections.map(({ plugin }) => changesFor(plugin, cycle.pod, node));
    if (changes.length === 0 || changes.includes(undefined)) continue;
    const all = changes.flatMap((each) => each ?? []);
    const key = all.map(({ text }) => text).join('\n');
    const group = wanted.get(key) ?? { changes: all, nodes: [] };
    wanted.set(key, group);
    group.nodes.push(node);
  }
  const byEase = [...wanted.values()].sort(
    (one, other) => one.changes.length - other.changes.length || other.nodes.length - one.nodes.length,
  );
  return byEase
    .slice(0, remediesTried)
    .map(({ changes, nodes }) => ({
      changes,
      nodeNames: nodes.filter((node) => fitsWith(changes, cycle, plugins, node)).map(({ name }) => name),
    }))
    .filter(({ nodeNames }) => nodeNames.length > 0)
    .slice(0, remediesMax);
}

const remediesTried = 20;
const remediesMax = 5;

function fitsWith(
  changes: readonly PodChange[],
  { pod, cluster }: Cycle,
  plugins: ProfilePlugins,
  node: NodeView,
): boolean {
  const changed = changes.reduce((object, change) => change.apply(object), pod.object);
  const cycle = cycleOf({ pod: podFacts(changed), cluster });
  const { rejection, nodeNames } = runPreFilter(cycle, plugins);
  return (
    rejection === undefined && nodeNames?.has(node.name) !== false && profileFilters.filter(cycle, node) === undefined
  );
}
