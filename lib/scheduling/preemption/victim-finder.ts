// Finds victims, and remembers them: who would have to leave a node depends, for most pods, on nothing but the node, its
// pods, the budgets and what the preemptor asks for. So pods that are alike find again what was found for the first of
// them, and only nodes that changed since are tried anew. Where a filter looks beyond the node nothing is kept.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { PluginTools } from '../framework/plugin-tools.js';
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
export function victimFinder({ filters, cluster }: PluginTools): VictimFinder {
  let budgets: DisruptionBudgets | undefined;
  let budgetVersion = -1;
  const budgetsNow = (): DisruptionBudgets => {
    const version = cluster.objects.version('PodDisruptionBudget');
    if (budgets === undefined || version !== budgetVersion) budgets = disruptionBudgets(cluster.objects.list('PodDisruptionBudget'));
    budgetVersion = version;
    return budgets;
  };
  return {
    finderFor: (cycle) => {
      const allowed = budgetsNow();
      return (node) => selectVictims(cycle, node, filters, allowed);
    },
  };
}
