// Consumes a disruption of a PodDisruptionBudget for an eviction. Pure. As pkg/registry/core/pod/storage/eviction.go,
// checkAndDecrement.
import { forbidden, printTime, tooManyRequests } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Condition, PodDisruptionBudget } from '../../core/types/index.js';

type Budget = Frozen<PodDisruptionBudget>;

/** Returns the budget with one disruption consumed. Throws ApiError 429 where it allows none. */
export function consumeDisruption(budget: Budget, podName: string, now: number): Budget {
  const name = budget.metadata?.name ?? '';
  const status = budget.status ?? {};
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
  if (observedGeneration < (budget.metadata?.generation ?? 0)) throw budgetStillProcessed(name);
  const ref = { group: 'policy', resource: 'poddisruptionbudget', name };
  if (disruptionsAllowed < 0) throw forbidden(ref, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > disruptedPodsMax)
    throw forbidden(ref, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (disruptionsAllowed === 0) throw refused(refusalOf(name, status), 0);
  const left = disruptionsAllowed - 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [podName]: printTime(now) },
      ...(left === 0 && { conditions: exhausted(status.conditions ?? [], observedGeneration, now) }),
    },
  };
}

/** Whether an unhealthy pod may be evicted although the budget allows no disruption. */
export function allowsUnhealthyEviction({ spec, status }: Budget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Returns ApiError 429: the controller has not processed the budget yet. */
export function budgetStillProcessed(name: string): Error {
  return refused(`The disruption budget ${name} is still being processed by the server.`, 10);
}

const disruptedPodsMax = 2000;

function refused(message: string, retryAfterSeconds: number): Error {
  return tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds, [
    { reason: 'DisruptionBudget', message },
  ]);
}

function refusalOf(
  name: string,
  { conditions = [], currentHealthy = 0, desiredHealthy = 0 }: NonNullable<Budget['status']>,
): string {
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const refusal = condition?.status === 'False' && condition.message !== '' ? condition : undefined;
  if (refusal?.reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${refusal.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const detail = refusal === undefined ? '' : ` (${refusal.reason}): ${refusal.message}`;
  return `The disruption budget ${name} does not allow evicting pods currently${detail}`;
}

function exhausted(
  conditions: readonly Frozen<Condition>[],
  observedGeneration: number,
  now: number,
): readonly Frozen<Condition>[] {
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : printTime(now);
  const next: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
