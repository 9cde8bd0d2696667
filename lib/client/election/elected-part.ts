// Leader election for parts: of several instances in different processes, the one that holds a Lease runs.
import { filter, concat, connect, defer, merge, of, switchMap } from 'rxjs';
import type { Activity, Part } from '../../core/index.js';
import type { Leadership } from './election-step.js';
import { leaderElection } from './leader-election.js';
import type { LeaderElectionOptions } from './leader-election.js';
import type { Observable } from 'rxjs';

/**
 * Returns a part that runs while it holds the lease and also emits changes of leadership. Completes after `stop$` has
 * emitted and the lease is released. Throws RangeError if the durations contradict each other.
 */
export function electedPart<A extends Activity>(part: Part<A>, options: LeaderElectionOptions): Part<A | Leadership> {
  const election$ = leaderElection(options);
  return {
    name: part.name,
    run: () =>
      whileLeading(election$, () => part.run()).pipe(
        // Leadership of this instance is emitted as `leading`.
        filter((activity) => !isOwnLeader(activity, options.identity)),
      ),
  };
}

function isOwnLeader(activity: Activity, identity: string): boolean {
  return activity.type === 'leader' && 'identity' in activity && activity.identity === identity;
}

/**
 * Runs `work` while this candidate leads: subscribes to it after emitting `leading` and unsubscribes before emitting
 * `lost`. It starts again with every leadership. Completion of the work does not end the election; its error does.
 * Unsubscribing stops the work before the election, so that the lease is released when no work relies on it.
 */
export function whileLeading<T>(
  election$: Observable<Leadership>,
  work: () => Observable<T>,
): Observable<Leadership | T> {
  const isTurn = ({ type }: Leadership): boolean => type === 'leading' || type === 'lost';
  return election$.pipe(
    connect((shared$) =>
      merge(
        shared$.pipe(
          filter(isTurn),
          switchMap((turn): Observable<Leadership | T> =>
            turn.type === 'leading' ? concat(of(turn), defer(work)) : of(turn),
          ),
        ),
        shared$.pipe(filter((other) => !isTurn(other))),
      ),
    ),
  );
}
