// How long a Job waits before it replaces failed pods: ten seconds after the first failure in a row, doubled with each
// further one, at most ten minutes, counted from the time at which the last pod ended. A success ends the row. With
// `backoffLimitPerIndex` each index has its own row. As pkg/controller/job/backoff_utils.go.
import { backoffLadders, delayAfter, parseTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ContainerStatus, Pod } from '../../core/types/index.js';

/** The failures of a Job's pods since one succeeded. */
export interface FailureStreak {
  readonly failures: number;
  /** When the last of them ended. */
  readonly lastAtMs: number;
}

/** No failures. */
export const noFailures: FailureStreak = Object.freeze({ failures: 0, lastAtMs: 0 });

/** Returns the failures in a row after pods have newly succeeded and failed. */
export function extendStreak(
  streak: FailureStreak,
  succeeded: readonly Frozen<Pod>[],
  failed: readonly Frozen<Pod>[],
): FailureStreak {
  const failedAt = failed.map(finishedAtMs);
  if (succeeded.length === 0) {
    if (failed.length === 0) return streak;
    return { failures: streak.failures + failed.length, lastAtMs: Math.max(...failedAt) };
  }
  const lastSuccessMs = Math.max(...succeeded.map(finishedAtMs));
  const later = failedAt.filter((atMs) => atMs > lastSuccessMs);
  return later.length === 0 ? noFailures : { failures: later.length, lastAtMs: Math.max(...later) };
}

/** Returns how long a replacement waits still. */
export function remainingBackoffMs({ failures, lastAtMs }: FailureStreak, nowMs: number): number {
  return failures === 0 ? 0 : Math.max(0, lastAtMs + delayAfter(backoffLadders.jobPodFailure, failures) - nowMs);
}

/**
 * Returns when a pod ended: when its last container did, or else when it stopped to be ready, or else when its deletion
 * was requested.
 */
export function finishedAtMs(pod: Frozen<Pod>): number {
  const { metadata, status } = pod;
  const containers = containersFinishedAtMs(pod);
  if (containers !== undefined) return containers;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined) return parseTime(ready.lastTransitionTime);
  if (metadata?.deletionTimestamp !== undefined)
    return parseTime(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return metadata?.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp);
}

/** When the last container ended, sidecars included; undefined if one of them has not. */
function containersFinishedAtMs({ spec, status }: Frozen<Pod>): number | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const main = latestEndMs(status?.containerStatuses ?? []);
  const sides = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  if (sides.length === 0) return main;
  const side = latestEndMs(sides);
  return side === undefined ? undefined : Math.max(main ?? -Infinity, side);
}

function latestEndMs(statuses: readonly Frozen<ContainerStatus>[]): number | undefined {
  let latestMs: number | undefined;
  for (const { state } of statuses) {
    const finishedAt = state?.terminated?.finishedAt;
    if (finishedAt === undefined) return undefined;
    latestMs = Math.max(latestMs ?? -Infinity, parseTime(finishedAt));
  }
  return latestMs;
}
