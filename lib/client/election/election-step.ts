// The state machine of leader election: a state, and one pure step. leader-election.ts drives it.
//
//   candidate ── read: held by another ─────────────► candidate, waits; the countdown is the rest of the lease
//             ── read: no holder, expired, own ─────► candidate, updates
//             ── read: no lease ────────────────────► candidate, creates
//             ── countdown ran out ─────────────────► candidate, reads at once
//             ── written in time ───────────────────► leading; the countdown is the renew deadline
//   leading   ── waited ────────────────────────────► leading, updates the last known lease
//             ── written ───────────────────────────► leading, waits; new countdown
//             ── read: held by another ─────────────► candidate: lost, taken
//             ── countdown ran out ─────────────────► candidate: lost, expired
//   both      ── another write came first ──────────► the same, reads; waits if it had just read
//             ── a request failed ──────────────────► the same, waits
//             ── stop ──────────────────────────────► stopping, releases the lease if it may hold it ─► over
//
// At most one candidate leads, however long requests take and whichever are lost. A leader counts from before it sent
// its write; others count from after they read the result, and for longer: `leaseDurationMs` exceeds `renewDeadlineMs`.
// Times in the lease are informative; clocks of different machines are never compared. Countdowns are timers, which
// corrections of the wall clock do not move. As client-go/tools/leaderelection/leaderelection.go, which counts from the
// response and adds a retry.
import { isApiError } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Lease } from '../../core/types/index.js';
import { leaseDurationOf, acquiredLease, holderOf, newLease, isUnrenewed } from './election-lease.js';
import type { Candidacy } from './election-lease.js';
import type { Stored } from '../resources/resource-client.js';

/** A state change of a candidate, or a failure. */
export type Leadership =
  /** Another leader was observed; it may be this candidate. */
  | { readonly type: 'leader'; readonly identity: string }
  /** This candidate leads from now on. */
  | { readonly type: 'leading' }
  /**
   * This candidate no longer leads: the renewal deadline passed, another candidate took the lease, or it was stopped.
   */
  | { readonly type: 'lost'; readonly reason: 'expired' | 'taken' | 'stopped' }
  /** A request failed, and is retried. */
  | { readonly type: 'election-failed'; readonly error: unknown; readonly retryInMs: number };

/** The complete settings of a candidate. */
export interface ElectionRules extends Candidacy {
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly releaseOnCancel: boolean;
}

/** The action in progress. A new action cancels the previous one. */
export type ElectionAction =
  | { readonly do: 'read' | 'release' | 'nothing' }
  /** `isFresh`: the lease was read immediately before. */
  | { readonly do: 'create' | 'update'; readonly lease: Frozen<Lease>; readonly isFresh: boolean }
  | { readonly do: 'wait'; readonly ms: number };

/** A timer that runs while the state contains this object. */
export interface Countdown {
  readonly ms: number;
}

/** The observed lease and the action in progress. */
interface ElectionView {
  /** The lease as last read or written. */
  readonly lease: Stored<Lease> | undefined;
  /** The last leader that was emitted. */
  readonly leader: string;
  readonly action: ElectionAction;
  readonly countdown: Countdown | undefined;
}

interface Candidate extends ElectionView {
  readonly state: 'candidate';
  /** Whether another holder has not renewed the lease for its whole duration. */
  readonly isExpired: boolean;
}

interface Leader extends ElectionView {
  readonly state: 'leading';
  /** The wall time at which the last successful write was sent. */
  readonly requestedAtMs: number;
}

interface Stopping extends ElectionView {
  readonly state: 'stopping';
}

interface Over extends ElectionView {
  readonly state: 'over';
}

/** The state of an election. */
export type Election = Candidate | Leader | Stopping | Over;

/** An event of the state machine. */
export type ElectionEvent =
  | { readonly type: 'read'; readonly lease: Stored<Lease> | undefined }
  | { readonly type: 'written'; readonly lease: Stored<Lease>; readonly requestedAtMs: number }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'waited' | 'ran-out' | 'stop' | 'released' };

/** The wall time of a step, and a random number from 0 to 1. */
export interface StepMoment {
  readonly nowMs: number;
  readonly chance: number;
}

/** The result of a step: the next state, and what is emitted. */
export interface ElectionStep {
  readonly state: Election;
  readonly emitted: readonly Leadership[];
}

/** The factor by which candidates prolong their wait at most, so that they do not all request at once. As client-go. */
export const electionJitter = 1.2;

/** The initial state: reads the lease. */
export const initialElection: Election = {
  state: 'candidate',
  isExpired: false,
  lease: undefined,
  leader: '',
  action: { do: 'read' },
  countdown: undefined,
};

/** Returns the next state. */
export function electionStep(was: Election, event: ElectionEvent, rules: ElectionRules, at: StepMoment): ElectionStep {
  if (was.state === 'over') return { state: was, emitted: [] };
  if (was.state === 'stopping')
    return event.type === 'released'
      ? { state: { ...was, state: 'over', action: nothing }, emitted: [] }
      : { state: was, emitted: [] };
  switch (event.type) {
    case 'read':
      return afterRead(was, event.lease, rules, at);
    case 'written':
      return afterWrite(was, event.lease, event.requestedAtMs, rules, at);
    case 'failed':
      return afterFailure(was, event.error, rules, at);
    case 'waited':
      if (was.state === 'candidate') return { state: { ...was, action: reading }, emitted: [] };
      // Timers stop while a machine sleeps; its wall clock does not.
      if (was.lease === undefined || at.nowMs - was.requestedAtMs >= rules.renewDeadlineMs)
        return lose(was, 'expired', reading);
      return {
        state: { ...was, action: { do: 'update', lease: acquiredLease(was.lease, rules, at.nowMs), isFresh: false } },
        emitted: [],
      };
    case 'ran-out':
      if (was.state === 'leading') return lose(was, 'expired', reading);
      return {
        state: {
          ...was,
          isExpired: true,
          countdown: undefined,
          action: was.action.do === 'wait' ? reading : was.action,
        },
        emitted: [],
      };
    case 'stop':
      return stop(was, rules);
    case 'released':
      return { state: was, emitted: [] };
  }
}

/** Returns whether the candidate may hold the lease: it did when last read, or a write is in progress. */
export function mayHold({ lease, action }: Election, { identity }: Candidacy): boolean {
  return action.do === 'create' || action.do === 'update' || (lease !== undefined && holderOf(lease) === identity);
}

const reading: ElectionAction = { do: 'read' };
const nothing: ElectionAction = { do: 'nothing' };

function afterRead(
  was: Candidate | Leader,
  lease: Stored<Lease> | undefined,
  rules: ElectionRules,
  at: StepMoment,
): ElectionStep {
  const holder = lease === undefined ? '' : holderOf(lease);
  const { state, emitted }: ElectionStep =
    was.state === 'leading' && holder !== rules.identity ? lose(was, 'taken', nothing) : { state: was, emitted: [] };
  if (lease === undefined)
    return {
      state: { ...state, lease, action: { do: 'create', lease: newLease(rules, at.nowMs), isFresh: true } },
      emitted,
    };
  const isSame = was.lease !== undefined && isUnrenewed(lease, was.lease);
  const isFree =
    holder === '' ||
    holder === rules.identity ||
    leaseDurationOf(lease) === 0 ||
    (isSame && was.state === 'candidate' && was.isExpired);
  const leader = holder === '' ? was.leader : holder;
  const changes = leader === was.leader ? emitted : [...emitted, { type: 'leader', identity: leader } as const];
  if (isFree)
    return {
      state: {
        ...state,
        lease,
        leader,
        action: { do: 'update', lease: acquiredLease(lease, rules, at.nowMs), isFresh: true },
      },
      emitted: changes,
    };
  const countdown = isSame ? state.countdown : { ms: leaseDurationOf(lease) };
  return {
    state: { ...state, state: 'candidate', isExpired: false, lease, leader, countdown, action: wait(state, rules, at) },
    emitted: changes,
  };
}

function afterWrite(
  was: Candidate | Leader,
  lease: Stored<Lease>,
  requestedAtMs: number,
  rules: ElectionRules,
  at: StepMoment,
): ElectionStep {
  const leftMs = rules.renewDeadlineMs - Math.max(0, at.nowMs - requestedAtMs);
  const { identity } = rules;
  if (holderOf(lease) !== identity) return afterRead(was, lease, rules, at); // an admission plugin changed the holder
  if (leftMs <= 0)
    return was.state === 'leading'
      ? lose({ ...was, lease }, 'expired', reading)
      : { state: { ...was, lease, action: reading }, emitted: [] };
  const state: Election = {
    state: 'leading',
    requestedAtMs,
    lease,
    leader: identity,
    countdown: { ms: leftMs },
    action: { do: 'wait', ms: rules.retryPeriodMs },
  };
  const emitted: readonly Leadership[] = [
    ...(was.leader === identity ? [] : [{ type: 'leader', identity } as const]),
    ...(was.state === 'leading' ? [] : [{ type: 'leading' } as const]),
  ];
  return { state, emitted };
}

function afterFailure(was: Candidate | Leader, error: unknown, rules: ElectionRules, at: StepMoment): ElectionStep {
  const { action } = was;
  const waiting = wait(was, rules, at);
  if ((action.do === 'create' || action.do === 'update') && isLostRace(action.do, error))
    return { state: { ...was, action: action.isFresh ? waiting : reading }, emitted: [] };
  return { state: { ...was, action: waiting }, emitted: [{ type: 'election-failed', error, retryInMs: waiting.ms }] };
}

/** Returns whether another client wrote, created or deleted the lease first. */
function isLostRace(verb: 'create' | 'update', error: unknown): boolean {
  return verb === 'create'
    ? isApiError(error, 'AlreadyExists')
    : isApiError(error, 'Conflict') || isApiError(error, 'NotFound');
}

function stop(was: Candidate | Leader, rules: ElectionRules): ElectionStep {
  const { state, emitted } = was.state === 'leading' ? lose(was, 'stopped', was.action) : { state: was, emitted: [] };
  const releases = rules.releaseOnCancel && mayHold(was, rules);
  return {
    state: {
      ...state,
      state: releases ? 'stopping' : 'over',
      action: releases ? { do: 'release' } : nothing,
      countdown: undefined,
    },
    emitted,
  };
}

function lose(
  was: Candidate | Leader,
  reason: 'expired' | 'taken' | 'stopped',
  action: ElectionAction,
): ElectionStep & { readonly state: Candidate } {
  return {
    state: { ...was, state: 'candidate', isExpired: false, countdown: undefined, action },
    emitted: [{ type: 'lost', reason }],
  };
}

/** Leaders retry after exactly the period; candidates add jitter. */
function wait(
  { state }: Election,
  { retryPeriodMs }: ElectionRules,
  { chance }: StepMoment,
): ElectionAction & { readonly do: 'wait' } {
  return {
    do: 'wait',
    ms: Math.ceil(state === 'leading' ? retryPeriodMs : retryPeriodMs * (1 + electionJitter * chance)),
  };
}
