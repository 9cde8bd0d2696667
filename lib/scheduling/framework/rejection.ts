// How plugins say no. A plugin that has nothing against a pod answers undefined, which is success. What it did not
// expect it throws: the attempt then ends as an error, and the pod is tried again after a while whatever happens.
// Codes as kube-scheduler/framework/interface.go.

/**
 * `Unschedulable`: others might leave, so preemption may help. `UnschedulableAndUnresolvable`: it cannot.
 * `Pending`: all is decided, and something outside has to happen; when it does, the pod goes on without backoff.
 */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Pending';

/** A no, and why. Built-in plugins make theirs once: who compares them by identity may. */
export interface Rejection {
  readonly code: RejectionCode;
  /** As users read them; a node counts for each. */
  readonly reasons: readonly string[];
}

/** A no that came from a plugin. */
export interface Rejected extends Rejection {
  readonly plugin: string;
}

/** The plugin has nothing to do with this pod, and is not asked again in this cycle. */
export type Skip = 'skip';

/** A no that others leaving the node may turn. */
export function unschedulable(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'Unschedulable', reasons: Object.freeze(reasons) });
}

/** A no that stands whoever leaves. */
export function unresolvable(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'UnschedulableAndUnresolvable', reasons: Object.freeze(reasons) });
}

/** A not yet. */
export function pending(...reasons: readonly string[]): Rejection {
  return Object.freeze({ code: 'Pending', reasons: Object.freeze(reasons) });
}

/** What messages show of a rejection. */
export function rejectionText({ reasons }: Rejection): string {
  return reasons.join(', ');
}
