// One of several leads: whoever holds a Lease, for as long as it renews it. What is done next is decided in
// election-step.ts; here it is done. The state says what is under way and which countdown runs; a state that says
// otherwise lets go of both.
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
import { Outlet, isApiError } from '../core/index.js';
import type { Clock, Random } from '../core/index.js';
import type { Lease } from '../core/types/index.js';
import type { Client } from './client.js';
import { freeLease, holderOf } from './election-lease.js';
import { electionBegin, electionJitter, electionStep, mayHold } from './election-step.js';
import type {
  Countdown,
  Election,
  ElectionAction,
  ElectionEvent,
  ElectionRules,
  ElectionStep,
  Leadership,
} from './election-step.js';
import type { ResourceClient, Stored } from './resource-client.js';

/** Who stands for election, and how. Defaults are those of Kubernetes' components. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Spreads what candidates ask. A stream of the election's own. */
  readonly random: Random;
  /** The Lease that whoever leads holds. It is made where there is none. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Who this is. No two may call themselves the same. */
  readonly identity: string;
  /** For how long others leave a lease alone that nobody renews. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** For how long a leader goes on without having renewed. Less than the above, or two would lead. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** How long there is between two tries: exactly for the leader, up to 2.2 times that for others. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** Whether the lease is given back at the end, so that nobody waits for it to run out. Default false. */
  readonly releaseOnCancel?: boolean;
  /**
   * Ends it in good order when it emits: `lost` is told, the lease is given back, and the stream completes. Who
   * unsubscribes instead does not hear when the lease is given back, which takes a moment even then.
   */
  readonly stop$?: Observable<unknown>;
}

/**
 * Stands for election for as long as somebody subscribes. Cold, endless unless it is told to stop, without errors:
 * failures are values. Whoever lost waits to lead again. Throws RangeError where durations make no sense together.
 */
export function leaderElection(options: LeaderElectionOptions): Observable<Leadership> {
  const rules = completeRules(options);
  const { client, clock, random, stop$ = NEVER } = options;
  const tools: Tools = {
    leases: client.kind('coordination.k8s.io/v1', 'Lease').in(rules.lease.namespace),
    clock,
    rules,
  };
  return defer(() => {
    const events = new Outlet<ElectionEvent>();
    let step: ElectionStep = { state: electionBegin, tell: [] };
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
          partOf(shared$, 'action').pipe(switchMap((action) => perform(action, tools))),
          partOf(shared$, 'countdown').pipe(switchMap((countdown) => runOut(countdown, clock))),
        );
        return merge(
          // What a step tells comes before what it causes: nobody works when the lease is given back.
          shared$.pipe(mergeMap(({ tell }) => tell)),
          caused$.pipe(
            tap((event) => events.emit(event)),
            ignoreElements(),
          ),
        );
      }),
      finalize(() => {
        const { state } = step;
        // Nobody is left to hear how that ends. It does, within the deadline.
        if (rules.releaseOnCancel && state.state !== 'over' && mayHold(state, rules))
          void lastValueFrom(release(tools), { defaultValue: undefined });
      }),
    );
  });
}

interface Tools {
  readonly leases: ResourceClient<Lease>;
  readonly clock: Clock;
  readonly rules: ElectionRules;
}

/** A part of the state whenever it is another one. */
function partOf<K extends 'action' | 'countdown'>(steps$: Observable<ElectionStep>, part: K): Observable<Election[K]> {
  return steps$.pipe(
    map(({ state }) => state[part]),
    distinctUntilChanged(),
  );
}

function runOut(countdown: Countdown | undefined, clock: Clock): Observable<ElectionEvent> {
  return countdown === undefined ? EMPTY : clock.timer(countdown.ms).pipe(map(() => ({ type: 'ran-out' })));
}

/**
 * Does what is to be done, and tells what came of it. Unsubscribing ends the request; what it asked for may still
 * happen.
 */
function perform(action: ElectionAction, tools: Tools): Observable<ElectionEvent> {
  const { leases, clock } = tools;
  const failed = (error: unknown): Observable<ElectionEvent> => of({ type: 'failed', error });
  switch (action.do) {
    case 'nothing':
      return EMPTY;
    case 'wait':
      return clock.timer(action.ms).pipe(map(() => ({ type: 'waited' })));
    case 'read':
      return found(tools).pipe(
        map((lease): ElectionEvent => ({ type: 'read', lease })),
        catchError(failed),
      );
    case 'create':
    case 'update':
      return defer(() => {
        const askedMs = clock.now();
        return timely(({ signal }) => leases[action.do](action.lease, { signal }), tools).pipe(
          map((lease): ElectionEvent => ({ type: 'written', lease, askedMs })),
        );
      }).pipe(catchError(failed));
    case 'release':
      return release(tools);
  }
}

/** The lease as it is, if there is one. */
function found(tools: Tools): Observable<Stored<Lease> | undefined> {
  const { leases, rules } = tools;
  return timely(({ signal }) => leases.get(rules.lease.name, { signal }), tools).pipe(
    catchError((error: unknown) => {
      if (isApiError(error, 'NotFound')) return of(undefined);
      throw error;
    }),
  );
}

/** Gives the lease back, if it is still there to give. A renewal that was let go may yet arrive, and is waited out. */
function release(tools: Tools): Observable<ElectionEvent> {
  const { leases, clock, rules } = tools;
  const given$ = found(tools).pipe(
    mergeMap((lease) =>
      lease === undefined || holderOf(lease) !== rules.identity
        ? EMPTY
        : timely(({ signal }) => leases.update(freeLease(lease, clock.now()), { signal }), tools),
    ),
    retry({ count: releasesMax, delay: (error: unknown) => (isApiError(error, 'Conflict') ? of(true) : EMPTY) }),
    catchError(() => EMPTY), // it runs out by itself
    ignoreElements(),
    takeUntil(clock.timer(rules.renewDeadlineMs)),
  );
  return concat(given$, of<ElectionEvent>({ type: 'released' }));
}

const releasesMax = 5;

/** A request that has to be answered while there is time for another one. As kube-scheduler. */
function timely<T>(
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
    clock.timer(limitMs).pipe(mergeMap(() => throwError(() => new Error(`no answer within ${limitMs} ms`)))),
  );
}

/** In Kubernetes' words. As client-go, NewLeaderElector. */
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
