// The fast way to find a node. What the plain way asks of every node for every pod is kept here for pods that are alike,
// and only what changed is asked again; plugins that cannot be kept are asked only about nodes that all others let through.
// Nodes with nominated pods are looked at plainly, and so are pods that name their nodes. The answers are those of the
// plain way, but that what a plugin throws on nodes which others refuse is not seen.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { Framework } from '../framework/framework.js';
import { nodesToFind } from '../framework/node-sampling.js';
import { plainPlacer } from '../framework/plain-placer.js';
import type { NodeSearch } from '../framework/plain-placer.js';
import type { NoPlacement, Placement, Placer } from '../framework/placement.js';
import type { LikingColumn } from './affinity-columns.js';
import { addAskedScores, askFirst } from './asked-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import type { ClusterColumns } from './cluster-columns.js';
import { columnProfile } from './column-profile.js';
import type { ColumnProfile } from './column-profile.js';
import { addLikings, addShares, chooseByRank, chooseHighest, setLocalScores } from './column-scores.js';
import type { ScoredNodes } from './column-scores.js';
import { FittingSearch } from './fitting-search.js';
import { grown, grownFloats } from './grown.js';
import type { NodeClass } from './node-class.js';
import type { NodeColumns } from './node-columns.js';
import { podRules } from './pod-rules.js';
import type { PodRules } from './pod-rules.js';
import type { SoftColumn } from './spread-columns.js';
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
  const workspace = new Workspace();

  const place = (cycle: Cycle): Placement | NoPlacement => {
    const asked = isBeyondColumns(cycle) ? undefined : askFirst(cycle, profile);
    if (asked === undefined) return plain.place(cycle);
    const rules = rulesOf(cycle.pod);
    const fitting = new FittingSearch({ cycle, nodes, plugins, profile, rules, asked });
    const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
    if (nominated !== undefined && fitsWithoutTrouble(fitting, nominated)) return { node: nominated, evaluated: 1, feasible: 1 };

    const nodeCount = nodes.order.length;
    const start = rotation.start % nodeCount;
    const wanted = plugins.score.length === 0 ? 1 : nodesToFind(nodeCount, percentageOfNodesToScore);
    const scored = scoredBy(rules, profile, asked);
    if (wanted === nodeCount && fitting.isSettled && scored.byRank && rules.nodeClass.fitting > 0) {
      rotation.start = start;
      return { node: nodeAt(nodes, chooseByRank(nodes.order, start, rules.nodeClass.ranks, random)), evaluated: nodeCount, feasible: rules.nodeClass.fitting };
    }

    workspace.grow(nodeCount);
    const { count, evaluated } = fitting.find(workspace.slots, start, wanted);
    rotation.start = (start + evaluated) % nodeCount;
    if (count === 0) return { diagnosis: fitting.diagnose(start) };
    workspace.count = count;
    if (count > 1) score(workspace, scored, cycle, nodes);
    const best = count > 1 ? chooseHighest(workspace, random) : 0;
    return { node: nodeAt(nodes, workspace.slots[best] ?? 0), evaluated, feasible: count };
  };
  return { place };
}

/** Where nodes that fit are gathered and scored. Used again for every pod. */
class Workspace implements ScoredNodes {
  slots: Int32Array = new Int32Array(0);
  totals: Float64Array = new Float64Array(0);
  raw: Float64Array = new Float64Array(0);
  count = 0;

  grow(length: number): void {
    this.slots = grown(this.slots, length);
    this.totals = grownFloats(this.totals, length);
    this.raw = grownFloats(this.raw, length);
  }
}

/** What decides among nodes that fit. */
interface ScoredBy {
  readonly nodeClass: NodeClass;
  readonly soft: readonly SoftColumn[];
  readonly needsAllLabels: boolean;
  readonly spreadWeight: number;
  readonly likings: readonly LikingColumn[];
  readonly affinityWeight: number;
  readonly asked: AskedPlugins;
  /** Nothing but what nodes are by themselves. */
  readonly byRank: boolean;
}

function scoredBy({ nodeClass, peers: { spread, affinity } }: PodRules, { spreadWeight, affinityWeight }: ColumnProfile, asked: AskedPlugins): ScoredBy {
  const soft = spreadWeight === undefined ? [] : (spread?.soft() ?? []);
  const likings = affinityWeight === undefined ? [] : (affinity?.likings() ?? []);
  return {
    nodeClass,
    soft,
    needsAllLabels: spread?.needsAllLabels ?? false,
    spreadWeight: spreadWeight ?? 0,
    likings,
    affinityWeight: affinityWeight ?? 0,
    asked,
    byRank: nodeClass.isRanked && soft.length + likings.length + asked.preScores.length + asked.scores.length === 0,
  };
}

function score(workspace: Workspace, { nodeClass, soft, needsAllLabels, spreadWeight, likings, affinityWeight, asked }: ScoredBy, cycle: Cycle, nodes: NodeColumns): void {
  setLocalScores(workspace, nodeClass);
  for (const column of nodeClass.shares) addShares(workspace, column);
  addSpread(workspace, soft, needsAllLabels, spreadWeight);
  addLikings(workspace, likings, affinityWeight);
  if (asked.preScores.length === 0 && asked.scores.length === 0) return;
  const views = Array.from(workspace.slots.subarray(0, workspace.count), (slot) => nodeAt(nodes, slot));
  addAskedScores(workspace.totals, views, cycle, asked);
}

function nodeAt(nodes: NodeColumns, slot: number): NodeView {
  const node = nodes.at(slot);
  if (node === undefined) throw new Error(`no node has slot ${slot}`);
  return node;
}

/** Pods that name their nodes have few to ask; what cannot be read is told where it is read. */
function isBeyondColumns({ cluster, pod: { requiredNodes, preferredNodes } }: Cycle): boolean {
  return cluster.nodes.length === 0 || requiredNodes?.names !== undefined || preferredNodes.problems.length > 0;
}

/** What goes wrong on the nominated node is no reason to give up the others. */
function fitsWithoutTrouble(fitting: FittingSearch, { slot }: NodeView): boolean {
  try {
    return fitting.fits(slot);
  } catch {
    return false;
  }
}
