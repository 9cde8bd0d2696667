// The fast path of scheduling: finds the same node as the plain placer, but evaluates only what changed.
//
//  1. Pods that no plugin can tell apart form an equivalence class (`pod/pod-signature.ts`), and classes share caches.
//  2. For each class and node the filter verdict and the node-local score are cached in typed arrays indexed by the
//     node's slot (`pod-class-columns.ts`, `nominated-verdicts.ts`, `rejection-column.ts`).
//  3. Every cache remembers its position in a bounded change log and re-evaluates only the nodes that changed since; if
//     the log no longer reaches back that far, the cache is rebuilt (`sync()`, `cluster/change-log.ts`).
//  4. Spread constraints and pod affinity compare pod counts per topology domain, which are updated as pods come and go
//     (`pod-counter.ts`, `topology-pair-counts.ts`).
//  5. Nodes with equal scores and equal domain counts are indistinguishable to the pod: they form groups, and the
//     search scores groups instead of nodes (`node-groups.ts`, `group-scores.ts`).
//
// Plugins without a cache run only on nodes that pass all cached filters. Pods that name their nodes, or that are
// scored by devices, go to the plain placer. One difference remains: an error that a plugin would throw on a node that
// another filter rejects is not seen.
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import { nodesToFind } from '../framework/node-sampling.js';
import { plainPlacer } from '../framework/plain-placer.js';
import type { NodeSearch } from '../framework/plain-placer.js';
import type { NoPlacement, Placement, Placer } from '../framework/placement.js';
import { PointTimes } from '../framework/timings.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import { deviceClassBehind } from '../plugins/device-classes.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { addUncachedScores, runUncachedPreFilters, runUncachedPreScores } from './uncached-plugins.js';
import type { UncachedPlugins } from './uncached-plugins.js';
import type { ClusterColumns, NodeColumns } from './cluster-columns.js';
import { countFilter, countPreFilter, countScore } from './plugin-counters.js';
import type { CountedSearch } from './plugin-counters.js';
import { fastPathProfile } from './fast-path-profile.js';
import type { FastPathProfile } from './fast-path-profile.js';
import { FeasibleNodeSearch } from './feasible-node-search.js';
import {
  addPreferenceScores,
  addNormalizedScores,
  chooseHighest,
  chooseFromGroups,
  feasibleGroups,
  nodeTotals,
  nodeCountOf,
  groupsWithNodes,
  addNodeLocalScores,
} from './group-scores.js';
import type { ScoredGroups } from './group-scores.js';
import { ensureLength } from './column-arrays.js';
import { groupsFor, podEvaluations } from './pod-evaluation.js';
import type { PodEvaluation } from './pod-evaluation.js';
import { addSpreadScores } from './spread-columns.js';

/** Dependencies of a fast placer. */
export interface FastPlacerOptions {
  readonly framework: Framework;
  readonly search: Omit<NodeSearch, 'plugins' | 'extended'>;
  /** Shared by the placers of all profiles. */
  readonly columns: ClusterColumns;
  /** Names of plugins that a user supplied, even if they equal the name of a built-in plugin. Default: none. */
  readonly foreign?: ReadonlySet<string>;
}

/** Creates the placer of one profile. The file header explains the algorithm. */
export function fastPlacer({ framework, search, columns, foreign }: FastPlacerOptions): Placer {
  const { plugins } = framework;
  const { nodes } = columns;
  const { rotation, percentageOfNodesToScore, random } = search;
  const profile = fastPathProfile(framework, foreign);
  const plain = plainPlacer({ ...search, plugins });
  const evaluate = podEvaluations(columns, profile);
  let foundSlots: Int32Array = new Int32Array(0);

  const find = (cycle: Cycle, times: PointTimes): Placement | NoPlacement => {
    times.begin('PreFilter');
    const uncached = needsPlainPlacer(cycle, profile) ? undefined : runUncachedPreFilters(cycle, profile);
    if (uncached === undefined) {
      times.drop();
      return plain.place(cycle);
    }
    times.next('Filter');
    const evaluation = evaluate(cycle.pod);
    const evaluations = cycle.timings?.evaluations;
    const counted = { evaluation, uncached, profile };
    if (evaluations !== undefined) countPreFilter(evaluations, counted);
    const countFiltered = (nodeCount: number): void => {
      if (evaluations !== undefined) countFilter(evaluations, counted, nodeCount);
    };
    const feasibleSearch = new FeasibleNodeSearch({ cycle, nodes, plugins, profile, evaluation, uncached });
    const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
    if (nominated !== undefined) {
      const fits = isFeasibleIgnoringErrors(feasibleSearch, nominated);
      countFiltered(1);
      if (fits) return { node: nominated, evaluated: 1, feasible: 1 };
      times.next('Filter');
    }

    const nodeCount = nodes.order.length;
    const start = rotation.start % nodeCount;
    const nodesWanted = plugins.score.length === 0 ? 1 : nodesToFind(nodeCount, percentageOfNodesToScore);
    const excluded =
      nodesWanted === nodeCount && hasNoUncachedScores(uncached) ? feasibleSearch.rejectedByNominated() : undefined;
    if (excluded !== undefined) {
      const scored = feasibleGroups(groupsFor(evaluation), evaluation.checks, excluded);
      const feasible = nodeCountOf(scored);
      if (feasible > 0) {
        rotation.start = start;
        countFiltered(nodeCount);
        if (feasible > 1) beginScoring({ cycle, counted, times }, feasible);
        score(scored, evaluation, profile);
        return { node: nodeAt(nodes, chooseFromGroups(scored, start, random)), evaluated: nodeCount, feasible };
      }
    }

    if (feasibleSearch.isKnownInfeasible()) {
      rotation.start = start;
      countFiltered(nodeCount);
      return { diagnosis: feasibleSearch.diagnose(start) };
    }
    foundSlots = ensureLength(foundSlots, nodeCount);
    const { count, evaluated } = feasibleSearch.find(foundSlots, start, nodesWanted);
    countFiltered(evaluated);
    rotation.start = (start + evaluated) % nodeCount;
    if (count === 0) return { diagnosis: feasibleSearch.diagnose(start) };
    const slots = foundSlots.subarray(0, count);
    const best = count === 1 ? 0 : chooseHighest(totalsOf(slots, { cycle, counted, times }), random);
    return { node: nodeAt(nodes, slots[best] ?? 0), evaluated, feasible: count };
  };

  /** Returns the total score per slot, including those of uncached plugins. */
  const totalsOf = (slots: Int32Array, ruled: EvaluatedSearch): Float64Array => {
    const {
      cycle,
      counted: { evaluation, uncached },
    } = ruled;
    const nodeViews = hasNoUncachedScores(uncached) ? undefined : Array.from(slots, (slot) => nodeAt(nodes, slot));
    const scorers = beginScoring(ruled, slots.length, nodeViews);
    const scored = groupsWithNodes(groupsFor(evaluation), slots);
    score(scored, evaluation, profile);
    const totals = nodeTotals(scored, slots);
    if (nodeViews !== undefined) addUncachedScores(totals, nodeViews, cycle, scorers);
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

/** A search after the caches of its pod are up to date. */
interface EvaluatedSearch {
  readonly cycle: Cycle;
  readonly counted: CountedSearch;
  readonly times: PointTimes;
}

/** Starts the Score phase. With `nodes`, runs PreScore of the uncached plugins and returns those that score. */
function beginScoring(
  { cycle, counted, times }: EvaluatedSearch,
  nodeCount: number,
  nodes?: readonly NodeView[],
): readonly WeightedPlugin[] {
  const { timings } = cycle;
  let scorers: readonly WeightedPlugin[] = noScorers;
  if (nodes === undefined) {
    times.next('Score');
    timings?.recordSkippedPoint('PreScore', 'Success');
  } else {
    times.end();
    scorers = runUncachedPreScores(cycle, counted.uncached, nodes);
    times.begin('Score');
  }
  if (timings !== undefined) countScore(timings.evaluations, counted, nodeCount, scorers);
  return scorers;
}

const noScorers: readonly WeightedPlugin[] = [];

/** Computes the total of every group. */
function score(
  scored: ScoredGroups,
  { podClass, softConstraints, needsAllLabels, preferences }: PodEvaluation,
  { spreadWeight = 0, affinityWeight = 0 }: FastPathProfile,
): void {
  addNodeLocalScores(scored);
  for (const column of podClass.rawScores) addNormalizedScores(scored, column);
  addSpreadScores(scored, softConstraints, needsAllLabels, spreadWeight);
  addPreferenceScores(scored, preferences, affinityWeight);
}

function hasNoUncachedScores({ preScores, scores }: UncachedPlugins): boolean {
  return preScores.length === 0 && scores.length === 0;
}

function nodeAt(nodes: NodeColumns, slot: number): NodeView {
  const node = nodes.at(slot);
  if (node === undefined) throw new Error(`no node has slot ${slot}`);
  return node;
}

/**
 * Returns whether the fast path cannot place the pod: it names its nodes (few are evaluated anyway), has unreadable
 * preferences (the plain placer reports them), or is scored by devices, whose changes the log does not contain.
 */
function needsPlainPlacer({ cluster, pod }: Cycle, profile: FastPathProfile): boolean {
  const { requiredNodes, preferredNodes } = pod;
  return (
    cluster.nodes.length === 0 ||
    requiredNodes?.names !== undefined ||
    preferredNodes.problems.length > 0 ||
    isScoredByDevices(cluster, pod, profile)
  );
}

/** Returns whether the pod requests a scored resource that a device class may provide. */
function isScoredByDevices(
  { objects }: ClusterView,
  { requests: { scalars } }: PodFacts,
  { scoredScalars }: FastPathProfile,
): boolean {
  return (
    scalars.size > 0 &&
    scoredScalars.some((name) => (scalars.get(name) ?? 0) > 0 && deviceClassBehind(objects, name) !== undefined)
  );
}

/** An error on the nominated node counts as infeasible, so that the other nodes are still evaluated. */
function isFeasibleIgnoringErrors(feasibleSearch: FeasibleNodeSearch, { slot }: NodeView): boolean {
  try {
    return feasibleSearch.isFeasible(slot);
  } catch {
    return false;
  }
}
