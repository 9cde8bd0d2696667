// What the scheduler does, as the values that `run()` emits. Logs and tests read this stream. Failures are values; a
// failure of one pod does not end the stream.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** An activity of the scheduler. */
export type SchedulerActivity =
  | Started
  | Scheduled
  | Unschedulable
  | SchedulingFailed
  | Skipped
  | WaitingAtPermit
  | Bound
  | BindingFailed
  | Preempted
  | WriteFailed
  | WatchFailed
  | NotServed
  | ExtenderFailed
  | BackgroundFailed;

/** All watched kinds have been listed; scheduling begins. */
export interface Started {
  readonly type: 'started';
}

/** A node was chosen. The pod is assumed on it, and its binding cycle starts. */
export interface Scheduled extends PodActivity {
  readonly type: 'scheduled';
  readonly nodeName: string;
  /** The number of nodes evaluated, and how many of them were feasible. */
  readonly evaluated: number;
  readonly feasible: number;
}

/** No node is feasible, or a plugin rejected the chosen one. The pod waits for an event that may help. */
export interface Unschedulable extends PodActivity {
  readonly type: 'unschedulable';
  /** The message of the pod's condition. */
  readonly message: string;
  /** The names of the plugins that rejected. */
  readonly rejectors: readonly string[];
  /** The node on which victims were preempted for the pod. */
  readonly nominatedNodeName?: string;
}

/** The scheduling cycle failed with an error; the pod is retried after its back-off. */
export interface SchedulingFailed extends PodActivity {
  readonly type: 'failed';
  readonly error: unknown;
}

/** The pod was skipped: it is being deleted, or already assumed on a node. */
export interface Skipped extends PodActivity {
  readonly type: 'skipped';
  readonly reason: 'deleted' | 'assumed';
}

/** Plugins delay the pod at Permit. */
export interface WaitingAtPermit extends PodActivity {
  readonly type: 'waiting';
  readonly nodeName: string;
  readonly plugins: readonly string[];
}

/** The pod is bound. */
export interface Bound extends PodActivity {
  readonly type: 'bound';
  readonly nodeName: string;
}

/** The binding failed; the pod is retried after its back-off. */
export interface BindingFailed extends PodActivity {
  readonly type: 'binding-failed';
  readonly nodeName: string;
  readonly error: unknown;
}

/** The pod was preempted. */
export interface Preempted {
  readonly type: 'preempted';
  readonly pod: Frozen<Pod>;
  /** The preemptor. */
  readonly by?: Frozen<Pod>;
}

/** A condition or an Event could not be written. */
export interface WriteFailed {
  readonly type: 'write-failed';
  readonly what: 'status' | 'event';
  readonly pod: Frozen<Pod>;
  readonly error: unknown;
}

/** A watch failed; it restarts by itself. */
export interface WatchFailed {
  readonly type: 'watch-failed';
  readonly kind: string;
  readonly error: unknown;
  readonly retryInMs: number;
}

/** The server does not serve the kind; it counts as having no objects. */
export interface NotServed {
  readonly type: 'not-served';
  readonly kind: string;
}

/** A call of an ignorable extender failed. */
export interface ExtenderFailed {
  readonly type: 'extender-failed';
  readonly extender: string;
  readonly error: unknown;
}

/** A plugin failed without an effect on a pod: in background work, PostBind or a queueing hint. */
export interface BackgroundFailed {
  readonly type: 'background-failed';
  readonly error: unknown;
}

/** The pod of an activity. */
export interface PodActivity {
  readonly pod: Frozen<Pod>;
  /** The number of attempts to schedule the pod, including this one. */
  readonly attempts: number;
}
