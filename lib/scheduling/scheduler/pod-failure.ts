// Why a pod did not get a node, in the words of its condition, and what that means for the queue: a pod that plugins
// rejected waits for events of theirs; one that met an error comes back after a while, whatever happens.
// As handleSchedulingFailure of pkg/scheduler/schedule_one.go.
import { errorText } from '../../core/index.js';
import { fitErrorText } from '../fit-error.js';
import type { Diagnosis } from '../framework/placement.js';
import type { PostFilterOutcome } from '../framework/post-filter.js';
import type { Rejected } from '../framework/rejection.js';

/** Why, and what follows from it. */
export interface PodFailure {
  /** The reason of the condition: a no, or an error. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The plugins that may be helped by events, by name; none for errors. */
  readonly rejectors: readonly string[];
  /** Those of them that said Pending. */
  readonly pending: readonly string[];
  /** The node nominated from now on: empty for none, absent to leave it as it is. */
  readonly nominatedNodeName?: string;
  /** What was thrown. */
  readonly error?: unknown;
}

/** No node does. */
export function fitsNowhere(
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

/** There are no nodes at all. */
export const noNodes: PodFailure = {
  reason: 'Unschedulable',
  message: 'no nodes available to schedule pods',
  rejectors: [],
  pending: [],
  nominatedNodeName: '',
};

/** A node was chosen, and a plugin refused it. */
export function refusedNode({ plugin, code, reasons }: Rejected): PodFailure {
  return {
    reason: 'Unschedulable',
    message: fitErrorText({ nodeCount: 1, reasons: new Map(reasons.map((reason) => [reason, 1])) }),
    rejectors: [plugin],
    pending: code === 'Pending' ? [plugin] : [],
    nominatedNodeName: '',
  };
}

/** A plugin refused to bind, too late for any event to help. */
export function refusedBinding({ reasons }: Rejected): PodFailure {
  return { reason: 'Unschedulable', message: reasons.join(', '), rejectors: [], pending: [], nominatedNodeName: '' };
}

/** Something went wrong. */
export function broken(error: unknown): PodFailure {
  return {
    reason: 'SchedulerError',
    message: errorText(error),
    rejectors: [],
    pending: [],
    nominatedNodeName: '',
    error,
  };
}
