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
import type { Placer } from '../framework/placement.js';
import { addAskedScores, askFirst } from './asked-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import type { ClusterColumns } from './cluster-columns.js';
import { columnProfile } from './column-profile.js';
import type { ColumnProfile } from './column-profile.js';
import { addLikings, addLocalScores, addSpread, chooseHighest } from './column-scores.js';
import type { ScoredNodes } from './column-scores.js';
import { FittingSearch } from './fitting-search.js';
import { grown, grownFloats } from './grown.js';
import type { NodeColumns } from './node-columns.js';
import { podRules } from './pod-rules.js';
import type { PodRules } from './pod-rules.js';

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
  const profile = columnProfile(framework, foreign);
  const plain = plainPlacer({ ...search, plugins });
  const rulesOf = podRules(columns, profile);
  const workspace = new Workspace();
  return {
    place: (cycle) => {
      const asked = isBeyondColumns(cycle) ? undefined : askFirst(cycle, profile);
      if (asked === undefined) return plain.place(cycle);
      const rules = rulesOf(cycle.pod);
      const fitting = new FittingSearch({ cycle, nodes, plugins, profile, rules, asked });
      const nominated = cycle.cluster.node(cycle.pod.object.status?.nominatedNodeName ?? '');
      if (nominated !== undefined && fitsWithoutTrouble(fitting, nominated)) return { node: nominated, evaluated: 1, feasible: 1 };

      const { rotation, percentageOfNodesToScore, random } = search;
      const nodeCount = nodes.order.length;
      const start = rotation.start % nodeCount;
      const wanted = plugins.score.length === 0 ? 1 : nodesToFind(nodeCount, percentageOfNodesToScore);
      workspace.grow(nodeCount);
      const { count, evaluated } = fitting.find(workspace.slots, start, wanted);
      rotation.start = (start + evaluated) % nodeCount;
      workspace.count = count;
      if (count > 1) score({ workspace, cycle, profile, rules, asked, nodes });
      const slot = workspace.slots[count > 1 ? chooseHighest(workspace, random) : 0];
      const node = count === 0 || slot === undefined ? undefined : nodes.at(slot);
      return node === undefined ? { diagnosis: fitting.diagnose(start) } : { node, evaluated, feasible: count };
    },
  };
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

interface Scoring {
  readonly workspace: Workspace;
  readonly cycle: Cycle;
  readonly profile: ColumnProfile;
  readonly rules: PodRules;
  readonly asked: AskedPlugins;
  readonly nodes: NodeColumns;
}

function score({ workspace, cycle, profile: { spreadWeight, affinityWeight }, rules, asked, nodes }: Scoring): void {
  const { spread, affinity } = rules.peers;
  addLocalScores(workspace, rules.nodeClass);
  if (spread !== undefined && spreadWeight !== undefined) addSpread(workspace, spread.soft(), spread.needsAllLabels, spreadWeight);
  if (affinity !== undefined && affinityWeight !== undefined) addLikings(workspace, affinity.likings(), affinityWeight);
  if (asked.preScores.length === 0 && asked.scores.length === 0) return;
  const views = Array.from(workspace.slots.subarray(0, workspace.count), (slot) => nodes.at(slot) as NodeView); // slots that were found
  addAskedScores(workspace.totals, views, cycle, asked);
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
