// Finds victims, and remembers them: who would have to leave a node depends, for most pods, on nothing but the node, its
// pods, those that are to come, the budgets and what the preemptor asks for. So pods that are alike find again what was
// found for the first of them, and only nodes that changed since are tried anew, or to which others are to come now. Where
// a filter looks beyond the node nothing is kept.
import { ChangedNodes } from '../cluster/changed-nodes.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { nodeSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import type { Cycle } from '../framework/cycle.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { activeFilters } from '../framework/pre-filter.js';
import type { Rejection } from '../framework/rejection.js';
import { disruptionBudgets } from './disruption-budgets.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import { selectVictims } from './victims.js';
import type { Victims } from './victims.js';

/** Finds the victims of one preemptor, node by node. */
export type FindVictims = (node: NodeView) => Victims | Rejection;

/** Finds victims for any preemptor. */
export interface VictimFinder {
  finderFor(cycle: Cycle): FindVictims;
}

/** Nothing is known at first. */
export function victimFinder({ filters, cluster }: Pick<PluginTools, 'filters' | 'cluster'>): VictimFinder {
  let budgets: DisruptionBudgets | undefined;
  let budgetVersion = -1;
  let found = new RecentlyUsed<Findings>(likenessesKept);

  const budgetsNow = (): DisruptionBudgets => {
    const version = cluster.objects.version('PodDisruptionBudget');
    if (budgets !== undefined && version === budgetVersion) return budgets;
    budgetVersion = version;
    budgets = disruptionBudgets(cluster.objects.list('PodDisruptionBudget'));
    found = new RecentlyUsed(likenessesKept);
    return budgets;
  };

  return {
    finderFor: (cycle) => {
      const allowed = budgetsNow();
      const find: FindVictims = (node) => selectVictims(cycle, node, filters, allowed);
      if (!looksAtNodesAlone(cycle)) return find;
      const findings = found.get(`${cycle.pod.priority} ${nodeSignature(cycle.pod, cluster.objects)}`, () => new Findings(cluster));
      findings.follow();
      // Where the pod is to come itself it is not in its own way, as it is in that of others.
      const own = cluster.nominationOf(cycle.pod.uid);
      return (node) => (node.name === own ? find(node) : findings.at(node, find));
    },
  };
}

/** What was found on nodes, for as long as it holds. */
class Findings {
  readonly #changed: ChangedNodes;
  #bySlot: (Victims | Rejection | undefined)[] = [];

  constructor(cluster: ClusterView) {
    this.#changed = new ChangedNodes(cluster);
  }

  /** Catches up with the cluster. */
  follow(): void {
    const slots = this.#changed.read();
    if (slots === undefined) this.#bySlot = [];
    else for (const slot of slots) this.#bySlot[slot] = undefined;
  }

  /** What is known of a node, found out where nothing is. */
  at(node: NodeView, find: FindVictims): Victims | Rejection {
    return (this.#bySlot[node.slot] ??= find(node));
  }
}

/** For so many kinds of preemptors victims are remembered. */
const likenessesKept = 16;

/** Whether all filters that have a say judge a node by itself. */
function looksAtNodesAlone({ memory }: Cycle): boolean {
  return memory.recall(activeFilters).filters.every(({ name }) => nodeFilters.has(name));
}

const nodeFilters: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
]);
