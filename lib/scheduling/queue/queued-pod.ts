// A pod on its way through the queue: the object, where it stands, and what became of its attempts. The queue hands
// the record out when the pod is popped and takes it back with the outcome; only the queue writes it.

import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { HeapItem } from '../../core/index.js';
import { neverHeld } from './pod-backoff.js';
import type { Rejector } from './rejectors.js';

/**
 * Where a pod stands. `in-flight`: popped, events are recorded for it. `binding`: past Permit, nothing is recorded.
 * `gone`: deleted, replaced by one of the same name, or finished.
 */
export type QueuePart = 'active' | 'backoff' | 'error-backoff' | 'unschedulable' | 'in-flight' | 'binding' | 'gone';

/** What is known of a pod that waits or is being scheduled. */
export interface QueuedPod {
  /** The pod as it was when popped; while it waits, the newest. */
  readonly pod: Frozen<Pod>;
  readonly part: QueuePart;
  /** When it was added or last came back from a failed attempt, in milliseconds. */
  readonly queuedAt: number;
  /** When it first was ready to be tried; undefined as long as it is gated. */
  readonly initialAttemptAt: number | undefined;
  /** How often it was popped. */
  readonly attempts: number;
  /** How often plugins rejected it. */
  readonly rejections: number;
  /** How many of the last attempts ended in an error. */
  readonly consecutiveErrors: number;
  /** The plugin whose PreEnqueue holds it back. */
  readonly gatingPlugin: string | undefined;
  /** Whether time alone brought it back, which hints at an event somebody missed. */
  readonly flushed: boolean;
}

/** The same with what the queue keeps for itself. */
export class QueueEntry implements QueuedPod, HeapItem {
  readonly key: string;
  pod: Frozen<Pod>;
  /** What became of the pod while in flight; requeued in place of `pod`. */
  latest: Frozen<Pod>;
  part: QueuePart = 'gone';
  queuedAt: number;
  initialAttemptAt: number | undefined;
  attempts = 0;
  rejections = 0;
  consecutiveErrors = 0;
  gatingPlugin: string | undefined;
  flushed = false;
  flushedAt: number = neverHeld;
  heldUntil: number = neverHeld;
  /** Those that rejected it last, and of these the ones that said Pending. */
  rejectors: readonly Rejector[] = [];
  pending: readonly Rejector[] = [];
  /** Breaks ties in the order of `queuedAt`, which has only milliseconds. */
  sequence = 0;
  heapIndex = -1;
  /** The last event it was looked at for, so that two rejectors do not make two looks. */
  lookedAtFor = 0;
  /** The position in the record of events at which its attempt began. */
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

/** The priority of a pod; 0 when none is set. */
export function priorityOf(pod: Frozen<Pod>): number {
  return pod.spec?.priority ?? 0;
}

/** PrioritySort, the default QueueSort plugin: higher priority first, then who has waited longer. */
export function comparePriority(one: QueuedPod, other: QueuedPod): number {
  return priorityOf(other.pod) - priorityOf(one.pod) || one.queuedAt - other.queuedAt;
}
