// How plugins reject pods and nodes, and how they fail. A plugin that accepts returns undefined. An unexpected error is
// thrown: the attempt fails and the pod is retried after its back-off. Codes as kube-scheduler/framework/interface.go.

/**
 * `Unschedulable`: preemption may help. `UnschedulableAndUnresolvable`: preemption cannot help. `Pending`: the pod
 * waits for an external event and is then retried without back-off.
 */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Pending';

/** A rejection and its reasons. Built-in plugins create theirs once, so they can be compared by identity. */
export interface Rejection {
  readonly code: RejectionCode;
  /** The messages that users see; a node counts once per reason. */
  readonly reasons: readonly string[];
}

/** A rejection with the name of its plugin. */
export interface Rejected extends Rejection {
  readonly plugin: string;
}

/** The plugin does not apply to this pod and is not called again in this cycle. */
export type Skip = 'skip';

/** Creates a rejection that preemption may resolve. */
export function unschedulable(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'Unschedulable', reasons: Object.freeze(reasons) });
}

/** Creates a rejection that preemption cannot resolve. */
export function unresolvable(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'UnschedulableAndUnresolvable', reasons: Object.freeze(reasons) });
}

/** Creates a rejection of a pod that waits for an external event. */
export function pending(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'Pending', reasons: Object.freeze(reasons) });
}

/** Returns the reasons of a rejection, joined by `, `. */
export function rejectionText({ reasons }: Rejection): string {
  return reasons.join(', ');
}

/** An error of a plugin: it threw, or returned an invalid value. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  readonly plugin: string;

  constructor(plugin: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.plugin = plugin;
  }
}
