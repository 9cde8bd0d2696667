// Why a pod goes where it goes, or goes nowhere: every plugin is asked about every node, also those nodes that another
// plugin has refused already. Where no node will do, the smallest changes of the pod are looked for that would let it
// fit, and each is tried before it is told. A pod that has a node is looked at as if it had none, so that it is not in
// its own way. Nothing is written and nobody is made to leave.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { NodeView } from '../cluster/node-view.js';
import { fitErrorText } from '../fit-error.js';
import { CycleMemory } from '../framework/cycle.js';
import type { Cycle } from '../framework/cycle.js';
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
import type { Unplaced } from './without-pod.js';

/** What a scheduler thinks of a pod. */
export interface Explanation {
  readonly pod: Frozen<Pod>;
  /** Who keeps the pod from being tried at all, such as SchedulingGates. What follows is as if they did not. */
  readonly gates: readonly Rejected[];
  /** In the order in which they are looked at. */
  readonly nodes: readonly NodeExplanation[];
  /** The names of the nodes that are best, all alike; empty where none will do. */
  readonly best: readonly string[];
  /** Why no node will do, as the pod's condition says it, but for what preemption would add. */
  readonly message?: string;
  /** Where no node will do: what would let the pod fit, the least first. Each was tried on its nodes. */
  readonly remedies: readonly Remedy[];
}

/** What plugins say of a node. */
export interface NodeExplanation {
  readonly name: string;
  /** All that say no, in the order of the profile's filters; plugins that filter no nodes come first. */
  readonly rejections: readonly Rejected[];
  /** Of nodes that will do. Where it is the only one nobody would ask for scores; here they are. */
  readonly scores: readonly { readonly plugin: string; readonly score: number; readonly weight: number }[];
  /** The weighed sum. */
  readonly total: number;
}

/** Changes that together let a pod fit. */
export interface Remedy {
  readonly changes: readonly PodChange[];
  /** Where it would fit then. */
  readonly nodeNames: readonly string[];
}

/** Asks everybody. */
export function explainPod(pod: Frozen<Pod>, cache: ClusterCache, plugins: ProfilePlugins): Explanation {
  const without = unplaced(pod, cache);
  const cycle = cycleOf(without);
  const { nodes: candidates } = without.cluster;
  const gates = gatesOf(without.pod, plugins);
  const beforehand = askedBeforehand(cycle, plugins);
  const inOrder = filterOrder(plugins);
  const judged = candidates.map((node): Judged => ({
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

/** A node and all that say no to it. */
interface Judged {
  readonly node: NodeView;
  readonly rejections: readonly Rejected[];
}

function cycleOf({ pod, cluster }: Unplaced): Cycle {
  return { pod, cluster, memory: new CycleMemory() };
}

function gatesOf(pod: PodFacts, { preEnqueue }: ProfilePlugins): readonly Rejected[] {
  return preEnqueue.flatMap((plugin) => {
    const rejection = plugin.preEnqueue(pod);
    return rejection === undefined ? [] : [rejectedBy(plugin.name, rejection)];
  });
}

/** The scores of nodes that will do. */
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

/** What is said before nodes are looked at goes where the plugin's filter would have spoken. */
function filterOrder({ filter }: ProfilePlugins): (one: Rejected, other: Rejected) => number {
  const places = new Map(filter.map(({ name }, index) => [name, index]));
  const placeOf = ({ plugin }: Rejected): number => places.get(plugin) ?? -1;
  return (one, other) => placeOf(one) - placeOf(other);
}

/** What a plugin said before it saw a node. */
interface Beforehand {
  readonly plugin: string;
  /** A no to all nodes, or to those outside of the set. */
  readonly rejected: Rejected;
  readonly nodeNames: ReadonlySet<string>;
}

/** Other than in a cycle all plugins are asked, whatever those before them say. */
function askedBeforehand(cycle: Cycle, plugins: ProfilePlugins): readonly Beforehand[] {
  const quiet = new Set<string>();
  const said: Beforehand[] = [];
  for (const plugin of plugins.preFilter) {
    const answer = plugin.preFilter(cycle);
    if (answer === undefined) continue;
    if (answer === 'skip') quiet.add(plugin.name);
    else if ('code' in answer) {
      quiet.add(plugin.name);
      said.push({ plugin: plugin.name, rejected: rejectedBy(plugin.name, answer), nodeNames: noNodes });
    } else {
      said.push({
        plugin: plugin.name,
        rejected: { ...unresolvable(`node(s) didn't satisfy plugin(s) [${plugin.name}]`), plugin: plugin.name },
        nodeNames: answer.nodeNames,
      });
    }
  }
  cycle.memory.set(activeFilters, activeWithout(plugins, quiet));
  return said;
}

const noNodes: ReadonlySet<string> = new Set();

/** All that say no to a node: first those that did so beforehand. */
function rejectionsOf(cycle: Cycle, node: NodeView, beforehand: readonly Beforehand[]): Rejected[] {
  const before = beforehand.filter(({ nodeNames }) => !nodeNames.has(node.name)).map(({ rejected }) => rejected);
  const own = cycle.memory.recall(activeFilters).filters.flatMap((plugin) => {
    const rejection = plugin.filter(cycle, node);
    return rejection === undefined ? [] : [rejectedBy(plugin.name, rejection)];
  });
  if (before.length + own.length > 0) return [...before, ...own];
  // Pods that are to come to the node may be in the way all the same.
  const crowded = profileFilters.filter(cycle, node);
  return crowded === undefined ? [] : [crowded];
}

function messageFor(without: Unplaced, plugins: ProfilePlugins): string {
  const { nodes } = without.cluster;
  const nodeCount = nodes.length;
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const cycle = cycleOf(without);
  const outcome = runPreFilter(cycle, plugins);
  const diagnosis = new NodeDiagnosis(nodes, outcome);
  if (outcome.rejection === undefined) {
    for (const node of nodes) {
      const rejected = outcome.nodeNames?.has(node.name) === false ? undefined : profileFilters.filter(cycle, node);
      if (rejected !== undefined) diagnosis.refuse(node, rejected);
    }
  }
  const { preFilterMessage, reasons } = diagnosis;
  return fitErrorText({ nodeCount, reasons, ...(preFilterMessage !== undefined && { preFilterMessage }) });
}

/** The nodes that ask for the fewest changes, grouped by what they ask for. */
function remediesFor(cycle: Cycle, plugins: ProfilePlugins, judged: readonly Judged[]): readonly Remedy[] {
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
    .slice(0, remediesTold);
}

const remediesTried = 20;
const remediesTold = 5;

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
