// From a chosen node to a bound pod, apart from the scheduling of other pods:
//
//   preflight ─► wait at Permit ─► PreBind ─► Bind ─► PostBind
//       └──────────────┴────────────┴──────────┴─ fails ─► unreserve, forget, others hear of the room, back to the
//       queue
//
// Up to Permit a no is the plugin's, and its events bring the pod back; from there on all that fails is an error.
// As bindingCycle of pkg/scheduler/schedule_one.go.
import { firstValueFrom, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { aborted, reasonOf } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { clusterEvents } from '../queue/cluster-event.js';
import { preBindGroups, runBind, runPostBind, runPreBind } from './binding-points.js';
import type { FailureHandler } from './failure-handler.js';
import type { PermitVerdict } from './held-pods.js';
import { broken, refusedBinding, refusedNode } from './pod-failure.js';
import type { PodFailure } from './pod-failure.js';
import { runUnreserve } from './placement-points.js';
import type { PodAttempt } from './scheduling-cycle.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** A pod and its node. */
export interface BindingTask extends PodAttempt {
  readonly nodeName: string;
}

/**
 * Binds a pod. Resolves when the pod is bound or its failure is dealt with, or nobody is there any more; never rejects.
 */
export function bindingCycle(
  parts: SchedulerParts,
  failures: FailureHandler,
): (task: BindingTask, signal: AbortSignal) => Promise<void> {
  return async (task, signal) => {
    const failure = await bound(task, parts, signal).catch(broken);
    if (signal.aborted) return;
    if (failure === undefined) succeed(task, parts);
    else giveUp(task, failure, parts, failures);
  };
}

/** Nothing when the pod is bound, or why it is not. */
async function bound(task: BindingTask, parts: SchedulerParts, signal: AbortSignal): Promise<PodFailure | undefined> {
  const { cycle, profile, queued, nodeName } = task;
  const { held, statusWrites, queue } = parts;
  const { uid } = cycle.pod;
  const groups = preBindGroups(cycle, profile.plugins, nodeName);
  const isWaiting = held.isWaiting(uid);
  // Others, such as autoscalers, may want to know where the pod goes if that takes a while.
  if (groups.length > 0 || isWaiting) statusWrites.write(queued.pod, { nominatedNodeName: nodeName });
  const unpermitted = isWaiting ? await permitted(task, parts, signal) : undefined;
  if (unpermitted !== undefined) return unpermitted;
  queue.release(queued);
  const unprepared =
    groups.length > 0
      ? await held.inPreBind(uid, signal, (within) => runPreBind(cycle, groups, nodeName, within))
      : undefined;
  if (groups.length === 0) cycle.timings?.idle('PreBind', 'Success');
  if (unprepared !== undefined) return refusedBinding(unprepared);
  // What was said of the pod before must not be written after it is bound.
  if (statusWrites.isWriting(uid)) await until(statusWrites.settled(uid), signal);
  if (parts.extenders.length > 0 && (await isBoundByExtender(cycle.pod.object, nodeName, parts, signal)))
    return undefined;
  const refused = await runBind(cycle, profile.plugins, nodeName, signal);
  return refused && refusedBinding(refused);
}

async function permitted(
  { cycle }: BindingTask,
  { held, metrics, clock }: SchedulerParts,
  signal: AbortSignal,
): Promise<PodFailure | undefined> {
  const since = clock.now();
  const verdict = await until(held.verdict(cycle.pod.uid), signal);
  if (verdict === undefined) throw reasonOf(signal);
  metrics.permitWaited(verdict.type, clock.now() - since);
  return permitFailure(verdict);
}

/** The first value; undefined when the signal is aborted before. */
function until<T>(values$: Observable<T>, signal: AbortSignal): Promise<T | undefined> {
  return firstValueFrom(values$.pipe(takeUntil(aborted(signal))), { defaultValue: undefined });
}

function permitFailure(verdict: PermitVerdict): PodFailure | undefined {
  switch (verdict.type) {
    case 'allowed':
      return undefined;
    case 'rejected':
      return refusedNode(verdict.rejected);
    case 'stopped':
      return broken(new Error(`waiting on permit for pod: ${verdict.error.message}`, { cause: verdict.error }));
  }
}

/** Extenders that bind come before plugins. */
async function isBoundByExtender(
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
  parts.note({
    about: queued.pod,
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
  });
  metrics.tried('scheduled', profile.profile.schedulerName, now - startedAt);
  metrics.bound(queued, now);
  for (const error of runPostBind(cycle, profile.plugins, nodeName)) parts.emit({ type: 'background-failed', error });
  queue.done(queued);
  parts.emit({ type: 'bound', pod: queued.pod, attempts: queued.attempts, nodeName });
}

function giveUp(task: BindingTask, failure: PodFailure, parts: SchedulerParts, failures: FailureHandler): void {
  const { cache, queue } = parts;
  const { cycle, profile, queued, nodeName } = task;
  for (const error of runUnreserve(cycle, profile.plugins, nodeName)) parts.emit({ type: 'background-failed', error });
  const forgotten = cache.forget(cycle.pod.uid);
  // To others it is as if the pod had left. The pod itself is not helped by its own leaving, so a rejected one must be
  // in the queue, and left out, when that is told.
  const tell = (): void => {
    if (forgotten)
      queue.tell(clusterEvents.assignedPodDelete, queued.pod, undefined, {
        only: (pod) => pod.metadata?.uid !== cycle.pod.uid,
      });
  };
  if (failure.reason === 'SchedulerError') tell();
  failures.handle(task, failure, nodeName);
  if (failure.reason !== 'SchedulerError') tell();
}
