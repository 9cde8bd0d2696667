// Finds victims, and remembers them: who would have to leave a node depends, for most pods, on nothing but the node,
// its pods, those that are to come, the budgets and what the preemptor asks for. So pods that are alike find again what
// was found for the first of them, and only nodes that changed since are tried anew, or to which others are to come
// now. Where a filter looks beyond the node nothing is kept.
import { ChangedNodes } from '../cluster/changed-nodes.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { nodeSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import type { Cycle } from '../framework/cycle.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { activeFilters } from '../framework/pre-filter.js';
import type { Rejection } from '../framework/rejection.js';
import { candidateOf, isCandidate } from './candidates.js';
import type { Candidate, Harm, PossibleCandidates } from './candidates.js';
import { disruptionBudgets } from './disruption-budgets.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import { areVictims, selectVictims } from './victims.js';

/** Finds victims for any preemptor. */
export interface VictimFinder {
  candidatesFor(cycle: Cycle): PossibleCandidates;
}

/** Nothing is known at first. */
export function victimFinder({
  filters,
  cluster,
  foreign,
}: Pick<PluginTools, 'filters' | 'cluster' | 'foreign'>): VictimFinder {
  let budgets: DisruptionBudgets | undefined;
  let budgetVersion = -1;
  let found = new RecentlyUsed<Findings>(likenessesKept);
  const nodeAt = nodesBySlot(cluster);

  const budgetsNow = (): DisruptionBudgets => {
    const version = cluster.objects.version('PodDisruptionBudget');
    if (budgets !== undefined && version === budgetVersion) return budgets;
    budgetVersion = version;
    budgets = disruptionBudgets(cluster.objects.list('PodDisruptionBudget'));
    found = new RecentlyUsed(likenessesKept);
    return budgets;
  };

  return {
    candidatesFor: (cycle) => {
      const allowed = budgetsNow();
      const find = (slot: number): Candidate | Rejection => {
        const node = nodeAt(slot);
        const victims = selectVictims(cycle, node, filters, allowed);
        return areVictims(victims) ? candidateOf(node, victims) : victims;
      };
      const make = (): Findings => new Findings(cluster);
      const findings = looksAtNodesAlone(cycle, foreign)
        ? found.get(`${cycle.pod.priority} ${nodeSignature(cycle.pod, cluster.objects)}`, make)
        : make();
      findings.follow(cluster.node(cluster.nominationOf(cycle.pod.uid) ?? '')?.slot);
      return {
        ruledOut: findings.ruledOut,
        at: (slot) => findings.at(slot, find),
        harmAt: (slot) => findings.harmAt(slot, find),
      };
    },
  };
}

/** What was found on nodes, for as long as it holds. */
class Findings {
  readonly #changed: ChangedNodes;
  #bySlot: (Candidate | Rejection | undefined)[] = [];
  /** The harm of candidates by slot, which most have in common: comparing them takes no look at each. */
  #harms: (Harm | undefined)[] = [];
  readonly #sharedHarms = new Map<string, Harm>();
  #ruledOut: Uint8Array = new Uint8Array(0);
  #apart: number | undefined;

  constructor(cluster: ClusterView) {
    this.#changed = new ChangedNodes(cluster);
  }

  /** 1 for each slot that is known not to help. */
  get ruledOut(): Uint8Array {
    return this.#ruledOut;
  }

  /**
   * Catches up with the cluster. Where a pod is to come itself it is not in its own way: that slot it looks at alone.
   */
  follow(apart: number | undefined): void {
    const slots = this.#changed.read();
    if (slots === undefined) {
      this.#bySlot = [];
      this.#harms = [];
      this.#sharedHarms.clear();
      this.#ruledOut.fill(0);
    } else for (const slot of slots) this.#forget(slot);
    for (const slot of [this.#apart, apart]) if (slot !== undefined) this.#forget(slot);
    this.#apart = apart;
  }

  /** What is known of a node, found out where nothing is. */
  at(slot: number, find: (slot: number) => Candidate | Rejection): Candidate | Rejection {
    const known = this.#bySlot[slot];
    if (known !== undefined) return known;
    const found = find(slot);
    this.#bySlot[slot] = found;
    if (isCandidate(found)) this.#harms[slot] = this.#shared(found.harm);
    else this.#ruleOut(slot);
    return found;
  }

  /** The harm of a candidate; undefined where nobody's leaving helps. */
  harmAt(slot: number, find: (slot: number) => Candidate | Rejection): Harm | undefined {
    const known = this.#harms[slot];
    if (known !== undefined) return known;
    this.at(slot, find);
    return this.#harms[slot];
  }

  #shared(harm: Harm): Harm {
    const text = Object.values(harm).join(' ');
    const known = this.#sharedHarms.get(text) ?? harm;
    if (this.#sharedHarms.size < sharedHarmsMax) this.#sharedHarms.set(text, known);
    return known;
  }

  #ruleOut(slot: number): void {
    if (slot >= this.#ruledOut.length) {
      const longer = new Uint8Array(Math.max(slot + 1, this.#ruledOut.length * 2));
      longer.set(this.#ruledOut);
      this.#ruledOut = longer;
    }
    this.#ruledOut[slot] = 1;
  }

  #forget(slot: number): void {
    this.#bySlot[slot] = undefined;
    this.#harms[slot] = undefined;
    this.#ruledOut[slot] = 0; // nothing happens past its end
  }
}

/** Nodes by slot, listed anew when some came or went. */
function nodesBySlot(cluster: ClusterView): (slot: number) => NodeView {
  let listed: readonly NodeView[] | undefined;
  let bySlot = new Map<number, NodeView>();
  return (slot) => {
    if (listed !== cluster.nodes) {
      listed = cluster.nodes;
      bySlot = new Map(listed.map((node) => [node.slot, node]));
    }
    const node = bySlot.get(slot);
    if (node === undefined) throw new Error(`no node has slot ${slot}`);
    return node;
  };
}

/** So many kinds of harm are told apart by what they are; beyond that each is compared. */
const sharedHarmsMax = 1024;

/** For so many kinds of preemptors victims are remembered. */
const likenessesKept = 16;

/** Whether all filters that have a say judge a node by itself. Of those of users nobody knows. */
function looksAtNodesAlone({ memory }: Cycle, foreign: PluginTools['foreign']): boolean {
  return memory.recall(activeFilters).filters.every(({ name }) => nodeFilters.has(name) && foreign?.has(name) !== true);
}

const nodeFilters: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
]);
