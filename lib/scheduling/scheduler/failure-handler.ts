// Handles a pod that was not scheduled: requeues it, records an Event and writes its PodScheduled condition. A pod that
// was deleted, replaced or bound in the meantime is only removed from the queue. As handleSchedulingFailure of
// pkg/scheduler/schedule_one.go.
import type { PodFailure } from './pod-failure.js';
import type { PodAttempt } from './scheduling-cycle.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** Handles failed attempts. */
export interface FailureHandler {
  /** Handles the failure of a pod. `nodeName` is given if the binding to that node failed. */
  handle(attempt: PodAttempt, failure: PodFailure, nodeName?: string): void;
}

/** Creates the handler. */
export function failureHandler(parts: SchedulerParts): FailureHandler {
  const { queue, clock, metrics, statusWriter } = parts;
  return {
    handle: ({ queued, profile, startedAt }, failure, nodeName) => {
      const { reason, message, rejectors, pending, nominatedNodeName } = failure;
      metrics.recordAttempt(
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

      const pod = parts.currentPod(queued.pod);
      if (pod === undefined || (pod.spec?.nodeName ?? '') !== '') {
        queue.done(queued);
        return;
      }
      // While the pod was assumed the queue received no updates of it.
      if (pod !== queued.pod) queue.update(queued.pod, pod, []);
      const nominated = nominatedNodeName === undefined ? {} : { nominatedNodeName };
      if (queue.requeueFailed(queued, { rejectors, pending, ...nominated }) === 'gone') return;
      parts.recordEvent({
        regarding: pod,
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: message,
      });
      statusWriter.write(pod, { condition: { type: 'PodScheduled', status: 'False', reason, message }, ...nominated });
    },
  };
}
