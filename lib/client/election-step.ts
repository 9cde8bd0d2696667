// What a candidate does next: a state, and one pure step. The driver is leader-election.ts.
//
//   candidate ── read: somebody else's ─────────────► candidate, waits; the countdown says when it will be over
//             ── read: nobody's, over, its own ─────► candidate, writes
//             ── read: none ────────────────────────► candidate, creates
//             ── the countdown ran out ─────────────► candidate, reads at once
//             ── written in good time ──────────────► leading; the countdown says when to stop
//   leading   ── waited ────────────────────────────► leading, writes what it remembers
//             ── written ───────────────────────────► leading, waits; a new countdown
//             ── read: not its own ─────────────────► candidate: lost, taken
//             ── the countdown ran out ─────────────► candidate: lost, expired
//   both      ── a write came too late ─────────────► the same, reads; waits where it had just read
//             ── a request failed ──────────────────► the same, waits
//             ── stop ──────────────────────────────► stopping, gives the lease back if it may be its own ─► over
//
// Only one leads, however long requests take and whichever of them get lost. A leader counts from before it asked to
// write, and others from after they saw what was written, and longer: `leaseDurationMs` is more than `renewDeadlineMs`.
// Times in the lease are for people; no clock is compared with another's. Countdowns are timers, which no correction of
// a wall clock moves. As client-go/tools/leaderelection/leaderelection.go, which counts from when it was answered, and
// adds a retry.
import { isApiError } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Lease } from '../core/types/index.js';
import { heldForMs, heldLease, holderOf, newLease, saysTheSame } from './election-lease.js';
import type { Candidacy } from './election-lease.js';
import type { Stored } from './resource-client.js';

/** What a candidate sees and what becomes of it. */
export type Leadership =
  /** Somebody leads, for the first time or in place of another; it may be the candidate. */
  | { readonly type: 'leader'; readonly identity: string }
  /** The candidate leads from here on. */
  | { readonly type: 'leading' }
  /** It no longer leads: it could not renew the lease in time, somebody else has it, or it was told to stop. */
  | { readonly type: 'lost'; readonly reason: 'expired' | 'taken' | 'stopped' }
  /** A request failed, and is made again. */
  | { readonly type: 'election-failed'; readonly error: unknown; readonly retryInMs: number };

/** How a candidate behaves. */
export interface ElectionRules extends Candidacy {
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly releaseOnCancel: boolean;
}

/** What is under way. One that is new takes the place of the one before it, which is let go. */
export type ElectionAction =
  | { readonly do: 'read' | 'release' | 'nothing' }
  /** `isFresh`: the lease was read just before. */
  | { readonly do: 'create' | 'update'; readonly lease: Frozen<Lease>; readonly isFresh: boolean }
  | { readonly do: 'wait'; readonly ms: number };

/** Time that runs from when it is first seen in a state until it is in none. */
export interface Countdown {
  readonly ms: number;
}

/** What is known of the lease, and what goes on. */
interface ElectionView {
  /** As it was last seen or written. */
  readonly lease: Stored<Lease> | undefined;
  /** Of whom was told that they lead. */
  readonly leader: string;
  readonly action: ElectionAction;
  readonly countdown: Countdown | undefined;
}

interface Candidate extends ElectionView {
  readonly state: 'candidate';
  /** Whether its holder, somebody else, has said nothing new for as long as it holds. */
  readonly isOver: boolean;
}

interface Leader extends ElectionView {
  readonly state: 'leading';
  /** When it asked for what was written last, by the wall clock. */
  readonly askedMs: number;
}

interface Stopping extends ElectionView {
  readonly state: 'stopping';
}

interface Over extends ElectionView {
  readonly state: 'over';
}

/** Where somebody stands. */
export type Election = Candidate | Leader | Stopping | Over;

/** What happens to a candidate. */
export type ElectionEvent =
  | { readonly type: 'read'; readonly lease: Stored<Lease> | undefined }
  | { readonly type: 'written'; readonly lease: Stored<Lease>; readonly askedMs: number }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'waited' | 'ran-out' | 'stop' | 'released' };

/** When a step is made, by the wall clock, and a draw from 0 to 1. */
export interface StepMoment {
  readonly nowMs: number;
  readonly chance: number;
}

/** The state that a step leaves, and what there is to tell. */
export interface ElectionStep {
  readonly state: Election;
  readonly tell: readonly Leadership[];
}

/** Up to how much longer candidates wait than they have to, so that they do not all ask at once. As client-go. */
export const electionJitter = 1.2;

/** Everybody begins by looking. */
export const electionBegin: Election = {
  state: 'candidate',
  isOver: false,
  lease: undefined,
  leader: '',
  action: { do: 'read' },
  countdown: undefined,
};

/** One step. */
export function electionStep(was: Election, event: ElectionEvent, rules: ElectionRules, at: StepMoment): ElectionStep {
  if (was.state === 'over') return { state: was, tell: [] };
  if (was.state === 'stopping')
    return event.type === 'released'
      ? { state: { ...was, state: 'over', action: nothing }, tell: [] }
      : { state: was, tell: [] };
  switch (event.type) {
    case 'read':
      return afterRead(was, event.lease, rules, at);
    case 'written':
      return afterWrite(was, event.lease, event.askedMs, rules, at);
    case 'failed':
      return afterFailure(was, event.error, rules, at);
    case 'waited':
      if (was.state === 'candidate') return { state: { ...was, action: reading }, tell: [] };
      // A machine that slept did not count meanwhile; its wall clock did.
      if (was.lease === undefined || at.nowMs - was.askedMs >= rules.renewDeadlineMs)
        return lose(was, 'expired', reading);
      return {
        state: { ...was, action: { do: 'update', lease: heldLease(was.lease, rules, at.nowMs), isFresh: false } },
        tell: [],
      };
    case 'ran-out':
      if (was.state === 'leading') return lose(was, 'expired', reading);
      return {
        state: { ...was, isOver: true, countdown: undefined, action: was.action.do === 'wait' ? reading : was.action },
        tell: [],
      };
    case 'stop':
      return stop(was, rules);
    case 'released':
      return { state: was, tell: [] };
  }
}

/** Whether the lease may be the candidate's: it was when last seen, or may be by now. */
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
  const { state, tell }: ElectionStep =
    was.state === 'leading' && holder !== rules.identity ? lose(was, 'taken', nothing) : { state: was, tell: [] };
  if (lease === undefined)
    return {
      state: { ...state, lease, action: { do: 'create', lease: newLease(rules, at.nowMs), isFresh: true } },
      tell,
    };
  const isSame = was.lease !== undefined && saysTheSame(lease, was.lease);
  const isFree =
    holder === '' ||
    holder === rules.identity ||
    heldForMs(lease) === 0 ||
    (isSame && was.state === 'candidate' && was.isOver);
  const leader = holder === '' ? was.leader : holder;
  const told = leader === was.leader ? tell : [...tell, { type: 'leader', identity: leader } as const];
  if (isFree)
    return {
      state: {
        ...state,
        lease,
        leader,
        action: { do: 'update', lease: heldLease(lease, rules, at.nowMs), isFresh: true },
      },
      tell: told,
    };
  const countdown = isSame ? state.countdown : { ms: heldForMs(lease) };
  return {
    state: { ...state, state: 'candidate', isOver: false, lease, leader, countdown, action: wait(state, rules, at) },
    tell: told,
  };
}

function afterWrite(
  was: Candidate | Leader,
  lease: Stored<Lease>,
  askedMs: number,
  rules: ElectionRules,
  at: StepMoment,
): ElectionStep {
  const leftMs = rules.renewDeadlineMs - Math.max(0, at.nowMs - askedMs);
  const { identity } = rules;
  if (holderOf(lease) !== identity) return afterRead(was, lease, rules, at); // somebody on the way knows better
  if (leftMs <= 0)
    return was.state === 'leading'
      ? lose({ ...was, lease }, 'expired', reading)
      : { state: { ...was, lease, action: reading }, tell: [] };
  const state: Election = {
    state: 'leading',
    askedMs,
    lease,
    leader: identity,
    countdown: { ms: leftMs },
    action: { do: 'wait', ms: rules.retryPeriodMs },
  };
  const tell: readonly Leadership[] = [
    ...(was.leader === identity ? [] : [{ type: 'leader', identity } as const]),
    ...(was.state === 'leading' ? [] : [{ type: 'leading' } as const]),
  ];
  return { state, tell };
}

function afterFailure(was: Candidate | Leader, error: unknown, rules: ElectionRules, at: StepMoment): ElectionStep {
  const { action } = was;
  const waiting = wait(was, rules, at);
  if ((action.do === 'create' || action.do === 'update') && isTooLate(action.do, error))
    return { state: { ...was, action: action.isFresh ? waiting : reading }, tell: [] };
  return { state: { ...was, action: waiting }, tell: [{ type: 'election-failed', error, retryInMs: waiting.ms }] };
}

/** Somebody else wrote, created or removed it meanwhile. */
function isTooLate(verb: 'create' | 'update', error: unknown): boolean {
  return verb === 'create'
    ? isApiError(error, 'AlreadyExists')
    : isApiError(error, 'Conflict') || isApiError(error, 'NotFound');
}

function stop(was: Candidate | Leader, rules: ElectionRules): ElectionStep {
  const { state, tell } = was.state === 'leading' ? lose(was, 'stopped', was.action) : { state: was, tell: [] };
  const releases = rules.releaseOnCancel && mayHold(was, rules);
  return {
    state: {
      ...state,
      state: releases ? 'stopping' : 'over',
      action: releases ? { do: 'release' } : nothing,
      countdown: undefined,
    },
    tell,
  };
}

function lose(
  was: Candidate | Leader,
  reason: 'expired' | 'taken' | 'stopped',
  action: ElectionAction,
): ElectionStep & { readonly state: Candidate } {
  return {
    state: { ...was, state: 'candidate', isOver: false, countdown: undefined, action },
    tell: [{ type: 'lost', reason }],
  };
}

/** Leaders come back on time; the others do not all come at once. */
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
