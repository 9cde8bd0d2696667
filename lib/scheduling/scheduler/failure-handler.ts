// What follows when a pod did not get its node: it goes back to the queue, people hear of it, and its status says why.
// A pod that is gone, replaced or bound meanwhile needs none of that.
// As handleSchedulingFailure of pkg/scheduler/schedule_one.go.
import type { PodFailure } from './pod-failure.js';
import type { PodAttempt } from './scheduling-cycle.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** Deals with failures. */
export interface FailureHandler {
  /** The pod did not get a node. With `nodeName`, it had one and could not be bound. */
  handle(attempt: PodAttempt, failure: PodFailure, nodeName?: string): void;
}

/** Deals with failures by means of these parts. */
export function failureHandler(parts: SchedulerParts): FailureHandler {
  const { queue, clock, metrics, statusWrites } = parts;
  return {
    handle: ({ queued, profile, startedAt }, failure, nodeName) => {
      const { reason, message, rejectors, pending, nominatedNodeName } = failure;
      metrics.tried(
        reason === 'Unschedulable' ? 'unschedulable' : 'error',
        profile.profile.schedulerName,
        clock.now() - startedAt,
      );
      const about = { pod: queued.pod, attempts: queued.attempts };
      if (nodeName !== undefined)
        parts.emit({ type: 'binding-failed', ...about, nodeName, error: failure.error ?? new Error(message) });
      else if (reason === 'SchedulerError') parts.emit({ type: 'failed', ...about, error: failure.error });
      else
        parts.emit({
          type: 'unschedulable',
          ...about,
          message,
          rejectors,
          ...(nominatedNodeName !== undefined && nominatedNodeName !== '' && { nominatedNodeName }),
        });

      const pod = parts.podNow(queued.pod);
      if (pod === undefined || (pod.spec?.nodeName ?? '') !== '') {
        queue.done(queued);
        return;
      }
      // While it was assumed to be on a node the queue heard nothing of it.
      if (pod !== queued.pod) queue.update(queued.pod, pod, []);
      const nominated = nominatedNodeName === undefined ? {} : { nominatedNodeName };
      if (queue.failed(queued, { rejectors, pending, ...nominated }) === 'gone') return;
      parts.note({ about: pod, type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note: message });
      statusWrites.write(pod, { condition: { type: 'PodScheduled', status: 'False', reason, message }, ...nominated });
    },
  };
}
