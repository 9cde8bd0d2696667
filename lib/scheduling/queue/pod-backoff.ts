// The back-off of a pod after failed attempts: 1, 2, 4, 8, 10, 10 … seconds. Ends are truncated to whole seconds, and
// all pods of one second are released together, so that priority decides and not milliseconds. As
// pkg/scheduler/backend/queue/backoff_queue.go.

/** Bounds of the back-off. */
export interface PodBackoff {
  /** After the first failure. Kubernetes: podInitialBackoffSeconds, 1. */
  readonly initialMs: number;
  /** The maximum; 0 disables back-off. Kubernetes: podMaxBackoffSeconds, 10. */
  readonly maxMs: number;
}

/** End of a back-off that does not exist: before any time. */
export const noBackoff: number = Number.NEGATIVE_INFINITY;

/** Returns the last whole second of the back-off after `failures` failures, the last of them at `failedAt`. */
export function backoffUntil(failures: number, failedAt: number, { initialMs, maxMs }: PodBackoff): number {
  if (failures === 0 || maxMs === 0) return noBackoff;
  // 2^40 ms exceeds any bound; without the cap 0 × Infinity would be NaN.
  const duration = Math.min(initialMs * 2 ** Math.min(failures - 1, 40), maxMs);
  return wholeSecond(failedAt + duration);
}

/** Whether a back-off that ends at `until` is not over. */
export function isBackingOff(until: number, now: number): boolean {
  return until >= wholeSecond(now);
}

/** Returns the first time at which the back-off is over. */
export function backoffEndsAt(until: number): number {
  return until + 1000;
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
