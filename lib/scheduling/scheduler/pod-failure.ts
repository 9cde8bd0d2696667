// Why a pod was not scheduled, as its condition words it, and what that means for the queue: a rejected pod waits for
// the events of its rejectors, a failed one for its back-off. As handleSchedulingFailure of
// pkg/scheduler/schedule_one.go.
import { errorText } from '../../core/index.js';
import { fitErrorText } from '../fit-error.js';
import type { Diagnosis } from '../framework/placement.js';
import type { PostFilterOutcome } from '../framework/post-filter.js';
import type { Rejected } from '../framework/rejection.js';

/** A failed attempt. */
export interface PodFailure {
  /** The reason of the condition: a rejection or an error. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The plugins whose events requeue the pod; empty for errors. */
  readonly rejectors: readonly string[];
  /** The rejectors that returned Pending. */
  readonly pending: readonly string[];
  /** The new nomination: empty removes it, absent keeps it. */
  readonly nominatedNodeName?: string;
  /** The error. */
  readonly error?: unknown;
}

/** No node is feasible. */
export function noFeasibleNode(
  { nodeCount, preFilterMessage, reasons, rejectors, pending }: Diagnosis,
  { message, nominatedNodeName }: PostFilterOutcome,
): PodFailure {
  return {
    reason: 'Unschedulable',
    message: fitErrorText({
      nodeCount,
      reasons,
      postFilterMessage: message,
      ...(preFilterMessage !== undefined && { preFilterMessage }),
    }),
    rejectors: [...rejectors].sort(),
    pending: [...pending].sort(),
    ...(nominatedNodeName !== undefined && { nominatedNodeName }),
  };
}

/** The cluster has no nodes. */
export const noNodes: PodFailure = {
  reason: 'Unschedulable',
  message: 'no nodes available to schedule pods',
  rejectors: [],
  pending: [],
  nominatedNodeName: '',
};

/** A plugin rejected the chosen node. */
export function nodeRejected({ plugin, code, reasons }: Rejected): PodFailure {
  return {
    reason: 'Unschedulable',
    message: fitErrorText({ nodeCount: 1, reasons: new Map(reasons.map((reason) => [reason, 1])) }),
    rejectors: [plugin],
    pending: code === 'Pending' ? [plugin] : [],
    nominatedNodeName: '',
  };
}

/** A plugin rejected the binding. No event of a plugin requeues the pod. */
export function bindRejected({ reasons }: Rejected): PodFailure {
  return { reason: 'Unschedulable', message: reasons.join(', '), rejectors: [], pending: [], nominatedNodeName: '' };
}

/** The attempt failed with an error. */
export function schedulerError(error: unknown): PodFailure {
  return {
    reason: 'SchedulerError',
    message: errorText(error),
    rejectors: [],
    pending: [],
    nominatedNodeName: '',
    error,
  };
}
