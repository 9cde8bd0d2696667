// How long a pod is held back after a failed attempt: 1, 2, 4, 8, 10, 10 … seconds. Ends are cut to whole seconds and a
// whole second at a time is set free, so that the pods of one second compete by priority and not by milliseconds.
// As pkg/scheduler/backend/queue/backoff_queue.go.

/** The bounds of the ladder. */
export interface PodBackoff {
  /** After the first failure. Kubernetes: podInitialBackoffSeconds, 1. */
  readonly initialMs: number;
  /** The longest; 0 turns backoff off. Kubernetes: podMaxBackoffSeconds, 10. */
  readonly maxMs: number;
}

/** No backoff: what every moment has behind it. */
export const neverHeld: number = Number.NEGATIVE_INFINITY;

/** The whole second up to and including which a pod is held after `failures` failures, the last at `failedAt`. */
export function heldUntil(failures: number, failedAt: number, { initialMs, maxMs }: PodBackoff): number {
  if (failures === 0 || maxMs === 0) return neverHeld;
  // 2^40 steps of a millisecond are past any bound; without the cut 0 × Infinity would not be a number.
  const duration = Math.min(initialMs * 2 ** Math.min(failures - 1, 40), maxMs);
  return wholeSecond(failedAt + duration);
}

/** Whether a pod held until then is held now. */
export function isHeld(until: number, now: number): boolean {
  return until >= wholeSecond(now);
}

/** The first moment at which it no longer is. */
export function freeAt(until: number): number {
  return until + 1000;
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
