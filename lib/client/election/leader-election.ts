// Leader election: the candidate that holds a Lease leads, for as long as it renews it. election-step.ts decides what
// is done next; this file does it. The state names the action in progress and the countdown; replacing either cancels
// it.
import {
  EMPTY,
  NEVER,
  catchError,
  concat,
  connect,
  defer,
  distinctUntilChanged,
  finalize,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  of,
  race,
  retry,
  scan,
  startWith,
  switchMap,
  takeUntil,
  takeWhile,
  tap,
  throwError,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, isApiError } from '../../core/index.js';
import type { Clock, Random } from '../../core/index.js';
import type { Lease } from '../../core/types/index.js';
import type { Client } from '../client.js';
import { electionLock } from './election-lock.js';
import type { ElectionLock, ResourceLock } from './election-lock.js';
import { releasedLease, holderOf } from './election-lease.js';
import { initialElection, electionJitter, electionStep, mayHold } from './election-step.js';
import type {
  Countdown,
  Election,
  ElectionAction,
  ElectionEvent,
  ElectionRules,
  ElectionStep,
  Leadership,
} from './election-step.js';
import type { Stored } from '../resources/resource-client.js';

/** Options of an election. Defaults are those of Kubernetes' components. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Jitter of retries. A stream of the election's own. */
  readonly random: Random;
  /** The Lease that the leader holds. Created if it does not exist. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /**
   * The kind of the object: `leases`, or, for candidates of before Kubernetes v1.20, an annotation of `configmaps` or
   * `endpoints`. Default `leases`.
   */
  readonly resourceLock?: ResourceLock;
  /** The identity of this candidate. Must be unique. */
  readonly identity: string;
  /** The time after which other candidates may take a lease that was not renewed. Default 15 s. */
  readonly leaseDurationMs?: number;
  /**
   * The time after which a leader that could not renew stops leading. Less than `leaseDurationMs`, or two could lead.
   * Default 10 s.
   */
  readonly renewDeadlineMs?: number;
  /** The time between two tries: exact for the leader, up to 2.2 times as long for candidates. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** Whether the lease is released at the end, so that others need not wait for it to expire. Default false. */
  readonly releaseOnCancel?: boolean;
  /**
   * Stops the election when it emits: emits `lost`, releases the lease and completes. Unsubscribing also releases the
   * lease, but the caller cannot observe when that is done.
   */
  readonly stop$?: Observable<unknown>;
}

/**
 * Takes part in an election while subscribed. Cold; completes only after `stop$`; never errors: failures are values. A
 * candidate that lost the lease continues and may lead again. Throws RangeError if the durations contradict each other.
 */
export function leaderElection(options: LeaderElectionOptions): Observable<Leadership> {
  const rules = completeRules(options);
  const { client, clock, random, resourceLock = 'leases', stop$ = NEVER } = options;
  const tools: Tools = {
    leases: electionLock(client, rules.lease.namespace, resourceLock),
    clock,
    rules,
  };
  return defer(() => {
    const events = new Outlet<ElectionEvent>();
    let step: ElectionStep = { state: initialElection, emitted: [] };
    const stopping$ = stop$.pipe(
      tap(() => events.emit({ type: 'stop' })),
      ignoreElements(),
    );
    const steps$ = merge(events.values$, stopping$).pipe(
      scan((was, event) => electionStep(was.state, event, rules, { nowMs: clock.now(), chance: random.next() }), step),
      startWith(step),
      tap((next) => (step = next)),
      takeWhile(({ state }) => state.state !== 'over', true),
    );
    return steps$.pipe(
      connect((shared$) => {
        const caused$ = merge(
          changesOf(shared$, 'action').pipe(switchMap((action) => perform(action, tools))),
          changesOf(shared$, 'countdown').pipe(switchMap((countdown) => countdownEvents(countdown, clock))),
        );
        return merge(
          // Emissions of a step come before its action: work has stopped when the lease is released.
          shared$.pipe(mergeMap(({ emitted }) => emitted)),
          caused$.pipe(
            tap((event) => events.emit(event)),
            ignoreElements(),
          ),
        );
      }),
      finalize(() => {
        const { state } = step;
        // There is no subscriber any more. The release ends within the deadline.
        if (rules.releaseOnCancel && state.state !== 'over' && mayHold(state, rules))
          void lastValueFrom(release(tools), { defaultValue: undefined });
      }),
    );
  });
}

interface Tools {
  readonly leases: ElectionLock;
  readonly clock: Clock;
  readonly rules: ElectionRules;
}

/** Emits a member of the state whenever it changes. */
function changesOf<K extends 'action' | 'countdown'>(
  steps$: Observable<ElectionStep>,
  part: K,
): Observable<Election[K]> {
  return steps$.pipe(
    map(({ state }) => state[part]),
    distinctUntilChanged(),
  );
}

function countdownEvents(countdown: Countdown | undefined, clock: Clock): Observable<ElectionEvent> {
  return countdown === undefined ? EMPTY : clock.timer(countdown.ms).pipe(map(() => ({ type: 'ran-out' })));
}

/** Performs an action and emits its result. Unsubscribing aborts the request; the server may still carry it out. */
function perform(action: ElectionAction, tools: Tools): Observable<ElectionEvent> {
  const { leases, clock } = tools;
  const failed = (error: unknown): Observable<ElectionEvent> => of({ type: 'failed', error });
  switch (action.do) {
    case 'nothing':
      return EMPTY;
    case 'wait':
      return clock.timer(action.ms).pipe(map(() => ({ type: 'waited' })));
    case 'read':
      return readLease(tools).pipe(
        map((lease): ElectionEvent => ({ type: 'read', lease })),
        catchError(failed),
      );
    case 'create':
    case 'update':
      return defer(() => {
        const requestedAtMs = clock.now();
        return withDeadline(({ signal }) => leases[action.do](action.lease, { signal }), tools).pipe(
          map((lease): ElectionEvent => ({ type: 'written', lease, requestedAtMs })),
        );
      }).pipe(catchError(failed));
    case 'release':
      return release(tools);
  }
}

/** Reads the lease; undefined if it does not exist. */
function readLease(tools: Tools): Observable<Stored<Lease> | undefined> {
  const { leases, rules } = tools;
  return withDeadline(({ signal }) => leases.get(rules.lease.name, { signal }), tools).pipe(
    catchError((error: unknown) => {
      if (isApiError(error, 'NotFound')) return of(undefined);
      throw error;
    }),
  );
}

/** Releases the lease if this candidate holds it. Waits for a renewal that was aborted but may still arrive. */
function release(tools: Tools): Observable<ElectionEvent> {
  const { leases, clock, rules } = tools;
  const given$ = readLease(tools).pipe(
    mergeMap((lease) =>
      lease === undefined || holderOf(lease) !== rules.identity
        ? EMPTY
        : withDeadline(({ signal }) => leases.update(releasedLease(lease, clock.now()), { signal }), tools),
    ),
    retry({ count: releasesMax, delay: (error: unknown) => (isApiError(error, 'Conflict') ? of(true) : EMPTY) }),
    catchError(() => EMPTY), // the lease expires by itself
    ignoreElements(),
    takeUntil(clock.timer(rules.renewDeadlineMs)),
  );
  return concat(given$, of<ElectionEvent>({ type: 'released' }));
}

const releasesMax = 5;

/** Limits a request to half the renew deadline, so that there is time for another one. As kube-scheduler. */
function withDeadline<T>(
  make: (options: { readonly signal: AbortSignal }) => Promise<T>,
  { clock, rules }: Tools,
): Observable<T> {
  const limitMs = rules.renewDeadlineMs / 2;
  const answer$ = defer(() => {
    const aborter = new AbortController();
    return from(make({ signal: aborter.signal })).pipe(finalize(() => aborter.abort()));
  });
  return race(
    answer$,
    clock.timer(limitMs).pipe(mergeMap(() => throwError(() => new Error(`no response within ${limitMs} ms`)))),
  );
}

/** Validates the durations, with the messages of client-go, NewLeaderElector. */
function completeRules({
  lease,
  identity,
  leaseDurationMs = 15_000,
  renewDeadlineMs = 10_000,
  retryPeriodMs = 2_000,
  releaseOnCancel = false,
}: LeaderElectionOptions): ElectionRules {
  const must = (holds: boolean, text: string): void => {
    if (!holds) throw new RangeError(text);
  };
  must(leaseDurationMs > renewDeadlineMs, 'leaseDuration must be greater than renewDeadline');
  must(renewDeadlineMs > electionJitter * retryPeriodMs, 'renewDeadline must be greater than retryPeriod*JitterFactor');
  must(leaseDurationMs >= 1, 'leaseDuration must be greater than zero');
  must(renewDeadlineMs >= 1, 'renewDeadline must be greater than zero');
  must(retryPeriodMs >= 1, 'retryPeriod must be greater than zero');
  must(identity !== '', 'Lock identity is empty');
  return { lease, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, releaseOnCancel };
}
