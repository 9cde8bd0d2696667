// Graceful shutdown of a node: pods are stopped in groups, those of lower priority first, each group within its time.
// As pkg/kubelet/nodeshutdown.
import { pause } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodEnding } from '../pod/pod-knowledge.js';
import type { KubeletSettings } from './kubelet-settings.js';
import { criticalPriority } from './critical-pods.js';

/** Pods that are stopped together. */
export interface ShutdownGroup {
  readonly pods: readonly Frozen<Pod>[];
  /** How long they may take. */
  readonly periodMs: number;
}

/** Returns the groups in the order in which they are stopped. */
export function shutdownGroups(
  pods: readonly Frozen<Pod>[],
  { shutdownMs, criticalShutdownMs }: Pick<KubeletSettings, 'shutdownMs' | 'criticalShutdownMs'>,
): readonly ShutdownGroup[] {
  const isCritical = ({ spec }: Frozen<Pod>): boolean => (spec?.priority ?? 0) >= criticalPriority;
  return [
    { pods: pods.filter((pod) => !isCritical(pod)), periodMs: shutdownMs - criticalShutdownMs },
    { pods: pods.filter(isCritical), periodMs: criticalShutdownMs },
  ].filter((group) => group.pods.length > 0);
}

/** Returns how a pod ends with its node: within its own grace period, or that of its group if that is shorter. */
export function shutdownEnding({ spec }: Frozen<Pod>, periodMs: number): PodEnding {
  const own = (spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  const disruption = { reason: 'TerminationByKubelet', message: terminated };
  return { reason: 'Terminated', message: terminated, graceMs: Math.min(own, periodMs), disruption };
}

const terminated = 'Pod was terminated in response to imminent node shutdown.';

/** The refusal of pods that come while the node shuts down. */
export const shutdownRefusal: PodEnding = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
  isRejected: true,
};

/** Stops the groups one after the other. Resolves when all pods have ended or their time is over. */
export async function stopGroups(
  groups: readonly ShutdownGroup[],
  clock: Clock,
  /** Ends a pod; resolves when nothing of it runs. */
  end: (pod: Frozen<Pod>, ending: PodEnding) => Promise<void>,
): Promise<void> {
  for (const { pods, periodMs } of groups) {
    const over = new AbortController();
    const ended = Promise.all(pods.map((pod) => end(pod, shutdownEnding(pod, periodMs))));
    const late = pause(clock, periodMs, over.signal).catch(() => undefined);
    await Promise.race([ended, late]);
    over.abort();
  }
}
