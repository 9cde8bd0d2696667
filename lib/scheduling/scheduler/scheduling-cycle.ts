// One attempt to find a node for one pod, from the queue to the door of binding:
//
//   popped ─► place ─► assume ─► reserve ─► permit ─► binding cycle
//               │ no node          │ no       │ no
//               ▼                  ▼          ▼
//            postFilter     unreserve, forget ──► the queue, an event and a condition
//
// All of it is done at once, unless there are extenders; nothing that goes wrong with one pod leaves this file.
// As schedulingCycle of pkg/scheduler/schedule_one.go.
import { EMPTY, catchError, defer, finalize, mergeMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { CycleMemory } from '../framework/cycle.js';
import type { Cycle } from '../framework/cycle.js';
import { isPlaced } from '../framework/placement.js';
import type { NoPlacement, Placement } from '../framework/placement.js';
import { runPostFilter } from '../framework/post-filter.js';
import { podFacts } from '../pod/pod-facts.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import { abortable } from './abortable.js';
import type { BindingTask } from './binding-cycle.js';
import type { FailureHandler } from './failure-handler.js';
import { runPermit, runReserve, runUnreserve } from './placement-points.js';
import type { PermitAnswer } from './placement-points.js';
import { broken, fitsNowhere, noNodes, refusedNode } from './pod-failure.js';
import type { PodFailure } from './pod-failure.js';
import type { ExtendedPlacer, PlacingProfile, SchedulerParts } from './scheduler-parts.js';

/** What comes of attempts. */
export interface SchedulingOutcomes {
  readonly failures: FailureHandler;
  /** Binds a pod that has its node. */
  bind(task: BindingTask): void;
}

/** Tries a pod that was popped. Answers where that takes time: subscribe, and it is over when it completes. */
export type TryPod = (queued: QueuedPod) => Observable<unknown> | undefined;

/** How pods are tried. */
export function schedulingCycle(parts: SchedulerParts, outcomes: SchedulingOutcomes): TryPod {
  const { failures } = outcomes;
  const { profiles, cache, queue, held, clock, metrics } = parts;

  const fail = (attempt: PodAttempt, failure: PodFailure): void => {
    metrics.searched(clock.now() - attempt.startedAt);
    failures.handle(attempt, failure);
  };

  /** Ends what makes a node for a pod. Pods are tried one by one, so it serves for the next unless the work goes on. */
  let stopper = new AbortController();

  /** No node does: somebody may make one, which may take time. */
  const misfit = (attempt: PodAttempt, { diagnosis }: NoPlacement): Observable<unknown> | undefined => {
    const stopping = stopper;
    const outcome = runPostFilter(attempt.cycle, attempt.profile.plugins, diagnosis, stopping.signal);
    if (!(outcome instanceof Promise)) {
      fail(attempt, fitsNowhere(diagnosis, outcome));
      return undefined;
    }
    stopper = new AbortController();
    return standingStill((signal) => {
      signal.addEventListener('abort', () => stopping.abort(signal.reason));
      return outcome;
    }).pipe(tap((later) => fail(attempt, fitsNowhere(diagnosis, later))));
  };

  const outcomeOf = (attempt: PodAttempt, outcome: Placement | NoPlacement): Observable<unknown> | undefined => {
    if (!isPlaced(outcome)) return misfit(attempt, outcome);
    const { cycle, profile, queued, startedAt } = attempt;
    metrics.searched(clock.now() - startedAt);
    const {
      node: { name: nodeName },
      evaluated,
      feasible,
    } = outcome;
    cache.assume(cycle.pod, nodeName);
    queue.assumed(queued.pod, nodeName);
    const answer = agreed(cycle, profile, nodeName);
    if ('reason' in answer) {
      giveBack(cycle, profile, nodeName);
      failures.handle(attempt, answer);
      return undefined;
    }
    parts.emit({ type: 'scheduled', pod: queued.pod, attempts: queued.attempts, nodeName, evaluated, feasible });
    if (answer.permit !== undefined && 'waitMs' in answer.permit) {
      held.hold(cycle.pod, nodeName, answer.permit.waitMs);
      parts.emit({
        type: 'waiting',
        pod: queued.pod,
        attempts: queued.attempts,
        nodeName,
        plugins: [...answer.permit.waitMs.keys()],
      });
    }
    outcomes.bind({ ...attempt, nodeName });
    return undefined;
  };

  const giveBack = (cycle: Cycle, { plugins }: PlacingProfile, nodeName: string): void => {
    for (const error of runUnreserve(cycle, plugins, nodeName)) parts.emit({ type: 'background-failed', error });
    cache.forget(cycle.pod.uid);
  };

  /** What the watches tell waits until the work is done. */
  const standingStill = <T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> =>
    defer(() => {
      const release = cache.hold();
      return abortable(work).pipe(finalize(release));
    });

  const placeWithExtenders = (attempt: PodAttempt, extended: ExtendedPlacer): Observable<unknown> =>
    standingStill((signal) => extended.place(attempt.cycle, signal)).pipe(
      mergeMap((outcome) => outcomeOf(attempt, outcome) ?? EMPTY),
      catchError((error: unknown) => {
        fail(attempt, broken(error));
        return EMPTY;
      }),
    );

  return (queued) => {
    const facts = podFacts(queued.pod);
    const profile = profiles.get(facts.schedulerName);
    if (profile === undefined || isToBeSkipped(queued, parts)) {
      queue.done(queued);
      return undefined;
    }
    const attempt: PodAttempt = {
      queued,
      profile,
      cycle: {
        pod: facts,
        cluster: cache,
        memory: new CycleMemory(),
        timings: metrics.timings.begin(facts.schedulerName),
      },
      startedAt: clock.now(),
    };
    try {
      if (cache.nodes.length === 0) fail(attempt, noNodes);
      else if (profile.extended !== undefined) return placeWithExtenders(attempt, profile.extended);
      else return outcomeOf(attempt, profile.placer.place(attempt.cycle));
    } catch (error) {
      fail(attempt, broken(error));
    }
    return undefined;
  };
}

/** A pod that is being tried. */
export interface PodAttempt {
  readonly queued: QueuedPod;
  readonly profile: PlacingProfile;
  readonly cycle: Cycle;
  readonly startedAt: number;
}

/** A pod on its way out needs no node, and one that is assumed has one. */
function isToBeSkipped({ pod, attempts }: QueuedPod, parts: SchedulerParts): boolean {
  const { terminating, uid, namespace, name } = podFacts(pod);
  if (terminating) {
    parts.note({
      about: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: `skip schedule deleting pod: ${namespace}/${name}`,
    });
    parts.emit({ type: 'skipped', pod, attempts, reason: 'deleted' });
    return true;
  }
  if (!parts.cache.isAssumed(uid)) return false;
  parts.emit({ type: 'skipped', pod, attempts, reason: 'assumed' });
  return true;
}

/** Whether all plugins agree to the node; what stands in the way, if not. */
function agreed(
  cycle: Cycle,
  { plugins }: PlacingProfile,
  nodeName: string,
): PodFailure | { readonly permit: PermitAnswer } {
  try {
    const refused = runReserve(cycle, plugins, nodeName);
    if (refused !== undefined) return refusedNode(refused);
    const permit = runPermit(cycle, plugins, nodeName);
    return permit !== undefined && 'rejected' in permit ? refusedNode(permit.rejected) : { permit };
  } catch (error) {
    return broken(error);
  }
}
