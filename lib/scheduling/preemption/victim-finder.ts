// Finds victims, and remembers them: who would have to leave a node depends, for most pods, on nothing but the node, its
// pods, the budgets and what the preemptor asks for. So pods that are alike find again what was found for the first of
// them, and only nodes that changed since are tried anew, or to which others are to come now. Where a filter looks beyond
// the node nothing is kept.
import type { NodeView } from '../cluster/node-view.js';
import { nodeSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import type { Cycle } from '../framework/cycle.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { activeFilters } from '../framework/pre-filter.js';
import { crowdOf, sameCrowd } from '../framework/profile-filters.js';
import type { Rejection } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
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
      const findings = found.get(`${cycle.pod.priority} ${nodeSignature(cycle.pod, cluster.objects)}`, () => new WeakMap());
      return (node) => {
        const crowd = crowdOf(cycle, node.name);
        const known = findings.get(node);
        if (known?.generation === node.generation && sameCrowd(known.crowd, crowd)) return known.victims;
        const victims = find(node);
        findings.set(node, { generation: node.generation, crowd, victims });
        return victims;
      };
    },
  };
}

/** What was found on nodes, each as of a generation. */
type Findings = WeakMap<NodeView, { readonly generation: number; readonly crowd: readonly PodFacts[]; readonly victims: Victims | Rejection }>;

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
