// The pure step of eviction: from the figures of a node and what earlier steps remember to the conditions of the node
// and at most one thing to do. A driver takes it every 10 s. As managerImpl.synchronize of
// pkg/kubelet/eviction/eviction_manager.go.
//
// Order: pods over limits of their own, all at once; then the most urgent threshold (memory before disk before
// processes): space that the node itself can free, then one pod.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodEnding } from '../pod/pod-knowledge.js';
import { isCriticalPod } from '../node/critical-pods.js';
import { evictionMessage, localLimitMessage, rankPods } from './rank-pods.js';
import type { PodFigures } from './rank-pods.js';
import { pressureOf, starvedResource, thresholdAmount } from './thresholds.js';
import type {
  EvictionSettings,
  EvictionThreshold,
  PressureCondition,
  SignalObservation,
  SignalObservations,
} from './thresholds.js';

/** What steps remember. */
export interface EvictionMemory {
  /** Since when each met threshold is met. */
  readonly metSinceMs: ReadonlyMap<EvictionThreshold, number>;
  /** When each condition was last met. */
  readonly conditionAtMs: ReadonlyMap<PressureCondition, number>;
  /** The conditions of the node, in the order of their names. */
  readonly conditions: readonly PressureCondition[];
}

/** A node without pressure. */
export const noPressure: EvictionMemory = { metSinceMs: new Map(), conditionAtMs: new Map(), conditions: [] };

/** What a step rests on. */
export interface EvictionInput {
  readonly nowMs: number;
  readonly observations: SignalObservations;
  readonly pods: readonly PodFigures[];
  /** Whether the node has just freed what it can, so that only pods are left to evict. */
  readonly hasReclaimed: boolean;
}

/** A pod to evict. */
export interface PodToEvict {
  readonly pod: Frozen<Pod>;
  readonly ending: PodEnding;
}

/** The outcome of a step. */
export interface EvictionStep {
  readonly memory: EvictionMemory;
  /** Pods to evict now. */
  readonly evictions: readonly PodToEvict[];
  /** The resource whose threshold is met; its Event names it. */
  readonly reclaims?: string;
  /** Whether unused images and dead containers are to be removed; then the step is taken again. */
  readonly freesDisk: boolean;
}

/** Takes a step. */
export function stepEviction(memory: EvictionMemory, settings: EvictionSettings, input: EvictionInput): EvictionStep {
  const { nowMs, observations } = input;
  const met = settings.thresholds.filter((threshold) => isMet(threshold, observations, memory));
  const metSinceMs = new Map(met.map((threshold) => [threshold, memory.metSinceMs.get(threshold) ?? nowMs]));
  const conditionAtMs = new Map(memory.conditionAtMs);
  for (const { signal } of met) conditionAtMs.set(pressureOf(signal), nowMs);
  for (const [condition, atMs] of conditionAtMs)
    if (nowMs - atMs >= settings.transitionMs && !met.some(({ signal }) => pressureOf(signal) === condition))
      conditionAtMs.delete(condition);
  const conditions = pressureConditions.filter((condition) => conditionAtMs.has(condition));
  const next = { metSinceMs, conditionAtMs, conditions };
  const none = { memory: next, evictions: [], freesDisk: false };

  const local = input.pods.flatMap((figures) => {
    const message = isCriticalPod(figures.pod) ? undefined : localLimitMessage(figures);
    return message === undefined ? [] : [{ pod: figures.pod, ending: endingOf(message, immediateGraceMs) }];
  });
  if (local.length > 0) return { ...none, evictions: local };

  const due = met.filter((threshold) => nowMs - (metSinceMs.get(threshold) ?? nowMs) >= threshold.graceMs);
  const [first] = [...due].sort((one, other) => urgencyOf(one) - urgencyOf(other));
  const observation = first && observations.get(first.signal);
  if (first === undefined || observation === undefined) return none;
  const reclaims = starvedResource(first.signal);
  if (pressureOf(first.signal) === 'DiskPressure' && !input.hasReclaimed) return { ...none, reclaims, freesDisk: true };
  const victim = rankPods(input.pods, first.signal).find(({ pod }) => !isCriticalPod(pod));
  return {
    ...none,
    reclaims,
    evictions: victim === undefined ? [] : [evictionOf(victim, first, observation, settings)],
  };
}

const pressureConditions: readonly PressureCondition[] = ['DiskPressure', 'MemoryPressure', 'PIDPressure'];

/** The grace period of a pod that has to go at once. */
const immediateGraceMs = 1_000;

/** A threshold that was met stays met until its signal exceeds it by the minimum to reclaim. */
function isMet(threshold: EvictionThreshold, observations: SignalObservations, memory: EvictionMemory): boolean {
  const observation = observations.get(threshold.signal);
  if (observation === undefined) return false;
  const { available, capacity } = observation;
  const amount = thresholdAmount(threshold.value, capacity);
  const reclaim = memory.metSinceMs.has(threshold) ? thresholdAmount(threshold.minReclaim, capacity) : 0;
  return available < amount + reclaim;
}

function urgencyOf({ signal, graceMs }: EvictionThreshold): number {
  const order: readonly PressureCondition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];
  return order.indexOf(pressureOf(signal)) * 2 + (graceMs === 0 ? 0 : 1);
}

function evictionOf(
  victim: PodFigures,
  threshold: EvictionThreshold,
  { available, capacity }: SignalObservation,
  { maxPodGraceMs }: EvictionSettings,
): PodToEvict {
  const amount = thresholdAmount(threshold.value, capacity);
  const message = evictionMessage(victim, threshold.signal, { amount, available });
  const own = (victim.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  const graceMs = threshold.graceMs === 0 ? immediateGraceMs : Math.min(maxPodGraceMs, own);
  return { pod: victim.pod, ending: endingOf(message, graceMs) };
}

function endingOf(message: string, graceMs: number): PodEnding {
  return { reason: 'Evicted', message, graceMs, disruption: { reason: 'TerminationByKubelet', message } };
}
