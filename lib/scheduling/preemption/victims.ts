// Selects the victims on a node. First all pods of lower priority are removed from a copy of the node. If the preemptor
// then fits, they are added back one by one while it still fits: first those protected by a budget, then the others,
// each most important first. The rest are the victims. As pkg/scheduler/framework/plugins/defaultpreemption,
// SelectVictimsOnNode.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { Filters } from '../framework/plugin-tools.js';
import { unresolvable } from '../framework/rejection.js';
import type { Rejection } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { DisruptionBudgets } from './disruption-budgets.js';

/** The pods to be preempted. */
export interface Victims {
  /** The most important first; never empty. */
  readonly pods: readonly PodFacts[];
  /** Number of them whose eviction violates a budget. */
  readonly violations: number;
}

/** Returns the victims on a node, or why preemption does not help. */
export function selectVictims(
  cycle: Cycle,
  node: NodeView,
  filters: Filters,
  budgets: DisruptionBudgets,
): Victims | Rejection {
  const { pod } = cycle;
  const lowerPriority = Array.from(node.pods).filter(({ priority }) => priority < pod.priority);
  if (lowerPriority.length === 0) return noVictims;

  const draft = node.copy();
  const dryRun: Cycle = { ...cycle, state: cycle.state.copy() };
  const removePod = (victim: PodFacts): void => {
    draft.remove(victim);
    filters.removePod(dryRun, victim, draft);
  };
  const reprieve = (victim: PodFacts): boolean => {
    draft.add(victim);
    filters.addPod(dryRun, victim, draft);
    if (filters.filter(dryRun, draft) === undefined) return true;
    removePod(victim);
    return false;
  };

  lowerPriority.forEach(removePod);
  const rejected = filters.filter(dryRun, draft);
  if (rejected !== undefined) return rejected;
  const { violating, nonViolating } = budgets.split(lowerPriority.sort(byImportance));
  const violatingVictims = violating.filter((victim) => !reprieve(victim));
  const pods = [...violatingVictims, ...nonViolating.filter((victim) => !reprieve(victim))];
  if (pods.length === 0) throw new Error(`expected at least one victim pod on node "${node.name}"`);
  return { pods: violating.length > 0 ? pods.sort(byImportance) : pods, violations: violatingVictims.length };
}

/** Whether there are victims. */
export function isVictims(found: Victims | Rejection): found is Victims {
  return 'pods' in found;
}

const noVictims = unresolvable('No preemption victims found for incoming pod');

/** Compares pods by importance: higher priority first, then earlier start. A pod that has not started is last. */
export function byImportance(one: PodFacts, other: PodFacts): number {
  return other.priority - one.priority || compareTimes(startedAt(one), startedAt(other));
}

/** Returns the start time of a pod in milliseconds; Infinity if it has not started. */
export function startedAt({ object }: PodFacts): number {
  const { startTime } = object.status ?? {};
  return startTime === undefined ? Infinity : Date.parse(startTime);
}

/** Returns the difference of two times that may both be Infinity. */
function compareTimes(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
