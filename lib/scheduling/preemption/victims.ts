// Who would have to leave a node for a pod. First all who may be made to leave are taken off a copy of the node; if the
// pod fits then, they are put back one by one, the most important first and those that budgets protect before the
// others, as long as the pod still fits. Who cannot be put back is a victim.
// As pkg/scheduler/framework/plugins/defaultpreemption, SelectVictimsOnNode.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { Filters } from '../framework/plugin-tools.js';
import { unresolvable } from '../framework/rejection.js';
import type { Rejection } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import { byImportance } from './importance.js';

/** The pods that would have to leave. */
export interface Victims {
  /** The most important first; never empty. */
  readonly pods: readonly PodFacts[];
  /** How many of them no budget allows to leave. */
  readonly violations: number;
}

/** The victims on a node, or why nobody's leaving helps. */
export function selectVictims(
  cycle: Cycle,
  node: NodeView,
  filters: Filters,
  budgets: DisruptionBudgets,
): Victims | Rejection {
  const { pod } = cycle;
  const removable = Array.from(node.pods).filter(({ priority }) => priority < pod.priority);
  if (removable.length === 0) return nobodyToLeave;

  const draft = node.copy();
  const whatIf: Cycle = { ...cycle, memory: cycle.memory.copy() };
  const takeOff = (victim: PodFacts): void => {
    draft.remove(victim);
    filters.removePod(whatIf, victim, draft);
  };
  const putBack = (victim: PodFacts): boolean => {
    draft.add(victim);
    filters.addPod(whatIf, victim, draft);
    if (filters.filter(whatIf, draft) === undefined) return true;
    takeOff(victim);
    return false;
  };

  removable.forEach(takeOff);
  const rejected = filters.filter(whatIf, draft);
  if (rejected !== undefined) return rejected;
  const { violating, others } = budgets.split(removable.sort(byImportance));
  const beyondBudget = violating.filter((victim) => !putBack(victim));
  const pods = [...beyondBudget, ...others.filter((victim) => !putBack(victim))];
  if (pods.length === 0) throw new Error(`expected at least one victim pod on node "${node.name}"`);
  return { pods: violating.length > 0 ? pods.sort(byImportance) : pods, violations: beyondBudget.length };
}

/** Whether there is somebody to leave. */
export function areVictims(found: Victims | Rejection): found is Victims {
  return 'pods' in found;
}

const nobodyToLeave = unresolvable('No preemption victims found for incoming pod');
