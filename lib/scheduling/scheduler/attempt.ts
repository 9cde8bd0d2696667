// What the scheduler did, one value after another: the log, the metrics and the tests all read this stream. Failures
// are values; nothing that happens to one pod ends the stream.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** Something that the scheduler did, or that happened to it. */
export type Attempt =
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

/** Everything there is has been listed; from here on pods are tried. */
export interface Started {
  readonly type: 'started';
}

/** A node was chosen and the pod counts there; it is being bound. */
export interface Scheduled extends AboutPod {
  readonly type: 'scheduled';
  readonly nodeName: string;
  /** How many nodes were looked at, and how many of them would have done. */
  readonly evaluated: number;
  readonly feasible: number;
}

/** No node will do, or a plugin said no later. The pod waits until something changes. */
export interface Unschedulable extends AboutPod {
  readonly type: 'unschedulable';
  /** As the pod's condition says. */
  readonly message: string;
  /** The plugins that said no, by name. */
  readonly rejectors: readonly string[];
  /** Where others are leaving for it. */
  readonly nominatedNodeName?: string;
}

/** Something went wrong on the way to a node; the pod is tried again after a while. */
export interface SchedulingFailed extends AboutPod {
  readonly type: 'failed';
  readonly error: unknown;
}

/** The pod needs no node from here: it is being deleted, or it has one already. */
export interface Skipped extends AboutPod {
  readonly type: 'skipped';
  readonly reason: 'deleted' | 'assumed';
}

/** A node is chosen, and plugins want to wait. */
export interface WaitingAtPermit extends AboutPod {
  readonly type: 'waiting';
  readonly nodeName: string;
  readonly plugins: readonly string[];
}

/** The API knows the node. */
export interface Bound extends AboutPod {
  readonly type: 'bound';
  readonly nodeName: string;
}

/** The node could not be given; the pod is tried again after a while. */
export interface BindingFailed extends AboutPod {
  readonly type: 'binding-failed';
  readonly nodeName: string;
  readonly error: unknown;
}

/** The pod had to make room for another. */
export interface Preempted {
  readonly type: 'preempted';
  readonly pod: Frozen<Pod>;
  /** Who gets the room. */
  readonly by?: Frozen<Pod>;
}

/** What should have been told of a pod could not be written. */
export interface WriteFailed {
  readonly type: 'write-failed';
  readonly what: 'status' | 'event';
  readonly pod: Frozen<Pod>;
  readonly error: unknown;
}

/** A watch broke; it begins anew by itself. */
export interface WatchFailed {
  readonly type: 'watch-failed';
  readonly kind: string;
  readonly error: unknown;
  readonly retryInMs: number;
}

/** The server does not have the kind, which counts as having no objects of it. */
export interface NotServed {
  readonly type: 'not-served';
  readonly kind: string;
}

/** An extender did not answer, and its word was not needed. */
export interface ExtenderFailed {
  readonly type: 'extender-failed';
  readonly extender: string;
  readonly error: unknown;
}

/**
 * A plugin failed where no pod's fate hangs on it: in work that it went on with, in PostBind, or when asked about an
 * event.
 */
export interface BackgroundFailed {
  readonly type: 'background-failed';
  readonly error: unknown;
}

/** A pod that is tried. */
export interface AboutPod {
  readonly pod: Frozen<Pod>;
  /** How often the pod has been tried, this time included. */
  readonly attempts: number;
}
