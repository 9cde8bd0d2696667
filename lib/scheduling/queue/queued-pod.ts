// A pod in the queue: the object, its part, and the results of its attempts. The queue returns the record from `pop`
// and gets it back with the outcome. Only the queue writes it.

import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { HeapItem } from '../../core/index.js';
import { noBackoff } from './pod-backoff.js';
import type { Rejector } from './rejectors.js';

/**
 * The part of the queue that a pod is in. `in-flight`: popped, events are recorded for it. `binding`: past Permit, no
 * events are recorded. `gone`: deleted, replaced by a pod of the same name, or scheduled.
 */
export type QueuePart = 'active' | 'backoff' | 'error-backoff' | 'unschedulable' | 'in-flight' | 'binding' | 'gone';

/** A pod that waits or is being scheduled. */
export interface QueuedPod {
  /** The pod as of `pop`; while it waits, the latest object. */
  readonly pod: Frozen<Pod>;
  readonly part: QueuePart;
  /** When it was added or last requeued after a failed attempt, in milliseconds. */
  readonly queuedAt: number;
  /** When it first became active; undefined while it has always been gated. */
  readonly initialAttemptAt: number | undefined;
  /** Number of times it was popped. */
  readonly attempts: number;
  /** Number of attempts that plugins rejected. */
  readonly rejections: number;
  /** Number of consecutive attempts, up to the last, that ended in an error. */
  readonly consecutiveErrors: number;
  /** The plugin whose PreEnqueue gates the pod. */
  readonly gatingPlugin: string | undefined;
  /** Whether it was requeued because it was overdue, which suggests that an event was missed. */
  readonly flushed: boolean;
}

/** A queued pod with the private state of the queue. */
export class QueueEntry implements QueuedPod, HeapItem {
  readonly key: string;
  pod: Frozen<Pod>;
  /** The latest object of a pod in flight; requeued in place of `pod`. */
  latest: Frozen<Pod>;
  part: QueuePart = 'gone';
  queuedAt: number;
  initialAttemptAt: number | undefined;
  attempts = 0;
  rejections = 0;
  consecutiveErrors = 0;
  gatingPlugin: string | undefined;
  flushed = false;
  flushedAt: number = noBackoff;
  backoffUntil: number = noBackoff;
  /** The plugins that rejected the last attempt, and those of them that returned Pending. */
  rejectors: readonly Rejector[] = [];
  pending: readonly Rejector[] = [];
  /** Breaks ties of `queuedAt`, which has millisecond resolution. */
  sequence = 0;
  heapIndex = -1;
  /** The last event the pod was matched against, so that two rejectors do not match it twice. */
  evaluatedEvent = 0;
  /** The position in the event record at which the attempt started. */
  recordedFrom = 0;

  constructor(key: string, pod: Frozen<Pod>, now: number) {
    this.key = key;
    this.pod = pod;
    this.latest = pod;
    this.queuedAt = now;
    this.initialAttemptAt = undefined;
    this.gatingPlugin = undefined;
  }
}

/** Returns the priority of a pod; 0 if none is set. */
export function priorityOf(pod: Frozen<Pod>): number {
  return pod.spec?.priority ?? 0;
}

/** PrioritySort, the default QueueSort plugin: higher priority first, then the pod that was queued first. */
export function comparePriority(one: QueuedPod, other: QueuedPod): number {
  return priorityOf(other.pod) - priorityOf(one.pod) || one.queuedAt - other.queuedAt;
}
