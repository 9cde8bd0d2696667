// How long to wait before trying again. A ladder is data; `backoffStep` is pure: state in, delay and next state out.
// The caller keeps the state (undefined at first, and again after a success that wipes the slate) and does the waiting.
// Example, without jitter: base 10 s, factor 2, max 300 s gives 10, 20, 40, 80, 160, 300, 300 …

import type { Random } from './random.js';

/** The rungs of waiting. */
export interface BackoffLadder {
  /** The first delay. */
  readonly baseMs: number;
  /** What each further delay is multiplied by. */
  readonly factor: number;
  /** The longest delay before jitter. */
  readonly maxMs: number;
  /** Up to this share of the delay is added at random: 1 means anything between once and twice the delay. */
  readonly jitter: number;
  /** After this long without a failure the ladder starts again at its foot. Infinity: only the caller does that. */
  readonly resetAfterMs: number;
  /** Tries in all before giving up, see `isExhausted`. Infinity: never. */
  readonly attemptsMax: number;
}

/** The state of a retry: its place on the ladder. */
export interface BackoffState {
  /** Failures in a row. */
  readonly failures: number;
  /** When the last one was. */
  readonly failedAtMs: number;
}

/** The moment of a failure, and chance for the jitter. */
export interface FailedTry {
  readonly nowMs: number;
  readonly random: Random;
}

/** One step up: how long to wait now, and the state to bring along next time. */
export interface BackoffStep {
  readonly delayMs: number;
  readonly state: BackoffState;
}

/** Takes one failure into account. */
export function backoffStep(ladder: BackoffLadder, state: BackoffState | undefined, failure: FailedTry): BackoffStep {
  const { nowMs, random } = failure;
  const fresh = state === undefined || nowMs - state.failedAtMs > ladder.resetAfterMs;
  const failures = fresh ? 1 : state.failures + 1;
  const delayMs = delayAfter(ladder, failures);
  return {
    delayMs: ladder.jitter > 0 ? delayMs * (1 + ladder.jitter * random.next()) : delayMs,
    state: { failures, failedAtMs: nowMs },
  };
}

/** The delay after so many failures in a row, without jitter; none after none. */
export function delayAfter(ladder: BackoffLadder, failures: number): number {
  return failures < 1 ? 0 : Math.min(ladder.baseMs * ladder.factor ** (failures - 1), ladder.maxMs);
}

/** Returns whether the tries the ladder allows are used up. */
export function isExhausted(ladder: BackoffLadder, state: BackoffState): boolean {
  return state.failures >= ladder.attemptsMax;
}

function doubling(baseMs: number, maxMs: number, rest: Partial<BackoffLadder> = {}): BackoffLadder {
  return { baseMs, maxMs, factor: 2, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity, ...rest };
}

/** The things that Kubernetes tries again. */
export type BackoffLadderName =
  | 'reflector'
  | 'workQueueItem'
  | 'crashLoop'
  | 'imagePull'
  | 'podScheduling'
  | 'jobQueueItem'
  | 'jobPodFailure'
  | 'daemonPodFailure'
  | 'leaseCreation'
  | 'webhook'
  | 'conflict'
  | 'contendedConflict';

/**
 * The ladders of Kubernetes v1.36, each with the place that sets it. Where it says "twice the longest" the reset is
 * that of client-go/util/flowcontrol/backoff.go, hasExpired.
 */
export const backoffLadders: Readonly<Record<BackoffLadderName, BackoffLadder>> = {
  /**
   * Listing and watching: client-go/tools/cache/reflector.go, newReflectorWithOptions. There the two minutes run from
   * the last reset; here from the last failure, as the remark beside the figure means it.
   */
  reflector: doubling(800, 30_000, { jitter: 1, resetAfterMs: 120_000 }),
  /** A key of a work queue: client-go/util/workqueue/default_rate_limiters.go. Reset when the key succeeds. */
  workQueueItem: doubling(5, 1_000_000),
  /** A container that keeps ending: pkg/kubelet/kubelet.go. The first restart does not wait. */
  crashLoop: doubling(10_000, 300_000, { resetAfterMs: 600_000 }),
  /** An image that cannot be pulled: pkg/kubelet/kubelet.go. Twice the longest. */
  imagePull: doubling(10_000, 300_000, { resetAfterMs: 600_000 }),
  /** A pod that fits nowhere: pkg/scheduler/backend/queue/backoff_queue.go, calculateBackoffDuration. */
  podScheduling: doubling(1_000, 10_000),
  /** A key of the Job controller's queue: pkg/controller/job/job_controller.go. Reset when the key succeeds. */
  jobQueueItem: doubling(1_000, 60_000),
  /** Failed pods of a Job: pkg/controller/job/job_controller.go. */
  jobPodFailure: doubling(10_000, 600_000),
  /** Failed pods of a DaemonSet on one node: cmd/kube-controller-manager/app/apps.go. Twice the longest. */
  daemonPodFailure: doubling(1_000, 900_000, { resetAfterMs: 1_800_000 }),
  /** Creating a node's Lease: component-helpers/apimachinery/lease/controller.go, backoffEnsureLease. */
  leaseCreation: doubling(200, 7_000),
  /** Calling a webhook: apiserver/pkg/util/webhook/webhook.go, DefaultRetryBackoffWithInitialDelay. */
  webhook: doubling(500, Infinity, { factor: 1.5, jitter: 0.2, attemptsMax: 5 }),
  /** Writing again after a conflict: client-go/util/retry/util.go, DefaultRetry. */
  conflict: doubling(10, Infinity, { factor: 1, jitter: 0.1, attemptsMax: 5 }),
  /** The same where others write too: client-go/util/retry/util.go, DefaultBackoff. */
  contendedConflict: doubling(10, Infinity, { factor: 5, jitter: 0.1, attemptsMax: 4 }),
};
