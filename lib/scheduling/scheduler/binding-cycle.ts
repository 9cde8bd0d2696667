// The binding cycle of one pod, concurrent with the scheduling of other pods:
//
//   preflight ─► wait at Permit ─► PreBind ─► Bind ─► PostBind
//       └──────────────┴────────────┴──────────┴─ fails ─► unreserve, forget, requeue; other pods may use the capacity
//
// Up to Permit a rejection is attributed to its plugin, whose events requeue the pod; a later failure is an error. As
// bindingCycle of pkg/scheduler/schedule_one.go.
import { firstValueFrom, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { aborted, reasonOf } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { clusterEvents } from '../queue/cluster-event.js';
import { preBindGroups, runBind, runPostBind, runPreBind } from './binding-points.js';
import type { FailureHandler } from './failure-handler.js';
import type { PermitResult } from './waiting-pods.js';
import { schedulerError, bindRejected, nodeRejected } from './pod-failure.js';
import type { PodFailure } from './pod-failure.js';
import { runUnreserve } from './reserve-and-permit.js';
import type { PodAttempt } from './scheduling-cycle.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** A pod and its chosen node. */
export interface BindingTask extends PodAttempt {
  readonly nodeName: string;
}

/**
 * Creates the binding cycle. It resolves when the pod is bound, its failure is handled or the signal aborts; it never
 * rejects.
 */
export function bindingCycle(
  parts: SchedulerParts,
  failures: FailureHandler,
): (task: BindingTask, signal: AbortSignal) => Promise<void> {
  return async (task, signal) => {
    const failure = await bindPod(task, parts, signal).catch(schedulerError);
    if (signal.aborted) return;
    if (failure === undefined) succeed(task, parts);
    else handleFailure(task, failure, parts, failures);
  };
}

/** Binds the pod. Returns undefined if it is bound, else the failure. */
async function bindPod(task: BindingTask, parts: SchedulerParts, signal: AbortSignal): Promise<PodFailure | undefined> {
  const { cycle, profile, queued, nodeName } = task;
  const { waitingPods, statusWriter, queue } = parts;
  const { uid } = cycle.pod;
  const groups = preBindGroups(cycle, profile.plugins, nodeName);
  const isWaiting = waitingPods.isWaiting(uid);
  // Publishes the node before a long wait, for autoscalers and others.
  if (groups.length > 0 || isWaiting) statusWriter.write(queued.pod, { nominatedNodeName: nodeName });
  const unpermitted = isWaiting ? await waitForPermit(task, parts, signal) : undefined;
  if (unpermitted !== undefined) return unpermitted;
  queue.release(queued);
  const unprepared =
    groups.length > 0
      ? await waitingPods.runPreBind(uid, signal, (within) => runPreBind(cycle, groups, nodeName, within))
      : undefined;
  if (groups.length === 0) cycle.timings?.recordSkippedPoint('PreBind', 'Success');
  if (unprepared !== undefined) return bindRejected(unprepared);
  // Earlier status writes must not arrive after the binding.
  if (statusWriter.isWriting(uid)) await firstBeforeAbort(statusWriter.settled(uid), signal);
  if (parts.extenders.length > 0 && (await bindWithExtender(cycle.pod.object, nodeName, parts, signal)))
    return undefined;
  const refused = await runBind(cycle, profile.plugins, nodeName, signal);
  return refused && bindRejected(refused);
}

async function waitForPermit(
  { cycle }: BindingTask,
  { waitingPods, metrics, clock }: SchedulerParts,
  signal: AbortSignal,
): Promise<PodFailure | undefined> {
  const since = clock.now();
  const verdict = await firstBeforeAbort(waitingPods.result(cycle.pod.uid), signal);
  if (verdict === undefined) throw reasonOf(signal);
  metrics.recordPermitWait(verdict.type, clock.now() - since);
  return permitFailure(verdict);
}

/** Returns the first value, or undefined if the signal aborts before. */
function firstBeforeAbort<T>(values$: Observable<T>, signal: AbortSignal): Promise<T | undefined> {
  return firstValueFrom(values$.pipe(takeUntil(aborted(signal))), { defaultValue: undefined });
}

function permitFailure(verdict: PermitResult): PodFailure | undefined {
  switch (verdict.type) {
    case 'allowed':
      return undefined;
    case 'rejected':
      return nodeRejected(verdict.rejected);
    case 'stopped':
      return schedulerError(new Error(`waiting on permit for pod: ${verdict.error.message}`, { cause: verdict.error }));
  }
}

/** Tries extenders that bind before plugins. Returns whether one bound the pod. */
async function bindWithExtender(
  pod: Frozen<Pod>,
  nodeName: string,
  parts: SchedulerParts,
  signal: AbortSignal,
): Promise<boolean> {
  for (const extender of parts.extenders) {
    if (!extender.binds || !extender.isInterested(pod)) continue;
    try {
      await extender.bind(pod, nodeName, signal);
      return true;
    } catch (error) {
      if (!extender.ignorable) throw error;
      parts.emit({ type: 'extender-failed', extender: extender.url, error });
    }
  }
  return false;
}

function succeed({ queued, profile, cycle, nodeName, startedAt }: BindingTask, parts: SchedulerParts): void {
  const { queue, metrics } = parts;
  const { namespace, name } = cycle.pod;
  const now = parts.clock.now();
  parts.recordEvent({
    regarding: queued.pod,
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
  });
  metrics.recordAttempt('scheduled', profile.profile.schedulerName, now - startedAt);
  metrics.recordBound(queued, now);
  for (const error of runPostBind(cycle, profile.plugins, nodeName)) parts.emit({ type: 'background-failed', error });
  queue.done(queued);
  parts.emit({ type: 'bound', pod: queued.pod, attempts: queued.attempts, nodeName });
}

function handleFailure(task: BindingTask, failure: PodFailure, parts: SchedulerParts, failures: FailureHandler): void {
  const { cache, queue } = parts;
  const { cycle, profile, queued, nodeName } = task;
  for (const error of runUnreserve(cycle, profile.plugins, nodeName)) parts.emit({ type: 'background-failed', error });
  const forgotten = cache.forget(cycle.pod.uid);
  // For other pods this is the deletion of an assigned pod. It must not requeue this pod itself, so a rejected pod is
  // back in the queue, and excluded, before the event is sent.
  const tell = (): void => {
    if (forgotten)
      queue.moveOnEvent(clusterEvents.assignedPodDelete, queued.pod, undefined, {
        only: (pod) => pod.metadata?.uid !== cycle.pod.uid,
      });
  };
  if (failure.reason === 'SchedulerError') tell();
  failures.handle(task, failure, nodeName);
  if (failure.reason !== 'SchedulerError') tell();
}
