// The contract of the scheduling queue: the pods that have no node yet, in the order in which they are scheduled.
//
//   add ─► active ─► pop ─► in flight ─► done
//            ▲                  │ requeueFailed
//            ├── backoff ◄──────┤   rejected, and a later event may have helped
//            ├── error backoff ◄┤   an error: no event is known to help, so it is retried after a back-off
//            └── unschedulable ◄┘   rejected: waits for an event of its rejectors; gated pods wait here too
//
// Guarantees: a pod is in one part at a time. A waiting pod is popped again after an event that its rejectors
// registered for and whose hint returns `queue`, also if the event came while the pod was in flight. An operation costs
// O(log n); an event costs the number of pods whose rejectors registered for it.
// Behaviour as pkg/scheduler/backend/queue of Kubernetes 1.36 with its default feature gates.

import type { Observable } from 'rxjs';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { Log } from '../bounded-log.js';
import type { ClusterEvent } from './cluster-event.js';
import type { ObservedEvent } from './in-flight.js';
import type { IncomingCount } from './incoming-pods.js';
import type { QueuedPod, QueuePart } from './queued-pod.js';
import type { EventRegistrations } from './rejectors.js';

/** The plugin calls of the queue. All are synchronous, and none may call the queue. */
export interface QueuePlugins {
  /** The events that each plugin of each profile registered for. */
  readonly registrations: EventRegistrations;
  /** QueueSort: negative if the first pod is to be popped first. Ties are broken by order of addition. */
  compare(one: QueuedPod, other: QueuedPod): number;
  /**
   * PreEnqueue: returns the plugin that gates the pod, if any. `gatedBy`, the plugin that gated it last, runs first.
   */
  preEnqueue(pod: Frozen<Pod>, gatedBy: string | undefined): string | undefined;
  /** Returns whether an event may help a pod that the plugin rejected. Throwing counts as `queue`. */
  hint(plugin: string, happening: ObservedEvent, pod: Frozen<Pod>): 'queue' | 'skip';
}

/** Options of a queue. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly plugins: QueuePlugins;
  /** Back-off after the first failure. Default 1000, podInitialBackoffSeconds of Kubernetes. */
  readonly initialBackoffMs?: number;
  /** Maximum back-off; 0 disables it. Default 10,000, podMaxBackoffSeconds. */
  readonly maxBackoffMs?: number;
  /** Time after which an unschedulable pod is requeued without an event. Default 5 minutes. */
  readonly unschedulableMaxMs?: number;
  /**
   * Bound of events recorded for pods in flight. Beyond it, the pods popped first are treated as helped. Default
   * 65,536.
   */
  readonly recordedEventsMax?: number;
}

/** How an attempt failed. Neither rejectors nor pending plugins means an error. */
export interface AttemptFailure {
  /** Plugins that returned Unschedulable or UnschedulableAndUnresolvable. */
  readonly rejectors?: readonly string[];
  /** Plugins that returned Pending: an event that helps them requeues the pod without back-off. */
  readonly pending?: readonly string[];
  /** The new nominated node; empty removes the nomination. Default: as in the pod's status. */
  readonly nominatedNodeName?: string;
}

/** Options of `moveOnEvent`. */
export interface MoveOptions {
  /** Restricts the unschedulable pods that are considered. The event is recorded for all pods in flight. */
  readonly only?: (pod: Frozen<Pod>) => boolean;
}

/** Options of `delete`. */
export interface RemoveOptions {
  /** The pod was bound, not deleted: it uses the room of its nomination, so no other pod is requeued. */
  readonly bound?: boolean;
}

/** Sizes of the queue, for metrics. */
export interface QueueFigures {
  /** pending_pods, by queue. */
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
  readonly gated: number;
  readonly inFlight: number;
  /** Events recorded for pods in flight. */
  readonly recordedEvents: number;
  /** inflight_events: the same, by event label. */
  readonly recordedByEvent: ReadonlyMap<string, number>;
  readonly nominated: number;
  /** Number of pods popped so far. */
  readonly cycle: number;
  /** unschedulable_pods: waiting pods by rejecting plugin. */
  readonly rejected: readonly { readonly profile: string; readonly plugin: string; readonly pods: number }[];
  /** queue_incoming_pods_total: pods that entered a queue, by event. */
  readonly incoming: readonly IncomingCount[];
}

/** The pods that have no node yet. */
export interface SchedulingQueue {
  /** Adds a new pod. */
  add(pod: Frozen<Pod>): void;
  /** Updates a pod; `events` are the aspects that changed. An unknown pod is added. */
  update(old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void;
  /** Removes a pod that was deleted or bound. If it is in flight, it will not be requeued. */
  delete(pod: Frozen<Pod>, options?: RemoveOptions): void;

  /**
   * Returns the next pod, now in flight; the caller must pass it to `done` or `requeueFailed`. Undefined if there is
   * none.
   */
  pop(): QueuedPod | undefined;
  /** Emits once and completes as soon as `pop` returns a pod. */
  ready(): Observable<void>;
  /**
   * Stops recording events for a pod past Permit: any later failure is an error. `done` or `requeueFailed` must follow.
   */
  release(pod: QueuedPod): void;
  /** Ends a successful attempt. */
  done(pod: QueuedPod): void;
  /**
   * Ends a failed attempt and requeues the pod. Returns its new part; `gone` if it was deleted or replaced meanwhile.
   */
  requeueFailed(pod: QueuedPod, failure: AttemptFailure): QueuePart;

  /** Requeues the unschedulable pods that an event may help. */
  moveOnEvent(event: ClusterEvent, old: unknown, current: unknown, options?: MoveOptions): void;
  /** Moves pods to the active queue without back-off; pods in flight when their attempt ends. */
  activate(pods: Iterable<Frozen<Pod>>): void;

  /** Nominates a waiting pod; an empty node name removes the nomination. Pods that are not in the queue are ignored. */
  nominate(pod: Frozen<Pod>, nodeName: string): void;
  /**
   * Removes the nomination of a pod that was assumed on a node. If it was nominated to another node, pods that this may
   * help are requeued.
   */
  removeNomination(pod: Frozen<Pod>, nodeName: string): void;
  /** The pods nominated to a node. Pods in flight have only a name here. */
  nominatedTo(nodeName: string): readonly Frozen<Pod>[];
  /** The nodes with nominated pods. */
  nominatedNodes(): Iterable<string>;
  /** The node that the pod with this uid is nominated to. */
  nominationOf(uid: string): string | undefined;
  /** Log of the names of nodes whose nominated pods changed. */
  readonly nominationChanges: Log<string>;

  /** Returns the queue's record of a pod. */
  find(pod: Frozen<Pod>): QueuedPod | undefined;
  /** Returns the current sizes. */
  figures(): QueueFigures;
  /** Moves pods that are due, while subscribed. Uses at most one timer, and none if nothing waits. */
  run(): Observable<never>;
}
