// The status that a PodDisruptionBudget should have. Pure. As pkg/controller/disruption, trySync and failSafe.
import { deepEqual, isPodReady, parseTime, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Condition, Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../core/types/index.js';
import type { ExpectedPods } from './expected-pods.js';

type BudgetStatus = Frozen<PodDisruptionBudgetStatus>;

/** What is known about the pods of a budget. */
export interface ObservedPods extends Pick<ExpectedPods, 'expected' | 'desiredHealthy'> {
  readonly pods: readonly Frozen<Pod>[];
  readonly nowMs: number;
}

/** The next status of a budget, and what follows from it. */
export interface BudgetAssessment {
  /** Undefined if the budget has it. */
  readonly status: BudgetStatus | undefined;
  /** Pods that were evicted and are still not being deleted. */
  readonly notDeleted: readonly Frozen<Pod>[];
  /** When the budget is to be assessed again without a change; undefined if never. */
  readonly recheckAtMs: number | undefined;
}

/** The time in which an evicted pod is expected to be deleted. Until then it does not count as healthy. */
const deletionTimeoutMs = 2 * 60_000;

/** Assesses a budget. */
export function assessBudget(budget: Frozen<PodDisruptionBudget>, observed: ObservedPods): BudgetAssessment {
  const { expected, desiredHealthy, pods, nowMs } = observed;
  const before = budget.status ?? {};
  const { disruptedPods, notDeleted, recheckAtMs } = awaitedDeletions(before, pods, nowMs);
  const currentHealthy = pods.filter(
    (pod) =>
      pod.metadata?.deletionTimestamp === undefined &&
      disruptedPods[pod.metadata?.name ?? ''] === undefined &&
      isPodReady(pod),
  ).length;
  // Nothing is allowed where no pod is expected: the first pods of a budget are protected before they are counted.
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata?.generation ?? 0;
  const { conditions = [] } = before;
  const counted: BudgetStatus = {
    observedGeneration,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
  };
  const isSame =
    deepEqual({ ...counted, conditions }, { ...zeroStatus, ...before, conditions }) &&
    hasCondition(conditions, disruptionsAllowed);
  const status = isSame ? undefined : withAllowedCondition({ ...counted, conditions }, nowMs);
  return { status, notDeleted, recheckAtMs };
}

/** The status of a budget that could not be assessed: no disruption is allowed. Undefined if the budget has it. */
export function failedStatus(
  { status = {} }: Frozen<PodDisruptionBudget>,
  message: string,
  nowMs: number,
): BudgetStatus | undefined {
  const { conditions = [], observedGeneration } = status;
  const next = withCondition(
    conditions,
    { status: 'False', reason: 'SyncFailed', message, ...(observedGeneration !== undefined && { observedGeneration }) },
    nowMs,
  );
  const failed = { ...zeroStatus, ...status, disruptionsAllowed: 0, conditions: next };
  return deepEqual(failed, { ...zeroStatus, ...status }) ? undefined : failed;
}

/** The numbers that a status always has. */
const zeroStatus: BudgetStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

/** Of the pods that were evicted, those that are still expected to be deleted and those that no longer are. */
function awaitedDeletions(
  { disruptedPods: before = {} }: BudgetStatus,
  pods: readonly Frozen<Pod>[],
  nowMs: number,
): { readonly disruptedPods: Readonly<Record<string, string>> } & Omit<BudgetAssessment, 'status'> {
  const awaited: [string, string][] = [];
  const notDeleted: Frozen<Pod>[] = [];
  let recheckAtMs = Infinity;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata ?? {};
    const evictedAt = before[name];
    if (deletionTimestamp !== undefined || evictedAt === undefined) continue;
    const expectedAtMs = parseTime(evictedAt) + deletionTimeoutMs;
    if (expectedAtMs < nowMs) notDeleted.push(pod);
    else {
      awaited.push([name, evictedAt]);
      // At that very moment the pod is still awaited.
      recheckAtMs = Math.min(recheckAtMs, expectedAtMs + 1);
    }
  }
  return {
    disruptedPods: Object.fromEntries(awaited),
    notDeleted,
    recheckAtMs: recheckAtMs === Infinity ? undefined : recheckAtMs,
  };
}

function hasCondition(conditions: readonly Frozen<Condition>[], disruptionsAllowed: number): boolean {
  const condition = conditions.find(({ type }) => type === conditionType);
  const { status, reason } = allowedCondition(disruptionsAllowed);
  return condition?.status === status && condition.reason === reason;
}

function withAllowedCondition(status: BudgetStatus, nowMs: number): BudgetStatus {
  const { conditions = [], disruptionsAllowed = 0, observedGeneration = 0 } = status;
  const condition = { ...allowedCondition(disruptionsAllowed), message: '', observedGeneration };
  return { ...status, conditions: withCondition(conditions, condition, nowMs) };
}

function allowedCondition(disruptionsAllowed: number): Pick<Condition, 'status' | 'reason'> {
  return disruptionsAllowed > 0
    ? { status: 'True', reason: 'SufficientPods' }
    : { status: 'False', reason: 'InsufficientPods' };
}

const conditionType = 'DisruptionAllowed';

/** As apimachinery/pkg/api/meta, SetStatusCondition: the time changes only with the status. */
function withCondition(
  conditions: readonly Frozen<Condition>[],
  condition: Omit<Condition, 'type' | 'lastTransitionTime'>,
  nowMs: number,
): readonly Frozen<Condition>[] {
  const old = conditions.find(({ type }) => type === conditionType);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : printTime(nowMs);
  const next: Condition = { type: conditionType, lastTransitionTime, ...condition };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
