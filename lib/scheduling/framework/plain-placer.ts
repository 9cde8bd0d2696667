// The plain way to find a node: every plugin is asked about every node. It keeps nothing from one pod to the next, and
// so says what is right; who is faster must answer the same. Extenders work on its parts.
import type { Random } from '../../core/index.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from './cycle.js';
import { NodeDiagnosis } from './node-diagnosis.js';
import { nodesToFind } from './node-sampling.js';
import type { NodeRotation } from './node-sampling.js';
import type { NoPlacement, Placement, Placer } from './placement.js';
import { activeFilters, runPreFilter } from './pre-filter.js';
import type { PreFilterOutcome } from './pre-filter.js';
import { profileFilters } from './profile-filters.js';
import type { ProfilePlugins } from './profile-plugins.js';
import { scoresByPlugin, totalScores } from './scores.js';
import { succeeded, timedPoint } from './timings.js';

/** What looking for nodes needs. */
export interface NodeSearch {
  readonly plugins: ProfilePlugins;
  /** See `nodesToFind`; 100 for all. */
  readonly percentageOfNodesToScore: number;
  readonly rotation: NodeRotation;
  /** Chooses among equals. */
  readonly random: Random;
  /** Whether extenders look at the nodes afterwards: then the first that fits is not enough. */
  readonly extended?: boolean;
}

/** The nodes that fit, and why the others do not. */
export interface FittingNodes {
  readonly nodes: readonly NodeView[];
  readonly diagnosis: NodeDiagnosis;
}

/** Asks everybody about everything. */
export function plainPlacer(search: NodeSearch): Placer {
  return {
    place: (cycle) => {
      const { nodes, diagnosis } = findFitting(cycle, search);
      if (nodes.length <= 1) return placed(nodes[0], nodes, diagnosis);
      const totals = totalScores(scoresByPlugin(cycle, search.plugins, nodes), nodes.length);
      return placed(nodes[chooseBest(totals, search.random)], nodes, diagnosis);
    },
  };
}

/** The nodes that the pod may go to; only the one it is nominated to, if that one does. */
export function findFitting(cycle: Cycle, search: NodeSearch): FittingNodes {
  const begun = beginSearch(cycle, search);
  if (begun.outcome.rejection !== undefined) return { nodes: [], diagnosis: begun.diagnosis };
  const nominated = fittingNominated(cycle);
  return {
    nodes: nominated === undefined ? searchNodes(cycle, search, begun) : [nominated],
    diagnosis: begun.diagnosis,
  };
}

/** A search whose PreFilter was run. */
export interface BegunSearch {
  readonly outcome: PreFilterOutcome;
  readonly diagnosis: NodeDiagnosis;
}

/** Runs PreFilter. */
export function beginSearch(cycle: Cycle, { plugins }: NodeSearch): BegunSearch {
  const outcome = runPreFilter(cycle, plugins);
  return { outcome, diagnosis: new NodeDiagnosis(cycle.cluster.nodes, outcome) };
}

/** The node that the pod is nominated to, if it does. */
export function fittingNominated(cycle: Cycle): NodeView | undefined {
  const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
  if (nominated === undefined) return undefined;
  const fits = timedPoint(cycle.timings, 'Filter', succeeded, () => fitsWithoutTrouble(cycle, nominated));
  countFiltered(cycle, 1);
  return fits ? nominated : undefined;
}

/** Asks the filters about nodes until enough of them do. */
export function searchNodes(
  cycle: Cycle,
  search: NodeSearch,
  { outcome, diagnosis }: BegunSearch,
): readonly NodeView[] {
  const { nodes } = cycle.cluster;
  const { rotation, plugins, percentageOfNodesToScore, extended = false } = search;
  const candidates = candidatesAmong(cycle.cluster, outcome);
  const wanted = plugins.score.length === 0 && !extended ? 1 : nodesToFind(candidates.length, percentageOfNodesToScore);
  const fitting: NodeView[] = [];
  let step = 0;
  timedPoint(cycle.timings, 'Filter', succeeded, () => {
    for (; step < candidates.length && fitting.length < wanted; step++) {
      const node = candidates[(rotation.start + step) % candidates.length];
      if (node === undefined) break;
      const rejected = profileFilters.filter(cycle, node);
      if (rejected === undefined) fitting.push(node);
      else diagnosis.refuse(node, rejected);
    }
  });
  countFiltered(cycle, step);
  // Among no nodes the place stays where it was.
  rotation.start = (rotation.start + fitting.length + diagnosis.size) % (nodes.length || Infinity);
  return fitting;
}

/** The place of the highest score; one of them by chance where several are equal. */
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

function placed(
  node: NodeView | undefined,
  nodes: readonly NodeView[],
  diagnosis: NodeDiagnosis,
): Placement | NoPlacement {
  if (node === undefined) return { diagnosis };
  return { node, evaluated: nodes.length + diagnosis.size, feasible: nodes.length };
}

function countFiltered({ timings, memory }: Cycle, nodes: number): void {
  timings?.evaluations.add('Filter', memory.recall(activeFilters).filters, nodes);
}

/** What goes wrong on the nominated node is no reason to give up the others. */
function fitsWithoutTrouble(cycle: Cycle, node: NodeView): boolean {
  try {
    return profileFilters.filter(cycle, node) === undefined;
  } catch {
    return false;
  }
}

/** Where pods name their nodes, as those of DaemonSets do, the others are not walked past. */
function candidatesAmong(cluster: ClusterView, { nodeNames }: PreFilterOutcome): readonly NodeView[] {
  return nodeNames === undefined
    ? cluster.nodes
    : Array.from(nodeNames, (name) => cluster.node(name)).filter((node) => node !== undefined);
}
