// The contract of the scheduling queue: the pods that have no node yet, in the order in which they are to be tried.
//
//   add ─► active ─► pop ─► in flight ─► done
//            ▲                  │ failed
//            ├── backoff ◄──────┤   rejected, and an event since may have helped
//            ├── error backoff ◄┤   an error: nobody knows what would help, so time has to
//            └── unschedulable ◄┘   rejected: waits for an event of its rejectors; gated pods wait here too
//
// Promises: a pod is in one part at a time. A pod that waits is popped again after an event that its rejectors register
// for and their hint calls helpful, also when that event came while the pod was in flight. Every operation costs
// O(log n) and, for an event, the pods whose rejectors registered for it.
// Behaviour as pkg/scheduler/backend/queue of Kubernetes 1.36 with its default feature gates.

import type { Observable } from 'rxjs';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { Log } from '../bounded-log.js';
import type { ClusterEvent } from './cluster-event.js';
import type { Happening } from './in-flight.js';
import type { IncomingCount } from './incoming-pods.js';
import type { QueuedPod, QueuePart } from './queued-pod.js';
import type { EventRegistrations } from './rejectors.js';

/** What the queue asks of the plugins. All answer at once and none calls back into the queue. */
export interface QueuePlugins {
  /** Which events each plugin of each profile registered for. */
  readonly registrations: EventRegistrations;
  /** The QueueSort plugin: below 0 when the first is to be tried first. Ties go to who came first. */
  compare(one: QueuedPod, other: QueuedPod): number;
  /** The plugin that keeps a pod from being tried, if any does. `gatedBy`, which did the last time, is asked first. */
  preEnqueue(pod: Frozen<Pod>, gatedBy: string | undefined): string | undefined;
  /** Whether something that happened may help a pod that the plugin rejected. To throw counts as `queue`. */
  hint(plugin: string, happening: Happening, pod: Frozen<Pod>): 'queue' | 'skip';
}

/** How a queue is made. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly plugins: QueuePlugins;
  /** Hold after the first failure. Default 1000, podInitialBackoffSeconds of Kubernetes. */
  readonly initialBackoffMs?: number;
  /** The longest hold; 0 for none at all. Default 10 000, podMaxBackoffSeconds. */
  readonly maxBackoffMs?: number;
  /** After so long in the unschedulable pool a pod is tried again whatever happened. Default 5 minutes. */
  readonly unschedulableMaxMs?: number;
  /** Events kept for pods in flight. Past it the pods popped first count as helped. Default 65 536. */
  readonly recordedEventsMax?: number;
}

/** How an attempt failed. Neither rejectors nor pending plugins means an error. */
export interface AttemptFailure {
  /** Plugins that answered Unschedulable or UnschedulableAndUnresolvable. */
  readonly rejectors?: readonly string[];
  /** Plugins that answered Pending: when they are helped, the pod goes on without backoff. */
  readonly pending?: readonly string[];
  /** The node nominated from now on, empty for none. Absent: as the pod's status says. */
  readonly nominatedNodeName?: string;
}

/** What an event concerns. */
export interface TellOptions {
  /** Only these pods of the unschedulable pool are looked at. Pods in flight learn of the event all the same. */
  readonly only?: (pod: Frozen<Pod>) => boolean;
}

/** How a pod left. */
export interface RemoveOptions {
  /** It was bound, not deleted: its nomination became real, so nobody is told that room was given up. */
  readonly bound?: boolean;
}

/** What metrics show. */
export interface QueueFigures {
  /** pending_pods, by queue. */
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
  readonly gated: number;
  readonly inFlight: number;
  /** Events kept for pods in flight. */
  readonly recordedEvents: number;
  /** inflight_events: the same, by what happened. */
  readonly recordedByEvent: ReadonlyMap<string, number>;
  readonly nominated: number;
  /** How many pods were popped since the beginning. */
  readonly cycle: number;
  /** unschedulable_pods: waiting pods by what rejected them. */
  readonly rejected: readonly { readonly profile: string; readonly plugin: string; readonly pods: number }[];
  /** queue_incoming_pods_total: how many entered a queue, by what brought them. */
  readonly incoming: readonly IncomingCount[];
}

/** The pods that have no node yet. */
export interface SchedulingQueue {
  /** Takes in a pod that is new. */
  add(pod: Frozen<Pod>): void;
  /** Follows a pod that changed; `events` say in which respects. One that is not known is taken in. */
  update(old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void;
  /** Lets go of a pod that was deleted or bound. If it is in flight, its failure will not bring it back. */
  delete(pod: Frozen<Pod>, options?: RemoveOptions): void;

  /** The next pod to try, now in flight: give it back by `done` or `failed`. Undefined when there is none. */
  pop(): QueuedPod | undefined;
  /** Emits once and completes as soon as `pop` has an answer: at once, or when a pod comes. */
  ready(): Observable<void>;
  /**
   * Stops recording events for a pod past Permit: whatever fails from there on is an error. `done` or `failed` follow.
   */
  release(pod: QueuedPod): void;
  /** The attempt is over and the pod needs no other. */
  done(pod: QueuedPod): void;
  /** The attempt failed. Answers where the pod went; `gone` when it was deleted or replaced meanwhile. */
  failed(pod: QueuedPod, failure: AttemptFailure): QueuePart;

  /** Something happened: pods that it may help move on. */
  tell(event: ClusterEvent, old: unknown, current: unknown, options?: TellOptions): void;
  /** Has pods tried without waiting any longer; those in flight, as soon as they come back. */
  activate(pods: Iterable<Frozen<Pod>>): void;

  /** Nominates a waiting pod; an empty name takes the nomination back. Pods not known here are not nominated. */
  nominate(pod: Frozen<Pod>, nodeName: string): void;
  /**
   * The pod is taken to be on a node, and nominated nowhere. Was it promised room on another, others may have that now.
   */
  assumed(pod: Frozen<Pod>, nodeName: string): void;
  /** The pods nominated to a node. One that is in flight shows its name only. */
  nominatedTo(nodeName: string): readonly Frozen<Pod>[];
  /** The nodes that pods are nominated to. */
  nominatedNodes(): Iterable<string>;
  /** The node that a pod, by its uid, is nominated to. */
  nominationOf(uid: string): string | undefined;
  /** The names of nodes of which `nominatedTo` says something else than before. */
  readonly nominationChanges: Log<string>;

  /** Where a pod stands. */
  find(pod: Frozen<Pod>): QueuedPod | undefined;
  /** Figures as of now. */
  figures(): QueueFigures;
  /** Moves pods whose time has come while subscribed, with one timer at most and none when nothing waits. */
  run(): Observable<never>;
}
