// How many pods may be disturbed at once, as PodDisruptionBudgets say. Preemption tries to respect them: pods that
// would go beyond a budget are the last to be made to leave. As pkg/scheduler/framework/plugins/defaultpreemption.
import { matchesLabels, readableSelector } from '../../core/index.js';
import type { Frozen, Selector } from '../../core/index.js';
import type { PodDisruptionBudget } from '../../core/types/index.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** Pods whose leaving goes beyond a budget, and the others; each in the order given. */
export interface BudgetSplit {
  readonly violating: readonly PodFacts[];
  readonly others: readonly PodFacts[];
}

/** Budgets, read once. */
export interface DisruptionBudgets {
  /** Lets pods leave one after the other, the most important first, and says which of them no budget allows. */
  split(pods: readonly PodFacts[]): BudgetSplit;
}

interface Budget {
  readonly selector: Selector;
  readonly allowed: number;
  /** Pods that are being disturbed already, by name: they have been taken off the budget. */
  readonly disrupted: Readonly<Record<string, unknown>>;
}

/** What the objects allow. A budget without selector, or with an empty or unreadable one, is about no pod. */
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
      if (byNamespace.size === 0) return { violating: none, others: pods };
      const taken = new Map<Budget, number>();
      const violates = (pod: PodFacts): boolean =>
        (byNamespace.get(pod.namespace) ?? []).filter((budget) => take(budget, pod, taken)).length > 0;
      const violating = new Set(pods.filter(violates));
      return { violating: pods.filter((pod) => violating.has(pod)), others: pods.filter((pod) => !violating.has(pod)) };
    },
  };
}

/** Takes a pod off a budget that is about it. True when that is one too many. */
function take(budget: Budget, pod: PodFacts, taken: Map<Budget, number>): boolean {
  if (
    !matchesLabels(budget.selector, pod.labels) ||
    Object.keys(pod.labels).length === 0 ||
    Object.hasOwn(budget.disrupted, pod.name)
  )
    return false;
  const count = (taken.get(budget) ?? 0) + 1;
  taken.set(budget, count);
  return count > budget.allowed;
}

const none: readonly PodFacts[] = [];
