// The fast way to find a node. What the plain way asks of every node for every pod is kept here for pods that are
// alike, and only what changed is asked again; plugins that cannot be kept are asked only about nodes that all others
// let through. Nodes to which others are to come are looked at plainly, once for pods that are alike; pods that name
// their nodes, or are scored by devices, are left to the plain way. The answers are those of the plain way, but that
// what a plugin throws on nodes which others refuse is not seen.
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { Framework } from '../framework/framework.js';
import { nodesToFind } from '../framework/node-sampling.js';
import { plainPlacer } from '../framework/plain-placer.js';
import type { NodeSearch } from '../framework/plain-placer.js';
import type { NoPlacement, Placement, Placer } from '../framework/placement.js';
import { PointTimes } from '../framework/point-times.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import { deviceClassBehind } from '../plugins/device-classes.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { addAskedScores, askFirst, scorersOf } from './asked-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import type { ClusterColumns } from './cluster-columns.js';
import { countFiltered, countPreFiltered, countScored } from './column-evaluations.js';
import type { JudgedSearch } from './column-evaluations.js';
import { columnProfile } from './column-profile.js';
import type { ColumnProfile } from './column-profile.js';
import { FittingSearch } from './fitting-search.js';
import {
  addLikings,
  addShares,
  chooseHighest,
  chooseInOrder,
  groupsThatPass,
  nodeTotals,
  nodesIn,
  groupsWithNodes,
  setRanks,
} from './group-scores.js';
import type { ScoredGroups } from './group-scores.js';
import { grown } from './grown.js';
import type { NodeColumns } from './node-columns.js';
import { groupsFor, podRules } from './pod-rules.js';
import type { PodRules } from './pod-rules.js';
import { addSpread } from './spread-scores.js';

/** What columns need besides the search. */
export interface ColumnPlacerOptions {
  readonly framework: Framework;
  readonly search: Omit<NodeSearch, 'plugins' | 'extended'>;
  /** Shared by all profiles. */
  readonly columns: ClusterColumns;
  /** Names of plugins that are not the built-in ones, though they may be called like them. */
  readonly foreign?: ReadonlySet<string>;
}

/** Looks for nodes over columns. */
export function columnPlacer({ framework, search, columns, foreign }: ColumnPlacerOptions): Placer {
  const { plugins } = framework;
  const { nodes } = columns;
  const { rotation, percentageOfNodesToScore, random } = search;
  const profile = columnProfile(framework, foreign);
  const plain = plainPlacer({ ...search, plugins });
  const rulesOf = podRules(columns, profile);
  let found: Int32Array = new Int32Array(0);

  const find = (cycle: Cycle, times: PointTimes): Placement | NoPlacement => {
    times.begin('PreFilter');
    const asked = isBeyondColumns(cycle, profile) ? undefined : askFirst(cycle, profile);
    if (asked === undefined) {
      times.leave();
      return plain.place(cycle);
    }
    times.next('Filter');
    const rules = rulesOf(cycle.pod);
    const evaluations = cycle.timings?.evaluations;
    const judged = { rules, asked, profile };
    if (evaluations !== undefined) countPreFiltered(evaluations, judged);
    const looked = (nodeCount: number): void => {
      if (evaluations !== undefined) countFiltered(evaluations, judged, nodeCount);
    };
    const fitting = new FittingSearch({ cycle, nodes, plugins, profile, rules, asked });
    const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
    if (nominated !== undefined) {
      const fits = fitsWithoutTrouble(fitting, nominated);
      looked(1);
      if (fits) return { node: nominated, evaluated: 1, feasible: 1 };
      times.next('Filter');
    }

    const nodeCount = nodes.order.length;
    const start = rotation.start % nodeCount;
    const wanted = plugins.score.length === 0 ? 1 : nodesToFind(nodeCount, percentageOfNodesToScore);
    const crowdedOut = wanted === nodeCount && asksNoScores(asked) ? fitting.crowdedOut() : undefined;
    if (crowdedOut !== undefined) {
      const scored = groupsThatPass(groupsFor(rules), rules.checks, crowdedOut);
      const feasible = nodesIn(scored);
      if (feasible > 0) {
        rotation.start = start;
        looked(nodeCount);
        if (feasible > 1) scoringBegins({ cycle, judged, times }, feasible);
        score(scored, rules, profile);
        return { node: nodeAt(nodes, chooseInOrder(scored, start, random)), evaluated: nodeCount, feasible };
      }
    }

    if (fitting.isHopeless()) {
      rotation.start = start;
      looked(nodeCount);
      return { diagnosis: fitting.diagnose(start) };
    }
    found = grown(found, nodeCount);
    const { count, evaluated } = fitting.find(found, start, wanted);
    looked(evaluated);
    rotation.start = (start + evaluated) % nodeCount;
    if (count === 0) return { diagnosis: fitting.diagnose(start) };
    const slots = found.subarray(0, count);
    const best = count === 1 ? 0 : chooseHighest(totalsOf(slots, { cycle, judged, times }), random);
    return { node: nodeAt(nodes, slots[best] ?? 0), evaluated, feasible: count };
  };

  /** Asks whoever has to be asked, besides. */
  const totalsOf = (slots: Int32Array, ruled: RuledSearch): Float64Array => {
    const {
      cycle,
      judged: { rules, asked },
    } = ruled;
    const shown = asksNoScores(asked) ? undefined : Array.from(slots, (slot) => nodeAt(nodes, slot));
    const scorers = scoringBegins(ruled, slots.length, shown);
    const scored = groupsWithNodes(groupsFor(rules), slots);
    score(scored, rules, profile);
    const totals = nodeTotals(scored, slots);
    if (shown !== undefined) addAskedScores(totals, shown, cycle, scorers);
    return totals;
  };

  return {
    place: (cycle) => {
      const times = new PointTimes(cycle.timings);
      try {
        const outcome = find(cycle, times);
        times.end();
        return outcome;
      } catch (error) {
        times.end('Error');
        throw error;
      }
    },
  };
}

/** A search whose rules are known. */
interface RuledSearch {
  readonly cycle: Cycle;
  readonly judged: JudgedSearch;
  readonly times: PointTimes;
}

/**
 * Nodes are found, and are scored from here on. With `nodes`, answers who has to be asked about them and wants to be.
 */
function scoringBegins(
  { cycle, judged, times }: RuledSearch,
  nodeCount: number,
  nodes?: readonly NodeView[],
): readonly WeightedPlugin[] {
  const { timings } = cycle;
  let scorers: readonly WeightedPlugin[] = nobody;
  if (nodes === undefined) {
    times.next('Score');
    timings?.idle('PreScore', 'Success');
  } else {
    times.end();
    scorers = scorersOf(cycle, judged.asked, nodes);
    times.begin('Score');
  }
  if (timings !== undefined) countScored(timings.evaluations, judged, nodeCount, scorers);
  return scorers;
}

const nobody: readonly WeightedPlugin[] = [];

/** Gives groups their totals. */
function score(
  scored: ScoredGroups,
  { nodeClass, soft, needsAllLabels, likings }: PodRules,
  { spreadWeight = 0, affinityWeight = 0 }: ColumnProfile,
): void {
  setRanks(scored);
  for (const column of nodeClass.shares) addShares(scored, column);
  addSpread(scored, soft, needsAllLabels, spreadWeight);
  addLikings(scored, likings, affinityWeight);
}

function asksNoScores({ preScores, scores }: AskedPlugins): boolean {
  return preScores.length === 0 && scores.length === 0;
}

function nodeAt(nodes: NodeColumns, slot: number): NodeView {
  const node = nodes.at(slot);
  if (node === undefined) throw new Error(`no node has slot ${slot}`);
  return node;
}

/**
 * Pods that name their nodes have few to ask; what cannot be read is told where it is read. Devices come and go unseen.
 */
function isBeyondColumns({ cluster, pod }: Cycle, profile: ColumnProfile): boolean {
  const { requiredNodes, preferredNodes } = pod;
  return (
    cluster.nodes.length === 0 ||
    requiredNodes?.names !== undefined ||
    preferredNodes.problems.length > 0 ||
    isScoredByDevices(cluster, pod, profile)
  );
}

/** Whether something that the pod asks for is scored, and nodes may have it in devices. */
function isScoredByDevices(
  { objects }: ClusterView,
  { requests: { scalars } }: PodFacts,
  { scoredScalars }: ColumnProfile,
): boolean {
  return (
    scalars.size > 0 &&
    scoredScalars.some((name) => (scalars.get(name) ?? 0) > 0 && deviceClassBehind(objects, name) !== undefined)
  );
}

/** What goes wrong on the nominated node is no reason to give up the others. */
function fitsWithoutTrouble(fitting: FittingSearch, { slot }: NodeView): boolean {
  try {
    return fitting.fits(slot);
  } catch {
    return false;
  }
}
