// The plain search for a node: every plugin is evaluated for every node, and nothing is cached between pods. It is the
// reference for the fast placer, which must return the same results. The extender placer is built from its steps.
import type { Random } from '../../core/index.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle-state.js';
import { NodeDiagnosis } from './node-diagnosis.js';
import { nodesToFind } from './node-sampling.js';
import type { NodeRotation } from './node-sampling.js';
import type { NoPlacement, Placement, Placer } from './placement.js';
import { activeFilters, runPreFilter } from './pre-filter.js';
import type { PreFilterOutcome } from './pre-filter.js';
import { profileFilters } from './profile-filters.js';
import type { ProfilePlugins } from './profile-plugins.js';
import { scoresByPlugin, totalScores } from './scores.js';
import { alwaysSuccess, timedPoint } from './timings.js';

/** The settings of a search. */
export interface NodeSearch {
  readonly plugins: ProfilePlugins;
  /** See `nodesToFind`. 100 evaluates all nodes. */
  readonly percentageOfNodesToScore: number;
  readonly rotation: NodeRotation;
  /** Breaks ties between equal scores. */
  readonly random: Random;
  /** Whether extenders filter or score the nodes afterwards: then the first feasible node is not enough. */
  readonly hasExtenders?: boolean;
}

/** The feasible nodes, and the diagnosis of the others. */
export interface FeasibleNodes {
  readonly nodes: readonly NodeView[];
  readonly diagnosis: NodeDiagnosis;
}

/** Creates the plain placer. */
export function plainPlacer(search: NodeSearch): Placer {
  return {
    place: (cycle) => {
      const { nodes, diagnosis } = findFeasibleNodes(cycle, search);
      if (nodes.length <= 1) return toPlacement(nodes[0], nodes, diagnosis);
      const totals = totalScores(scoresByPlugin(cycle, search.plugins, nodes), nodes.length);
      return toPlacement(nodes[chooseBest(totals, search.random)], nodes, diagnosis);
    },
  };
}

/** Returns the feasible nodes; only the nominated node if that one is feasible. */
export function findFeasibleNodes(cycle: Cycle, search: NodeSearch): FeasibleNodes {
  const begun = startSearch(cycle, search);
  if (begun.outcome.rejection !== undefined) return { nodes: [], diagnosis: begun.diagnosis };
  const nominated = feasibleNominatedNode(cycle);
  return {
    nodes: nominated === undefined ? searchNodes(cycle, search, begun) : [nominated],
    diagnosis: begun.diagnosis,
  };
}

/** A search after PreFilter. */
export interface StartedSearch {
  readonly outcome: PreFilterOutcome;
  readonly diagnosis: NodeDiagnosis;
}

/** Runs PreFilter and starts the diagnosis. */
export function startSearch(cycle: Cycle, { plugins }: NodeSearch): StartedSearch {
  const outcome = runPreFilter(cycle, plugins);
  return { outcome, diagnosis: new NodeDiagnosis(cycle.cluster.nodes, outcome) };
}

/** Returns the node that the pod is nominated to, if it is feasible. */
export function feasibleNominatedNode(cycle: Cycle): NodeView | undefined {
  const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
  if (nominated === undefined) return undefined;
  const fits = timedPoint(cycle.timings, 'Filter', alwaysSuccess, () => isFeasibleOrFailed(cycle, nominated));
  countFiltered(cycle, 1);
  return fits ? nominated : undefined;
}

/** Filters nodes until enough feasible ones are found, and records the rejections. */
export function searchNodes(
  cycle: Cycle,
  search: NodeSearch,
  { outcome, diagnosis }: StartedSearch,
): readonly NodeView[] {
  const { nodes } = cycle.cluster;
  const { rotation, plugins, percentageOfNodesToScore, hasExtenders = false } = search;
  const candidates = candidatesAmong(cycle.cluster, outcome);
  const wanted =
    plugins.score.length === 0 && !hasExtenders ? 1 : nodesToFind(candidates.length, percentageOfNodesToScore);
  const feasible: NodeView[] = [];
  let step = 0;
  timedPoint(cycle.timings, 'Filter', alwaysSuccess, () => {
    for (; step < candidates.length && feasible.length < wanted; step++) {
      const node = candidates[(rotation.start + step) % candidates.length];
      if (node === undefined) break;
      const rejected = profileFilters.filter(cycle, node);
      if (rejected === undefined) feasible.push(node);
      else diagnosis.reject(node, rejected);
    }
  });
  countFiltered(cycle, step);
  // Without nodes the start does not move.
  rotation.start = (rotation.start + feasible.length + diagnosis.size) % (nodes.length || Infinity);
  return feasible;
}

/** Returns the index of the highest score; a random one of them in a tie. */
export function chooseBest(totals: readonly number[], random: Random): number {
  let best = -Infinity;
  let ties = 0;
  for (const total of totals) {
    if (total > best) [best, ties] = [total, 1];
    else if (total === best) ties += 1;
  }
  let chosen = ties > 1 ? random.integer(ties) : 0;
  return totals.findIndex((total) => total === best && chosen-- === 0);
}

function toPlacement(
  node: NodeView | undefined,
  nodes: readonly NodeView[],
  diagnosis: NodeDiagnosis,
): Placement | NoPlacement {
  if (node === undefined) return { diagnosis };
  return { node, evaluated: nodes.length + diagnosis.size, feasible: nodes.length };
}

function countFiltered({ timings, state }: Cycle, nodes: number): void {
  timings?.evaluations.add('Filter', state.read(activeFilters).filters, nodes);
}

/** An error on the nominated node is ignored: the other nodes are evaluated next. */
function isFeasibleOrFailed(cycle: Cycle, node: NodeView): boolean {
  try {
    return profileFilters.filter(cycle, node) === undefined;
  } catch {
    return false;
  }
}

/** A pod whose PreFilter names its nodes, as DaemonSet pods do, evaluates only those. */
function candidatesAmong(cluster: ClusterView, { nodeNames }: PreFilterOutcome): readonly NodeView[] {
  return nodeNames === undefined
    ? cluster.nodes
    : Array.from(nodeNames, (name) => cluster.node(name)).filter((node) => node !== undefined);
}
