// The scheduling cycle of one pod, from the queue to the start of the binding cycle:
//
//   pop ─► place ─► assume ─► reserve ─► permit ─► binding cycle
//            │ no node          │ rejected │ rejected
//            ▼                  ▼          ▼
//         postFilter     unreserve, forget ──► requeue, Event, condition
//
// It is synchronous unless there are extenders or an asynchronous PostFilter. Errors of one pod are handled here and do
// not reach other pods. As schedulingCycle of pkg/scheduler/schedule_one.go.
import { EMPTY, catchError, defer, finalize, mergeMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { CycleState } from '../framework/cycle-state.js';
import type { Cycle } from '../framework/cycle-state.js';
import { isPlaced } from '../framework/placement.js';
import type { NoPlacement, Placement } from '../framework/placement.js';
import { runPostFilter } from '../framework/post-filter.js';
import { podFacts } from '../pod/pod-facts.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import { abortable } from './abortable.js';
import type { BindingTask } from './binding-cycle.js';
import type { FailureHandler } from './failure-handler.js';
import { runPermit, runReserve, runUnreserve } from './reserve-and-permit.js';
import type { PermitDecision } from './reserve-and-permit.js';
import { schedulerError, noFeasibleNode, noNodes, nodeRejected } from './pod-failure.js';
import type { PodFailure } from './pod-failure.js';
import type { ExtenderPlacer, PlacingProfile, SchedulerParts } from './scheduler-parts.js';

/** The consumers of attempts. */
export interface SchedulingOutcomes {
  readonly failures: FailureHandler;
  /** Starts the binding cycle of a pod. */
  bind(task: BindingTask): void;
}

/**
 * Runs the scheduling cycle of a popped pod. Returns an observable if the cycle is asynchronous: it is over when that
 * completes.
 */
export type SchedulePod = (queued: QueuedPod) => Observable<unknown> | undefined;

/** Creates the scheduling cycle. */
export function schedulingCycle(parts: SchedulerParts, outcomes: SchedulingOutcomes): SchedulePod {
  const { failures } = outcomes;
  const { profiles, cache, queue, waitingPods, clock, metrics } = parts;

  const fail = (attempt: PodAttempt, failure: PodFailure): void => {
    metrics.recordSearch(clock.now() - attempt.startedAt);
    failures.handle(attempt, failure);
  };

  /**
   * Aborts PostFilter. Pods are scheduled one at a time, so one controller is reused until its PostFilter becomes
   * asynchronous.
   */
  let postFilterAbort = new AbortController();

  /** No node is feasible: runs PostFilter, which may be asynchronous. */
  const handleNoPlacement = (attempt: PodAttempt, { diagnosis }: NoPlacement): Observable<unknown> | undefined => {
    const stopping = postFilterAbort;
    const outcome = runPostFilter(attempt.cycle, attempt.profile.plugins, diagnosis, stopping.signal);
    if (!(outcome instanceof Promise)) {
      fail(attempt, noFeasibleNode(diagnosis, outcome));
      return undefined;
    }
    postFilterAbort = new AbortController();
    return withFrozenCluster((signal) => {
      signal.addEventListener('abort', () => stopping.abort(signal.reason));
      return outcome;
    }).pipe(tap((later) => fail(attempt, noFeasibleNode(diagnosis, later))));
  };

  const handleOutcome = (attempt: PodAttempt, outcome: Placement | NoPlacement): Observable<unknown> | undefined => {
    if (!isPlaced(outcome)) return handleNoPlacement(attempt, outcome);
    const { cycle, profile, queued, startedAt } = attempt;
    metrics.recordSearch(clock.now() - startedAt);
    const {
      node: { name: nodeName },
      evaluated,
      feasible,
    } = outcome;
    cache.assume(cycle.pod, nodeName);
    queue.removeNomination(queued.pod, nodeName);
    const answer = reserveAndPermit(cycle, profile, nodeName);
    if ('reason' in answer) {
      unreserve(cycle, profile, nodeName);
      failures.handle(attempt, answer);
      return undefined;
    }
    parts.emit({ type: 'scheduled', pod: queued.pod, attempts: queued.attempts, nodeName, evaluated, feasible });
    if (answer.permit !== undefined && 'waitMs' in answer.permit) {
      waitingPods.add(cycle.pod, nodeName, answer.permit.waitMs);
      parts.emit({
        type: 'waiting',
        pod: queued.pod,
        attempts: queued.attempts,
        nodeName,
        plugins: [...answer.permit.waitMs.keys()],
      });
    }
    outcomes.bind({ nodeName, ...attempt });
    return undefined;
  };

  const unreserve = (cycle: Cycle, { plugins }: PlacingProfile, nodeName: string): void => {
    for (const error of runUnreserve(cycle, plugins, nodeName)) parts.emit({ type: 'background-failed', error });
    cache.forget(cycle.pod.uid);
  };

  /** Buffers watch events until the work is done, so that the cluster snapshot does not change. */
  const withFrozenCluster = <T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> =>
    defer(() => {
      const release = cache.hold();
      return abortable(work).pipe(finalize(release));
    });

  const placeWithExtenders = (attempt: PodAttempt, extended: ExtenderPlacer): Observable<unknown> =>
    withFrozenCluster((signal) => extended.place(attempt.cycle, signal)).pipe(
      mergeMap((outcome) => handleOutcome(attempt, outcome) ?? EMPTY),
      catchError((error: unknown) => {
        fail(attempt, schedulerError(error));
        return EMPTY;
      }),
    );

  return (queued) => {
    const facts = podFacts(queued.pod);
    const profile = profiles.get(facts.schedulerName);
    if (profile === undefined || skipIfNeeded(queued, parts)) {
      queue.done(queued);
      return undefined;
    }
    const attempt: PodAttempt = {
      queued,
      profile,
      cycle: {
        pod: facts,
        cluster: cache,
        state: new CycleState(),
        timings: metrics.timings.begin(facts.schedulerName),
      },
      startedAt: clock.now(),
    };
    try {
      if (cache.nodes.length === 0) fail(attempt, noNodes);
      else if (profile.extenderPlacer !== undefined) return placeWithExtenders(attempt, profile.extenderPlacer);
      else return handleOutcome(attempt, profile.placer.place(attempt.cycle));
    } catch (error) {
      fail(attempt, schedulerError(error));
    }
    return undefined;
  };
}

/** A pod in its scheduling or binding cycle. */
export interface PodAttempt {
  readonly queued: QueuedPod;
  readonly profile: PlacingProfile;
  readonly cycle: Cycle;
  readonly startedAt: number;
}

/** Skips a terminating pod, and one that is already assumed on a node. */
function skipIfNeeded({ pod, attempts }: QueuedPod, parts: SchedulerParts): boolean {
  const { terminating, uid, namespace, name } = podFacts(pod);
  if (terminating) {
    parts.recordEvent({
      regarding: pod,
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

/** Runs Reserve and Permit. Returns the failure if a plugin rejects the node. */
function reserveAndPermit(
  cycle: Cycle,
  { plugins }: PlacingProfile,
  nodeName: string,
): PodFailure | { readonly permit: PermitDecision } {
  try {
    const refused = runReserve(cycle, plugins, nodeName);
    if (refused !== undefined) return nodeRejected(refused);
    const permit = runPermit(cycle, plugins, nodeName);
    return permit !== undefined && 'rejected' in permit ? nodeRejected(permit.rejected) : { permit };
  } catch (error) {
    return schedulerError(error);
  }
}
