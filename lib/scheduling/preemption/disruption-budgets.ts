// Disruption budgets in preemption. Budgets are respected if possible: victims whose eviction violates a budget are
// chosen last. As pkg/scheduler/framework/plugins/defaultpreemption.
import { matchesLabels, readableSelector } from '../../core/index.js';
import type { Frozen, Selector } from '../../core/index.js';
import type { PodDisruptionBudget } from '../../core/types/index.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** Pods whose eviction violates a budget, and the others; each in the given order. */
export interface BudgetSplit {
  readonly violating: readonly PodFacts[];
  readonly nonViolating: readonly PodFacts[];
}

/** The parsed budgets of a cluster. */
export interface DisruptionBudgets {
  /** Splits pods, most important first, by whether evicting them one after the other violates a budget. */
  split(pods: readonly PodFacts[]): BudgetSplit;
}

interface Budget {
  readonly selector: Selector;
  readonly allowed: number;
  /** Pods that are already being disrupted, by name. They have been deducted from the budget. */
  readonly disrupted: Readonly<Record<string, unknown>>;
}

/** Parses budgets. A budget without a selector, or with an empty or invalid one, matches no pod. */
export function disruptionBudgets(objects: readonly Frozen<PodDisruptionBudget>[]): DisruptionBudgets {
  const byNamespace = new Map<string, Budget[]>();
  for (const { metadata, spec, status } of objects) {
    const selector = readableSelector(spec?.selector);
    if (selector.nothing || selector.requirements.length === 0) continue;
    const budgets = byNamespace.get(metadata?.namespace ?? '') ?? [];
    byNamespace.set(metadata?.namespace ?? '', budgets);
    budgets.push({ selector, allowed: status?.disruptionsAllowed ?? 0, disrupted: status?.disruptedPods ?? {} });
  }
  return {
    split: (pods) => {
      if (byNamespace.size === 0) return { violating: none, nonViolating: pods };
      const consumed = new Map<Budget, number>();
      const violates = (pod: PodFacts): boolean =>
        (byNamespace.get(pod.namespace) ?? []).filter((budget) => consumeDisruptionBudget(budget, pod, consumed))
          .length > 0;
      const violating = new Set(pods.filter(violates));
      return {
        violating: pods.filter((pod) => violating.has(pod)),
        nonViolating: pods.filter((pod) => !violating.has(pod)),
      };
    },
  };
}

/** Deducts a pod from a budget that matches it. Returns true if the budget is exceeded. */
function consumeDisruptionBudget(budget: Budget, pod: PodFacts, consumed: Map<Budget, number>): boolean {
  if (
    !matchesLabels(budget.selector, pod.labels) ||
    Object.keys(pod.labels).length === 0 ||
    Object.hasOwn(budget.disrupted, pod.name)
  )
    return false;
  const count = (consumed.get(budget) ?? 0) + 1;
  consumed.set(budget, count);
  return count > budget.allowed;
}

const none: readonly PodFacts[] = [];
